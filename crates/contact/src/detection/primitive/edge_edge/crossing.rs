//! Crossings of two edges.

use super::curve::{Curve, closest_places};
use super::pair::EdgePair;
use crate::detection::face::closest_point::{
    Feature, Method, SQUARE, Start, closest_point, face_normal_where, normals_are_opposed,
    normals_beside_edge,
};
use crate::detection::model::ContactModel;
use crate::element::MAX_NODES;
use crate::flush::rounding_of_gap;
use crate::math::Vec3;
use crate::{Constraints, ContactKey, NodeOnSurface, Side, Surface};

/// Distance from an end of an edge, relative to the edge length, below which node contact can replace edge contact.
pub(super) const END: f64 = 0.01;

/// Distance from an end of an edge, in curve coordinates, below which a crossing of two bodies is never a contact. The
/// value covers rounding errors.
const AT_END: f64 = 1e-12;
/// Replaces `AT_END` in self-contact. Nodes on both lips of a cut coincide initially. With `AT_END`, the contacts of
/// these nodes would alternate between node contacts and edge contacts.
const AT_END_OF_LIP: f64 = 1e-3;

/// Sine of the angle at and below which two edges count as parallel and cannot cross.
pub(super) const CROSSING: f64 = 0.01;

/// Sine of the largest angle by which the common perpendicular of two edges may point into a face of one of the edges.
/// Deformation of stacked blocks tilts the perpendicular slightly.
const LEANING: f64 = 0.1;

/// Largest width of a closed seam between flush bodies, and largest difference in height of the faces at the seam,
/// relative to the search depth of the edges. The value is a choice: far above the tolerance of geometric kernels
/// (Gmsh: 1e-8), far below the size of an element.
pub(super) const CLOSED_SEAM: f64 = 1e-4;

/// Two edges that have crossed or nearly cross. The unit vector `normal` points out of the target edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub candidate: EdgePair,
    /// Curve coordinates in \[0, 1\] of the closest points on the two edges.
    pub places: [f64; 2],
    pub points: [Vec3; 2],
    pub gap: f64,
    pub normal: Vec3,
    /// Whether the gap is negative, or zero within rounding.
    pub is_contact: bool,
    /// Largest width of a seam that counts as closed \[m\].
    pub seam: f64,
}

impl Crossing {
    /// Whether the crossing is next to an end of an edge (`END`), and one of two conditions holds for the node at this
    /// end:
    ///
    /// - The node is in contact with the body of the other edge.
    /// - The node lies in front of the interior of a face of the other edge, nearer to the face than the edges are to
    ///   each other. The vector from the face to the node forms an acute angle with the vector from the other edge to
    ///   the edge of the node.
    pub fn is_covered(&self, model: &ContactModel, positions: &[Vec3], constraints: &Constraints) -> bool {
        let EdgePair { bodies, .. } = self.candidate;
        let edges = self.candidate.edges(model);
        [0, 1].into_iter().any(|k| {
            let (edge, target) = (edges[k], bodies[1 - k]);
            let contactor = match self.places[k] {
                place if place < END => edge.nodes[0],
                place if place > 1.0 - END => edge.nodes[1],
                _ => return false,
            };
            let surface = &model.surfaces[target as usize];
            let faces = [Some(edges[1 - k].face), edges[1 - k].neighbour];
            let apart = self.points[k] - self.points[1 - k];
            constraints.contains(ContactKey::Node(NodeOnSurface { contactor, target }))
                || faces.into_iter().flatten().any(|face| {
                    let above = vector_above(surface, positions, face, &positions[contactor as usize]);
                    above.is_some_and(|above| above.norm() < apart.norm() && above.dot(&apart) > 0.0)
                })
        })
    }
}

/// Crossing of a candidate pair of edges; `None` in any of these cases:
///
/// - The gap exceeds rounding, and also the width of a closed seam.
/// - The penetration exceeds the search depth.
/// - A closest point is at an end.
/// - [`normal_of_crossing`] gives no normal.
pub(super) fn crossing(model: &ContactModel, candidate: &EdgePair, positions: &[Vec3]) -> Option<Crossing> {
    let edges = candidate.edges(model);
    let curves = edges.map(|edge| Curve::of(edge, |node| positions[node as usize]));
    let thickness = model.offset(candidate.bodies);
    let depth = model.edge_search_depth(candidate.bodies, edges);
    let seam = CLOSED_SEAM * depth;
    let reach = depth.max(thickness + seam);
    if curves[0].clearance(&curves[1]) > reach {
        return None;
    }
    let places = closest_places(&curves);
    let [body, other] = candidate.bodies;
    let end = if body == other { AT_END_OF_LIP } else { AT_END };
    if places.iter().any(|place| !(end..=1.0 - end).contains(place)) {
        return None;
    }
    let points = [0, 1].map(|k| curves[k].at(places[k]).0);
    let offset = points[0] - points[1];
    if offset.norm_squared() > reach * reach {
        return None;
    }
    let normal = normal_of_crossing(model, candidate, &curves, places, &|node| positions[node as usize])?;
    let distance = normal.dot(&offset);
    let gap = distance - thickness;
    let nodes = edges.iter().flat_map(|edge| edge.nodes);
    let is_contact = gap <= rounding_of_gap(nodes.map(|node| &positions[node as usize]));
    (distance >= -depth && (is_contact || gap <= seam)).then_some(Crossing {
        candidate: *candidate,
        places,
        points,
        gap,
        normal,
        is_contact,
        seam,
    })
}

