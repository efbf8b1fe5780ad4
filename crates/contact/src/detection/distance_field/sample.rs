//! A sample of the distance field, the push-forward of gradients, and the projection onto the surface.
//!
//! Equation numbers refer to Wolff & Bucher, CMAME 259 (2013) 77–92.

use super::gradient::NO_DIRECTION;
use crate::math::{Mat3, Vec3};

/// If the norm |∇d| of the gradient of the interpolated distance is smaller, the depth follows from the assumed
/// gradient instead of ∇d.
const LEAST_NATURAL_NORM: f64 = 0.2;

/// The field at a point of an element, in the reference configuration. All values are NaN in elements that the field
/// does not cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// Interpolated distance from the surface \[m\], never negative.
    pub distance: f64,
    /// Natural gradient: the gradient ∇d of the interpolated distance, of length 1 where the interpolation is exact.
    pub natural_gradient: Vec3,
    /// Interpolated assumed gradient G, into the body. Below the norm 0.1, a unit vector from the surface to the point
    /// replaces G.
    pub assumed_gradient: Vec3,
}

/// Linearised projection of a point onto the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Length of the projection \[m\]; positive inside.
    pub depth: f64,
    /// Outward unit normal, the direction of the projection; zero if undefined.
    pub normal: Vec3,
}

impl FieldSample {
    /// Spatial gradient γ = F⁻ᵀ G of a material gradient G, from F⁻¹ (eq. (15)).
    pub fn push_forward(gradient: &Vec3, inverse_deformation: &Mat3) -> Vec3 {
        inverse_deformation.transpose() * gradient
    }

    /// Projection in the direction −γ, where γ = F⁻ᵀ G with the assumed gradient G. The depth is d/|F⁻ᵀ ∇d| with the
    /// natural gradient ∇d, but d/|γ| where |∇d| < 0.2, as near the medial axis.
    ///
    /// On coarse meshes |∇d| is up to 2.4 near the surface, not 1. The division corrects the depth for this error.
    pub fn projection(&self, inverse_deformation: &Mat3) -> Projection {
        let published = self.published_projection(inverse_deformation);
        let norm = Self::push_forward(&self.natural_gradient, inverse_deformation).norm();
        if self.natural_gradient.norm() < LEAST_NATURAL_NORM {
            return published;
        }
        Projection { depth: self.distance / norm, ..published }
    }

    /// Projection of Wolff & Bucher, p = −γ d/|γ|², eqs. (17)–(20).
    pub fn published_projection(&self, inverse_deformation: &Mat3) -> Projection {
        let gradient = Self::push_forward(&self.assumed_gradient, inverse_deformation);
        let norm = gradient.norm();
        let divisor = if norm > 0.0 { norm } else { 1.0 };
        Projection {
            depth: self.distance / divisor,
            normal: -gradient.try_normalize(0.0).unwrap_or_else(Vec3::zeros),
        }
    }

    /// Whether the norm of the assumed gradient is at least 0.1.
    pub fn has_direction(&self) -> bool {
        self.assumed_gradient.norm() >= NO_DIRECTION
    }
}

/// Projection from `point` by up to `steps` Newton steps towards d = 0; `None` if `point` is outside the body.
///
/// `sample` gives the field and F⁻¹ at a position, or `None` outside the body, where the iteration ends.
pub fn newton_projection(
    sample: impl Fn(&Vec3) -> Option<(FieldSample, Mat3)>,
    point: &Vec3,
    steps: usize,
) -> Option<Projection> {
    let (first, inverse) = sample(point)?;
    let mut projection = first.projection(&inverse);
    let mut foot = point + projection.normal * projection.depth;
    for _ in 1..steps {
        let Some((next, inverse)) = sample(&foot) else { break };
        let step = next.projection(&inverse);
        foot += step.normal * step.depth;
        let total = foot - point;
        projection.depth = total.norm();
        projection.normal = total.try_normalize(0.0).unwrap_or(projection.normal);
    }
    Some(projection)
}
