//! Constitutive laws, and the history of material points.

use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// Response of a point to a displacement gradient: stress and energy.
#[derive(Clone, Copy, Debug)]
pub struct MaterialResponse<R> {
    /// First Piola–Kirchhoff stress P \[Pa\].
    pub stress: Tensor<R>,
    /// Energy per reference volume W \[J/m³\].
    pub energy: R,
}

/// Response of a point to a strain: stress and energy.
#[derive(Clone, Copy, Debug)]
pub struct StrainResponse<R> {
    /// Second Piola–Kirchhoff stress S \[Pa\]; P for a small-strain law.
    pub stress: SymmetricTensor<R>,
    /// Energy per reference volume W \[J/m³\].
    pub energy: R,
    /// Trace of the Kirchhoff stress, P : F = S : C \[Pa\]; tr P for a small-strain law.
    pub kirchhoff_trace: R,
}

/// Upper bound on the tangent of a law for every velocity gradient l: Ḟ : ∂P/∂F : Ḟ ≤ a |l|² + b (tr l)². F is the
/// deformation gradient, and P the first Piola–Kirchhoff stress.
///
/// Finite-strain laws: Ḟ = l F. Small-strain laws: Ḟ = l.
#[derive(Clone, Copy, Debug)]
pub struct TangentBound<R> {
    /// a ≥ 0 \[Pa\].
    pub gradient: R,
    /// b ≥ 0 \[Pa\].
    pub dilatation: R,
}

/// History of a material point: numbers that a law reads and replaces in every step; initially zero.
pub trait PointHistory<R>: Copy {
    /// Number of entries per point; the same for every `R`.
    const LEN: usize;

    /// A history in which every entry is `number`.
    fn filled(number: R) -> Self;

    /// The entries.
    fn numbers(&self) -> &[R];

    /// The entries.
    fn numbers_mut(&mut self) -> &mut [R];
}

impl<R: Copy, const LEN: usize> PointHistory<R> for [R; LEN] {
    const LEN: usize = LEN;

    #[inline(always)]
    fn filled(number: R) -> Self {
        [number; LEN]
    }

    #[inline(always)]
    fn numbers(&self) -> &[R] {
        self
    }

    #[inline(always)]
    fn numbers_mut(&mut self) -> &mut [R] {
        self
    }
}

/// A constitutive law: the stress of a point from its deformation and its history.
///
/// The history advances over steps of length `time_step` \[s\]. A step of zero length gives the stress of the present
/// history, and changes the history only by rounding. The energy is the work done on the point since the initial state,
/// dissipation included.
pub trait Law: Copy + Send + Sync {
    /// Whether the law is linear in the displacement gradient H. If so, the volume change is tr H, and the law is not
    /// objective. All other laws are objective.
    const SMALL_STRAIN: bool;

    /// History of a point; `[R; 0]` for a law without history.
    type History<R: Real>: PointHistory<R>;

    /// Values of those functions in the law that depend only on the volume change; points of equal volume change share
    /// them.
    type Volumetric<R: Real>: Copy;

    /// [`Self::Volumetric`] at the volume change J − 1, with J = det F.
    fn volumetric<R: Real>(&self, change: R) -> Self::Volumetric<R>;

    /// Stress and energy at the displacement gradient H = F − I at the end of a step.
    fn response<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        history: &mut Self::History<R>,
        time_step: f64,
    ) -> MaterialResponse<R>;

    /// Stress and energy at the end of a step, at the strain E = ½(C − I) or, for a small-strain law, at the small
    /// strain.
    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        volumetric: &Self::Volumetric<R>,
        history: &mut Self::History<R>,
        time_step: f64,
    ) -> StrainResponse<R>;

    /// Upper bound on the tangent at H = F − I and the present history, for the stable time step.
    fn tangent_bound<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        history: &Self::History<R>,
    ) -> TangentBound<R>;
}

impl<L: Hyperelastic> Law for L {
    const SMALL_STRAIN: bool = <L as Hyperelastic>::SMALL_STRAIN;

    type History<R: Real> = [R; 0];

    type Volumetric<R: Real> = <L as Hyperelastic>::Volumetric<R>;

    #[inline(always)]
    fn volumetric<R: Real>(&self, change: R) -> <L as Hyperelastic>::Volumetric<R> {
        Hyperelastic::volumetric(self, change)
    }

    #[inline(always)]
    fn response<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        _history: &mut [R; 0],
        _time_step: f64,
    ) -> MaterialResponse<R> {
        Hyperelastic::response(self, displacement_gradient)
    }

    #[inline(always)]
    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        volumetric: &<L as Hyperelastic>::Volumetric<R>,
        _history: &mut [R; 0],
        _time_step: f64,
    ) -> StrainResponse<R> {
        Hyperelastic::response_to_strain(self, strain, volumetric)
    }

    #[inline(always)]
    fn tangent_bound<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        _history: &[R; 0],
    ) -> TangentBound<R> {
        Hyperelastic::tangent_bound(self, displacement_gradient)
    }
}

/// A law without history: P = ∂W/∂F.
pub trait Hyperelastic: Copy + Send + Sync {
    /// Whether the law is linear in the displacement gradient H.
    const SMALL_STRAIN: bool;

    /// Values of those functions in the law that depend only on the volume change; points of equal volume change share
    /// them.
    type Volumetric<R: Real>: Copy;

    /// [`Self::Volumetric`] at the volume change J − 1, with J = det F.
    fn volumetric<R: Real>(&self, change: R) -> Self::Volumetric<R>;

    /// Stress and energy at the displacement gradient H = F − I, with known functions of the volume change.
    fn response_at_volume<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        volumetric: &Self::Volumetric<R>,
    ) -> MaterialResponse<R>;

    /// Stress and energy at the strain E = ½(C − I) or, for a small-strain law, at the small strain.
    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        volumetric: &Self::Volumetric<R>,
    ) -> StrainResponse<R>;

    /// Stress and energy at the displacement gradient H = F − I.
    #[inline(always)]
    fn response<R: Real>(&self, displacement_gradient: &Tensor<R>) -> MaterialResponse<R> {
        let volumetric = self.volumetric(displacement_gradient.relative_volume_change());
        self.response_at_volume(displacement_gradient, &volumetric)
    }

    /// Upper bound on the tangent at H = F − I.
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>) -> TangentBound<R>;

    /// First Piola–Kirchhoff stress at H = F − I \[Pa\].
    #[inline(always)]
    fn first_piola_kirchhoff<R: Real>(&self, displacement_gradient: &Tensor<R>) -> Tensor<R> {
        self.response(displacement_gradient).stress
    }

    /// Energy per reference volume at H = F − I \[J/m³\].
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

/// b = F Fᵀ with F = I + H.
#[inline(always)]
pub(super) fn left_cauchy_green<R: Real>(h: &Tensor<R>) -> SymmetricTensor<R> {
    let f = h.plus_identity();
    f.dot_transposed(&f).symmetric_part()
}
