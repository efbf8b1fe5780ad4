//! Signed distance of a point from a surface.
//!
//! Let x* be the point of the whole surface closest to the point r. The distance has the sign of (r − x*)·n, with a
//! normal n at x*. Inside a face, n is the face normal; on an edge, the sum of the unit normals of both faces. At a
//! corner, n is the sum of the unit normals of the face ring, each weighted by the angle of its face at the corner
//! (Bærentzen & Aanæs 2005). On a border of the surface, the sums have fewer terms.

use std::f64::consts::PI;

use super::domain::{Domain, MAX_FACE_NODES};
use super::{ClosestPoint, Feature};
use crate::detection::face::control_points::bulge;
use crate::element::shape_gradients;
use crate::flush::rounding_of_gap;
use crate::math::Vec3;
use crate::mesh::CellKind;
use crate::{Edge, Surface};

/// Sine of the deviation from a right angle up to which two directions count as perpendicular. The tolerance exceeds
/// the relative error ε |x|/h of a face normal, with edge length h, nodal positions x and machine precision ε.
pub const SQUARE: f64 = 1e-6;

/// Cosine of the largest angle at the tip of a taper, measured through the material (about 55°, clearly below 60°).
const TAPER: f64 = 0.57;

/// Signed distance of a point from a surface, and the direction of the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Distance \[m\]; negative if the point lies on the inner side of the surface.
    pub gap: f64,
    /// Unit vector out of the surface; zero if the point is on the surface and the pseudo-normal vanishes.
    pub normal: Vec3,
}

/// Pseudo-normal of the surface at the point `xi` of a face, on `feature`. n_f is the unit normal of a face f:
///
/// - Inside a face: the face normal.
/// - On an edge: n₁ + n₂ of both faces.
/// - At a vertex: Σ angle_f n_f over the face ring, with the weights of [`vertex_normal`].
/// - At an end of a segment: n₁ + n₂ of both segments.
///
/// In plane problems, the normal of a segment from a to b points to the right, along (Δy, −Δx) with (Δx, Δy) = b − a.
///
/// # Shapes and units
/// `positions`: of all nodes, by global number. The result has unit length, or is zero if the sum vanishes.
pub fn pseudo_normal(
    surface: &Surface,
    positions: &[Vec3],
    face: usize,
    xi: [f64; 2],
    feature: Feature,
) -> Vec3 {
    unit_or_zero(&pseudo_normal_vector(surface, positions, face, xi, feature))
}

/// The [`pseudo_normal`] before normalisation.
pub fn pseudo_normal_vector(
    surface: &Surface,
    positions: &[Vec3],
    face: usize,
    xi: [f64; 2],
    feature: Feature,
) -> Vec3 {
    match feature {
        Feature::Face => face_normal_vector(surface, &|node| positions[node as usize], face, xi),
        Feature::Edge(k) => edge_normal(surface, positions, face, xi, k as usize),
        Feature::Vertex(k) => {
            let (kind, nodes) = surface.face(face);
            vertex_normal(surface, positions, nodes[kind.corners()[k as usize] as usize])
        }
    }
}

/// Signed gap g and unit normal of a point r (`query`), from the pseudo-normal n at the closest point x*.
///
/// ```text
/// x* inside a face and n ≠ 0, or x* within rounding of r:   g = (r − x*)·n/|n|,   normal = n/|n|
/// otherwise:   g = s |r − x*|,   normal = s (r − x*)/|r − x*|,   s = −1 if (r − x*)·n < 0, else s = 1
/// ```
///
/// If x* is within rounding of r and n = 0, the gap and the normal are zero. `closest` must be the point of the whole
/// surface closest to r.
pub fn signed_gap(
    surface: &Surface,
    positions: &[Vec3],
    face: usize,
    query: &Vec3,
    closest: &ClosestPoint,
) -> Gap {
    Gap::new(query, closest, &pseudo_normal_vector(surface, positions, face, closest.xi, closest.feature))
}

