//! Hyperelastic laws over [`Real`]: one source for single points and vectors of points.
//!
//! Laws use the displacement gradient H = F − I, not F: at small strain F − I would lose the significant digits, and
//! under a rigid rotation the strain E = ½(H + Hᵀ + HᵀH) vanishes to rounding, and the energy to its square.
//!
//! A new law needs a file, a row of [`Material`], and a row in the dispatch of element blocks.

mod linear_elastic;
mod neo_hookean;
mod st_venant_kirchhoff;

#[cfg(test)]
mod tests;

pub use linear_elastic::LinearElastic;
pub use neo_hookean::NeoHookean;
pub use st_venant_kirchhoff::StVenantKirchhoff;

use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// Isotropic elastic constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// First Lamé constant λ \[Pa\].
    pub lambda: f64,
    /// Shear modulus μ \[Pa\].
    pub mu: f64,
}

/// Elastic constants of no stable isotropic solid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElasticityError {
    /// Young's modulus is not positive and finite.
    #[error("Young's modulus is {0}; give a positive number")]
    Young(f64),
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {0}; give a number between -1 and 0.5, both excluded")]
    Poisson(f64),
}

impl Elasticity {
    /// From Young's modulus \[Pa\] and Poisson's ratio \[-\]: λ = Eν/((1+ν)(1−2ν)), μ = E/(2(1+ν)).
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, ElasticityError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(ElasticityError::Young(young));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(ElasticityError::Poisson(poisson));
        }
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { lambda, mu: young / (2.0 * (1.0 + poisson)) })
    }

    /// Bulk modulus K = λ + ⅔μ \[Pa\].
    pub fn bulk_modulus(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// Modulus of plane compression waves λ + 2μ \[Pa\].
    pub fn p_wave_modulus(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}

/// A law and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Material {
    /// Small-strain isotropic elasticity.
    LinearElastic(Elasticity),
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff(Elasticity),
    /// Compressible neo-Hookean.
    NeoHookean(Elasticity),
}

impl Material {
    /// Elastic constants of the undeformed material.
    pub fn elasticity(&self) -> Elasticity {
        match *self {
            Self::LinearElastic(e) | Self::StVenantKirchhoff(e) | Self::NeoHookean(e) => e,
        }
    }
}

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
fn green_lagrange<R: Real>(h: &Tensor<R>) -> SymmetricTensor<R> {
    h.symmetric_part().plus_times(&h.transposed_dot_self(), 0.5)
}

/// Left Cauchy–Green tensor b = F Fᵀ.
#[inline(always)]
fn left_cauchy_green<R: Real>(h: &Tensor<R>) -> SymmetricTensor<R> {
    let f = h.plus_identity();
    f.dot_transposed(&f).symmetric_part()
}
