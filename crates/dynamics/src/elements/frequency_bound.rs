//! Upper bound on the highest frequency of an element in its current state.
//!
//! For a displacement u, let h = ∂u/∂x and θ = tr h at the quadrature points. The weights w of the points sum to the
//! reference volume V₀. With the stiffness matrix K and the lumped mass matrix M, the largest ω² is the maximum of
//! uᵀ K u / uᵀ M u.
//!
//! # Elements with one point or with mean dilatation
//! ```text
//! uᵀ K u ≤ A Σ w |h|² + b V₀ θ̄²
//! Σ w |h|² ≤ s Σ w |∂u/∂X|² ≤ s β uᵀ M u
//! V₀ θ̄² ≤ (V₀/m_min) Σ_a |B̄_a|² uᵀ M u
//! ```
//! - a, b: largest values of `gradient` and `dilatation` in `TangentBound` over the points
//! - A: equal to a, except for mean dilatation at finite strain (last section)
//! - θ̄, B̄_a: means of θ and ∂N_a/∂x over the current volume
//! - m_min: smallest nodal mass
//! - s: largest eigenvalue of (FᵀF)⁻¹ over the points
//! - β: largest eigenvalue of the scalar Laplacian with lumped masses in the reference configuration
//!
//! # Quadratic elements
//! Here Σ w θ² replaces V₀ θ̄², and A = a. With C = F⁻ᵀ at the points, and the mean C̄ of C over the points,
//!
//! ```text
//! θ = C̄ : ∂u/∂X + (C − C̄) : ∂u/∂X
//! Σ w θ² ≤ (|C̄|₂ √γ + max |C − C̄| √β)² uᵀ M u
//! ```
//! The second line follows by Minkowski's inequality; |·|₂ is the spectral norm. γ is the largest value of
//! Σ w (div u)² / uᵀ M u in the reference configuration.
//!
//! # Mean dilatation at finite strain
//! Mean dilatation replaces F by F̄ = α F, α = (J̄/J)^⅓ (see [`super::mean_dilatation`]). Let P̄ be the first
//! Piola–Kirchhoff stress of F̄, and τ̄ = P̄ F̄ᵀ. Over the points, t = max |τ̄| and r = max J/J̄ ≥ 1. The tangent of
//! the law acts on l̄ = δF̄ F̄⁻¹:
//!
//! ```text
//! l̄ = h + δln α I,   δln α = ⅓ (θ̄ − θ),   Σ w |l̄|² ≤ r Σ w |h|²
//! ```
//! The second variation of F̄ adds three sums Σ w (·) to uᵀ K u. Their terms (·) are
//!
//! ```text
//! 2 δln α (τ̄:h),   tr τ̄ (δln α)²,   tr τ̄ δ²ln α
//! ```
//! In this order, the sums are at most 2.31, 2.31 and 1.74 times r t Σ w |h|², because θ² ≤ 3|h|², |tr h²| ≤ |h|² and
//! Σ w θ̄² ≤ r Σ w θ². The three factors sum to less than 7, hence A = r (a + 7 t).
//!
//! The bound is exact for two undeformed linear elements: the cube and the regular tetrahedron.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use pulp::Simd;

use super::history::{HistoryOfPoints, PresentHistory};
use super::interpolation::Interpolation;
use super::kernel::{ElementState, nodal_forces};
use super::reference_geometry::ReferenceGeometry;
use crate::material::Law;
use crate::math::pack::Pack;
use crate::math::real::Real;
use crate::math::tensor::Tensor;

const SECOND_VARIATION: f64 = 7.0;

/// Relative increase applied to computed eigenvalues; larger than the rounding error of the eigenvalues.
pub(crate) const EIGENVALUE_ROUNDING: f64 = 1e-12;

/// Reference data for the frequency bound, with ∇N_a = ∂N_a/∂X.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spectrum<R> {
    /// β: largest eigenvalue of Σ_k w_k ∇N_a·∇N_b / √(m_a m_b), with the points k \[1/(m² · kg/m³)\].
    pub laplacian: R,
    /// For elements with one point or with mean dilatation: 1/m_min \[1/kg\]. For other elements: γ, the largest
    /// eigenvalue of Σ_k w_k ∇N_a ⊗ ∇N_b / √(m_a m_b) \[1/(m² · kg/m³)\].
    pub dilatation: R,
}