impl Gap {
    /// The [`signed_gap`] from a given pseudo-normal of any length.
    pub fn new(query: &Vec3, closest: &ClosestPoint, pseudo_normal: &Vec3) -> Self {
        let offset = query - closest.point;
        let on_surface = |normal: Vec3| Self { gap: offset.dot(&normal), normal };
        if closest.feature == Feature::Face
            && let Some(normal) = pseudo_normal.try_normalize(0.0)
        {
            return on_surface(normal);
        }
        let distance = offset.norm();
        if distance <= rounding_of_gap([query, &closest.point]) {
            return on_surface(unit_or_zero(pseudo_normal));
        }
        let sign = if offset.dot(pseudo_normal) < 0.0 { -1.0 } else { 1.0 };
        Self { gap: sign * distance, normal: offset * (sign / distance) }
    }
}

fn face_normal(surface: &Surface, positions: &[Vec3], face: usize, xi: [f64; 2]) -> Vec3 {
    face_normal_where(surface, &|node| positions[node as usize], face, xi)
}

/// Unit normal of a face at ξ, with nodal positions from `at`; zero if undefined.
pub fn face_normal_where(surface: &Surface, at: &impl Fn(u32) -> Vec3, face: usize, xi: [f64; 2]) -> Vec3 {
    unit_or_zero(&face_normal_vector(surface, at, face, xi))
}

/// Whether the angle between two vectors of any length exceeds a right angle by more than [`SQUARE`].
pub fn normals_are_opposed(a: &Vec3, b: &Vec3) -> bool {
    let product = a.dot(b);
    product < 0.0 && product * product > SQUARE * SQUARE * a.norm_squared() * b.norm_squared()
}

