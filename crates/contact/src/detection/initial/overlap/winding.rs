//! Winding number of a surface about a point.
//!
//! Near a self-intersection, a point outside the body can lie behind the closest face. The sign of the distance would
//! place this point inside; the winding number does not.

use std::f64::consts::TAU;

use crate::Surface;
use crate::detection::face::convex_hull::QuadraticBezierFace;
use crate::detection::volume::Aabb;
use crate::math::Vec3;

use super::facet::fan;

/// The polygon of its corners replaces a piece of a face if the two deviate from each other by at most this fraction of
/// the distance between the point and the box of the piece. Polygons of adjacent pieces may leave cracks between them,
/// seen from the point under angles of about this value \[rad\].
const COARSENESS: f64 = 0.05;
/// Largest number of successive subdivisions of a curved or warped face, reached for a point on the face.
const MAX_HALVINGS: u32 = 48;

/// Whether the winding number about a point is not zero; `true` for an open surface, which has no inside.
pub fn winds_around(surface: &Surface, positions: &[Vec3], point: &Vec3) -> bool {
    !surface.is_closed() || winding_number(surface, positions, point).abs() > 0.5
}

/// Winding number of a closed surface, with an error of some hundredths: 0 outside, ±1 inside. Other integers occur if
/// the surface intersects itself.
fn winding_number(surface: &Surface, positions: &[Vec3], point: &Vec3) -> f64 {
    let faces = (0..surface.num_faces()).map(|face| surface.face(face));
    let of_face = |(kind, nodes): (_, &[u32])| {
        angle_of_bezier_face(
            &QuadraticBezierFace::of_face(kind, |k| positions[nodes[k] as usize]),
            point,
            MAX_HALVINGS,
        )
    };
    faces.map(of_face).sum::<f64>() / TAU
}

fn angle_of_bezier_face(bezier_face: &QuadraticBezierFace, point: &Vec3, halvings: u32) -> f64 {
    let bounds = Aabb::fit(bezier_face.points(), 0.0);
    let nearest = point.sup(&bounds.lower).inf(&bounds.upper);
    if halvings == 0 || bezier_face.thickness() <= COARSENESS * (point - nearest).norm() {
        let corners = bezier_face.corners();
        return fan(corners.len()).map(|facet| angle(facet.map(|k| corners[k]), point)).sum();
    }
    let mut sum = 0.0;
    bezier_face.split(|part| sum += angle_of_bezier_face(&part, point, halvings - 1));
    sum
}

/// Angle \[rad\] of a segment seen from a point, or half the solid angle \[sr\] of a triangle. A segment
/// lies in the xy plane, and its last two corners are equal.
///
/// # Source
/// Van Oosterom & Strackee 1983, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 30(2), eq. (8).
fn angle(corners: [Vec3; 3], point: &Vec3) -> f64 {
    let is_segment = corners[1] == corners[2];
    let [a, b, c] = corners.map(|corner| corner - point);
    if is_segment {
        return a.cross(&b).z.atan2(a.dot(&b));
    }
    let [x, y, z] = [a, b, c].map(|corner| corner.norm());
    let denominator = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
    a.dot(&b.cross(&c)).atan2(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;
    use crate::mesh::CellKind;

    fn bulging() -> (Surface, Vec<Vec3>) {
        let corners =
            [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
        let edges = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
        let middle = |&[a, b]: &[usize; 2]| (corners[a] + corners[b]) * 0.8;
        let positions = corners.iter().copied().chain(edges.iter().map(middle)).collect();
        let faces: [[u32; 6]; 4] =
            [[0, 1, 2, 4, 5, 6], [0, 2, 3, 6, 9, 7], [0, 3, 1, 7, 8, 4], [1, 3, 2, 8, 9, 5]];
        (Surface::new(faces.iter().map(|nodes| (CellKind::Tri6, nodes.as_slice()))), positions)
    }

    #[test]
    fn winding_numbers_tell_in_from_out() {
        let (surface, positions) = bulging();
        assert!(surface.is_closed());
        let samples = &mut Samples::new(5);
        for height in [1e-1, 1e-3, 1e-6, 1e-9] {
            for _ in 0..20 {
                let [mut u, mut v] = [samples.uniform(0.01, 0.99), samples.uniform(0.01, 0.99)];
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let (kind, nodes) = surface.face(samples.pick(&[0, 1, 2, 3]));
                let mut values = [0.0; 9];
                crate::element::shape_values(kind, [u, v, 0.0], &mut values);
                let on: Vec3 = nodes.iter().zip(values).map(|(&node, n)| positions[node as usize] * n).sum();
                let at = |factor: f64| winding_number(&surface, &positions, &(on * factor));
                let (inside, outside) = (at(1.0 - height), at(1.0 + height));
                assert!(
                    (inside.abs() - 1.0).abs() < 0.1 && outside.abs() < 0.1,
                    "{height}: {inside}, {outside}"
                );
            }
        }
    }

    #[test]
    fn a_surface_with_a_border_is_open() {
        let (surface, positions) = bulging();
        let faces = (0..3).map(|face| surface.face(face));
        let open = Surface::new(faces);
        assert!(!open.is_closed() && winds_around(&open, &positions, &Vec3::x()));
        let square = |count: u32| {
            let sides: Vec<[u32; 2]> = (0..count).map(|k| [k, (k + 1) % 4]).collect();
            Surface::new(sides.iter().map(|nodes| (CellKind::Line2, nodes.as_slice())))
        };
        assert!(square(4).is_closed() && !square(3).is_closed());
    }
}
