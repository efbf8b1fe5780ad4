//! Overlap of bodies in a given configuration. The check of the input uses this search before the first step.

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
    /// Features by which the overlap was found.
    pub entry: Entry,
    /// Approximate length of the least displacement that separates the bodies \[m\]: the larger of the thickness of the
    /// overlap and the largest depth of a node inside the other body. The thickness of the overlap of two closed
    /// surfaces is about the diameter of the largest ball inside both. The thickness of the overlap of an open and a
    /// closed surface is the largest depth of a face centre of the open surface. Two open surfaces have no thickness of
    /// overlap. The depth is 0 if there is neither a thickness nor a node inside.
    pub depth: f64,
    /// Position of a point of the overlap \[m\]: the deepest node, the centre of the largest ball, the deepest face
    /// centre, or a common point.
    pub point: Vec3,
}

/// Features that reveal the overlap of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A node of one body is inside the other body.
    Nodes,
    /// No node is inside the other body, but faces intersect.
    Faces,
    /// No node is inside the other body and no faces intersect, as for aligned bodies. Only points common to both
    /// interiors reveal the overlap. Contact detection does not find this overlap.
    Insides,
}

/// Depth up to which bodies count as touching, relative to the shorter diagonal of their two bounding boxes.
const TOUCHING: f64 = 1e-9;
/// Depth of the interior points of one body that are tested in another body, in units of the touching depth. If two
/// bodies merely touch, interior points at this depth are clearly outside the other body.
const INSET: f64 = 16.0;
/// Distance from the border of a curved or warped face up to which an intersection is ignored, in units of the touching
/// depth.
const BORDER: f64 = 16.0;
/// Relative excess of the thickness of the overlap over the depth of the deepest node, above which the report gives the
/// thickness instead of this depth.
const ROUNDING: f64 = 1e-6;

/// Pairs of different bodies that overlap, ascending. For single bodies see [`self_crossings`]. `positions` are the
/// positions of all nodes \[m\].
///
/// # Cost
/// A tree over the boxes of the bodies. Each pair with overlapping boxes needs a sweep over the edges and faces in the
/// common box. Each node and each interior point in the common box needs a search in an index of the faces. Overlapping
/// bodies need several passes over all faces.
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

/// Features that reveal the overlap, with the depth \[m\] and the position of the deepest node. If no node is inside
/// the other body, the depth is zero and the position is a common point. `None` if the bodies do not overlap.
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

/// A point inside both bodies. The candidates are interior points of one body; they are tested in the other body.
///
/// Bodies with aligned faces may overlap although no node is inside the other body and no edge intersects a face. The
/// nodes and face centres of one body are therefore displaced inward and, by less, sideways. If the bodies overlap,
/// some of the displaced points are inside the other body. If the bodies only touch, all displaced points stay outside
/// the other body.
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

/// Intersection of a straight edge of one body with a flat face of the other body. The edge is first displaced slightly
/// inward. `None` if the body of the edge is open.
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
    // At a sharp corner, the widened border of a facet extends beyond the distance `touching` from the facet. This test
    // excludes points there.
    let is_on_other = |point: &Vec3| other.closest(point).is_some_and(|on| (on - point).norm() <= touching);
    let is_common = |point: &Vec3| is_on_other(point) && inset.holds(point, 0.25 * INSET * touching);
    ends.iter().find_map(|ends| {
        let around = Aabb::fit(ends, touching);
        let near = facets.near(&around);
        near.filter_map(|facet| facet.met_by(ends, touching)).find(is_common)
    })
}

/// Thickness \[m\] and position of the overlap of two bodies. For two closed surfaces, the common ball gives both. For
/// an open and a closed surface, the deepest face centre of the open surface gives both. `None` for two open surfaces.
fn thickness(sides: [&Side<'_>; 2], common: &Aabb, point: &Vec3, touching: f64) -> Option<(f64, Vec3)> {
    match sides.map(Side::is_closed) {
        [true, true] => common_ball(sides, common, INSET * touching, *point),
        [true, false] => sides[0].deepest(&sides[1].centres_in(common), touching),
        [false, true] => sides[1].deepest(&sides[0].centres_in(common), touching),
        [false, false] => None,
    }
}

/// Box of the control points of all faces.
fn bounding_box(surface: &Surface, positions: &[Vec3]) -> Option<Aabb> {
    (0..surface.num_faces()).map(|face| box_of_face(surface, face, positions)).reduce(|a, b| a.union(&b))
}

fn box_of_face(surface: &Surface, face: usize, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    Aabb::fit(control_points(kind, nodes, positions, &mut points), 0.0)
}

/// Intersection of a straight edge of the surface `edges` with a flat face of the surface `faces`.
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

/// The flat faces whose boxes overlap the box `bounds`, divided into triangles. The facets of segments are segments.
fn flat_facets(surface: &Surface, positions: &[Vec3], bounds: &Aabb, touching: f64) -> FacetTree {
    let facets = (0..surface.num_faces())
        .filter(|&face| !box_of_face(surface, face, positions).excludes(bounds))
        .filter(|&face| bezier_face(surface, face, positions).thickness() <= touching)
        .flat_map(|face| facets(surface, face, positions));
    FacetTree::new(&facets.collect::<Vec<Facet>>())
}

/// End nodes of the straight edges of a surface. An edge counts as straight if its middle node deviates from the middle
/// of its chord by at most `touching`. In plane problems, the faces count as edges.
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

/// Intersection of a face of one surface with a face of the other surface, at least one of which is curved or warped.
/// Pairs of faces with a common corner position are omitted, because they touch at this corner and, in conforming
/// meshes, along whole edges.
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

/// Whether a face has no middle nodes and deviates from the polygon of its corners by at most `touching`.
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

/// Whether a point of a face is farther than `margin` from all edges of the face or, for a segment, from both ends.
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