/// Unit vector along a direction; zero for a zero vector.
pub fn unit_or_zero(direction: &Vec3) -> Vec3 {
    direction.try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// Normal of a face at ξ, not normalised; zero if the kind is not a face. For a triangle, the normal is bitwise equal
/// to that of `batch::closest_points_and_normals`.
pub fn face_normal_vector(surface: &Surface, at: &impl Fn(u32) -> Vec3, face: usize, xi: [f64; 2]) -> Vec3 {
    let (kind, nodes) = surface.face(face);
    if let (CellKind::Tri3, &[a, b, c]) = (kind, nodes) {
        let corner = at(a);
        return (at(b) - corner).cross(&(at(c) - corner));
    }
    if Domain::of(kind).is_none() {
        return Vec3::zeros();
    }
    let mut gradients = [[0.0; 3]; MAX_FACE_NODES];
    shape_gradients(kind, [xi[0], xi[1], 0.0], &mut gradients);
    let mut tangents = [Vec3::zeros(); 2];
    for (&node, gradient) in nodes.iter().zip(gradients) {
        let relative = at(node) - at(nodes[0]);
        tangents[0] += relative * gradient[0];
        tangents[1] += relative * gradient[1];
    }
    match kind.dimension() {
        1 => Vec3::new(tangents[0].y, -tangents[0].x, 0.0),
        _ => tangents[0].cross(&tangents[1]),
    }
}

/// Sum n₁ + n₂ of the unit normals of both faces at a point of the k-th edge of a face; n₁ on a border.
fn edge_normal(surface: &Surface, positions: &[Vec3], face: usize, xi: [f64; 2], k: usize) -> Vec3 {
    let normal = face_normal(surface, positions, face, xi);
    let (kind, nodes) = surface.face(face);
    let (Some(domain), Some(&edge)) = (Domain::of(kind), surface.edges_of_face(face).get(k)) else {
        return normal;
    };
    let edge = surface.edges()[edge as usize];
    let other = if edge.face as usize == face { edge.neighbour } else { Some(edge.face) };
    let Some(other) = other else { return normal };
    let corners = kind.corners();
    let next = (k + 1) % corners.len();
    let ends = [nodes[corners[k] as usize], nodes[corners[next] as usize]];
    let (from, to) = (domain.corners[k], domain.corners[next]);
    let i = if from[0] == to[0] { 1 } else { 0 };
    let place = (xi[i] - from[i]) / (to[i] - from[i]);
    normal + normal_on_edge(surface, &|node| positions[node as usize], other as usize, ends, place)
}

/// Whether a query point lies behind `face`, but in front of an adjacent face at the edge or corner `feature`. The
/// angle between the normals of both faces must be below about 125°, which excludes the tips of tapers. `offset` is the
/// vector from the closest point of `face` to the query point. The closest point has the natural coordinates `xi` and
/// lies on `feature`.
///
/// ```text
///   face      ┆
///   ━━━━━━━━━━●
///    material ┃╲ offset
///             ┃  ● query point
/// ```
/// In the drawing, the query point is outside the body.
pub fn is_past_rim(
    surface: &Surface,
    positions: &[Vec3],
    face: usize,
    xi: [f64; 2],
    feature: Feature,
    offset: &Vec3,
) -> bool {
    let at = |node: u32| positions[node as usize];
    let normal = face_normal(surface, positions, face, xi);
    let is_passed =
        |other: Vec3| normals_are_opposed(&other, &-offset) && other.dot(&normal) > -TAPER * other.norm();
    normals_are_opposed(&normal, offset)
        && match feature {
            Feature::Face => false,
            Feature::Edge(k) => is_passed(edge_normal(surface, positions, face, xi, k as usize) - normal),
            Feature::Vertex(k) => {
                let (kind, nodes) = surface.face(face);
                let node = nodes[kind.corners()[k as usize] as usize];
                surface
                    .faces_of_node(node)
                    .iter()
                    .any(|&f| is_passed(weighted_normal(surface, &at, f as usize, node)))
            }
        }
}

/// Unit normals of the two faces of an edge, at the fraction `place` from the first to the second node. The second
/// normal is zero on a border.
pub fn normals_beside_edge(
    surface: &Surface,
    at: &impl Fn(u32) -> Vec3,
    edge: &Edge,
    place: f64,
) -> [Vec3; 2] {
    let normal = |face: u32| normal_on_edge(surface, at, face as usize, edge.nodes, place);
    [normal(edge.face), edge.neighbour.map_or_else(Vec3::zeros, normal)]
}

/// Unit normal of a face at the fraction `place` from the first to the second node of its edge `ends`. Zero if
/// undefined, or if one of these nodes is not a corner of the face.
fn normal_on_edge(
    surface: &Surface,
    at: &impl Fn(u32) -> Vec3,
    face: usize,
    ends: [u32; 2],
    place: f64,
) -> Vec3 {
    let (kind, nodes) = surface.face(face);
    let natural = |node: u32| {
        let corner = kind.corners().iter().position(|&c| nodes[c as usize] == node)?;
        Domain::of(kind).map(|domain| domain.corners[corner])
    };
    let (Some(from), Some(to)) = (natural(ends[0]), natural(ends[1])) else { return Vec3::zeros() };
    let xi = [0, 1].map(|i| from[i] + place * (to[i] - from[i]));
    face_normal_where(surface, at, face, xi)
}

/// Σ angle_f n_f over the face ring of a node (global number), not normalised. Zero for a node that is not on the
/// surface.
///
/// angle_f is the angle between the edges of f at a corner, π at the middle node of an edge, 2 π at a node inside a
/// face, and 1 for a segment.
pub fn vertex_normal(surface: &Surface, positions: &[Vec3], node: u32) -> Vec3 {
    vertex_normal_where(surface, &|node| positions[node as usize], node)
}

/// The [`vertex_normal`] with nodal positions from `at`.
pub fn vertex_normal_where(surface: &Surface, at: &impl Fn(u32) -> Vec3, node: u32) -> Vec3 {
    let Some(local) = surface.local_node(node) else { return Vec3::zeros() };
    let faces = surface.faces_of_local_node(local);
    let once = faces.iter().enumerate().filter(|&(i, f)| i == 0 || faces[i - 1] != *f);
    once.map(|(_, &f)| weighted_normal(surface, at, f as usize, node)).sum()
}

/// `true` if the normals of all faces around a node (global number) are [opposed](normals_are_opposed) to `direction`,
/// `false` if all their dot products with `direction` are positive. The same then holds for the [`vertex_normal`], a
/// sum of these normals with positive weights. `None` in all other cases, for a node that is not on the surface, and if
/// one of the faces is quadratic, a segment, or a quadrilateral collapsed at the node.
pub fn are_against(surface: &Surface, positions: &[Vec3], node: u32, direction: &Vec3) -> Option<bool> {
    let faces = surface.faces_of_local_node(surface.local_node(node)?);
    let between = |from: u32, to: [u32; 2]| {
        let [e, f] = to.map(|to| positions[to as usize] - positions[from as usize]);
        e.cross(&f)
    };
    let (mut against, mut along) = (!faces.is_empty(), true);
    for &face in faces {
        let normal = match surface.face(face as usize) {
            (CellKind::Tri3, &[a, b, c]) => between(a, [b, c]),
            (CellKind::Quad4, nodes) => {
                let mut places = (0..4).filter(|&k| nodes[k] == node);
                let (Some(k), None) = (places.next(), places.next()) else { return None };
                between(node, [nodes[(k + 1) % 4], nodes[(k + 3) % 4]])
            }
            _ => return None,
        };
        against &= normals_are_opposed(&normal, direction);
        along &= normal.dot(direction) > 0.0;
    }
    (against || along).then_some(against)
}

/// Normal of a face at one of its nodes. Its length is the angle of the face at the node (1 for a segment). Zero if the
/// face does not contain the node.
pub fn weighted_normal(surface: &Surface, at: &impl Fn(u32) -> Vec3, face: usize, node: u32) -> Vec3 {
    let (kind, nodes) = surface.face(face);
    let corners = kind.corners().len();
    let local = nodes.iter().position(|&n| n == node);
    let (Some(domain), Some(local)) = (Domain::of(kind), local) else { return Vec3::zeros() };
    match (kind.dimension(), local) {
        (1, _) => face_normal_where(surface, at, face, node_coordinates(domain, local)),
        (_, k) if k < corners => weighted_corner_normal(surface, at, face, node),
        (_, k) if k < 2 * corners => {
            face_normal_where(surface, at, face, node_coordinates(domain, local)) * PI
        }
        _ => face_normal_where(surface, at, face, node_coordinates(domain, local)) * (2.0 * PI),
    }
}

/// Natural coordinates of a node. Nodal order: corners, middle nodes, centre; for a segment: ends, middle node.
fn node_coordinates(domain: &Domain, local: usize) -> [f64; 2] {
    let count = domain.corners.len();
    if local < count {
        domain.corners[local]
    } else if count > 2 && local < 2 * count {
        let (from, to) = (domain.corners[local - count], domain.corners[(local + 1) % count]);
        [0, 1].map(|i| 0.5 * (from[i] + to[i]))
    } else {
        domain.centre
    }
}

/// Normal of the face at a corner; its length is the angle \[rad\] between the edges at the corner.
fn weighted_corner_normal(
    surface: &Surface,
    position: &impl Fn(u32) -> Vec3,
    face: usize,
    node: u32,
) -> Vec3 {
    let (kind, nodes) = surface.face(face);
    let count = kind.corners().len();
    let is_node = |k: &usize| nodes[*k] == node;
    let (Some(first), Some(last)) = ((0..count).find(is_node), (0..count).rev().find(is_node)) else {
        return Vec3::zeros();
    };
    // At a node with a collapsed edge, the angle lies between the edges before and after the collapsed edge.
    let (before, after) =
        if first == 0 && last == count - 1 && last > 0 { (last, first) } else { (first, last) };
    let tangent = |from: usize, to: usize, edge: usize| {
        let at = |k: usize| position(nodes[k % nodes.len()]);
        let (from, to) = (at(from), at(to % count));
        // The tangent of a quadratic edge at one of its ends points towards the middle Bézier control point.
        let towards = if kind == kind.linear() { to } else { bulge(&from, &to, &at(count + edge)) };
        towards - from
    };
    let (e, f) =
        (tangent(after, after + 1, after), tangent(before, before + count - 1, (before + count - 1) % count));
    let normal = e.cross(&f);
    normal.try_normalize(0.0).map_or_else(Vec3::zeros, |n| n * normal.norm().atan2(e.dot(&f)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_past_edge(degrees: f64) -> bool {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let down = Vec3::new(-cosine, 0.0, -sine);
        let (along, y) = (Vec3::x(), Vec3::y());
        let positions = [-along, Vec3::zeros(), y, y - along, down, y + down];
        let faces = [[0, 1, 2, 3], [1, 4, 5, 2]];
        let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Quad4, nodes.as_slice())));
        is_past_rim(&surface, &positions, 0, [1.0, 0.0], Feature::Edge(1), &Vec3::new(1e-3, 0.0, -1e-2))
    }

    #[test]
    fn right_angles_are_rims_within_their_deformation() {
        assert!([59.9, 60.0, 60.1, 80.0, 89.9, 90.0, 90.1, 94.0].into_iter().all(is_past_edge));
        assert!(!is_past_edge(50.0));
    }
}
