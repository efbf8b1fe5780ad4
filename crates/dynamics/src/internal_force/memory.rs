//! Memory access of a chunk: gather of positions, scatter of forces, and prefetch.

#![expect(clippy::needless_range_loop, reason = "closures of iterators escape the vector code")]

use std::ops::Range;
use std::slice::Chunks;

use pulp::{Simd, WithSimd};

use super::ChunkWork;
use crate::math::Vec3;
use crate::math::pack::{Padded, Row, Slots, prefetch};

/// Gathers the positions of nodes.
pub(super) struct GatherNodes<'a> {
    /// Nodes.
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
    /// Forces by node of the owned ranges of the chunks.
    pub owned: &'a mut [Vec3],
    /// Forces by halo node.
    pub halo: &'a mut [Vec3],
    /// Rows of the history at the end of the step.
    pub history: &'a mut [Row],
}

impl<'a> ChunkSums<'a> {
    /// Splits the output into the output of the first chunks and the output of the other chunks. The first chunks
    /// together have `num_owned` nodes in their owned ranges, `num_halo_nodes` and `num_history_rows`.
    pub fn split(self, num_owned: usize, num_halo_nodes: usize, num_history_rows: usize) -> (Self, Self) {
        let (owned, other_owned) = self.owned.split_at_mut(num_owned);
        let (halo, other_halo) = self.halo.split_at_mut(num_halo_nodes);
        let (history, other_history) = self.history.split_at_mut(num_history_rows);
        (Self { owned, halo, history }, Self { owned: other_owned, halo: other_halo, history: other_history })
    }
}

/// Copies the forces by slot to the output of the chunk.
pub(super) struct ScatterForces<'a> {
    /// Forces by slot \[N\].
    pub forces: &'a [Padded],
    /// Slots of owned nodes.
    pub owned: Range<usize>,
    /// Index of the first owned node within the owned range of the chunk.
    pub first: usize,
    /// Output of the chunk.
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

/// Copies vectors between slices of equal length.
#[inline(always)]
fn unpad(padded: &[Padded], vectors: &mut [Vec3]) {
    let vectors = &mut vectors[..padded.len()];
    for k in 0..padded.len() {
        let [x, y, z, _] = padded[k].0;
        vectors[k] = Vec3::new(x, y, z);
    }
}

/// Prefetch of the memory that is needed after the elements of a chunk: the force sums of the chunk, and the nodal
/// positions of the next chunk. This memory is scattered over pages that the hardware prefetcher does not cover.
pub(super) struct Prefetcher<'a> {
    owned: Chunks<'a, Vec3>,
    halo: Chunks<'a, Vec3>,
    nodes: Chunks<'a, u32>,
    positions: &'a [Vec3],
}

impl<'a> Prefetcher<'a> {
    /// Number of groups of elements between two prefetches. A smaller number would cost more time than the prefetches
    /// save.
    pub const PERIOD: usize = 4;

    /// Splits the prefetch into equal parts over the groups of a chunk. The next chunk is assumed to have the same
    /// number of nodes.
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

    /// Prefetches the next part.
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
