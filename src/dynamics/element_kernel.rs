//! Stress, energy and forces of four elements at a time, total Lagrangian.
//!
//! Linear elements with several quadrature points have mean dilatation: they see F̄ = (J̄/J)^⅓ F, J̄ = Σ w J / Σ w (de Souza Neto, Perić, Dutko and
//! Owen 1996, Int. J. Solids Struct. 33:3277, with the mean instead of the central volume), so that a nearly
//! incompressible material does not lock. The energy is Σ w W(F̄) and the forces are its exact gradient:
//! with α = (J̄/J)^⅓, π = ⅓ P̄ : F̄ and p̂ = Σ w π / (J̄ Σ w) the stress that works on F is
//! α P̄ + (p̂ − π/J) cof F. The small-strain law has tr H for the volume, which makes it the B̄ method
//! (Hughes 1980, Int. J. Numer. Meth. Eng. 15:1413). Quadratic elements and simplices of one point see F itself
//! ([`Formulation`]).

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use super::element_block::PointGeometry;
use super::interpolation::{Formulation, Interpolation};
use crate::material::{Law, Response};
use crate::math::real::{Lanes, Real};
use crate::math::tensor::Tensor;

/// Workspace: state of the `P` quadrature points of four elements.
///
/// One lives through a chunk of elements; results are written in place, as copies of it would cost as much as
/// the arithmetic.
pub(super) struct ElementState<const P: usize> {
    /// Displacement gradient H = F − I of the interpolation.
    pub gradients: [Tensor<Lanes>; P],
    /// J = det F.
    pub jacobians: [Lanes; P],
    /// Mean of J over the reference volume (1 + mean of tr H for a small-strain law); of elements that see one volume
    /// change.
    pub mean_jacobian: Lanes,
    /// Reference volume \[m³\].
    pub volume: Lanes,
    /// First Piola–Kirchhoff stress that works on F \[Pa\].
    pub stresses: [Tensor<Lanes>; P],
    /// Strain energy \[J\].
    pub energy: Lanes,
    /// α − 1, or ⅓ (θ̄ − θ) of a small-strain law: what mean dilatation adds.
    corrections: [Lanes; P],
}

impl<const P: usize> ElementState<P> {
    /// The undeformed state.
    pub fn new() -> Self {
        let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
        Self {
            gradients: [Tensor::zero(); P],
            jacobians: [one; P],
            mean_jacobian: one,
            volume: zero,
            stresses: [Tensor::zero(); P],
            energy: zero,
            corrections: [zero; P],
        }
    }

    /// Deformation at every point.
    #[inline(always)]
    pub fn deform<I, L, const N: usize>(
        &mut self,
        interpolation: &I,
        geometry: &[PointGeometry; P],
        positions: &[[Lanes; 3]; N],
    ) where
        I: Interpolation<N, P>,
        L: Law,
    {
        let one = Lanes::splat(1.0);
        // Change of volume that the law knows: tr H for a small-strain law, J − 1 for the others.
        let (mut sum, mut volume) = (Lanes::splat(0.0), Lanes::splat(0.0));
        interpolation.gradients(positions, &mut self.gradients);
        for k in 0..P {
            let h = self.gradients[k].dot(&geometry[k].inverse_jacobian).add_diagonal(-one);
            let change = h.relative_volume_change();
            let dilatation = if L::SMALL_STRAIN { h.trace() } else { change };
            sum += geometry[k].weight * dilatation;
            volume += geometry[k].weight;
            self.corrections[k] = dilatation;
            self.jacobians[k] = change + one;
            self.gradients[k] = h;
        }
        self.volume = volume;
        if !I::MEAN_DILATATION {
            self.mean_jacobian = self.jacobians[0];
            return;
        }
        let mean = sum / volume;
        self.mean_jacobian = mean + one;
        for k in 0..P {
            let difference = mean - self.corrections[k];
            self.corrections[k] = if L::SMALL_STRAIN {
                difference * (1.0 / 3.0)
            } else {
                volume_stretch_excess(difference, self.jacobians[k])
            };
        }
    }

    /// Displacement gradient H̄ = F̄ − I that the law sees at point `k`.
    #[inline(always)]
    pub fn law_gradient<I: Formulation, L: Law>(&self, k: usize) -> Tensor<Lanes> {
        let (h, correction) = (&self.gradients[k], self.corrections[k]);
        if !I::MEAN_DILATATION {
            *h
        } else if L::SMALL_STRAIN {
            h.add_diagonal(correction)
        } else {
            h.scale(correction + Lanes::splat(1.0)).add_diagonal(correction)
        }
    }

    /// Stress at every point and energy, for the deformation last given.
    #[inline(always)]
    pub fn stress<I: Formulation, L: Law>(&mut self, law: L, geometry: &[PointGeometry; P]) {
        let mut pressures = [Lanes::splat(0.0); P];
        let (mut energy, mut pressure_sum) = (Lanes::splat(0.0), Lanes::splat(0.0));
        for k in 0..P {
            let h = self.law_gradient::<I, L>(k);
            let Response { stress, energy: density } = law.response(&h);
            energy += geometry[k].weight * density;
            self.stresses[k] = stress;
            if I::MEAN_DILATATION {
                // ⅓ P̄ : F̄, or ⅓ tr P at small strain.
                let work =
                    if L::SMALL_STRAIN { stress.trace() } else { stress.double_dot(&h) + stress.trace() };
                pressures[k] = work * (1.0 / 3.0);
                pressure_sum += geometry[k].weight * pressures[k];
            }
        }
        self.energy = energy;
        if I::MEAN_DILATATION {
            let volume = if L::SMALL_STRAIN { self.volume } else { self.volume * self.mean_jacobian };
            let mean = pressure_sum / volume;
            for k in 0..P {
                self.stresses[k] = self.with_mean_pressure::<L>(k, pressures[k], mean);
            }
        }
    }

    /// The stress that works on F at point `k`, from P̄, its pressure π and the mean pressure p̂.
    #[inline(always)]
    fn with_mean_pressure<L: Law>(&self, k: usize, pressure: Lanes, mean: Lanes) -> Tensor<Lanes> {
        let stress = &self.stresses[k];
        if L::SMALL_STRAIN {
            return stress.add_diagonal(mean - pressure);
        }
        let one = Lanes::splat(1.0);
        let cofactor = self.gradients[k].add_diagonal(one).cofactor();
        stress.scale(self.corrections[k] + one) + cofactor.scale(mean - pressure / self.jacobians[k])
    }
}

/// α − 1 with α = (J̄/J)^⅓, from J̄ − J and J, with no cancellation: (α³ − 1)/(α² + α + 1).
#[inline(always)]
fn volume_stretch_excess(difference: Lanes, jacobian: Lanes) -> Lanes {
    let relative = difference / jacobian;
    let root = (relative + Lanes::splat(1.0)).cube_root();
    relative / (root * root + root + Lanes::splat(1.0))
}

/// f_a = Σ_k w_k P_k ∇N_a; overwrites the stresses.
#[inline(always)]
pub(super) fn nodal_forces<I, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &[PointGeometry; P],
    stresses: &mut [Tensor<Lanes>; P],
    forces: &mut [[Lanes; 3]; N],
) where
    I: Interpolation<N, P>,
{
    for k in 0..P {
        stresses[k] = stresses[k].scale(geometry[k].weight).dot_transposed(&geometry[k].inverse_jacobian);
    }
    interpolation.divergence(stresses, forces);
}
