//! What a chunk reads of memory before its elements, writes after them, and asks for ahead.

#![expect(clippy::needless_range_loop, reason = "closures of iterators escape the vector code")]

use std::ops::Range;
use std::slice::Chunks;

use pulp::{Simd, WithSimd};

use super::ChunkWork;
use crate::math::Vec3;
use crate::math::pack::{Padded, Slots, prefetch};

/// Brings the positions of nodes together.
pub(super) struct GatherNodes<'a> {
    /// Which.
    pub nodes: &'a [u32],
    /// Of all nodes \[m\].
    pub positions: &'a [Vec3],
    /// To be written: by slot \[m\].
    pub gathered: &'a mut Slots,
}

impl WithSimd for GatherNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let gathered = &mut self.gathered[..self.nodes.len()];
        for slot in 0..gathered.len() {
            gathered[slot] = Padded::from_vector(self.positions[self.nodes[slot] as usize].data.0[0]);
        }
    }
}

/// Where chunks leave the sums of their forces \[N\].
pub(super) struct ChunkSums<'a> {
    /// By node of their territories.
    pub own: &'a mut [Vec3],
    /// By halo node.
    pub halo: &'a mut [Vec3],
}

impl<'a> ChunkSums<'a> {
    /// Those of the first chunks, which write so many of either kind, and the rest.
    pub fn split(self, num_own: usize, num_halo_nodes: usize) -> (Self, Self) {
        let (own, other_own) = self.own.split_at_mut(num_own);
        let (halo, other_halo) = self.halo.split_at_mut(num_halo_nodes);
        (Self { own, halo }, Self { own: other_own, halo: other_halo })
    }
}

/// Hands the forces of slots over to the nodes.
pub(super) struct HandOver<'a> {
    /// By slot \[N\].
    pub forces: &'a [Padded],
    /// Slots of own nodes.
    pub own: Range<usize>,
    /// Place of the first own node.
    pub first: usize,
    /// Where they go.
    pub sums: ChunkSums<'a>,
}

impl WithSimd for HandOver<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { forces, own, first, sums } = self;
        let (before, after) = sums.halo.split_at_mut(own.start);
        unpad(&forces[..own.start], before);
        unpad(&forces[own.end..], after);
        sums.own[..first].fill(Vec3::zeros());
        sums.own[first + own.len()..].fill(Vec3::zeros());
        unpad(&forces[own.clone()], &mut sums.own[first..first + own.len()]);
    }
}

/// Copies vectors of two slices of one length.
#[inline(always)]
fn unpad(padded: &[Padded], vectors: &mut [Vec3]) {
    let vectors = &mut vectors[..padded.len()];
    for k in 0..padded.len() {
        let [x, y, z, _] = padded[k].0;
        vectors[k] = Vec3::new(x, y, z);
    }
}

/// What will be needed of memory when the elements of a chunk are done: room for its sums, and the positions for the
/// chunk after it. All of it is scattered over pages that the processor does not look ahead into by itself.
pub(super) struct Ahead<'a> {
    own: Chunks<'a, Vec3>,
    halo: Chunks<'a, Vec3>,
    nodes: Chunks<'a, u32>,
    positions: &'a [Vec3],
}

impl<'a> Ahead<'a> {
    /// Groups of elements between one part and the next: to ask for little each time costs more than it hides.
    pub const PERIOD: usize = 4;

    /// In equal parts for the groups of a chunk, whose nodes these are; the chunk after it is taken to have as many nodes.
    pub fn new(
        (groups, nodes): (&Range<usize>, &Range<usize>),
        work: &ChunkWork<'a>,
        sums: &'a ChunkSums<'_>,
    ) -> Self {
        let num_parts = groups.len().div_ceil(Self::PERIOD);
        let per_part = |count: usize| count.div_ceil(num_parts).max(1);
        Self {
            own: sums.own.chunks(per_part(sums.own.len())),
            halo: sums.halo.chunks(per_part(sums.halo.len())),
            nodes: work.nodes[nodes.end..].chunks(per_part(nodes.len())),
            positions: work.positions,
        }
    }

    /// Asks for the next part.
    #[inline(always)]
    pub fn prefetch(&mut self) {
        if let Some(own) = self.own.next() {
            prefetch(own);
        }
        if let Some(halo) = self.halo.next() {
            prefetch(halo);
        }
        for &node in self.nodes.next().unwrap_or_default() {
            prefetch(&self.positions[node as usize]);
        }
    }
}
