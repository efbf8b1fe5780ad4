//! Two interpenetrating self-affine surfaces on the unit square, for benches and tests of contact.
//!
//! Each surface is a grid of 145 × 145 nodes of spacing h = 1/144. The heights have waves of 4 to 32 periods per side,
//! Hurst exponent 0.8 and root mean square 0.005, and come from `scripts/rough_surfaces.py`. The upper surface lies
//! 0.005 higher and is shifted by (0.37, 0.21) h. Several independent libraries agree on these quantities:
//!
//! - [`SUM_OF_SQUARED_DISTANCES`] from the lower nodes to the upper triangles;
//! - [`CANDIDATES`]: pairs of a lower node and an upper triangle whose boxes, both inflated by r, overlap.
#![allow(dead_code, reason = "each bench and test uses part of it")]

use ictus::math::Vec3;

/// Nodes along each side.
pub const NODES_PER_SIDE: u32 = 145;
/// Distance of neighbouring nodes in x and y \[m\].
pub const SPACING: f64 = 1.0 / (NODES_PER_SIDE - 1) as f64;
/// Height of the mean plane of the upper surface above the mean plane of the lower surface \[m\].
pub const MEAN_GAP: f64 = 0.005;
/// Sum over the lower nodes of the squared distance to the upper triangles \[m²\].
pub const SUM_OF_SQUARED_DISTANCES: f64 = 1.5746598317;
/// Inflation r of the boxes in units of [`SPACING`], and the number of pairs of boxes that overlap for this r.
pub const CANDIDATES: [(f64, usize); 3] = [(0.25, 57_580), (0.5, 220_655), (1.0, 922_840)];

/// A rough surface; all faces have their normal upward (+z).
#[derive(Clone, Debug)]
pub struct RoughSurface {
    /// Positions \[m\]; y runs fastest.
    pub nodes: Vec<Vec3>,
    /// Two triangles for each cell of the grid.
    pub triangles: Vec<[u32; 3]>,
    /// Six-node triangles over the same nodes, two for each square of 2 × 2 cells. The three corners come first, then
    /// the middles of the edges 01, 12, 20.
    pub quadratic_triangles: Vec<[u32; 6]>,
}

impl RoughSurface {
    /// The surface around z = 0; its cells are split along the diagonal x = y.
    pub fn lower() -> Self {
        let triangles = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        Self::new(include_bytes!("../data/rough_lower.f64"), [0.0, 0.0, 0.0], triangles)
    }

    /// The surface around z = [`MEAN_GAP`], shifted; its cells are split along the other diagonal.
    pub fn upper() -> Self {
        let triangles = |[a, b, c, d]: [u32; 4]| [[a, b, d], [b, c, d]];
        Self::new(include_bytes!("../data/rough_upper.f64"), [0.37, 0.21, MEAN_GAP], triangles)
    }

    /// `shift` is in spacings along x and y, and in metres along z. `cut` splits a cell into two triangles; its
    /// argument is the list of corners, counter-clockwise.
    fn new(heights: &[u8], shift: [f64; 3], cut: impl Fn([u32; 4]) -> [[u32; 3]; 2]) -> Self {
        let n = NODES_PER_SIDE;
        let (heights, _) = heights.as_chunks::<8>();
        let place = |k: u32, shift: f64| f64::from(k) * SPACING + shift * SPACING;
        let node = |(k, height): (u32, &[u8; 8])| {
            Vec3::new(place(k / n, shift[0]), place(k % n, shift[1]), f64::from_le_bytes(*height) + shift[2])
        };
        let cells = |step: u32| {
            let places = move || (0..n - 1).step_by(step as usize);
            let corners = move |a: u32| [a, a + step * n, a + step * n + step, a + step];
            places().flat_map(move |i| places().map(move |j| corners(i * n + j)))
        };
        let quadratic = |[a, b, c, d]: [u32; 4]| {
            let middle = |first: u32, second: u32| first.midpoint(second);
            [[a, b, c], [a, c, d]].map(|[a, b, c]| [a, b, c, middle(a, b), middle(b, c), middle(c, a)])
        };
        Self {
            nodes: (0..n * n).zip(heights).map(node).collect(),
            triangles: cells(1).flat_map(cut).collect(),
            quadratic_triangles: cells(2).flat_map(quadratic).collect(),
        }
    }

    /// The triangles with downward normals: those of a body above the surface.
    pub fn triangles_from_below(&self) -> Vec<[u32; 3]> {
        self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
    }

    /// The six-node triangles with downward normals.
    pub fn quadratic_triangles_from_below(&self) -> Vec<[u32; 6]> {
        let turned = |&[a, b, c, ab, bc, ca]: &[u32; 6]| [a, c, b, ca, bc, ab];
        self.quadratic_triangles.iter().map(turned).collect()
    }
}
