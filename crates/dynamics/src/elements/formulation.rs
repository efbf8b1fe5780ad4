//! Element formulations: vectorised over elements and generic over the constitutive law.

use pulp::Simd;

use super::frequency_bound::{Spectrum, frequency_squared_bound};
use super::group::GroupPart;
use super::history::{HistoryOfPoints, PresentHistory};
use super::interpolation::Interpolation;
use super::kernel::{ElementState, nodal_forces};
use super::reference_geometry::{NodeGeometry, ReferenceGeometry};
use crate::material::{Law, PointHistory};
use crate::math::pack::Pack;
use crate::math::real::Real;
use crate::math::tensor::SymmetricTensor;

/// Results of a force evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation<S: Simd> {
    /// Strain energy \[J\].
    pub energy: Pack<S>,
    /// Hourglass energy \[J\].
    pub hourglass: Pack<S>,
    /// Smallest J = det F over the integration points; NaN if any J is not finite.
    pub jacobian: Pack<S>,
}

/// A total Lagrangian element with `N` nodes.
pub(crate) trait ElementFormulation<const N: usize>: Sync {
    const NUM_POINTS: usize;

    /// Workspace, reused for all elements of a chunk.
    type State<S: Simd>;

    fn state<S: Simd>(simd: S) -> Self::State<S>;

    /// Overwrites `forces` with f_a = ∂(energy)/∂x_a \[N\].
    fn forces<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        state: &mut Self::State<S>,
        history: &mut impl HistoryOfPoints<S>,
        forces: &mut [[Pack<S>; 3]; N],
    ) -> Evaluation<S>;

    /// Mean Cauchy stress \[Pa\] over the current volume; for a small-strain law, over the reference volume.
    fn mean_stress<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        state: &mut Self::State<S>,
        history: PresentHistory<'_, S>,
    ) -> SymmetricTensor<Pack<S>>;

    /// Upper bound on ω² for the highest frequency ω of the element \[1/s²\]; infinite or NaN for an inverted element.
    fn frequency_squared_bound<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        state: &mut Self::State<S>,
        history: PresentHistory<'_, S>,
    ) -> Pack<S>;
}

/// Number of rows of the history of a group: one for each integration point and history variable of the law.
#[inline(always)]
pub(crate) const fn history_rows<F: ElementFormulation<N>, L: Law, const N: usize>() -> usize {
    F::NUM_POINTS * <L::History<f64> as PointHistory<f64>>::LEN
}

/// An element integrated at `P` points.
pub(crate) struct Integrated<I, const P: usize>(pub I);

impl<I: Interpolation<N, P>, const N: usize, const P: usize> ElementFormulation<N> for Integrated<I, P> {
    const NUM_POINTS: usize = P;

    type State<S: Simd> = (ElementState<S, P>, NodeGeometry<S, P>);

    #[inline(always)]
    fn state<S: Simd>(simd: S) -> Self::State<S> {
        (ElementState::new(simd), NodeGeometry::new(simd))
    }

    #[inline(always)]
    fn forces<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        (state, nodes): &mut Self::State<S>,
        history: &mut impl HistoryOfPoints<S>,
        forces: &mut [[Pack<S>; 3]; N],
    ) -> Evaluation<S> {
        let geometry = self.0.geometry(data, nodes);
        if I::MEAN_DILATATION && !L::SMALL_STRAIN {
            state.mean_dilatation(law, &self.0, &geometry, positions, history);
            self.0.divergence(&state.stresses, forces);
        } else {
            state.deform::<I, L, N>(&self.0, &geometry, positions);
            state.stress::<I, L>(law, &geometry, history);
            nodal_forces(&self.0, &geometry, &mut state.stresses, forces);
        }
        Evaluation {
            energy: state.energy,
            hourglass: state.energy.constant(0.0),
            jacobian: state.smallest_jacobian(),
        }
    }

    #[inline(always)]
    fn mean_stress<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        (state, nodes): &mut Self::State<S>,
        mut history: PresentHistory<'_, S>,
    ) -> SymmetricTensor<Pack<S>> {
        let geometry = self.0.geometry(data, nodes);
        if I::MEAN_DILATATION && !L::SMALL_STRAIN {
            state.mean_dilatation(law, &self.0, &geometry, positions, &mut history);
            return state.kirchhoff_sum().symmetric_part() * state.current_volume.reciprocal();
        }
        state.deform::<I, L, N>(&self.0, &geometry, positions);
        state.stress::<I, L>(law, &geometry, &mut history);
        let zero = state.energy.constant(0.0);
        let (mut sum, mut volume) = (SymmetricTensor([zero; 6]), zero);
        for (k, stress) in state.stresses.iter().enumerate() {
            // ∫ σ dv = ∫ P Fᵀ dV; for a small-strain law σ = P.
            let kirchhoff =
                if L::SMALL_STRAIN { *stress } else { *stress + stress.dot_transposed(&state.gradients[k]) };
            let weight = geometry.weight(k);
            sum = sum + kirchhoff.symmetric_part() * weight;
            volume += if L::SMALL_STRAIN { weight } else { weight * state.jacobians[k] };
        }
        sum * volume.reciprocal()
    }

    #[inline(always)]
    fn frequency_squared_bound<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; N],
        (state, nodes): &mut Self::State<S>,
        history: PresentHistory<'_, S>,
    ) -> Pack<S> {
        let geometry = self.0.geometry(data, nodes);
        state.deform::<I, L, N>(&self.0, &geometry, positions);
        let spectrum =
            Spectrum { laplacian: data.load(&data.spectrum[0]), dilatation: data.load(&data.spectrum[1]) };
        let bound = frequency_squared_bound(&self.0, law, &geometry, &spectrum, state, history);
        infinite_where_inverted(bound, state.smallest_jacobian())
    }
}

/// `bound` where J > 0, otherwise NaN, which counts as infinite.
#[inline(always)]
pub(crate) fn infinite_where_inverted<R: Real>(bound: R, jacobian: R) -> R {
    // If J ≤ 0, then 1/max(J, 0) = ∞, and ∞ · 0 is NaN.
    bound + jacobian.max(jacobian.constant(0.0)).reciprocal() * 0.0
}
