//! Stress, energy and forces by numerical integration, total Lagrangian and vectorised over elements.
//!
//! In linear elements with several quadrature points, the mean volume change of the element replaces the volume change
//! at each point. At finite strain, see [`super::mean_dilatation`]. For a small-strain law, the mean of tr H replaces
//! tr H, with H = F − I (B̄ method: Hughes 1980, Int. J. Numer. Meth. Eng. 15:1413).

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use pulp::Simd;

use super::history::HistoryOfPoints;
use super::interpolation::{Formulation, Interpolation};
use super::reference_geometry::ReferenceGeometry;
use crate::material::{Law, MaterialResponse};
use crate::math::pack::Pack;
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// Workspace: state of the `P` quadrature points of the elements of a pack.
///
/// The methods write in place, because copies of the workspace would cost as much as the arithmetic.
pub(crate) struct ElementState<S: Simd, const P: usize> {
    /// Displacement gradient H = F − I; after `mean_dilatation`, ∂x/∂ξ \[m\].
    pub gradients: [Tensor<Pack<S>>; P],
    /// J = det F.
    pub jacobians: [Pack<S>; P],
    /// Result of `deform`. With mean dilatation: J̄, the mean of J over the reference volume; for a small-strain law,
    /// the mean of 1 + tr H. Without mean dilatation: J of the first point.
    pub mean_jacobian: Pack<S>,
    /// Reference volume \[m³\].
    pub volume: Pack<S>,
    /// Current volume \[m³\], for elements with mean dilatation.
    pub current_volume: Pack<S>,
    /// First Piola–Kirchhoff stress \[Pa\]; after `nodal_forces` or `mean_dilatation`, work conjugate of ∂x/∂ξ \[N\].
    pub stresses: [Tensor<Pack<S>>; P],
    /// Strain energy \[J\].
    pub energy: Pack<S>,
    /// Correction of mean dilatation: α − 1 with α = (J̄/J)^⅓; for a small-strain law, ⅓ (θ̄ − θ) with θ = tr H and the
    /// mean θ̄ of θ. Also holds intermediate results.
    pub corrections: [Pack<S>; P],
    /// With mean dilatation at finite strain: first the Green strain of F̄ = α F, then α²/weight times the second
    /// Piola–Kirchhoff stress of F̄.
    pub strains: [SymmetricTensor<Pack<S>>; P],
    /// With mean dilatation at finite strain: α.
    pub stretches: [Pack<S>; P],
    /// With mean dilatation at finite strain: 1/weight \[1/m³\].
    pub inverse_weights: [Pack<S>; P],
}