/// Upper bound on the largest ω² of each element \[1/s²\].
#[inline(always)]
pub(crate) fn frequency_squared_bound<I, L, S: Simd, const N: usize, const P: usize>(
    interpolation: &I,
    law: L,
    geometry: &impl ReferenceGeometry<S>,
    spectrum: &Spectrum<Pack<S>>,
    state: &ElementState<S, P>,
    history: PresentHistory<'_, S>,
) -> Pack<S>
where
    I: Interpolation<N, P>,
    L: Law,
{
    let (zero, one) = (state.volume.constant(0.0), state.volume.constant(1.0));
    let (mut gradient, mut dilatation, mut inverse_stretch, mut stress) = (zero, zero, zero, zero);
    let mut volume_ratio = one;
    let mut cofactors = [Tensor::filled(zero).plus_identity(); P];
    for k in 0..P {
        let h = state.law_gradient::<I, L>(k);
        let bound = law.tangent_bound(&h, &history.at(k));
        gradient = gradient.max(bound.gradient);
        dilatation = dilatation.max(bound.dilatation);
        if L::SMALL_STRAIN {
            inverse_stretch = one;
            continue;
        }
        let jacobian = state.jacobians[k];
        let cofactor = state.gradients[k].deformed_cofactor().0;
        let largest = cofactor.transposed_dot_self().largest_eigenvalue_bound() / (jacobian * jacobian);
        inverse_stretch = inverse_stretch.max(largest);
        cofactors[k] = cofactor;
        if I::MEAN_DILATATION {
            volume_ratio = volume_ratio.max(jacobian / state.mean_jacobian);
            let first = law.response(&h, &mut history.at(k), history.time_step()).stress;
            let kirchhoff = first.dot_transposed(&h) + first;
            stress = stress.max(kirchhoff.double_dot(&kirchhoff).sqrt());
        }
    }
    if I::MEAN_DILATATION && !L::SMALL_STRAIN {
        gradient = volume_ratio * (gradient + stress * SECOND_VARIATION);
    }
    let divergence = if I::MEAN_DILATATION || P == 1 {
        let mean = if L::SMALL_STRAIN { one } else { state.mean_jacobian };
        mean_divergence(interpolation, geometry, &mut cofactors, spectrum, &state.volume) / (mean * mean)
    } else if L::SMALL_STRAIN {
        spectrum.dilatation
    } else {
        pointwise_divergence(&cofactors, &state.jacobians, spectrum)
    };
    gradient * inverse_stretch * spectrum.laplacian + dilatation * divergence
}

/// V₀/m_min Σ_a |J̄ B̄_a|². V₀ J̄ B̄_a = Σ w cof F ∂N_a/∂X is the derivative of the current volume with respect to x_a.
/// Overwrites `cofactors`.
#[inline(always)]
fn mean_divergence<I, S: Simd, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &impl ReferenceGeometry<S>,
    cofactors: &mut [Tensor<Pack<S>>; P],
    spectrum: &Spectrum<Pack<S>>,
    volume: &Pack<S>,
) -> Pack<S>
where
    I: Interpolation<N, P>,
{
    let mut volume_gradient = [[volume.constant(0.0); 3]; N];
    nodal_forces(interpolation, geometry, cofactors, &mut volume_gradient);
    let mut norm_squared = volume.constant(0.0);
    for [x, y, z] in volume_gradient {
        norm_squared += x * x + y * y + z * z;
    }
    norm_squared * spectrum.dilatation / *volume
}

/// (|C̄|₂ √γ + max |C − C̄| √β)² with C = cof F / J.
#[inline(always)]
fn pointwise_divergence<S: Simd, const P: usize>(
    cofactors: &[Tensor<Pack<S>>; P],
    jacobians: &[Pack<S>; P],
    spectrum: &Spectrum<Pack<S>>,
) -> Pack<S> {
    let zero = jacobians[0].constant(0.0);
    let mut mean = Tensor::filled(zero);
    for k in 0..P {
        mean = mean + cofactors[k].scale(jacobians[k].reciprocal());
    }
    mean = mean.scale(zero + 1.0 / P as f64);
    let mut farthest = zero;
    for k in 0..P {
        let difference = cofactors[k].scale(jacobians[k].reciprocal()) - mean;
        farthest = farthest.max(difference.double_dot(&difference));
    }
    let largest = mean.transposed_dot_self().largest_eigenvalue_bound();
    let root = (largest * spectrum.dilatation).sqrt() + (farthest * spectrum.laplacian).sqrt();
    root * root
}
