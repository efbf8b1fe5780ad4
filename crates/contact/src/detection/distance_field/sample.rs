//! A sample of the field, its push-forward and the projection on the surface.
//!
//! Equation numbers are those of Wolff & Bucher, CMAME 259 (2013) 77–92.

use super::gradient::NO_DIRECTION;
use crate::math::{Mat3, Vec3};

/// Norm |∇d| of the natural gradient below which the projection uses the norm of the assumed gradient instead.
const LEAST_NATURAL_NORM: f64 = 0.2;

/// The field at a point of an element, in the reference configuration. All values are NaN outside the band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// Interpolated distance from the surface \[m\]; positive inside, never negative.
    pub distance: f64,
    /// Natural gradient: gradient ∇d of the interpolated distance; of length 1 where the interpolation is exact.
    pub natural_gradient: Vec3,
    /// Interpolated assumed gradient G, pointing into the body. If the norm of the interpolated value is below 0.1, G
    /// is a unit vector instead, from the surface to the sampled point. The vector begins at the surface point closest
    /// to the support point with the largest shape function at the sampled point.
    pub assumed_gradient: Vec3,
}

/// Linearised projection of a point onto the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Length of the projection \[m\]; positive inside.
    pub depth: f64,
    /// Direction of the projection: the outward unit normal; zero if undefined.
    pub normal: Vec3,
}

impl FieldSample {
    /// Spatial gradient γ = F⁻ᵀ G of a material gradient, from the inverse of the deformation gradient (eq. (15)).
    pub fn push_forward(gradient: &Vec3, inverse_deformation: &Mat3) -> Vec3 {
        inverse_deformation.transpose() * gradient
    }

    /// Projection in the direction −γ, with γ = F⁻ᵀ G from the assumed gradient G. The depth is d/|F⁻ᵀ ∇d|, from the
    /// natural gradient ∇d. Where the material norm |∇d| is below 0.2, as near the medial axis, the depth is d/|γ|.
    ///
    /// Near the surface of coarse meshes |∇d| is up to 2.4 instead of 1. Division by |F⁻ᵀ ∇d| corrects the depth for
    /// this error.
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

    /// Whether the norm of the assumed gradient is at least 0.1, so that the gradient has a direction.
    pub fn has_direction(&self) -> bool {
        self.assumed_gradient.norm() >= NO_DIRECTION
    }
}

/// Projection from `point` by `steps` Newton steps towards d = 0. Each step projects the result of the previous step.
/// `None` if `point` is outside the body.
///
/// `sample` gives the field and the inverse of the deformation gradient at a position, or `None` outside the body. The
/// iteration ends early if an iterate is outside the body. The returned projection leads from `point` to the last
/// iterate.
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
