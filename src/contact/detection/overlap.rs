//! Bodies that overlap in a given configuration: a check of input, not part of a step.

mod facet;
mod patches;
mod self_crossing;
mod sorted_boxes;
#[cfg(test)]
mod tests;
mod winding;

pub use self_crossing::self_crossings;

use rayon::prelude::*;

use crate::contact::Surface;
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::ContactModel;
use super::body_tree::BodyTree;
use super::closest_face::{ClosestFace, ClosestFaceIndex};
use super::closest_point::{Method, Start, closest_point, signed_gap};
use super::control_points::{MAX_CONTROL_POINTS, control_points, is_held_by_nodes};
use super::patch::QuadraticPatch;
use super::volume::Aabb;
use facet::{Facet, fan};
use patches::crossing_of_patches;
pub(super) use sorted_boxes::SortedBoxes;
use winding::winds_around;

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The two bodies, first < second.
    pub bodies: [u32; 2],
    /// Greatest depth of a node of one inside the other \[m\]; 0 where faces cross though no node is inside.
    pub depth: f64,
    /// Where \[m\].
    pub point: Vec3,
}

/// Depth below which bodies count as touching, relative to the extent of the smaller one.
const TOUCHING: f64 = 1e-9;
/// Distance from its border, relative to the same, within which a crossing of a curved face does not count.
const BORDER: f64 = 16.0;

/// Pairs of different bodies that overlap, ascending; [`self_crossings`] tells of the others.
///
/// # Cost
/// A tree over the boxes of the bodies; for each pair whose boxes meet, a sweep over the edges and faces in the common
/// box, and for the nodes in it a search of an index of the faces; all faces of a body once, where a node is inside.
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
            let deepest = [[0, 1], [1, 0]]
                .into_iter()
                .filter_map(|[a, b]| sides[b].deepest_node(sides[a].surface, &common, touching))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let [first, second] = sides.map(|side| side.surface);
            let (depth, point) = deepest
                .or_else(|| crossing(first, second, positions, &common, touching))
                .or_else(|| crossing(second, first, positions, &common, touching))
                .or_else(|| curved_crossing([first, second], positions, &common, touching))?;
            Some(Penetration { bodies, depth, point })
        })
        .collect()
}

/// Box of the points that hold the faces.
fn bounding_box(surface: &Surface, positions: &[Vec3]) -> Option<Aabb> {
    (0..surface.num_faces()).map(|face| box_of_face(surface, face, positions)).reduce(|a, b| a.union(&b))
}

fn box_of_face(surface: &Surface, face: usize, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    Aabb::fit(control_points(kind, nodes, positions, &mut points), 0.0)
}

/// A surface and where its faces are.
struct Side<'a> {
    surface: &'a Surface,
    positions: &'a [Vec3],
    faces: ClosestFaceIndex,
}

impl<'a> Side<'a> {
    fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Self {
        Self { surface, positions, faces: ClosestFaceIndex::build(surface, positions) }
    }

    /// The node of another surface that is deepest inside this one, if any is deeper than `touching`.
    fn deepest_node(&self, contactors: &Surface, common: &Aabb, touching: f64) -> Option<(f64, Vec3)> {
        let nodes = contactors.nodes().iter().map(|&node| self.positions[node as usize]);
        let queries: Vec<Vec3> = nodes.filter(|point| common.contains(point)).collect();
        let mut closest = vec![None; queries.len()];
        self.faces.closest_to_all(&queries, f64::INFINITY, &mut closest);
        let depths = queries.iter().zip(closest).filter_map(|(query, closest)| {
            let ClosestFace { face, point } = closest?;
            let depth = -signed_gap(self.surface, self.positions, face as usize, query, &point).gap;
            (depth > touching).then_some((depth, *query))
        });
        let mut deepest: Vec<(f64, Vec3)> = depths.collect();
        deepest.sort_by(|a, b| b.0.total_cmp(&a.0));
        deepest.into_iter().find(|(_, node)| winds_around(self.surface, self.positions, node))
    }
}

/// A point where a straight edge of one surface passes through a flat face of the other, with depth 0.
fn crossing(
    edges: &Surface,
    faces: &Surface,
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<(f64, Vec3)> {
    let facets = (0..faces.num_faces())
        .filter(|&face| is_flat(faces, face, positions, touching))
        .flat_map(|face| facets(faces, face, positions))
        .map(|facet| (Aabb::fit(facet.points(), 0.0), facet))
        .filter(|(of_facet, _)| of_facet.intersection(common).is_some());
    let facets = SortedBoxes::new(facets.collect());
    straight_edges(edges).find_map(|nodes| {
        let ends = nodes.map(|node| positions[node as usize]);
        let of_edge = Aabb::fit(&ends, 0.0);
        of_edge.intersection(common)?;
        let mut near = facets.near(&of_edge);
        near.find_map(|facet| facet.pierced_by(&ends, touching)).map(|point| (0.0, point))
    })
}

/// The ends of the edges that are straight; in plane problems of the faces themselves.
fn straight_edges(surface: &Surface) -> impl Iterator<Item = [u32; 2]> {
    let edges = surface.edges().iter().filter(|edge| edge.middle.is_none()).map(|edge| edge.nodes);
    edges.chain((0..surface.num_faces()).filter_map(|face| match surface.face(face) {
        (CellKind::Line2, &[a, b]) => Some([a, b]),
        _ => None,
    }))
}

/// A point where faces of two surfaces, one of them curved or both, pass through each other, with depth 0. Faces with a
/// corner in one place are left out: they touch there, and where meshes fit each other along all of an edge.
fn curved_crossing(
    surfaces: [&Surface; 2],
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<(f64, Vec3)> {
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
    near[0]
        .iter()
        .find_map(|&(ref box_of_first, first)| {
            let others = near[1].near(box_of_first);
            others.filter(|&second| !(is_flat(0, first) && is_flat(1, second))).find_map(|second| {
                let patches = [patch(surfaces[0], first, positions), patch(surfaces[1], second, positions)];
                if have_a_common_corner(&patches, touching) {
                    return None;
                }
                crossing_of_patches(patches, touching, |point| is_inside(point, [first, second]))
            })
        })
        .map(|point| (0.0, point))
}

/// Whether a face is the polygon of its corners, but for `touching`.
fn is_flat(surface: &Surface, face: usize, positions: &[Vec3], touching: f64) -> bool {
    is_held_by_nodes(surface.face(face).0) && patch(surface, face, positions).thickness() <= touching
}

fn patch(surface: &Surface, face: usize, positions: &[Vec3]) -> QuadraticPatch {
    let (kind, nodes) = surface.face(face);
    QuadraticPatch::of_face(kind, |k| positions[nodes[k] as usize])
}

fn have_a_common_corner([first, second]: &[QuadraticPatch; 2], touching: f64) -> bool {
    first.corners().iter().any(|a| second.corners().iter().any(|b| (a - b).norm() <= touching))
}

/// Whether a point of a face is farther than `margin` from its edges; of a segment, from its ends.
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
