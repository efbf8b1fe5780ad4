//! Hyperelastic laws.

use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// Stress and stored energy of a point.
#[derive(Clone, Copy, Debug)]
pub struct Response<R> {
    /// First Piola–Kirchhoff stress P \[Pa\].
    pub stress: Tensor<R>,
    /// Energy per reference volume W \[J/m³\].
    pub energy: R,
}

/// Stress and stored energy of a point, in the reference configuration.
#[derive(Clone, Copy, Debug)]
pub struct MaterialResponse<R> {
    /// Second Piola–Kirchhoff stress S \[Pa\].
    pub stress: SymmetricTensor<R>,
    /// Energy per reference volume W \[J/m³\].
    pub energy: R,
    /// Trace of the Kirchhoff stress, P : F = S : C \[Pa\].
    pub kirchhoff_trace: R,
}

/// Moduli a and b with Ḟ : ∂P/∂F : Ḟ ≤ a |l|² + b (tr l)² for every velocity gradient l.
///
/// Ḟ = l F for laws of finite strain, Ḟ = l for laws of small strain.
#[derive(Clone, Copy, Debug)]
pub struct TangentBound<R> {
    /// a \[Pa\], not negative.
    pub gradient: R,
    /// b \[Pa\], not negative.
    pub dilatation: R,
}

/// A hyperelastic law: P = ∂W/∂F.
pub trait Law: Copy + Send + Sync {
    /// Whether the law is linear in H: volumes then change by tr H, and the law is not objective.
    const SMALL_STRAIN: bool;

    /// Functions of the volume change, common to points with the same volume change.
    type Volumetric<R: Real>: Copy;

    /// Evaluates them at the volume change J − 1.
    fn volumetric<R: Real>(&self, change: R) -> Self::Volumetric<R>;

    /// Stress and energy at the displacement gradient H = F − I, with known volume change.
    fn response_at_volume<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        volumetric: &Self::Volumetric<R>,
    ) -> Response<R>;

    /// Stress and energy at the strain E = ½(C − I) of a finite-strain law, or at the small strain of a small-strain
    /// law.
    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        volumetric: &Self::Volumetric<R>,
    ) -> MaterialResponse<R>;

    /// Stress and energy at the displacement gradient H = F − I.
    #[inline(always)]
    fn response<R: Real>(&self, displacement_gradient: &Tensor<R>) -> Response<R> {
        let volumetric = self.volumetric(displacement_gradient.relative_volume_change());
        self.response_at_volume(displacement_gradient, &volumetric)
    }

    /// An upper bound of the tangent at H, for the stable time step.
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R>;

    /// First Piola–Kirchhoff stress at H \[Pa\].
    #[inline(always)]
    fn first_piola_kirchhoff<R: Real>(&self, displacement_gradient: &Tensor<R>) -> Tensor<R> {
        self.response(displacement_gradient).stress
    }

    /// Energy per reference volume at H \[J/m³\].
    #[inline(always)]
    fn energy<R: Real>(&self, displacement_gradient: &Tensor<R>) -> R {
        self.response(displacement_gradient).energy
    }
}

/// Green–Lagrange strain E = ½(H + Hᵀ + HᵀH).
#[inline(always)]
pub(super) fn green_lagrange<R: Real>(h: &Tensor<R>) -> SymmetricTensor<R> {
    h.symmetric_part().plus_times(&h.transposed_dot_self(), 0.5)
}

/// Left Cauchy–Green tensor b = F Fᵀ.
#[inline(always)]
pub(super) fn left_cauchy_green<R: Real>(h: &Tensor<R>) -> SymmetricTensor<R> {
    let f = h.plus_identity();
    f.dot_transposed(&f).symmetric_part()
}
