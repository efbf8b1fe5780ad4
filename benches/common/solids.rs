//! Solids of hexahedra or tetrahedra on a lattice, for distance fields: cube, ball, block with a hole, half shells of a
//! hollow sphere with a clamp, and bumpy bodies.

use std::f64::consts::PI;

use ictus::contact::Surface;
use ictus::contact::detection::distance_field::{
    DistanceField, DistanceFieldError, DistanceFieldOptions, Solid,
};
use ictus::math::Vec3;
use ictus::mesh::{CellBlock, CellKind, Mesh};

/// A body of one kind of element with its surface.
pub struct Body {
    pub kind: CellKind,
    pub nodes: Vec<Vec3>,
    pub connectivity: Vec<u32>,
    pub surface: Surface,
}

impl Body {
    /// A body with the skin of its elements as surface.
    pub fn new(kind: CellKind, nodes: Vec<Vec3>, connectivity: Vec<u32>) -> Self {
        let tags = (1..=(connectivity.len() / kind.num_nodes()) as u64).collect();
        let block = CellBlock { kind, connectivity: connectivity.clone(), tags };
        let node_tags = (1..=nodes.len() as u64).collect();
        let mesh = Mesh { nodes: nodes.clone(), node_tags, blocks: vec![block], groups: vec![] };
        let surface = Surface::new(mesh.skin().unwrap().iter());
        Self { kind, nodes, connectivity, surface }
    }

    pub fn field(&self, options: &DistanceFieldOptions) -> Result<DistanceField, DistanceFieldError> {
        let blocks = [(self.kind, self.connectivity.as_slice())];
        let solid = Solid { blocks: &blocks, positions: &self.nodes };
        DistanceField::new(&solid, &self.surface, options)
    }
}

/// Corners of a cell of the lattice, in the order of the nodes of a hexahedron.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Six tetrahedra of a cell that share the diagonal from corner 0 to corner 6.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];

/// A body of the cells of a lattice that `keep` accepts, as hexahedra or tetrahedra. `place` gives the positions of the
/// nodes.
pub fn lattice(
    kind: CellKind,
    cells: [usize; 3],
    keep: impl Fn([usize; 3]) -> bool,
    place: impl Fn([usize; 3]) -> Vec3,
) -> Body {
    let [nx, ny, nz] = cells.map(|n| n + 1);
    let mut number = vec![u32::MAX; nx * ny * nz];
    let (mut nodes, mut connectivity) = (Vec::new(), Vec::new());
    for cell in 0..cells.iter().product() {
        let low = [cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])];
        if !keep(low) {
            continue;
        }
        let corners = CORNERS.map(|c| {
            let at = [0, 1, 2].map(|axis| low[axis] + c[axis]);
            let entry = &mut number[(at[2] * ny + at[1]) * nx + at[0]];
            if *entry == u32::MAX {
                *entry = nodes.len() as u32;
                nodes.push(place(at));
            }
            *entry
        });
        match kind {
            CellKind::Tet4 => TETRAHEDRA.iter().for_each(|t| connectivity.extend(t.map(|k| corners[k]))),
            _ => connectivity.extend(corners),
        }
    }
    Body::new(kind, nodes, connectivity)
}

/// A box with one corner at the origin.
pub fn block(kind: CellKind, cells: [usize; 3], size: [f64; 3]) -> Body {
    lattice(kind, cells, |_| true, |at| Vec3::from_fn(|i, _| size[i] * at[i] as f64 / cells[i] as f64))
}

/// Maps a point of the cube \[−1, 1\]³ into the unit ball. The surface of the cube becomes the sphere. An inner
/// concentric cube becomes less round the nearer it is to the centre.
pub fn in_ball(x: Vec3) -> Vec3 {
    // The coordinates on the concentric cube become angles, so that the cells near the sphere have nearly equal size.
    let radius = x.amax();
    if radius == 0.0 {
        return x;
    }
    let shell = (x / radius).map(|c| (c * PI / 4.0).tan());
    // The shape is a cube near the centre and a sphere at the surface.
    let (round, cube) = (shell.normalize(), x / radius / 1.5);
    (round * radius + cube * (1.0 - radius)) * radius
}

/// A ball of radius R with `n` cells across.
pub fn ball(kind: CellKind, n: usize, radius: f64) -> Body {
    let place = |at: [usize; 3]| in_ball(Vec3::from_fn(|i, _| 2.0 * at[i] as f64 / n as f64 - 1.0)) * radius;
    lattice(kind, [n; 3], |_| true, place)
}

/// A bumpy body between a ball and a cube. Its nodes are moved radially by random numbers of the given amplitude and
/// seed.
pub fn bumpy(n: usize, amplitude: f64, seed: u64) -> Body {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(77);
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let noise: Vec<f64> = (0..(n + 1).pow(3)).map(|_| amplitude * random()).collect();
    let place = |at: [usize; 3]| {
        let x = Vec3::from_fn(|i, _| 2.0 * at[i] as f64 / n as f64 - 1.0);
        let radius = x.amax();
        // The shape is between a ball and a cube, so that no element at the edges of the cube becomes flat.
        let round = in_ball(x) * 0.3 + x * 0.55;
        round * (1.0 + radius.powi(4) * noise[(at[2] * (n + 1) + at[1]) * (n + 1) + at[0]])
    };
    lattice(CellKind::Tet4, [n; 3], |_| true, place)
}

/// A block 10 × 10 × 4 of cells of size 1/n, with a hole \[2, 5\] × \[3, 8\] through its height.
pub fn block_with_hole(n: usize) -> Body {
    let keep = |c: [usize; 3]| !((2 * n..5 * n).contains(&c[0]) && (3 * n..8 * n).contains(&c[1]));
    let place = |at: [usize; 3]| Vec3::from_fn(|i, _| at[i] as f64 / n as f64);
    lattice(CellKind::Hex8, [10 * n, 10 * n, 4 * n], keep, place)
}

/// Radii between the layers of the wall of the hollow sphere.
const LAYERS: [f64; 4] = [0.9, 0.95, 0.97, 1.0];

/// A quarter of the upper or lower half of a hollow sphere of radius 1 and wall thickness 0.1. At the equator is one
/// side of the clamp: on the lower half a tongue with a bead, on the upper half the groove around this tongue.
///
/// Each half has `rows` rows of cells along the meridian. The clamp has five rows of height 0.02 above the equator.
pub fn half_shell(kind: CellKind, is_upper: bool, rows: usize) -> Body {
    const CLAMP: usize = 5;
    let heights = |row: usize| {
        let (pole, free) = (1.2, rows as f64);
        match row {
            row if row < rows => -pole * (1.0 - row as f64 / free),
            row if row <= rows + CLAMP => 0.02 * (row - rows) as f64,
            row => 0.1 + (pole - 0.1) * (row - rows - CLAMP) as f64 / free,
        }
    };
    let place = |at: [usize; 3]| {
        let (latitude, around) = (heights(at[1]), PI / 2.0 * at[0] as f64 / 8.0);
        let across = Vec3::new(around.cos() * latitude.cos(), around.sin() * latitude.cos(), latitude.sin());
        across * LAYERS[at[2]]
    };
    let in_lower = |[_, row, layer]: [usize; 3]| {
        let tongue = if row >= rows + 3 { 2 } else { 1 };
        row < rows || (row < rows + CLAMP && layer < tongue)
    };
    lattice(kind, [8, 2 * rows + CLAMP, 3], |cell| in_lower(cell) != is_upper, place)
}
