//! Surface normals at those support points ([module](super)) that lie on the surface.

use std::f64::consts::PI;

use super::NormalWeight;
use super::support::BoundaryPoint;
use crate::Surface;
use crate::detection::face::closest_point::{face_normal_where, unit_or_zero, weighted_normal};
use crate::math::Vec3;

/// Unit outward normal Σ ν_F W_F/|Σ ν_F W_F|, eq. (14) of Wolff & Bucher; zero if the normals cancel. The sums run over
/// the faces F that contain the point, with normals ν_F and weights W_F.
pub(super) fn outward_normal(
    surface: &Surface,
    positions: &[Vec3],
    point: &BoundaryPoint,
    weight: NormalWeight,
) -> Vec3 {
    let at = |node: u32| positions[node as usize];
    let weighted = |&(face, xi): &(u32, [f64; 2])| {
        let face = face as usize;
        match (weight, point.corner) {
            (NormalWeight::Angle, Some(node)) => weighted_normal(surface, &at, face, node),
            (NormalWeight::Angle, None) => face_normal_where(surface, &at, face, xi) * PI,
            (NormalWeight::Area, _) => {
                face_normal_where(surface, &at, face, xi) * area(surface, positions, face)
            }
        }
    };
    unit_or_zero(&point.faces.iter().map(weighted).sum())
}

/// Area of the corner polygon of a face, or length of a segment.
fn area(surface: &Surface, positions: &[Vec3], face: usize) -> f64 {
    let (kind, nodes) = surface.face(face);
    let corner = |k: usize| positions[nodes[k] as usize];
    let count = kind.corners().len();
    if count < 3 {
        return (corner(1) - corner(0)).norm();
    }
    let fan = (2..count).map(|k| (corner(k - 1) - corner(0)).cross(&(corner(k) - corner(0))));
    0.5 * fan.sum::<Vec3>().norm()
}
