//! The leaves of a tree: the points that bound a face, and the material centre of their minimum ball.

#![expect(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, is_held_by_nodes, num_control_points, rounding_of, to_control_points,
};
use crate::contact::detection::volume::{MinimumBall, Sphere, rounded_up};
use crate::math::Vec3;
use crate::math::octet::Octets;
use crate::math::pack::{Pack, Registers, WIDTH};
use crate::math::real::{LANES, Lanes, Mask, Real};
use crate::math::vectorised::{Kernel, Vectorised};
use crate::mesh::CellKind;

use super::lanes::{Balls, difference, norm_squared, rounded_up as lane_rounded_up};

/// Faces handled by one task at least.
const FACES_PER_TASK: usize = 1024;

/// Most points of a face that is held by its nodes: a stride beyond is one of surfaces with curved faces.
pub const LARGEST_FLAT_STRIDE: usize = 4;

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
    /// Nodes of these `faces` of `surface` in turn, with the weights that make the centres of their minimum balls at
    /// `positions`.
    pub fn new(surface: &Surface, faces: &[u32], positions: &[Vec3]) -> Self {
        let kinds: Vec<CellKind> = faces.iter().map(|&face| surface.face(face as usize).0).collect();
        let largest = kinds.iter().map(|&kind| num_control_points(kind)).max().unwrap_or(0);
        let leaves = match (largest, kinds.iter().all(|&kind| is_held_by_nodes(kind))) {
            (0..=2, _) => Self::with_stride::<2>,
            (3, true) => Self::with_stride::<3>,
            (4, true) => Self::with_stride::<4>,
            (..=6, _) => Self::with_stride::<6>,
            _ => Self::with_stride::<MAX_CONTROL_POINTS>,
        };
        leaves(surface, faces, kinds, positions)
    }

    fn with_stride<const N: usize>(
        surface: &Surface,
        faces: &[u32],
        kinds: Vec<CellKind>,
        positions: &[Vec3],
    ) -> Self {
        let mut nodes = vec![0; N * faces.len()];
        let mut weights = vec![0.0; nodes.len()];
        let vectorised = Vectorised::detect();
        (nodes.as_chunks_mut::<N>().0.par_chunks_mut(FACES_PER_TASK))
            .zip(weights.as_chunks_mut::<N>().0.par_chunks_mut(FACES_PER_TASK))
            .zip(faces.par_chunks(FACES_PER_TASK).zip(kinds.par_chunks(FACES_PER_TASK)))
            .for_each(|((nodes, weights), (faces, kinds))| {
                for (nodes, &face) in nodes.iter_mut().zip(faces) {
                    let (_, of_face) = surface.face(face as usize);
                    nodes.fill(of_face[0]);
                    nodes[..of_face.len()].copy_from_slice(of_face);
                }
                vectorised.run(Weights { kinds, nodes, positions, weights });
            });
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
    pub fn reorder(&mut self, order: &[u32]) {
        let n = self.stride;
        let span = |leaf: u32| leaf as usize * n..(leaf as usize + 1) * n;
        self.kinds = order.iter().map(|&leaf| self.kinds[leaf as usize]).collect();
        self.nodes = order.iter().flat_map(|&leaf| &self.nodes[span(leaf)]).copied().collect();
        self.weights = order.iter().flat_map(|&leaf| &self.weights[span(leaf)]).copied().collect();
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
        let records = self.of_stride::<N>();
        let mut spheres = vec![Sphere { centre: Vec3::zeros(), radius: 0.0 }; self.kinds.len()];
        let registers = Registers::default();
        spheres.par_chunks_mut(FACES_PER_TASK).enumerate().for_each(|(task, spheres)| {
            let first = task * FACES_PER_TASK;
            let leaves = records.part(first..first + spheres.len());
            registers.run_in_fours(Spheres { leaves, positions, margin, spheres });
        });
        spheres
    }
}

impl<'a, const N: usize> Records<'a, N> {
    /// Some of the leaves.
    #[inline(always)]
    pub fn part(self, leaves: std::ops::Range<usize>) -> Self {
        Self {
            kinds: &self.kinds[leaves.clone()],
            nodes: &self.nodes[leaves.clone()],
            weights: &self.weights[leaves],
        }
    }

    /// Centres of the leaves from `first` on from the values of `field` at their nodes, and the largest distances of those
    /// values from them, rounded up. Only for leaves that their nodes hold.
    #[inline(always)]
    pub fn balls<S: Simd>(&self, simd: S, first: usize, field: &[Vec3]) -> Balls<Pack<S>> {
        let zero = Pack::splat(simd, 0.0);
        let mut points = [[zero; 3]; N];
        let mut centre = [zero; 3];
        let mut places = [0; WIDTH];
        for lane in 0..Pack::<S>::LANES {
            places[lane] = first + lane;
        }
        let weights = Pack::gather_quadruples(simd, self.weights, &places);
        for a in 0..N {
            for lane in 0..Pack::<S>::LANES {
                places[lane] = self.nodes[first + lane][a] as usize;
            }
            let [x, y, z, _] = Pack::gather_quadruples(simd, field, &places);
            points[a] = [x, y, z];
            for d in 0..3 {
                let part = points[a][d] * weights[a % 4];
                centre[d] = if a == 0 { part } else { centre[d] + part };
            }
        }
        let mut farthest = zero;
        for point in &points {
            farthest = norm_squared(&difference(point, &centre)).max(farthest);
        }
        Balls { centre, radius: lane_rounded_up(farthest.sqrt(), &[zero; 3]) }
    }
}

