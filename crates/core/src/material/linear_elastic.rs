//! Small-strain isotropic elasticity (Hooke).

use super::{Elasticity, Hyperelastic, MaterialResponse, StrainResponse, TangentBound};
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// P = λ tr ε I + 2μ ε, ε = ½(H + Hᵀ), W = ½ P : ε.
///
/// The law is valid for small rotations only: a rotation by θ gives the strain cos θ − 1 perpendicular to the axis.
#[derive(Clone, Copy, Debug)]
pub struct LinearElastic(pub Elasticity);

impl Hyperelastic for LinearElastic {
    const SMALL_STRAIN: bool = true;

    type Volumetric<R: Real> = ();

    #[inline(always)]
    fn volumetric<R: Real>(&self, _: R) {}

    #[inline(always)]
    fn response_at_volume<R: Real>(&self, displacement_gradient: &Tensor<R>, (): &()) -> MaterialResponse<R> {
        let response = self.response_to_strain(&displacement_gradient.symmetric_part(), &());
        MaterialResponse { stress: response.stress.full(), energy: response.energy }
    }

    #[inline(always)]
    fn response_to_strain<R: Real>(&self, strain: &SymmetricTensor<R>, (): &()) -> StrainResponse<R> {
        let dilatation = strain.trace();
        let pressure = dilatation * self.0.lambda;
        let stress = strain.times(2.0 * self.0.mu).add_diagonal(pressure);
        let energy = pressure * dilatation * 0.5 + strain.norm_squared() * self.0.mu;
        StrainResponse { stress, energy, kirchhoff_trace: stress.trace() }
    }

    /// Ḣ : ∂P/∂H : Ḣ = 2μ |sym l|² + λ (tr l)² with l = Ḣ, and |sym l|² ≤ |l|². Zero replaces a negative λ.
    #[inline(always)]
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R> {
        let constant = |value| displacement_gradient.trace().constant(value);
        TangentBound {
            gradient: constant(2.0 * self.0.mu),
            dilatation: constant(f64::max(self.0.lambda, 0.0)),
        }
    }
}
