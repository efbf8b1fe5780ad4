//! Mean Cauchy stress over the volume of each element.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use crate::elements::block::{ElementBlock, ElementOperation};
use crate::elements::formulation::{ElementFormulation, history_rows};
use crate::elements::group::element_of;
use crate::elements::history::PresentHistory;
use crate::material::Law;
use crate::math::pack::{Pack, Registers, Row, Slots, WIDTH};

pub(super) struct MeanStress<'a> {
    pub block: &'a ElementBlock,
    pub groups: Range<usize>,
    /// Slots (local node numbers) of each group, by node, then lane.
    pub slots: &'a [[u16; WIDTH]],
    /// Positions by slot \[m\].
    pub positions: &'a Slots,
    pub history: &'a [Row],
    /// Output: mean stress of each element of the chunk \[Pa\].
    pub out: &'a mut [[f64; 6]],
    pub registers: Registers,
}

impl ElementOperation for MeanStress<'_> {
    type Output = ();

    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(self, formulation: &F, law: L) {
        self.registers.run_in_fours(StressKernel::<F, L, N> { work: self, formulation, law });
    }
}

struct StressKernel<'a, F, L, const N: usize> {
    work: MeanStress<'a>,
    formulation: &'a F,
    law: L,
}

impl<F: ElementFormulation<N>, L: Law, const N: usize> WithSimd for StressKernel<'_, F, L, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let MeanStress { block, groups, slots, positions, history, out, .. } = self.work;
        let mut state = F::state(simd);
        let first = element_of(groups.start, 0, block.num_elements()).unwrap_or(0);
        for (index, (group, slots)) in groups.zip(slots.as_chunks::<N>().0).enumerate() {
            for part in 0..Pack::<S>::PARTS {
                let x = Pack::gather_rows(simd, positions, slots, part);
                let data = block.part(simd, group, part);
                let history = PresentHistory::of_group(simd, history, index, history_rows::<F, L, N>(), part);
                let stress = self.formulation.mean_stress(self.law, &data, &x, &mut state, history);
                for lane in 0..Pack::<S>::LANES {
                    let element = element_of(group, part * Pack::<S>::LANES + lane, block.num_elements());
                    let Some(element) = element else { continue };
                    for (out, component) in out[element - first].iter_mut().zip(&stress.0) {
                        *out = component.lanes()[lane];
                    }
                }
            }
        }
    }
}
