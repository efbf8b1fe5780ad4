//! Compressible neo-Hookean solid.

use super::elasticity::Elasticity;
use super::law::{
    Hyperelastic, MaterialResponse, StrainResponse, TangentBound, green_lagrange, left_cauchy_green,
};
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// W = ½μ (tr C − 3) − μ ln J + ½λ ln² J with C = Fᵀ F and J = det F.
///
/// W → ∞ as J → 0. The form in j = J − 1 and the invariants I₁, I₂, I₃ of E = ½(C − I) avoids cancellation at small
/// strain:
///
/// ```text
/// det C = 1 + 2 I₁ + 4 I₂ + 8 I₃ = (1 + j)²
/// W = μ [j − ln(1 + j) + ½ j² − 2 I₂ − 4 I₃] + ½ λ ln²(1 + j)
/// ```
/// With D = J (I − F⁻ᵀ), a tensor of the order of H = F − I:
///
/// ```text
/// P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ = μ H + (1/J) (μ − λ ln J) D + λ ln J I
/// ```
///
/// # Source
/// Bonet and Wood 2008, *Nonlinear Continuum Mechanics for Finite Element Analysis*, §6.4.3 (with ln² J for the
/// volume).
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean(pub Elasticity);

/// Functions of the volume change j = J − 1.
#[derive(Clone, Copy, Debug)]
pub struct Volumetric<R> {
    /// 1/J.
    inverse: R,
    /// ln J.
    logarithm: R,
    /// j − ln J + ½ j².
    energy: R,
}

impl Hyperelastic for NeoHookean {
    const SMALL_STRAIN: bool = false;

    type Volumetric<R: Real> = Volumetric<R>;

    #[inline(always)]
    fn volumetric<R: Real>(&self, change: R) -> Volumetric<R> {
        let (logarithm, residual) = change.ln_1p_and_residual();
        Volumetric {
            inverse: (change + 1.0).reciprocal(),
            logarithm,
            energy: residual + change * change * 0.5,
        }
    }

    #[inline(always)]
    fn response_at_volume<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        volumetric: &Volumetric<R>,
    ) -> MaterialResponse<R> {
        let (Elasticity { lambda, mu }, volume) = (self.0, volumetric);
        let strain = green_lagrange(displacement_gradient);
        let (i2, i3) = strain.second_and_third_invariant();
        let spherical = volume.logarithm * lambda;
        let shear = displacement_gradient.scale(spherical.constant(mu));
        let defect = displacement_gradient.inverse_transposed_defect();
        let factor = (spherical * -1.0 + mu) * volume.inverse;
        let stress = shear.plus_scaled(&defect, factor).add_diagonal(spherical);
        let energy = (volume.energy - i2 * 2.0 - i3 * 4.0) * mu + spherical * volume.logarithm * 0.5;
        MaterialResponse { stress, energy }
    }

    /// S = μ (I − C⁻¹) + λ ln J C⁻¹, and S : C = 2μ tr E + 3λ ln J. I − C⁻¹ = G/J², where G = det C (I − C⁻¹) is of the
    /// order of E.
    #[inline(always)]
    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        volume: &Volumetric<R>,
    ) -> StrainResponse<R> {
        let Elasticity { lambda, mu } = self.0;
        let cofactor = strain.cofactor();
        let (i2, i3) = (cofactor.trace(), strain.determinant_by(&cofactor));
        // With C = I + 2E, G = 2E − cof 2E + (tr cof 2E + det 2E) I. `defect` is ½ G.
        let spherical = volume.logarithm * lambda;
        let factor = (spherical * -1.0 + mu) * (volume.inverse * volume.inverse);
        let defect = (*strain + cofactor.times(-2.0)).add_diagonal((i2 + i3 * 2.0) * 2.0);
        let stress = (defect * (factor * 2.0)).add_diagonal(spherical);
        let energy = (volume.energy - i2 * 2.0 - i3 * 4.0) * mu + spherical * volume.logarithm * 0.5;
        let kirchhoff_trace = strain.trace() * (2.0 * mu) + spherical * 3.0;
        StrainResponse { stress, energy, kirchhoff_trace }
    }

    /// With the largest eigenvalue b_max of b = F Fᵀ:
    ///
    /// ```text
    /// Ḟ : ∂P/∂F : Ḟ = μ |l F|² + (μ − λ ln J) tr(l²) + λ (tr l)²
    ///               ≤ (μ b_max + |μ − λ ln J|) |l|² + max(λ, 0) (tr l)²
    /// ```
    #[inline(always)]
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R> {
        let Elasticity { lambda, mu } = self.0;
        let stretch = left_cauchy_green(displacement_gradient).largest_eigenvalue_bound();
        let (logarithm, _) = displacement_gradient.relative_volume_change().ln_1p_and_residual();
        TangentBound {
            gradient: stretch * mu + (logarithm * -lambda + mu).abs(),
            dilatation: logarithm.constant(f64::max(lambda, 0.0)),
        }
    }
}
