//! The largest stable time step.
//!
//! Central differences are stable for Δt ≤ 2/ω with the highest frequency ω of the mesh. The largest frequency of a
//! single element is an upper bound on ω (Irons' theorem; Hughes 2000, *The Finite Element Method*, §9.1).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use pulp::{Simd, WithSimd};

use super::elements::block::{ElementBlock, ElementOperation};
use super::elements::formulation::{ElementFormulation, history_rows};
use super::elements::group::element_of;
use super::elements::history::PresentHistory;
use crate::material::Law;
use crate::math::pack::{Pack, Registers, Row, Slots, WIDTH};

/// The stable step and its controlling element.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalStep {
    /// Largest Δt known to be stable \[s\].
    pub time_step: f64,
    /// Index of the block.
    pub block: usize,
    /// Index of the element within the block.
    pub element: usize,
}

impl CriticalStep {
    /// The smaller step, or `self` if both are equal, so that the result does not depend on the number of threads.
    pub(super) fn smaller(self, other: Self) -> Self {
        if other.time_step < self.time_step { other } else { self }
    }
}

/// Element of a chunk with the largest upper bound on its squared frequency.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorstElement {
    element: usize,
    frequency_squared: f64,
}

impl WorstElement {
    pub(super) fn into_step(self, block: usize) -> CriticalStep {
        CriticalStep { time_step: 2.0 / self.frequency_squared.sqrt(), block, element: self.element }
    }
}

/// Computation of the largest frequency bound of the elements of a chunk.
pub(super) struct ChunkBound<'a> {
    pub block: &'a ElementBlock,
    pub groups: Range<usize>,
    /// Slots (node numbers within the chunk) of the element nodes: for each group of elements, one row per node with
    /// one slot per lane.
    pub slots: &'a [[u16; WIDTH]],
    /// Positions by slot \[m\].
    pub positions: &'a Slots,
    pub history: &'a [Row],
    pub registers: Registers,
}

impl ElementOperation for ChunkBound<'_> {
    type Output = Option<WorstElement>;

    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(
        self,
        formulation: &F,
        law: L,
    ) -> Option<WorstElement> {
        self.registers.run_in_fours(BoundKernel::<F, L, N> { work: &self, formulation, law })
    }
}

struct BoundKernel<'a, F, L, const N: usize> {
    work: &'a ChunkBound<'a>,
    formulation: &'a F,
    law: L,
}

impl<F: ElementFormulation<N>, L: Law, const N: usize> WithSimd for BoundKernel<'_, F, L, N> {
    type Output = Option<WorstElement>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<WorstElement> {
        let ChunkBound { block, groups, slots, positions, history, .. } = self.work;
        let mut worst: Option<WorstElement> = None;
        let mut largest = f64::NEG_INFINITY;
        let mut state = F::state(simd);
        for (index, (group, slots)) in groups.clone().zip(slots.as_chunks::<N>().0).enumerate() {
            block.prefetch(group);
            for part in 0..Pack::<S>::PARTS {
                let x = Pack::gather_rows(simd, positions, slots, part);
                let data = block.part(simd, group, part);
                let history = PresentHistory::of_group(simd, history, index, history_rows::<F, L, N>(), part);
                let bound =
                    self.formulation.frequency_squared_bound(self.law, &data, &x, &mut state, history);
                for (lane, &bound) in bound.lanes().iter().enumerate() {
                    // A NaN bound counts as infinite.
                    let bound = if bound < f64::INFINITY { bound } else { f64::INFINITY };
                    if bound <= largest {
                        continue;
                    }
                    let element = element_of(group, part * Pack::<S>::LANES + lane, block.num_elements());
                    if let Some(element) = element {
                        largest = bound;
                        worst = Some(WorstElement { element, frequency_squared: bound });
                    }
                }
            }
        }
        worst
    }
}
