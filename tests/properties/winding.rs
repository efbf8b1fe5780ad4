//! How often a surface goes round a point: whether the point is inside, whatever its normals tell.

use std::f64::consts::TAU;

use ictus::contact::Surface;
use ictus::element::{MAX_NODES, shape_values};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

/// Facets along each side of a face.
const FACETS: usize = 16;

/// The winding number of a closed surface, its faces taken in facets: 0 outside, ±1 inside, and others where it passes
/// through itself.
pub fn winding_number(surface: &Surface, positions: &[Vec3], point: &Vec3) -> f64 {
    let faces = (0..surface.num_faces()).map(|face| surface.face(face));
    let facets = faces.flat_map(|(kind, nodes)| facets(kind, nodes, positions));
    facets.map(|facet| angle(&facet, point) / TAU).sum()
}

/// Segments of a face in the plane, triangles of one in space.
fn facets(kind: CellKind, nodes: &[u32], positions: &[Vec3]) -> Vec<Vec<Vec3>> {
    let corners = kind.corners().len();
    let at = |u: usize, v: usize| -> Vec3 {
        let [u, v] = [u, v].map(|k| k as f64 / FACETS as f64);
        let xi = if corners == 3 { [u, v, 0.0] } else { [2.0 * u - 1.0, 2.0 * v - 1.0, 0.0] };
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, xi, &mut values[..nodes.len()]);
        nodes.iter().zip(values).map(|(&node, value)| positions[node as usize] * value).sum()
    };
    let mut facets = Vec::new();
    for u in 0..FACETS {
        if corners == 2 {
            facets.push(vec![at(u, 0), at(u + 1, 0)]);
            continue;
        }
        for v in 0..if corners == 3 { FACETS - u } else { FACETS } {
            facets.push(vec![at(u, v), at(u + 1, v), at(u, v + 1)]);
            if corners == 4 || u + v + 1 < FACETS {
                facets.push(vec![at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)]);
            }
        }
    }
    facets
}

/// Angle \[rad\] in which a segment is seen from a point, or half the solid angle \[sr\] of a triangle.
///
/// # Source
/// Van Oosterom & Strackee 1983, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 30(2), eq. (8).
fn angle(facet: &[Vec3], point: &Vec3) -> f64 {
    match *facet {
        [a, b] => {
            let [a, b] = [a, b].map(|corner| corner - point);
            a.cross(&b).z.atan2(a.dot(&b))
        }
        [a, b, c] => {
            let [a, b, c] = [a, b, c].map(|corner| corner - point);
            let [x, y, z] = [a, b, c].map(|corner| corner.norm());
            let denominator = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
            a.dot(&b.cross(&c)).atan2(denominator)
        }
        _ => 0.0,
    }
}

#[test]
fn winding_numbers_tell_in_from_out() {
    use crate::scenes::{Scene, Shape};
    let scene =
        Scene::new(&[Shape::quadratic_sphere(1), Shape::polygon(7).quadratic(|_, _| Vec3::zeros())], false);
    for (surface, out) in scene.surfaces.iter().zip([Vec3::new(0.3, 0.9, 0.9), Vec3::new(0.9, 0.9, 0.0)]) {
        let at = |point: &Vec3| winding_number(surface, &scene.positions, point).abs();
        assert!((at(&Vec3::new(0.1, 0.2, 0.0)) - 1.0).abs() < 1e-12 && at(&out) < 1e-12);
    }
}
