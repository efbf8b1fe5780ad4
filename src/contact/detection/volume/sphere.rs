//! Bounding spheres.

use crate::math::Vec3;

/// A ball: all points within `radius` of `centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius \[m\], ≥ 0.
    pub radius: f64,
}
