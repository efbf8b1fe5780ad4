//! Mean dilatation at finite strain, for linear elements with several quadrature points.
//!
//! These elements use F̄ = (J̄/J)^⅓ F with J̄ = Σ w J / Σ w, which avoids volumetric locking. The weights w of the
//! points sum to the reference volume. Source: de Souza Neto, Perić, Dutko and Owen 1996, Int. J. Solids Struct.
//! 33:3277 (there with the J of the centre as J̄).
//!
//! With the energy density W, the energy is Σ w W(F̄), and the forces are the exact gradient of the energy. Let P̄ and
//! S̄ be the first and second Piola–Kirchhoff stress of F̄, and C̄ = F̄ᵀF̄. The work conjugate of F at a point, divided
//! by w, is
//!
//! ```text
//! α P̄ + (p̂ − π/J) cof F,   α = (J̄/J)^⅓,   π = ⅓ P̄ : F̄ = ⅓ S̄ : C̄,   p̂ = Σ w π / (J̄ Σ w),   P̄ = α F S̄
//! ```
//! The code uses G = ∂x/∂ξ instead of F. With the weight ω of the point in the quadrature rule, the work conjugate of G
//! is
//!
//! ```text
//! α P̄ A + ω (p̂ − π/J) cof G,   A = w (∂X/∂ξ)⁻ᵀ,   w F = G Aᵀ,   J = det G ω/w
//! ```
//! Here w is `geometry.weight`, ω is `interpolation.weight`, and A is `weighted_cofactor`.

use pulp::Simd;

use super::history::HistoryOfPoints;
use super::interpolation::Interpolation;
use super::kernel::ElementState;
use super::reference_geometry::ReferenceGeometry;
use crate::material::Law;
use crate::math::pack::Pack;
use crate::math::real::Real;
use crate::math::tensor::Tensor;

impl<S: Simd, const P: usize> ElementState<S, P> {
    /// Computes G (in `gradients`), its work conjugates (in `stresses`), J and the energy.
    #[inline(always)]
    pub fn mean_dilatation<I, L, const N: usize>(
        &mut self,
        law: L,
        interpolation: &I,
        geometry: &impl ReferenceGeometry<S>,
        positions: &[[Pack<S>; 3]; N],
        history: &mut impl HistoryOfPoints<S>,
    ) where
        I: Interpolation<N, P>,
        L: Law,
    {
        let zero = positions[0][0].constant(0.0);
        let (mut current, mut reference) = (zero, zero);
        interpolation.gradients(positions, &mut self.gradients);
        for k in 0..P {
            let volume = self.gradients[k].determinant() * interpolation.weight(k);
            current += volume;
            reference += geometry.weight(k);
            self.inverse_weights[k] = geometry.weight(k).reciprocal();
            self.jacobians[k] = volume * self.inverse_weights[k];
        }
        (self.volume, self.current_volume) = (reference, current);
        let change = (current - reference) / reference;
        let inverse_mean = reference / current;
        let volumetric = law.volumetric(change);
        let (mut energy, mut pressure_sum) = (zero, zero);
        for k in 0..P {
            self.stretches[k] = self.jacobians[k].mul_add(inverse_mean, zero.constant(-1.0));
        }
        Real::inverse_cube_roots_1p(&mut self.stretches);
        // The loops are separate, so that the processor can compute several points at the same time.
        for k in 0..P {
            let stretch_by_weight = self.stretches[k] * self.inverse_weights[k];
            let weighted_gradient = self.gradients[k].dot_transposed(&geometry.weighted_cofactor(k));
            self.strains[k] =
                weighted_gradient.transposed_dot_self().scaled_strain(stretch_by_weight * stretch_by_weight);
            self.stresses[k] = weighted_gradient;
        }
        for k in 0..P {
            let (weight, stretch) = (geometry.weight(k), self.stretches[k]);
            let mut of_point = history.at(k);
            let response =
                law.response_to_strain(&self.strains[k], &volumetric, &mut of_point, history.time_step());
            history.keep(k, &of_point);
            energy = weight.mul_add(response.energy, energy);
            let pressure = response.kirchhoff_trace * (1.0 / 3.0);
            pressure_sum = weight.mul_add(pressure, pressure_sum);
            let square = stretch * stretch;
            self.corrections[k] = pressure * (square * stretch * inverse_mean);
            self.strains[k] = response.stress * (square * self.inverse_weights[k]);
        }
        for k in 0..P {
            let scaled = self.strains[k].full();
            self.stresses[k] = self.stresses[k].dot(&scaled).dot(&geometry.weighted_cofactor(k));
        }
        self.energy = energy;
        let mean = pressure_sum / current;
        for k in 0..P {
            let pressure = (mean - self.corrections[k]) * interpolation.weight(k);
            self.stresses[k] = self.stresses[k].plus_scaled(&self.gradients[k].cofactor(), pressure);
        }
    }

    /// ∫ σ dv = Σ w P Fᵀ = Σ T Gᵀ, with the work conjugates w P of F and T of G.
    #[inline(always)]
    pub fn kirchhoff_sum(&self) -> Tensor<Pack<S>> {
        let mut sum = self.stresses[0].dot_transposed(&self.gradients[0]);
        for k in 1..P {
            sum = sum + self.stresses[k].dot_transposed(&self.gradients[k]);
        }
        sum
    }
}
