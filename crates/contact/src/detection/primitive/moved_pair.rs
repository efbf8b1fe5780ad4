//! Weights and normal of a known contact pair at new positions.

use crate::detection::face::closest_point::segment_segment::closest_parameters;
use crate::detection::face::closest_point::{
    ClosestPoint, Feature, Method, Start, closest_point, face_normal_where,
};
use crate::element::{MAX_NODES, shape_values};
use crate::flush::rounding_of_gap;
use crate::math::Vec3;
use crate::{Constraint, ContactKey, Surface};

/// Writes the weights of the closest points of a contact pair at `positions` \[m\], and returns the unit normal out of
/// the target. For two edges, and for a node past a rim, this normal points to the same side as the normal of the
/// constraint.
///
/// A node contact uses the closest of the faces whose nodes are all in `constraint`, or the means of the weights and
/// normals of equally close faces. An edge contact uses two straight edges. Contacts with walls (planes), of parallel
/// edges and of curved edges keep their weights and normal; curved edges are assumed short relative to their radius of
/// curvature.
///
/// # Shapes
/// `weights`: one per node of the constraint. `positions`: of all nodes, by global number.
pub fn move_pair(
    constraint: &Constraint<'_>,
    surfaces: &[Surface],
    positions: &[Vec3],
    weights: &mut [f64],
) -> Vec3 {
    let normal = match (constraint.key, constraint.nodes) {
        (ContactKey::Node(_), [contactor, target @ ..]) => {
            let query = &positions[*contactor as usize];
            surfaces.get(constraint.bodies[1] as usize).and_then(|surface| {
                move_node_on_faces(surface, target, positions, query, &constraint.normal, &mut weights[1..])
            })
        }
        (ContactKey::Edges(_), &[a, b, c, d]) => {
            let [p, q] = [[a, b], [c, d]].map(|ends| ends.map(|node| positions[node as usize]));
            move_edges(&p, &q, &constraint.normal, weights)
        }
        _ => None,
    };
    normal.unwrap_or(constraint.normal)
}

/// Writes the weights −N_a of the closest point, with the shape functions N_a, and returns the normal. If no face has
/// all its nodes in `target`, returns `None` and writes nothing.
fn move_node_on_faces(
    surface: &Surface,
    target: &[u32],
    positions: &[Vec3],
    query: &Vec3,
    before: &Vec3,
    weights: &mut [f64],
) -> Option<Vec3> {
    let on_face = |face: u32| {
        let (kind, nodes) = surface.face(face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = positions[node as usize];
        }
        (face, closest_point(Method::Auto, Start::Nearest, kind, &corners[..nodes.len()], query))
    };
    let is_named = |&face: &u32| surface.face(face as usize).1.iter().all(|node| target.contains(node));
    let points = || surface.faces_at(target).filter(is_named).map(on_face);
    let least = points().map(|(_, point)| point.distance_squared).reduce(f64::min)?;
    let nodes = target.iter().map(|&node| &positions[node as usize]);
    let farthest = least.sqrt() + rounding_of_gap(nodes.chain([query]));
    let farthest = least.max(farthest * farthest);
    weights.fill(0.0);
    let (mut normals, mut count) = (Vec3::zeros(), 0.0);
    for (face, closest) in points().filter(|(_, point)| point.distance_squared <= farthest) {
        let (kind, nodes) = surface.face(face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [closest.xi[0], closest.xi[1], 0.0], &mut values[..nodes.len()]);
        for (node, value) in nodes.iter().zip(values) {
            target
                .iter()
                .zip(&mut *weights)
                .filter(|(known, _)| *known == node)
                .for_each(|(_, w)| *w -= value);
        }
        let of_face = face_normal_where(surface, &|node| positions[node as usize], face as usize, closest.xi);
        if of_face != Vec3::zeros() {
            normals += normal_at(&closest, query, &of_face, before);
        }
        count += 1.0;
    }
    weights.iter_mut().for_each(|weight| *weight /= count);
    Some(normals.try_normalize(0.0).unwrap_or(*before))
}

/// If the closest point is inside the face, the face normal. On an edge or at a corner, the unit vector along the line
/// from the closest point to the query, with the sign of an acute angle to `before`. The face normal replaces this
/// vector if its angle to `before` is not larger, or if closest point and query coincide within rounding.
fn normal_at(closest: &ClosestPoint, query: &Vec3, of_face: &Vec3, before: &Vec3) -> Vec3 {
    let offset = query - closest.point;
    let distance = offset.norm();
    if closest.feature == Feature::Face || distance <= rounding_of_gap([query, &closest.point]) {
        return *of_face;
    }
    let along = offset.dot(before);
    let of_distance = offset * (along.signum() / distance);
    if along.abs() > of_face.dot(before) * distance { of_distance } else { *of_face }
}

