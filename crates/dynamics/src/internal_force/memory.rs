//! Memory access of a chunk of elements: nodal positions and forces by slot (the index of a node in the chunk).

#![expect(clippy::needless_range_loop, reason = "closures of iterators escape the vector code")]

use std::ops::Range;
use std::slice::Chunks;

use pulp::{Simd, WithSimd};

use super::ChunkWork;
use crate::math::Vec3;
use crate::math::pack::{Padded, Row, Slots, prefetch};

pub(super) struct GatherNodes<'a> {
    pub nodes: &'a [u32],
    /// Positions of all nodes \[m\].
    pub positions: &'a [Vec3],
    /// Output: positions by slot \[m\].
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

/// Output of chunks: force sums \[N\], and history.
pub(super) struct ChunkSums<'a> {
    /// Force sums of the nodes in the owned ranges, chunk after chunk.
    pub owned: &'a mut [Vec3],
    /// Force sums of the halo nodes, chunk after chunk.
    pub halo: &'a mut [Vec3],
    /// History at the end of the step.
    pub history: &'a mut [Row],
}

impl<'a> ChunkSums<'a> {
    /// Splits the output into the part of the first chunks, which has the given numbers of entries, and the part of the
    /// other chunks.
    pub fn split(self, num_owned: usize, num_halo_nodes: usize, num_history_rows: usize) -> (Self, Self) {
        let (owned, other_owned) = self.owned.split_at_mut(num_owned);
        let (halo, other_halo) = self.halo.split_at_mut(num_halo_nodes);
        let (history, other_history) = self.history.split_at_mut(num_history_rows);
        (Self { owned, halo, history }, Self { owned: other_owned, halo: other_halo, history: other_history })
    }
}

/// Copies forces by slot to the output of a chunk.
pub(super) struct ScatterForces<'a> {
    /// Forces by slot \[N\].
    pub forces: &'a [Padded],
    /// Slots of owned nodes.
    pub owned: Range<usize>,
    /// Index of the first owned node within the owned range. Nodes without an owner may precede and follow the owned
    /// nodes.
    pub first: usize,
    pub sums: ChunkSums<'a>,
}

impl WithSimd for ScatterForces<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { forces, owned, first, sums } = self;
        let (before, after) = sums.halo.split_at_mut(owned.start);
        unpad(&forces[..owned.start], before);
        unpad(&forces[owned.end..], after);
        sums.owned[..first].fill(Vec3::zeros());
        sums.owned[first + owned.len()..].fill(Vec3::zeros());
        unpad(&forces[owned.clone()], &mut sums.owned[first..first + owned.len()]);
    }
}

#[inline(always)]
fn unpad(padded: &[Padded], vectors: &mut [Vec3]) {
    let vectors = &mut vectors[..padded.len()];
    for k in 0..padded.len() {
        let [x, y, z, _] = padded[k].0;
        vectors[k] = Vec3::new(x, y, z);
    }
}

/// Prefetch of the memory that is needed after the elements of a chunk are computed: force sums of the chunk, and nodal
/// positions of the next chunk. The memory is scattered over pages that the hardware prefetcher does not cover.
pub(super) struct Prefetcher<'a> {
    owned: Chunks<'a, Vec3>,
    halo: Chunks<'a, Vec3>,
    nodes: Chunks<'a, u32>,
    positions: &'a [Vec3],
}

impl<'a> Prefetcher<'a> {
    /// Number of element groups between two prefetches; a smaller number costs more than it saves.
    pub const PERIOD: usize = 4;

    /// Spreads the prefetches over the `groups`, as if the next chunk had as many nodes as this chunk.
    pub fn new(
        (groups, nodes): (&Range<usize>, &Range<usize>),
        work: &ChunkWork<'a>,
        sums: &'a ChunkSums<'_>,
    ) -> Self {
        let num_parts = groups.len().div_ceil(Self::PERIOD);
        let per_part = |count: usize| count.div_ceil(num_parts).max(1);
        Self {
            owned: sums.owned.chunks(per_part(sums.owned.len())),
            halo: sums.halo.chunks(per_part(sums.halo.len())),
            nodes: work.nodes[nodes.end..].chunks(per_part(nodes.len())),
            positions: work.positions,
        }
    }

    #[inline(always)]
    pub fn prefetch(&mut self) {
        if let Some(owned) = self.owned.next() {
            prefetch(owned);
        }
        if let Some(halo) = self.halo.next() {
            prefetch(halo);
        }
        for &node in self.nodes.next().unwrap_or_default() {
            prefetch(&self.positions[node as usize]);
        }
    }
}
