//! Faces that move along known paths, and the first contact of two such faces.

use crate::detection::face::convex_hull::BezierFace;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Bound on the rounding error of a gap or a speed, relative to the largest coordinate or velocity component.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Bound on the relative rounding error of a time.
pub(super) const TIME_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A face that moves with a rigid body along a known path. The time s \[s\] counts from the start of the path.
pub trait FacePath {
    /// Kind of the face; a segment in plane problems.
    fn kind(&self) -> CellKind;
    /// Reference position of the k-th node \[m\].
    fn node(&self, k: usize) -> Vec3;
    /// Position \[m\] and velocity \[m/s\] of a material point at the time s.
    fn point(&self, reference: &Vec3, s: f64) -> (Vec3, Vec3);
    /// Acceleration of the centre of the body [m/s²], constant along the path.
    fn common_acceleration(&self) -> Vec3;
    /// Bound on |acceleration of a material point − common acceleration| along the path [m/s²].
    fn acceleration_deviation(&self, reference: &Vec3) -> f64;
}

/// First contact of two faces a and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time from the start of the paths \[s\].
    pub time: f64,
    /// Point of contact \[m\].
    pub point: Vec3,
    /// Unit normal from b to a; not normalised if the paths are not finite.
    pub normal: Vec3,
}

pub(super) fn acceleration_deviation<P: FacePath, const N: usize>(
    path: &P,
    bezier_face: &BezierFace<N>,
) -> f64 {
    bezier_face.points().iter().map(|point| path.acceleration_deviation(point)).fold(0.0, f64::max)
}