/// Writes the weights of the closest points of two segments, and returns the unit normal to both, with the sign of an
/// acute angle to `before`. For parallel segments, returns `None` and writes nothing.
fn move_edges(p: &[Vec3; 2], q: &[Vec3; 2], before: &Vec3, weights: &mut [f64]) -> Option<Vec3> {
    let common = (p[1] - p[0]).cross(&(q[1] - q[0])).try_normalize(0.0)?;
    let [s, t] = closest_parameters(p, q);
    weights.copy_from_slice(&[1.0 - s, s, t - 1.0, -t]);
    Some(common * common.dot(before).signum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;
    use crate::{Constraints, EdgeOnEdge, NodeOnSurface, Side};

    const KEY: ContactKey = ContactKey::Node(NodeOnSurface { contactor: 3, target: 0 });

    fn on_triangle() -> Constraints {
        let mut constraints = Constraints::default();
        let contactor = Side { body: 1, nodes: &[3], shape_values: &[1.0] };
        let target = Side { body: 0, nodes: &[0, 1, 2], shape_values: &[1.0 / 3.0; 3] };
        constraints.push(KEY, -0.1, Vec3::z(), contactor, target);
        constraints
    }

    fn triangle() -> Surface {
        Surface::new(std::iter::once((CellKind::Tri3, [0_u32, 1, 2].as_slice())))
    }

    #[test]
    fn inside_a_face_the_normal_is_that_of_the_face() {
        let positions =
            [Vec3::zeros(), Vec3::new(1.0, 0.0, 0.2), Vec3::new(0.0, 1.0, -0.3), Vec3::new(0.3, 0.2, 0.1)];
        let constraints = on_triangle();
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        let normal = move_pair(&constraints.get(0), &[triangle()], &positions, &mut weights);
        let expected = (positions[1] - positions[0]).cross(&(positions[2] - positions[0])).normalize();
        assert!((normal - expected).norm() < 1e-15, "{normal}");
        let apart: Vec3 =
            positions[3] + positions[..3].iter().zip(&weights[1..]).map(|(x, w)| x * *w).sum::<Vec3>();
        assert!(apart.cross(&normal).norm() < 1e-15 && weights.iter().sum::<f64>().abs() < 1e-15);
    }

    /// A rounding error estimated from the coordinates of the contactor alone would be zero at the origin.
    #[test]
    fn nodes_at_the_origin_have_weights() {
        for k in 1..300 {
            let depth = 1e-6 * f64::from(k);
            let below = Vec3::new(0.1, -0.2, 1.0).normalize() * depth;
            let corners = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]];
            let on_plane = |[x, y]: [f64; 2]| Vec3::new(x, y, 0.2 * y - 0.1 * x) + below;
            let [a, b, c] = corners.map(on_plane);
            let constraints = on_triangle();
            let mut weights = [1.0, 0.0, 0.0, 0.0];
            move_pair(&constraints.get(0), &[triangle()], &[a, b, c, Vec3::zeros()], &mut weights);
            assert!(weights.iter().sum::<f64>().abs() < 1e-14, "{depth}: {weights:?}");
        }
    }

    #[test]
    fn past_a_rim_the_normal_keeps_its_side() {
        let x = |x, y, z| Vec3::new(x, y, z);
        let constraints = on_triangle();
        let constraint = constraints.get(0);
        for (before, sign) in [(x(0.0, -1.0, 1.0), 1.0), (x(0.0, 1.0, -1.0), -1.0)] {
            let positions = [Vec3::zeros(), Vec3::x(), Vec3::y(), x(0.5, -0.1, 0.1)];
            let constraint = Constraint { normal: before.normalize(), ..constraint };
            let mut weights = [1.0, 0.0, 0.0, 0.0];
            let normal = move_pair(&constraint, &[triangle()], &positions, &mut weights);
            assert!((normal - x(0.0, -1.0, 1.0).normalize() * sign).norm() < 1e-15, "{normal}");
            assert!((weights[1] + 0.5).abs() < 1e-15 && weights[3].abs() < 1e-15, "{weights:?}");
        }
    }

    #[test]
    fn edges_meet_along_their_common_normal() {
        let mut constraints = Constraints::default();
        let side = |body, nodes| Side { body, nodes, shape_values: &[0.5, 0.5] };
        let key = ContactKey::Edges(EdgeOnEdge { contactor: 0, target: 5 });
        constraints.push(key, -0.1, -Vec3::z(), side(1, &[0, 1]), side(0, &[2, 3]));
        let positions =
            [-Vec3::x(), Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.1, -1.0, 0.1), Vec3::new(0.1, 1.0, 0.1)];
        let mut weights = [0.0; 4];
        let normal = move_pair(&constraints.get(0), &[], &positions, &mut weights);
        let apart: Vec3 = positions.iter().zip(weights).map(|(x, w)| x * w).sum();
        assert!((normal + Vec3::z()).norm() < 1e-15 && apart.cross(&normal).norm() < 1e-15, "{apart}");
    }

    #[test]
    fn walls_keep_their_normal() {
        let mut constraints = Constraints::default();
        let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
        constraints.push(KEY, -0.1, Vec3::y(), side(0, &[3]), side(7, &[0]));
        let mut weights = [1.0, -1.0];
        let normal = move_pair(&constraints.get(0), &[], &[Vec3::zeros(); 4], &mut weights);
        assert_eq!((normal, weights), (Vec3::y(), [1.0, -1.0]));
    }
}
