//! The leaves of a tree: for each face, the bounding points, and the weights of these points in the material centre.

mod leaf;
mod minimum_balls;
mod ritter_balls;

use ictus_core::vocabulary;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::Surface;
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, lies_in_hull_of_nodes, num_control_points};
use crate::detection::volume::Sphere;
use crate::math::Vec3;
use crate::math::pack::{Pack, Registers};
use crate::mesh::CellKind;

use super::lanes::Balls;
use leaf::{Kinds, ball, num_in_lanes, points_of, sphere};
use minimum_balls::MinimumBalls;
use ritter_balls::RitterBalls;

pub use leaf::LARGEST_FLAT_STRIDE;

vocabulary! {
    /// Method that fits the spheres of the leaves, and the reference spheres of inner vertices, to bounding points.
    pub enum LeafFit {
        /// For a leaf, the minimum ball; for an inner vertex, the minimum ball of extremal points, grown over all
        /// points.
        MinimumBall = "minimum-ball",
        /// Ritter's ball: the ball of a wide pair of points, grown over the other points.
        Ritter = "ritter",
    }
}

/// Nodes of each face, and weights of the bounding points in the material centre. The stride is the number of entries
/// per face. A face with fewer nodes repeats its first node.
#[derive(Clone, Debug)]
pub struct Leaves {
    stride: usize,
    /// Empty for surfaces without curved faces.
    kinds: Vec<CellKind>,
    nodes: Vec<u32>,
    /// Weights of the first points of all faces, then of the second points, and so on.
    weights: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
pub struct Records<'a, const N: usize> {
    kinds: Kinds<'a>,
    pub nodes: &'a [[u32; N]],
    /// `weights[a][leaf]` is the weight of bounding point a in the material centre of the leaf.
    weights: [&'a [f64]; N],
}

impl Leaves {
    /// Builds the leaves of `faces`, and writes their spheres at `positions`, enlarged by the margin, to `spheres`.
    /// Each slice of `spheres` is filled by its own task.
    pub fn new(
        surface: &Surface,
        faces: &[u32],
        positions: &[Vec3],
        margin_and_fit: (f64, LeafFit),
        spheres: Vec<&mut [Sphere]>,
    ) -> Self {
        let kinds = surface.distinct_kinds();
        let largest = kinds.iter().map(|&kind| num_control_points(kind)).max().unwrap_or(0);
        let leaves = match (largest, kinds.iter().all(|&kind| lies_in_hull_of_nodes(kind))) {
            (0..=2, _) => Self::with_stride::<2>,
            (3, true) => Self::with_stride::<3>,
            (4, true) => Self::with_stride::<4>,
            (..=6, _) => Self::with_stride::<6>,
            _ => Self::with_stride::<MAX_CONTROL_POINTS>,
        };
        leaves(surface, faces, positions, margin_and_fit, spheres)
    }

    fn with_stride<const N: usize>(
        surface: &Surface,
        faces: &[u32],
        positions: &[Vec3],
        (margin, fit): (f64, LeafFit),
        spheres: Vec<&mut [Sphere]>,
    ) -> Self {
        let mut nodes = vec![0; N * faces.len()];
        let mut weights = vec![0.0; nodes.len()];
        let kinds: Vec<CellKind> = if N > LARGEST_FLAT_STRIDE {
            faces.iter().map(|&face| surface.face(face as usize).0).collect()
        } else {
            Vec::new()
        };
        let registers = Registers::default();
        let mut columns = weights.chunks_mut(faces.len());
        let mut columns: [&mut [f64]; N] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        let (mut rest_of_nodes, mut first) = (nodes.as_chunks_mut::<N>().0, 0);
        let tasks: Vec<_> = spheres
            .into_iter()
            .map(|spheres| {
                let leaves = first..first + spheres.len();
                first = leaves.end;
                let nodes = split_front(&mut rest_of_nodes, spheres.len());
                let weights = columns.each_mut().map(|column| split_front(column, spheres.len()));
                (leaves, nodes, weights, spheres)
            })
            .collect();
        tasks.into_par_iter().for_each(|(leaves, nodes, weights, spheres)| {
            copy_nodes(surface, &faces[leaves.clone()], nodes);
            let kinds = Kinds(&kinds).part(leaves);
            match fit {
                LeafFit::MinimumBall => {
                    registers.run_in_fours(MinimumBalls {
                        kinds,
                        nodes,
                        positions,
                        margin,
                        weights,
                        spheres,
                    });
                }
                LeafFit::Ritter => RitterBalls { kinds, nodes, positions, margin }.fit(weights, spheres),
            }
        });
        Self { stride: N, kinds, nodes, weights }
    }