/// Vector from the closest point of a face to a point \[m\]; `None` if the closest point is on the boundary of the
/// face, or if the point is not in front of the face.
fn vector_above(surface: &Surface, positions: &[Vec3], face: u32, point: &Vec3) -> Option<Vec3> {
    let (kind, nodes) = surface.face(face as usize);
    let mut corners = [Vec3::zeros(); MAX_NODES];
    for (corner, &node) in corners.iter_mut().zip(nodes) {
        *corner = positions[node as usize];
    }
    let closest = closest_point(Method::Auto, Start::Nearest, kind, &corners[..nodes.len()], point);
    let normal = face_normal_where(surface, &|node| positions[node as usize], face as usize, closest.xi);
    let above = point - closest.point;
    (closest.feature == Feature::Face && normal.dot(&above) > 0.0).then_some(above)
}

/// Whether two straight edges with these chords are so nearly parallel that they cannot cross (`CROSSING`). Curved
/// edges may cross although their chords are parallel.
pub(super) fn are_parallel(first: &Vec3, second: &Vec3) -> bool {
    let bound = (0.999 * CROSSING) * (0.999 * CROSSING) * first.norm_squared() * second.norm_squared();
    first.cross(second).norm_squared() < bound
}

/// Unit normal n out of the target edge at the closest points of two edges, with nodal positions from `at`. `None` in
/// any of these cases:
///
/// - The edges are nearly parallel.
/// - No face of one edge has a normal opposed to the normal of a face of the other edge.
/// - n does not point out of the target edge, or −n does not point out of the contactor edge.
/// - n points into a face of the target edge, or −n into a face of the contactor edge, by more than `LEANING`.
pub(crate) fn normal_of_crossing(
    model: &ContactModel,
    pair: &EdgePair,
    curves: &[Curve; 2],
    places: [f64; 2],
    at: &impl Fn(u32) -> Vec3,
) -> Option<Vec3> {
    let along = [0, 1].map(|k| curves[k].at(places[k]).1);
    let across = along[0].cross(&along[1]);
    let sine = across.norm() / (along[0].norm() * along[1].norm());
    let normal = across.try_normalize(0.0).filter(|_| sine > CROSSING)?;
    let edges = pair.edges(model);
    let beside = [0, 1].map(|k| {
        let surface = &model.surfaces[pair.bodies[k] as usize];
        normals_beside_edge(surface, at, edges[k], places[k])
    });
    let normal = if normal.dot(&(beside[1][0] + beside[1][1])) < 0.0 { -normal } else { normal };
    let is_normal = have_faces_with_opposed_normals(&beside)
        && is_supported(&beside[1], &along[1], &normal)
        && is_supported(&beside[0], &along[0], &-normal);
    is_normal.then_some(normal)
}

/// Whether a face of one edge and a face of the other edge have opposed normals. The borders of two coplanar sheets
/// with equal normals have none.
fn have_faces_with_opposed_normals([a, b]: &[[Vec3; 2]; 2]) -> bool {
    a.iter().any(|a| b.iter().any(|b| normals_are_opposed(a, b)))
}

/// Whether `direction` points out of an edge, and into neither face by more than `LEANING`. `along` is the tangent.
fn is_supported([first, second]: &[Vec3; 2], along: &Vec3, direction: &Vec3) -> bool {
    let most = LEANING * along.norm();
    let into = [first.cross(along), along.cross(second)];
    direction.dot(&(first + second)) > SQUARE && into.iter().all(|into| direction.dot(into) <= most)
}

pub(super) fn push(model: &ContactModel, crossing: &Crossing, constraints: &mut Constraints) {
    let &Crossing { candidate: pair, places, gap, normal, .. } = crossing;
    let edges = pair.edges(model);
    let shares = [0, 1].map(|k| Curve::shares(edges[k], places[k]));
    let side = |k: usize| {
        let (nodes, shape_values, count) = &shares[k];
        Side { body: pair.bodies[k], nodes: &nodes[..*count], shape_values: &shape_values[..*count] }
    };
    constraints.push(ContactKey::Edges(pair.key), gap, normal, side(0), side(1));
}
