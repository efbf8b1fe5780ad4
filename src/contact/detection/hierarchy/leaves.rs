//! The leaves of a tree: the points that bound a face, and the material centre of their minimum ball.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, is_held_by_nodes, num_control_points, rounding_of, to_control_points,
};
use crate::contact::detection::volume::{MinimumBall, Sphere, rounded_up};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Faces handled by one task at least.
const FACES_PER_TASK: usize = 1024;

/// Most points of a face that is held by its nodes: a stride beyond is one of surfaces with curved faces.
const LARGEST_FLAT_STRIDE: usize = 4;

/// Nodes and weights of the faces, as many per face as the largest face has points that bound it; a smaller face
/// repeats its first node, with weight zero.
#[derive(Clone, Debug)]
pub struct Leaves {
    stride: usize,
    kinds: Vec<CellKind>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
}

/// Leaves of one stride: their kinds, and `N` nodes and weights each.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a, const N: usize> {
    /// Kind of the face.
    pub kinds: &'a [CellKind],
    /// Nodes.
    pub nodes: &'a [[u32; N]],
    /// Weights of the bounding points in the material centre.
    pub weights: &'a [[f64; N]],
}

/// Points whose convex hull contains the face, from the values of `field` at its `nodes`.
///
/// Flat and bilinear faces lie in the hull of their nodes. For a curved face these are the Bézier control points,
/// which are linear in the nodes: positions and velocities alike go through here.
#[inline]
pub fn bounding_points<const N: usize>(kind: CellKind, nodes: &[u32; N], field: &[Vec3]) -> [Vec3; N] {
    let mut points = nodes.map(|node| field[node as usize]);
    if N > LARGEST_FLAT_STRIDE {
        to_control_points(kind, &mut points);
    }
    points
}

/// Σ wₐ pₐ.
#[inline]
pub fn combine<const N: usize>(weights: &[f64; N], points: &[Vec3; N]) -> Vec3 {
    let mut sum = points[0] * weights[0];
    for a in 1..N {
        sum += points[a] * weights[a];
    }
    sum
}

/// Largest distance of the bounding points from `centre`, rounded up.
#[inline]
pub fn reach<const N: usize>(points: &[Vec3; N], centre: &Vec3) -> f64 {
    let mut farthest = 0.0_f64;
    for point in points {
        let distance_squared = (point - centre).norm_squared();
        farthest = if distance_squared > farthest { distance_squared } else { farthest };
    }
    let reach = rounded_up(farthest.sqrt(), &Vec3::zeros());
    if N > LARGEST_FLAT_STRIDE { reach + rounding_of(points) } else { reach }
}

impl Leaves {
    /// Nodes of the faces of `surface`, and the weights that make the centres of their minimum balls at
    /// `positions`; in the order of the faces.
    pub fn new(surface: &Surface, positions: &[Vec3]) -> Self {
        let kinds = || (0..surface.num_faces()).map(|face| surface.face(face).0);
        let largest = kinds().map(num_control_points).max().unwrap_or(0);
        match (largest, kinds().all(is_held_by_nodes)) {
            (0..=2, _) => Self::with_stride::<2>(surface, positions),
            (3, true) => Self::with_stride::<3>(surface, positions),
            (4, true) => Self::with_stride::<4>(surface, positions),
            (..=6, _) => Self::with_stride::<6>(surface, positions),
            _ => Self::with_stride::<MAX_CONTROL_POINTS>(surface, positions),
        }
    }

    fn with_stride<const N: usize>(surface: &Surface, positions: &[Vec3]) -> Self {
        let mut nodes = vec![0; N * surface.num_faces()];
        let mut weights = vec![0.0; nodes.len()];
        nodes
            .as_chunks_mut::<N>()
            .0
            .par_iter_mut()
            .zip(weights.as_chunks_mut::<N>().0)
            .enumerate()
            .with_min_len(FACES_PER_TASK)
            .for_each(|(face, (nodes, weights))| {
                let (kind, of_face) = surface.face(face);
                *nodes = std::array::from_fn(|a| of_face.get(a).copied().unwrap_or(of_face[0]));
                *weights = centre_weights(&bounding_points(kind, nodes, positions));
            });
        let kinds = (0..surface.num_faces()).map(|face| surface.face(face).0).collect();
        Self { stride: N, kinds, nodes, weights }
    }

