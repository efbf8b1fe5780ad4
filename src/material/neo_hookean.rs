//! Compressible neo-Hookean solid.

use super::{Elasticity, Law, Response, TangentBound, green_lagrange, left_cauchy_green};
use crate::math::real::Real;
use crate::math::tensor::Tensor;

/// W = ½μ (tr C − 3) − μ ln J + ½λ ln² J (Bonet and Wood 2008, *Nonlinear Continuum Mechanics for Finite
/// Element Analysis*, §6.4.3, with ln² J for the volume).
///
/// Objective, and resists any compression: W → ∞ as J → 0.
///
/// Written in the invariants I₁, I₂, I₃ of E, with x = det C − 1 = 2I₁ + 4I₂ + 8I₃ and ln J = ½ ln(1+x), so
/// that nothing cancels at small strain:
/// W = μ [½(x − ln(1+x)) − 2I₂ − 4I₃] + ⅛λ ln²(1+x), and S = C⁻¹ (2μ E + λ ln J I).
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean(pub Elasticity);

impl Law for NeoHookean {
    const SMALL_STRAIN: bool = false;

    #[inline(always)]
    fn response<R: Real>(&self, displacement_gradient: &Tensor<R>) -> Response<R> {
        let Elasticity { lambda, mu } = self.0;
        let strain = green_lagrange(displacement_gradient);
        let square = strain.square();
        let i1 = strain.trace();
        let i2 = (i1 * i1 - square.trace()) * 0.5;
        let i3 = strain.determinant();
        let x = i1 * 2.0 + i2 * 4.0 + i3 * 8.0;
        let (logarithm, residual) = x.ln_1p_and_residual();

        // With A = E² − I₁E: adj(C) E = E − 2A + 4I₃ I and adj(C) = (1 + 2I₁ + 4I₂) I − 2E + 4A.
        let a = square + strain * -i1;
        let inverse_determinant = R::splat(1.0) / (x + R::splat(1.0));
        let volumetric = logarithm * (0.5 * lambda) * inverse_determinant;
        let shear = inverse_determinant * (2.0 * mu);
        let second = (strain * (shear - volumetric * 2.0) + a * (volumetric * 4.0 - shear * 2.0))
            .add_diagonal(shear * i3 * 4.0 + volumetric * (R::splat(1.0) + i1 * 2.0 + i2 * 4.0))
            .full();
        let stress = second + displacement_gradient.dot(&second);
        let energy = (residual * 0.5 - i2 * 2.0 - i3 * 4.0) * mu + logarithm * logarithm * (0.125 * lambda);
        Response { stress, energy }
    }

    /// Ḟ : ∂P/∂F : Ḟ = μ |l F|² + (μ − λ ln J) tr(l²) + λ (tr l)²
    /// ≤ (μ b_max + |μ − λ ln J|) |l|² + λ (tr l)², b = F Fᵀ.
    #[inline(always)]
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R> {
        let Elasticity { lambda, mu } = self.0;
        let stretch = left_cauchy_green(displacement_gradient).largest_eigenvalue_bound();
        let (logarithm, _) = displacement_gradient.relative_volume_change().ln_1p_and_residual();
        TangentBound {
            gradient: stretch * mu + (R::splat(mu) - logarithm * lambda).abs(),
            dilatation: R::splat(f64::max(lambda, 0.0)),
        }
    }
}
