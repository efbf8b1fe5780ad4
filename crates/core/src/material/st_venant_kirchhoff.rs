//! St. Venant–Kirchhoff: Hooke's law between Green–Lagrange strain and second Piola–Kirchhoff stress.

use super::elasticity::Elasticity;
use super::law::{
    Hyperelastic, MaterialResponse, StrainResponse, TangentBound, green_lagrange, left_cauchy_green,
};
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// S = λ tr E I + 2μ E, P = F S, W = ½ λ tr² E + μ E : E.
///
/// The law is valid for large rotations and moderate strain. A bar compressed to less than 1/√3 of its length softens
/// and can invert.
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoff(pub Elasticity);

impl Hyperelastic for StVenantKirchhoff {
    const SMALL_STRAIN: bool = false;

    type Volumetric<R: Real> = ();

    #[inline(always)]
    fn volumetric<R: Real>(&self, _: R) {}

    #[inline(always)]
    fn response_at_volume<R: Real>(&self, displacement_gradient: &Tensor<R>, (): &()) -> MaterialResponse<R> {
        let response = self.response_to_strain(&green_lagrange(displacement_gradient), &());
        let second = response.stress.full();
        MaterialResponse { stress: displacement_gradient.dot_plus(&second, &second), energy: response.energy }
    }

    /// S : C = tr S + 2 S : E, and S : E = 2 W.
    #[inline(always)]
    fn response_to_strain<R: Real>(&self, strain: &SymmetricTensor<R>, (): &()) -> StrainResponse<R> {
        let trace = strain.trace();
        let spherical = trace * self.0.lambda;
        let stress = strain.times(2.0 * self.0.mu).add_diagonal(spherical);
        let energy = spherical * trace * 0.5 + strain.norm_squared() * self.0.mu;
        StrainResponse { stress, energy, kirchhoff_trace: stress.trace() + energy * 4.0 }
    }

    /// With b = F Fᵀ, the Kirchhoff stress τ = F S Fᵀ, and the largest eigenvalues τ_max and b_max:
    ///
    /// ```text
    /// Ḟ : ∂P/∂F : Ḟ = l τ : l + 2μ |Fᵀ sym(l) F|² + λ (b : l)²
    /// l τ : l ≤ τ_max |l|²,   |Fᵀ sym(l) F|² ≤ b_max² |l|²
    /// (b : l)² ≤ β (β + |d|) (tr l)² + |d| (β + |d|) |l|²         b = β I + d, β = ⅓ tr b
    /// ```
    /// Zero replaces a negative τ_max or λ.
    #[inline(always)]
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R> {
        let stress = self.response(displacement_gradient).stress;
        let f = displacement_gradient.plus_identity();
        let kirchhoff = stress.dot_transposed(&f).symmetric_part();
        let stretch = left_cauchy_green(displacement_gradient);
        let mean = stretch.trace() * (1.0 / 3.0);
        let deviation = stretch.add_diagonal(-mean).norm_squared().sqrt();
        let largest = stretch.largest_eigenvalue_bound();
        let lambda = f64::max(self.0.lambda, 0.0);
        let initial_stress = kirchhoff.largest_eigenvalue_bound().max(mean.constant(0.0));
        TangentBound {
            gradient: initial_stress
                + largest * largest * (2.0 * self.0.mu)
                + deviation * (mean + deviation) * lambda,
            dilatation: mean * (mean + deviation) * lambda,
        }
    }
}
