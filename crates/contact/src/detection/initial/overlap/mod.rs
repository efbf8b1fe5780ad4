//! Overlap of bodies in a given configuration, for the check of the input.

mod bezier_crossing;
mod common_ball;
mod facet;
mod facet_tree;
mod self_crossing;
mod side;
mod sorted_boxes;
#[cfg(test)]
mod tests;
mod winding;

pub use self_crossing::self_crossings;
pub(crate) use winding::winds_around;

use rayon::prelude::*;

use crate::Surface;
use crate::math::Vec3;
use crate::mesh::CellKind;

use crate::detection::face::closest_point::{Method, Start, closest_point};
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, control_points, lies_in_hull_of_nodes};
use crate::detection::face::convex_hull::QuadraticBezierFace;
use crate::detection::model::ContactModel;
use crate::detection::tree::body_tree::BodyTree;
use crate::detection::volume::Aabb;
use bezier_crossing::crossing_of_bezier_faces;
use common_ball::common_ball;
use facet::{Facet, fan};
use facet_tree::FacetTree;
use side::Side;
pub(crate) use sorted_boxes::SortedBoxes;

/// Two overlapping bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The two bodies, first < second.
    pub bodies: [u32; 2],
    /// Whether nodes, faces or only interiors overlap.
    pub entry: Entry,
    /// Approximate length of the least displacement that separates the bodies \[m\]: the larger of the thickness of the
    /// overlap and the largest depth of a node inside the other body. The thickness is
    /// - for two closed surfaces, about the diameter of the largest ball inside both;
    /// - for an open and a closed surface, the largest depth of the face centres of the open surface in the closed one;
    /// - for two open surfaces, 0.
    pub depth: f64,
    /// The point that determines `depth`: deepest node, centre of the largest ball, or deepest face centre. If `depth`
    /// is zero, a common point of both bodies \[m\].
    pub point: Vec3,
}

/// The parts of two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A node of one body is inside the other body.
    Nodes,
    /// No node is inside the other body, but faces intersect.
    Faces,
    /// No node is inside and no faces intersect, as for two equal boxes, one of which is shifted along an edge. Contact
    /// detection does not find this overlap.
    Insides,
}

/// Touching depth: depth up to which bodies count as touching, relative to the shorter diagonal of their bounding
/// boxes.
const TOUCHING: f64 = 1e-9;
/// Depth to which points of one body are displaced inward before they are tested against another body, relative to the
/// touching depth. If the bodies merely touch, these points are clearly outside the other body.
const INSET: f64 = 16.0;
/// Distance from the border of a curved or warped face up to which an intersection is ignored, relative to the touching
/// depth.
const BORDER: f64 = 16.0;
/// Relative excess of the thickness over the depth of the deepest node, above which the thickness replaces this depth.
const ROUNDING: f64 = 1e-6;

/// Overlapping pairs of different bodies, ascending, without pairs excluded from contact. For the overlap of a body
/// with itself see [`self_crossings`]. `positions` are the positions of all nodes \[m\].
///
/// # Cost
/// A tree over the boxes of the bodies. For each pair with overlapping boxes, loops over all its faces, edges and
/// nodes, and searches over those in the common box; for each pair that overlaps, several more loops over all faces.
pub fn penetrations(model: &ContactModel, positions: &[Vec3]) -> Vec<Penetration> {
    let boxes: Vec<Option<Aabb>> =
        model.surfaces.iter().map(|surface| bounding_box(surface, positions)).collect();
    let common_box = |bodies: &[u32; 2]| {
        let [first, second] = bodies.map(|body| boxes[body as usize]);
        let touching = TOUCHING * first?.diagonal().min(second?.diagonal());
        Some((*bodies, first?.intersection(&second?)?, touching))
    };
    let mut tree = BodyTree::new(model.surfaces.len());
    let placed: Vec<(u32, Aabb)> =
        (0..).zip(&boxes).filter_map(|(body, bounds)| Some((body, (*bounds)?))).collect();
    tree.build(&placed);
    let mut different = tree.pairs(usize::MAX).unwrap_or_default();
    different.retain(|&bodies| model.can_meet(bodies));
    let close: Vec<([u32; 2], Aabb, f64)> = different.iter().filter_map(common_box).collect();
    let mut sides: Vec<Option<Side<'_>>> = model.surfaces.iter().map(|_| None).collect();
    for body in close.iter().flat_map(|(bodies, ..)| bodies) {
        let surface = &model.surfaces[*body as usize];
        sides[*body as usize].get_or_insert_with(|| Side::new(surface, positions));
    }
    close
        .par_iter()
        .filter_map(|&(bodies, common, touching)| {
            let [first, second] = bodies.map(|body| sides[body as usize].as_ref());
            let sides = [first?, second?];
            let (entry, depth, point) = entry(sides, &common, touching)?;
            let thickness = thickness(sides, &common, &point, touching);
            let (depth, point) =
                thickness.filter(|(more, _)| *more > (1.0 + ROUNDING) * depth).unwrap_or((depth, point));
            Some(Penetration { bodies, entry, depth, point })
        })
        .collect()
}