    /// Number of points kept per face: 2, 3 or 4 where nodes hold all faces, else 6 or 9.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// All leaves; `N` is the [`Leaves::stride`].
    pub fn of_stride<const N: usize>(&self) -> Records<'_, N> {
        debug_assert_eq!(N, self.stride);
        Records { kinds: &self.kinds, nodes: self.nodes.as_chunks().0, weights: self.weights.as_chunks().0 }
    }

    /// Puts the k-th of the given leaves in k-th place.
    pub fn reorder(&mut self, order: impl Iterator<Item = u32> + Clone) {
        let n = self.stride;
        let span = |leaf: u32| leaf as usize * n..(leaf as usize + 1) * n;
        self.kinds = order.clone().map(|leaf| self.kinds[leaf as usize]).collect();
        self.nodes = order.clone().flat_map(|leaf| &self.nodes[span(leaf)]).copied().collect();
        self.weights = order.flat_map(|leaf| &self.weights[span(leaf)]).copied().collect();
    }

    /// Spheres about the material centres, which hold everything within `margin` of the faces.
    pub fn spheres(&self, positions: &[Vec3], margin: f64) -> Vec<Sphere> {
        match self.stride {
            2 => self.spheres_of_stride::<2>(positions, margin),
            3 => self.spheres_of_stride::<3>(positions, margin),
            4 => self.spheres_of_stride::<4>(positions, margin),
            6 => self.spheres_of_stride::<6>(positions, margin),
            _ => self.spheres_of_stride::<MAX_CONTROL_POINTS>(positions, margin),
        }
    }

    fn spheres_of_stride<const N: usize>(&self, positions: &[Vec3], margin: f64) -> Vec<Sphere> {
        let Records { kinds, nodes, weights } = self.of_stride::<N>();
        nodes
            .par_iter()
            .zip(weights)
            .zip(kinds)
            .with_min_len(FACES_PER_TASK)
            .map(|((nodes, weights), &kind)| {
                let points = bounding_points(kind, nodes, positions);
                let centre = combine(weights, &points);
                Sphere { centre, radius: reach(&points, &centre) + margin }
            })
            .collect()
    }

    /// Bounding points of all leaves, [`Leaves::stride`] per leaf, and what they may be off by rounding.
    pub fn points(&self, positions: &[Vec3]) -> (Vec<Vec3>, f64) {
        match self.stride {
            2 => self.points_of_stride::<2>(positions),
            3 => self.points_of_stride::<3>(positions),
            4 => self.points_of_stride::<4>(positions),
            6 => self.points_of_stride::<6>(positions),
            _ => self.points_of_stride::<MAX_CONTROL_POINTS>(positions),
        }
    }

    fn points_of_stride<const N: usize>(&self, positions: &[Vec3]) -> (Vec<Vec3>, f64) {
        let Records { kinds, nodes, .. } = self.of_stride::<N>();
        let points = nodes.iter().zip(kinds).map(|(nodes, &kind)| bounding_points(kind, nodes, positions));
        let largest = if N > LARGEST_FLAT_STRIDE {
            points.clone().map(|p| rounding_of(&p)).fold(0.0, f64::max)
        } else {
            0.0
        };
        (points.flatten().collect(), largest)
    }
}

/// Convex weights of the points in the centre of their minimum ball.
fn centre_weights<const N: usize>(points: &[Vec3; N]) -> [f64; N] {
    let mut weights = [0.0; N];
    if let &[a, b, c] = points.as_slice()
        && let Some(of_triangle) = triangle_weights([a, b, c])
    {
        weights.copy_from_slice(&of_triangle);
        return weights;
    }
    if let Some(ball) = MinimumBall::of(points) {
        for (point, weight) in ball.support() {
            weights[point] += weight;
        }
    }
    weights
}

/// Weights of the corners in the centre of the minimum ball of a triangle: the middle of the longest edge where the
/// angle facing it is not acute; else the circumcentre, whose barycentric coordinates
/// are as aᵢ² (aⱼ² + aₖ² − aᵢ²) with the edges aᵢ facing the corners. `None` for needles with an acute angle so
/// small that those differences are lost to rounding, and where positions are no numbers.
///
/// # Source
/// Ericson 2005, "Real-Time Collision Detection", §4.3.5, for the obtuse case; Coxeter 1969, "Introduction to
/// Geometry", §13.7, for the circumcentre.
fn triangle_weights([a, b, c]: [Vec3; 3]) -> Option<[f64; 3]> {
    let facing = [c - b, a - c, b - a].map(|edge| edge.norm_squared());
    let mut longest = 0;
    for i in 1..3 {
        if facing[i] > facing[longest] {
            longest = i;
        }
    }
    let others = facing[(longest + 1) % 3] + facing[(longest + 2) % 3];
    if facing[longest] >= others {
        let mut weights = [0.5; 3];
        weights[longest] = 0.0;
        return Some(weights);
    }
    let sum = facing[0] + facing[1] + facing[2];
    let raw = facing.map(|edge| (edge * (sum - 2.0 * edge)).max(0.0));
    let total = raw[0] + raw[1] + raw[2];
    (total > 1e-10 * facing[longest] * facing[longest]).then(|| raw.map(|weight| weight / total))
}
