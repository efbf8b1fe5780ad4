//! The leaves of a tree: the points that bound a face, and the material centre of their minimum ball.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::volume::{MinimumBall, Sphere, rounded_up};
use crate::math::Vec3;

/// Faces handled by one task at least.
const FACES_PER_TASK: usize = 1024;

/// Nodes and weights of the faces, as many per face as the largest face has; a smaller face repeats its first
/// node with weight zero.
#[derive(Clone, Debug)]
pub struct Leaves {
    stride: usize,
    nodes: Vec<u32>,
    weights: Vec<f64>,
}

/// Points whose convex hull contains the face, from the values of `field` at its `nodes`.
///
/// Flat and bilinear faces lie in the hull of their nodes. For a curved face these are the Bézier control points,
/// which are linear in the nodes: positions and velocities alike go through here.
#[inline]
pub fn bounding_points<const N: usize>(nodes: &[u32; N], field: &[Vec3]) -> [Vec3; N] {
    nodes.map(|node| field[node as usize])
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

/// Largest distance of the points from `centre`, rounded up.
#[inline]
pub fn reach<const N: usize>(points: &[Vec3; N], centre: &Vec3) -> f64 {
    let mut farthest = 0.0_f64;
    for point in points {
        let distance_squared = (point - centre).norm_squared();
        farthest = if distance_squared > farthest { distance_squared } else { farthest };
    }
    rounded_up(farthest.sqrt(), &Vec3::zeros())
}

impl Leaves {
    /// Nodes of the faces of `surface`, and the weights that make the centres of their minimum balls at
    /// `positions`; in the order of the faces.
    pub fn new(surface: &Surface, positions: &[Vec3]) -> Self {
        let largest = (0..surface.num_faces()).map(|f| surface.face(f).1.len()).max().unwrap_or(0);
        match largest {
            0..=2 => Self::with_stride::<2>(surface, positions),
            3 => Self::with_stride::<3>(surface, positions),
            4 => Self::with_stride::<4>(surface, positions),
            _ => Self::with_stride::<8>(surface, positions),
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
                let of_face = surface.face(face).1;
                *nodes = std::array::from_fn(|a| of_face.get(a).copied().unwrap_or(of_face[0]));
                *weights = centre_weights(&bounding_points(nodes, positions));
            });
        Self { stride: N, nodes, weights }
    }

    /// Number of nodes kept per face: 2, 3, 4 or 8.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Nodes and weights of each leaf; `N` is the [`Leaves::stride`].
    pub fn of_stride<const N: usize>(&self) -> (&[[u32; N]], &[[f64; N]]) {
        debug_assert_eq!(N, self.stride);
        (self.nodes.as_chunks().0, self.weights.as_chunks().0)
    }

    /// Puts the k-th of the given leaves in k-th place.
    pub fn reorder(&mut self, order: impl Iterator<Item = u32> + Clone) {
        let n = self.stride;
        let span = |leaf: u32| leaf as usize * n..(leaf as usize + 1) * n;
        self.nodes = order.clone().flat_map(|leaf| &self.nodes[span(leaf)]).copied().collect();
        self.weights = order.flat_map(|leaf| &self.weights[span(leaf)]).copied().collect();
    }

    /// Spheres about the material centres, which hold everything within `margin` of the faces.
    pub fn spheres(&self, positions: &[Vec3], margin: f64) -> Vec<Sphere> {
        match self.stride {
            2 => self.spheres_of_stride::<2>(positions, margin),
            3 => self.spheres_of_stride::<3>(positions, margin),
            4 => self.spheres_of_stride::<4>(positions, margin),
            _ => self.spheres_of_stride::<8>(positions, margin),
        }
    }

    fn spheres_of_stride<const N: usize>(&self, positions: &[Vec3], margin: f64) -> Vec<Sphere> {
        let (nodes, weights) = self.of_stride::<N>();
        nodes
            .par_iter()
            .zip(weights)
            .with_min_len(FACES_PER_TASK)
            .map(|(nodes, weights)| {
                let points = bounding_points(nodes, positions);
                let centre = combine(weights, &points);
                Sphere { centre, radius: reach(&points, &centre) + margin }
            })
            .collect()
    }

    /// Bounding points of all leaves, [`Leaves::stride`] per leaf.
    pub fn points(&self, positions: &[Vec3]) -> Vec<Vec3> {
        match self.stride {
            2 => self.points_of_stride::<2>(positions),
            3 => self.points_of_stride::<3>(positions),
            4 => self.points_of_stride::<4>(positions),
            _ => self.points_of_stride::<8>(positions),
        }
    }

    fn points_of_stride<const N: usize>(&self, positions: &[Vec3]) -> Vec<Vec3> {
        self.of_stride::<N>().0.iter().flat_map(|nodes| bounding_points(nodes, positions)).collect()
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