/// Depth \[m\] and position of the deepest node, or zero and a common point. `None` without overlap.
fn entry(sides: [&Side<'_>; 2], common: &Aabb, touching: f64) -> Option<(Entry, f64, Vec3)> {
    let deepest = [[0, 1], [1, 0]]
        .into_iter()
        .filter_map(|[a, b]| sides[b].deepest(&sides[a].nodes_in(common), touching))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((depth, point)) = deepest {
        return Some((Entry::Nodes, depth, point));
    }
    let (positions, surfaces) = (sides[0].positions, sides.map(|side| side.surface));
    let [first, second] = surfaces;
    crossing(first, second, positions, common, touching)
        .or_else(|| crossing(second, first, positions, common, touching))
        .or_else(|| curved_crossing(surfaces, positions, common, touching))
        .map(|point| (Entry::Faces, 0.0, point))
        .or_else(|| common_point(sides, common, touching).map(|point| (Entry::Insides, 0.0, point)))
}

/// A point inside both bodies, for bodies with aligned faces. Tests, for each body in turn, its nodes and the centres
/// of its faces, each displaced inward and a little sideways. If none is inside both, gives the point of
/// `inset_crossing`.
fn common_point(sides: [&Side<'_>; 2], common: &Aabb, touching: f64) -> Option<Vec3> {
    [[0, 1], [1, 0]].into_iter().find_map(|[a, b]| {
        let (inset, other) = (sides[a], sides[b]);
        let points = inset.inset_points(INSET * touching, common);
        let depths = [inset, other].map(|side| side.depths(&points));
        let mut inside = (0..points.len()).filter(|&k| depths.iter().all(|depths| depths[k] > touching));
        let is_inside = |point: &Vec3| other.winds_around(point) && inset.winds_around(point);
        let point = other.is_closed().then(|| inside.find(|&k| is_inside(&points[k]))).flatten();
        point.map(|k| points[k]).or_else(|| inset_crossing(inset, other, common, touching))
    })
}

/// Point at which a straight edge of `inset`, slightly displaced inward, intersects a flat face of `other`. `None` if
/// there is none, or if `inset` is open.
fn inset_crossing(inset: &Side<'_>, other: &Side<'_>, common: &Aabb, touching: f64) -> Option<Vec3> {
    if !inset.is_closed() {
        return None;
    }
    let ends: Vec<[Vec3; 2]> = straight_edges(inset.surface, inset.positions, touching)
        .map(|nodes| nodes.map(|node| inset.inset_node(node, INSET * touching)))
        .filter(|ends| !Aabb::fit(ends, touching).excludes(common))
        .collect();
    if ends.is_empty() {
        return None;
    }
    let facets = flat_facets(other.surface, other.positions, common, touching);
    // Below, the search for crossed facets widens each facet by `touching`. At a sharp corner, the widened facet
    // extends farther than `touching` from the facet, so that the distance of a point found is tested again.
    let is_on_other = |point: &Vec3| other.closest(point).is_some_and(|on| (on - point).norm() <= touching);
    let is_common = |point: &Vec3| is_on_other(point) && inset.holds(point, 0.25 * INSET * touching);
    ends.iter().find_map(|ends| {
        let around = Aabb::fit(ends, touching);
        let near = facets.near(&around);
        near.filter_map(|facet| facet.met_by(ends, touching)).find(is_common)
    })
}

/// Thickness \[m\] and position of the overlap. `None` for two open surfaces, or if nothing is found.
fn thickness(sides: [&Side<'_>; 2], common: &Aabb, point: &Vec3, touching: f64) -> Option<(f64, Vec3)> {
    match sides.map(Side::is_closed) {
        [true, true] => common_ball(sides, common, INSET * touching, *point),
        [true, false] => sides[0].deepest(&sides[1].centres_in(common), touching),
        [false, true] => sides[1].deepest(&sides[0].centres_in(common), touching),
        [false, false] => None,
    }
}

fn bounding_box(surface: &Surface, positions: &[Vec3]) -> Option<Aabb> {
    (0..surface.num_faces()).map(|face| box_of_face(surface, face, positions)).reduce(|a, b| a.union(&b))
}

fn box_of_face(surface: &Surface, face: usize, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    Aabb::fit(control_points(kind, nodes, positions, &mut points), 0.0)
}

fn crossing(
    edges: &Surface,
    faces: &Surface,
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<Vec3> {
    let facets = flat_facets(faces, positions, common, touching);
    straight_edges(edges, positions, touching).find_map(|nodes| {
        let ends = nodes.map(|node| positions[node as usize]);
        let of_edge = Aabb::fit(&ends, 0.0);
        of_edge.intersection(common)?;
        facets.near(&of_edge).find_map(|facet| facet.pierced_by(&ends, touching))
    })
}

/// The flat faces with boxes that overlap `bounds`, as triangles or segments.
fn flat_facets(surface: &Surface, positions: &[Vec3], bounds: &Aabb, touching: f64) -> FacetTree {
    let facets = (0..surface.num_faces())
        .filter(|&face| !box_of_face(surface, face, positions).excludes(bounds))
        .filter(|&face| bezier_face(surface, face, positions).thickness() <= touching)
        .flat_map(|face| facets(surface, face, positions));
    FacetTree::new(&facets.collect::<Vec<Facet>>())
}

/// End nodes of the straight edges. The middle node of a straight edge deviates from the middle of the chord by at most
/// `touching`. In plane problems, the faces count as edges.
fn straight_edges(surface: &Surface, positions: &[Vec3], touching: f64) -> impl Iterator<Item = [u32; 2]> {
    let at = |node: u32| positions[node as usize];
    let is_straight = move |[a, b]: [u32; 2], middle: Option<u32>| {
        middle.is_none_or(|middle| (at(middle) - (at(a) + at(b)) * 0.5).norm() <= touching)
    };
    let edges = surface.edges().iter().filter(move |edge| is_straight(edge.nodes, edge.middle));
    let segments = (0..surface.num_faces()).filter_map(move |face| match surface.face(face) {
        (CellKind::Line2, &[a, b]) => Some([a, b]),
        (CellKind::Line3, &[a, b, middle]) => is_straight([a, b], Some(middle)).then_some([a, b]),
        _ => None,
    });
    edges.map(|edge| edge.nodes).chain(segments)
}

/// Point of intersection of two faces, at least one of which is curved or warped. Pairs of faces with a corner at the
/// same position are omitted, because faces of conforming meshes touch there.
fn curved_crossing(
    surfaces: [&Surface; 2],
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<Vec3> {
    let is_flat = |k: usize, face: usize| is_flat(surfaces[k], face, positions, touching);
    let near = [0, 1].map(|k: usize| {
        let boxes =
            (0..surfaces[k].num_faces()).map(|face| (box_of_face(surfaces[k], face, positions), face));
        SortedBoxes::new(boxes.filter(|(of_face, _)| of_face.intersection(common).is_some()).collect())
    });
    let all_flat = [0, 1].map(|k: usize| near[k].iter().all(|&(_, face)| is_flat(k, face)));
    if all_flat == [true; 2] {
        return None;
    }
    let is_inside = |point: &Vec3, faces: [usize; 2]| {
        (0..2).all(|k| is_off_border(surfaces[k], faces[k], positions, point, BORDER * touching))
    };
    near[0].iter().find_map(|&(ref box_of_first, first)| {
        let others = near[1].near(box_of_first);
        others.filter(|&second| !(is_flat(0, first) && is_flat(1, second))).find_map(|second| {
            let bezier_faces =
                [bezier_face(surfaces[0], first, positions), bezier_face(surfaces[1], second, positions)];
            if have_a_common_corner(&bezier_faces, touching) {
                return None;
            }
            crossing_of_bezier_faces(bezier_faces, touching, |point| is_inside(point, [first, second]))
        })
    })
}

fn is_flat(surface: &Surface, face: usize, positions: &[Vec3], touching: f64) -> bool {
    lies_in_hull_of_nodes(surface.face(face).0)
        && bezier_face(surface, face, positions).thickness() <= touching
}

fn bezier_face(surface: &Surface, face: usize, positions: &[Vec3]) -> QuadraticBezierFace {
    let (kind, nodes) = surface.face(face);
    QuadraticBezierFace::of_face(kind, |k| positions[nodes[k] as usize])
}

fn have_a_common_corner([first, second]: &[QuadraticBezierFace; 2], touching: f64) -> bool {
    first.corners().iter().any(|a| second.corners().iter().any(|b| (a - b).norm() <= touching))
}

fn is_off_border(surface: &Surface, face: usize, positions: &[Vec3], point: &Vec3, margin: f64) -> bool {
    let (kind, nodes) = surface.face(face);
    if kind.dimension() < 2 {
        let ends = kind.corners().iter().map(|&k| positions[nodes[k as usize] as usize]);
        return ends.map(|end| (point - end).norm()).fold(f64::INFINITY, f64::min) > margin;
    }
    surface.edges_of_face(face).iter().map(|&edge| surface.edges()[edge as usize]).all(|edge| {
        let ends = edge.nodes.map(|node| positions[node as usize]);
        let (kind, middle) = match edge.middle {
            Some(middle) => (CellKind::Line3, positions[middle as usize]),
            None => (CellKind::Line2, ends[1]),
        };
        let nodes = [ends[0], ends[1], middle];
        let nodes = &nodes[..kind.num_nodes()];
        closest_point(Method::Auto, Start::Nearest, kind, nodes, point).distance_squared > margin * margin
    })
}

fn facets(surface: &Surface, face: usize, positions: &[Vec3]) -> impl Iterator<Item = Facet> {
    let (kind, nodes) = surface.face(face);
    let corner = move |k: usize| positions[nodes[kind.corners()[k] as usize] as usize];
    fan(kind.corners().len()).map(move |corners| Facet::new(corners, corner))
}