    /// Number of points per face: 2, 3 or 4 without curved faces, otherwise 6 or 9.
    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn of_stride<const N: usize>(&self) -> Records<'_, N> {
        debug_assert_eq!(N, self.stride);
        let nodes = self.nodes.as_chunks().0;
        let mut columns = self.weights.chunks(nodes.len().max(1));
        let weights = std::array::from_fn(|_| columns.next().unwrap_or_default());
        Records { kinds: Kinds(&self.kinds), nodes, weights }
    }

    /// Moves leaf `order[k]` to index k.
    pub fn reorder(&mut self, order: &[u32]) {
        let (n, num_leaves) = (self.stride, order.len());
        let span = |leaf: u32| leaf as usize * n..(leaf as usize + 1) * n;
        self.kinds = order.iter().filter_map(|&leaf| self.kinds.get(leaf as usize)).copied().collect();
        self.nodes = order.iter().flat_map(|&leaf| &self.nodes[span(leaf)]).copied().collect();
        let columns = self.weights.chunks(num_leaves);
        self.weights = columns.flat_map(|column| order.iter().map(|&leaf| column[leaf as usize])).collect();
    }
}

/// Copies the nodes of `faces`; a face with fewer than `N` nodes repeats its first node.
fn copy_nodes<const N: usize>(surface: &Surface, faces: &[u32], nodes: &mut [[u32; N]]) {
    if let Some(all) = surface.faces_of_one_kind::<N>() {
        for (nodes, &face) in nodes.iter_mut().zip(faces) {
            *nodes = all[face as usize];
        }
        return;
    }
    for (nodes, &face) in nodes.iter_mut().zip(faces) {
        let (_, of_face) = surface.face(face as usize);
        nodes.fill(of_face[0]);
        nodes[..of_face.len()].copy_from_slice(of_face);
    }
}

fn split_front<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, after) = std::mem::take(rest).split_at_mut(count);
    *rest = after;
    front
}

impl<'a, const N: usize> Records<'a, N> {
    #[inline]
    pub fn bounding_points(&self, leaf: usize, positions: &[Vec3]) -> [Vec3; N] {
        self.kinds.bounding_points(leaf, &self.nodes[leaf], positions)
    }

    #[inline(always)]
    pub fn part(self, leaves: std::ops::Range<usize>) -> Self {
        Self {
            kinds: self.kinds.part(leaves.clone()),
            nodes: &self.nodes[leaves.clone()],
            weights: self.weights.map(|column| &column[leaves.clone()]),
        }
    }
}

/// Computes the spheres of some leaves about their material centres, enlarged by `margin`.
pub struct Spheres<'a, const N: usize> {
    pub leaves: Records<'a, N>,
    pub positions: &'a [Vec3],
    pub margin: f64,
    pub spheres: &'a mut [Sphere],
}

impl<const N: usize> WithSimd for Spheres<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { leaves: Records { kinds, nodes, weights: columns }, positions, margin, spheres } = self;
        let (lanes, in_lanes) = (Pack::<S>::LANES, num_in_lanes::<S, N>(spheres.len()));
        let mut weights = [Pack::splat(simd, 0.0); N];
        for first in (0..in_lanes).step_by(lanes) {
            let leaves = first..first + lanes;
            let points = points_of(simd, &nodes[leaves.clone()], positions);
            for a in 0..N {
                weights[a] = Pack::from_slice(simd, &columns[a][leaves.clone()]);
            }
            let Balls { centre, radius } = ball(&points, &weights);
            Balls { centre, radius: radius + margin }.store(&mut spheres[leaves]);
        }
        for leaf in in_lanes..spheres.len() {
            let points = kinds.bounding_points(leaf, &nodes[leaf], positions);
            spheres[leaf] = sphere(&points, &columns.map(|column| column[leaf]), margin);
        }
    }
}