/// The a-th nodes of four leaves.
#[inline(always)]
fn four_nodes<const N: usize>(nodes: &[[u32; N]], a: usize) -> [u32; LANES] {
    [nodes[0][a], nodes[1][a], nodes[2][a], nodes[3][a]]
}

/// Values of a field at four nodes.
#[inline(always)]
fn four_points(field: &[Vec3], nodes: [u32; LANES]) -> [Lanes; 3] {
    let [a, b, c, d] = [
        &field[nodes[0] as usize],
        &field[nodes[1] as usize],
        &field[nodes[2] as usize],
        &field[nodes[3] as usize],
    ];
    [Lanes([a.x, b.x, c.x, d.x]), Lanes([a.y, b.y, c.y, d.y]), Lanes([a.z, b.z, c.z, d.z])]
}

/// Weights of the leaves of a task.
struct Weights<'a, const N: usize> {
    kinds: &'a [CellKind],
    nodes: &'a [[u32; N]],
    positions: &'a [Vec3],
    weights: &'a mut [[f64; N]],
}

impl<const N: usize> Kernel for Weights<'_, N> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl Octets) {
        let Self { kinds, nodes, positions, weights } = self;
        let in_lanes = if N == 3 { nodes.len() / LANES * LANES } else { 0 };
        for first in (0..in_lanes).step_by(LANES) {
            let nodes = &nodes[first..first + LANES];
            let points = [
                four_points(positions, four_nodes(nodes, 0)),
                four_points(positions, four_nodes(nodes, 1)),
                four_points(positions, four_nodes(nodes, 2)),
            ];
            let (found, certain) = triangle_weights(&points);
            let found = [found[0].settled(), found[1].settled(), found[2].settled()];
            for lane in 0..LANES {
                if certain.0[lane] {
                    for a in 0..N {
                        weights[first + lane][a] = found[a % 3][lane];
                    }
                } else {
                    weights[first + lane] = weights_of(kinds[first + lane], &nodes[lane], positions);
                }
            }
        }
        for leaf in in_lanes..nodes.len() {
            weights[leaf] = weights_of(kinds[leaf], &nodes[leaf], positions);
        }
    }
}

/// Spheres of some leaves, and of the margin around them.
pub struct Spheres<'a, const N: usize> {
    /// The leaves.
    pub leaves: Records<'a, N>,
    /// Of all nodes \[m\].
    pub positions: &'a [Vec3],
    /// How far around the faces the spheres reach \[m\].
    pub margin: f64,
    /// To be found, one a leaf.
    pub spheres: &'a mut [Sphere],
}

impl<const N: usize> WithSimd for Spheres<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { leaves, positions, margin, spheres } = self;
        let lanes = Pack::<S>::LANES;
        let in_lanes = if N > LARGEST_FLAT_STRIDE { 0 } else { spheres.len() / lanes * lanes };
        for first in (0..in_lanes).step_by(lanes) {
            let Balls { centre, radius } = leaves.balls(simd, first, positions);
            Balls { centre, radius: radius + margin }.store(&mut spheres[first..first + lanes]);
        }
        for leaf in in_lanes..spheres.len() {
            let points = bounding_points(leaves.kinds[leaf], &leaves.nodes[leaf], positions);
            let centre = combine(&leaves.weights[leaf], &points);
            spheres[leaf] = Sphere { centre, radius: reach(&points, &centre) + margin };
        }
    }
}

#[inline(never)]
fn weights_of<const N: usize>(kind: CellKind, nodes: &[u32; N], positions: &[Vec3]) -> [f64; N] {
    let points = bounding_points(kind, nodes, positions);
    let mut weights = [0.0; N];
    if let Some(ball) = MinimumBall::of(&points) {
        for (point, weight) in ball.support() {
            weights[point] = weight;
        }
    }
    weights
}

/// Weights of the corners in the centres of the minimum balls of four triangles: the middle of the longest edge where the
/// angle facing it is not acute; else the circumcentre, whose barycentric coordinates
/// are as aᵢ² (aⱼ² + aₖ² − aᵢ²) with the edges aᵢ facing the corners. And whether they are certain: not for needles
/// with an acute angle so small that those differences are lost to rounding, nor where positions are no numbers.
///
/// # Source
/// Ericson 2005, "Real-Time Collision Detection", §4.3.5, for the obtuse case; Coxeter 1969, "Introduction to
/// Geometry", §13.7, for the circumcentre.
#[inline(always)]
fn triangle_weights([a, b, c]: &[[Lanes; 3]; 3]) -> ([Lanes; 3], Mask) {
    let (zero, half) = (Lanes::splat(0.0), Lanes::splat(0.5));
    let facing =
        [norm_squared(&difference(c, b)), norm_squared(&difference(a, c)), norm_squared(&difference(b, a))];
    let longest = facing[0].max(facing[1]).max(facing[2]);
    let sum = facing[0] + facing[1] + facing[2];
    let obtuse = (longest + longest).at_least(sum);
    let raw = [
        (facing[0] * (sum - facing[0] * 2.0)).max(zero),
        (facing[1] * (sum - facing[1] * 2.0)).max(zero),
        (facing[2] * (sum - facing[2] * 2.0)).max(zero),
    ];
    let total = raw[0] + raw[1] + raw[2];
    // Of equal longest edges the first: there are two where the third is no longer than rounding.
    let first = facing[0].at_least(longest);
    let second = facing[1].at_least(longest).and_not(first);
    let third = !(first | second);
    let by = Lanes::splat(1.0) / total;
    let weights = [
        obtuse.select(first.select(zero, half), raw[0] * by),
        obtuse.select(second.select(zero, half), raw[1] * by),
        obtuse.select(third.select(zero, half), raw[2] * by),
    ];
    (weights, obtuse | total.exceeds(longest * longest * 1e-10))
}