impl<S: Simd, const P: usize> ElementState<S, P> {
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        let (zero, one) = (Pack::splat(simd, 0.0), Pack::splat(simd, 1.0));
        Self {
            gradients: [Tensor::filled(zero); P],
            jacobians: [one; P],
            mean_jacobian: one,
            volume: zero,
            current_volume: zero,
            stresses: [Tensor::filled(zero); P],
            energy: zero,
            corrections: [zero; P],
            strains: [SymmetricTensor([zero; 6]); P],
            stretches: [one; P],
            inverse_weights: [one; P],
        }
    }

    #[inline(always)]
    pub fn deform<I, L, const N: usize>(
        &mut self,
        interpolation: &I,
        geometry: &impl ReferenceGeometry<S>,
        positions: &[[Pack<S>; 3]; N],
    ) where
        I: Interpolation<N, P>,
        L: Law,
    {
        let zero = positions[0][0].constant(0.0);
        let (mut sum, mut volume) = (zero, zero);
        interpolation.gradients(positions, &mut self.gradients);
        for k in 0..P {
            let h = self.gradients[k].dot(&geometry.inverse_jacobian(k)).minus_identity();
            let change = h.relative_volume_change();
            let dilatation = if L::SMALL_STRAIN { h.trace() } else { change };
            sum = geometry.weight(k).mul_add(dilatation, sum);
            volume += geometry.weight(k);
            self.corrections[k] = dilatation;
            self.jacobians[k] = change + 1.0;
            self.gradients[k] = h;
        }
        self.volume = volume;
        if !I::MEAN_DILATATION {
            self.mean_jacobian = self.jacobians[0];
            return;
        }
        let mean = sum / volume;
        self.mean_jacobian = mean + 1.0;
        for k in 0..P {
            let difference = mean - self.corrections[k];
            self.corrections[k] = if L::SMALL_STRAIN {
                difference * (1.0 / 3.0)
            } else {
                volume_stretch_excess(difference / self.jacobians[k])
            };
        }
    }

    /// Smallest J over the points; NaN if any J is not finite.
    #[inline(always)]
    pub fn smallest_jacobian(&self) -> Pack<S> {
        let (mut smallest, mut sum) = (self.jacobians[0], self.jacobians[0]);
        for jacobian in &self.jacobians[1..] {
            smallest = smallest.min(*jacobian);
            sum += *jacobian;
        }
        smallest + sum * 0.0
    }

    /// Displacement gradient on which the law acts: H without mean dilatation; with mean dilatation, F̄ − I at finite
    /// strain, and H + ⅓ (θ̄ − θ) I for a small-strain law.
    #[inline(always)]
    pub fn law_gradient<I: Formulation, L: Law>(&self, k: usize) -> Tensor<Pack<S>> {
        let (h, correction) = (&self.gradients[k], self.corrections[k]);
        if !I::MEAN_DILATATION {
            *h
        } else if L::SMALL_STRAIN {
            h.add_diagonal(correction)
        } else {
            h.scale(correction + 1.0).add_diagonal(correction)
        }
    }

    /// Computes stresses and energy from the results of `deform`. Not for mean dilatation at finite strain; for this
    /// case, see `mean_dilatation`.
    #[inline(always)]
    pub fn stress<I: Formulation, L: Law>(
        &mut self,
        law: L,
        geometry: &impl ReferenceGeometry<S>,
        history: &mut impl HistoryOfPoints<S>,
    ) {
        let zero = self.volume.constant(0.0);
        let (mut energy, mut pressure_sum) = (zero, zero);
        for k in 0..P {
            let mut of_point = history.at(k);
            let MaterialResponse { stress, energy: density } =
                law.response(&self.law_gradient::<I, L>(k), &mut of_point, history.time_step());
            history.keep(k, &of_point);
            energy = geometry.weight(k).mul_add(density, energy);
            self.stresses[k] = stress;
            if I::MEAN_DILATATION {
                self.corrections[k] = stress.trace() * (1.0 / 3.0);
                pressure_sum = geometry.weight(k).mul_add(self.corrections[k], pressure_sum);
            }
        }
        self.energy = energy;
        if I::MEAN_DILATATION {
            let mean = pressure_sum / self.volume;
            for k in 0..P {
                self.stresses[k] = self.stresses[k].add_diagonal(mean - self.corrections[k]);
            }
        }
    }
}

/// α − 1 = (α³ − 1)/(α² + α + 1) with α = (J̄/J)^⅓, from `relative` = J̄/J − 1 without cancellation.
#[inline(always)]
fn volume_stretch_excess<R: Real>(relative: R) -> R {
    let root = (relative + 1.0).cube_root();
    relative / (root * root + root + 1.0)
}

/// Computes f_a = Σ_k w_k P_k ∇N_a(k), with the weights w_k, and replaces each stress P_k by the work conjugate of
/// ∂x/∂ξ.
#[inline(always)]
pub(crate) fn nodal_forces<I, S: Simd, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &impl ReferenceGeometry<S>,
    stresses: &mut [Tensor<Pack<S>>; P],
    forces: &mut [[Pack<S>; 3]; N],
) where
    I: Interpolation<N, P>,
{
    for k in 0..P {
        stresses[k] = stresses[k].dot(&geometry.weighted_cofactor(k));
    }
    interpolation.divergence(stresses, forces);
}
