//! Bodies that overlap in a given configuration: a check of input, not part of a step.

mod self_crossing;
mod sorted_boxes;
#[cfg(test)]
mod tests;

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
use super::volume::{Aabb, Obb};
pub(super) use sorted_boxes::SortedBoxes;

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
/// Curved faces are split until they are flat to the depth of touching. Where they touch at a point the pieces' edges
/// cross by some four times that; only what crosses by this many times as much counts.
const NEAR: f64 = 16.0;
/// Most pairs of pieces of two faces looked at; more are near each other only where the faces fit each other.
const MAX_PIECES: usize = 16384;

/// Pairs of different bodies that overlap, ascending; [`self_crossings`] tells of the others.
///
/// # Cost
/// A tree over the boxes of the bodies; for each pair whose boxes meet, a sweep over the edges and faces in the common box, and for the nodes in it a search of
/// an index of the faces.
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
                .filter_map(|[a, b]| sides[b].deepest_node(sides[a].surface, &common))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .filter(|deepest| deepest.0 > touching);
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

    /// The node of another surface that is deepest inside this one, if any is.
    fn deepest_node(&self, contactors: &Surface, common: &Aabb) -> Option<(f64, Vec3)> {
        let nodes = contactors.nodes().iter().map(|&node| self.positions[node as usize]);
        let queries: Vec<Vec3> = nodes.filter(|point| common.contains(point)).collect();
        let mut closest = vec![None; queries.len()];
        self.faces.closest_to_all(&queries, f64::INFINITY, &mut closest);
        let depths = queries.iter().zip(closest).filter_map(|(query, closest)| {
            let ClosestFace { face, point } = closest?;
            let depth = -signed_gap(self.surface, self.positions, face as usize, query, &point).gap;
            (depth > 0.0).then_some((depth, *query))
        });
        depths.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// A point where a straight edge of one surface passes through a linear face of the other, with depth 0.
fn crossing(
    edges: &Surface,
    faces: &Surface,
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<(f64, Vec3)> {
    let facets = (0..faces.num_faces())
        .filter(|&face| is_held_by_nodes(faces.face(face).0))
        .flat_map(|face| facets(faces, face, positions))
        .map(|facet| (Aabb::fit(facet.points(), 0.0), facet))
        .filter(|(of_facet, _)| of_facet.intersection(common).is_some());
    let facets = SortedBoxes::new(facets.collect());
    straight_edges(edges).find_map(|nodes| {
        let ends = nodes.map(|node| positions[node as usize]);
        let of_edge = Aabb::fit(&ends, 0.0);
        of_edge.intersection(common)?;
        let mut near = facets.near(&of_edge);
        near.find_map(|facet| pierces(&ends, facet.points(), [touching; 2])).map(|point| (0.0, point))
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

/// A point where faces of two surfaces, one of them curved or both, pass through each other, with depth 0.
fn curved_crossing(
    surfaces: [&Surface; 2],
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<(f64, Vec3)> {
    let is_flat = |k: usize, face: usize| is_held_by_nodes(surfaces[k].face(face).0);
    let near = [0, 1].map(|k: usize| {
        let boxes =
            (0..surfaces[k].num_faces()).map(|face| (box_of_face(surfaces[k], face, positions), face));
        SortedBoxes::new(boxes.filter(|(of_face, _)| of_face.intersection(common).is_some()).collect())
    });
    let all_flat = [0, 1].map(|k: usize| near[k].iter().all(|&(_, face)| is_flat(k, face)));
    if all_flat == [true; 2] {
        return None;
    }
    let patch = |k: usize, face: usize| {
        let (kind, nodes) = surfaces[k].face(face);
        QuadraticPatch::of_face(kind, |i| positions[nodes[i] as usize])
    };
    let is_inside = |point: &Vec3, faces: [usize; 2]| {
        (0..2).all(|k| is_off_border(surfaces[k], faces[k], positions, point, NEAR * touching))
    };
    near[0]
        .iter()
        .find_map(|&(ref box_of_first, first)| {
            let others = near[1].near(box_of_first);
            others.filter(|&second| !(is_flat(0, first) && is_flat(1, second))).find_map(|second| {
                let patches = [patch(0, first), patch(1, second)];
                crossing_of_patches(patches, touching, |point| is_inside(point, [first, second]))
            })
        })
        .map(|point| (0.0, point))
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

/// Where two faces cross: what cannot meet drops out as both are split, until what is left is flat but for
/// `touching`. Two flat pieces cross where an edge of one passes through the other; along a crossing there are many.
fn crossing_of_patches(
    patches: [QuadraticPatch; 2],
    touching: f64,
    is_inside: impl Fn(&Vec3) -> bool,
) -> Option<Vec3> {
    let mut pairs = vec![patches];
    for _ in 0..MAX_PIECES {
        let pair = pairs.pop()?;
        if Obb::fit(pair[0].points(), touching).excludes(&Obb::fit(pair[1].points(), touching)) {
            continue;
        }
        let thickness = pair.map(|patch| patch.thickness());
        if thickness[0] + thickness[1] <= touching {
            let found = [[0, 1], [1, 0]].iter().find_map(|&[edges, face]| {
                crossing_of_polygons(pair[edges].corners(), pair[face].corners(), NEAR * touching, &is_inside)
            });
            if found.is_some() {
                return found;
            }
            continue;
        }
        let larger = usize::from(pair[1].extent() > pair[0].extent());
        pair[larger].split(|part| {
            let mut parts = pair;
            parts[larger] = part;
            pairs.push(parts);
        });
    }
    None
}

/// Where an edge of one polygon passes through another, by more than `margin` either way; the border of the other
/// is wider by as much, so that nothing passes between two pieces.
fn crossing_of_polygons(
    edges: &[Vec3],
    face: &[Vec3],
    margin: f64,
    is_inside: &impl Fn(&Vec3) -> bool,
) -> Option<Vec3> {
    (0..edges.len()).find_map(|k| {
        let ends = [edges[k], edges[(k + 1) % edges.len()]];
        let mut fan = fan(face.len()).map(|corners| Facet::new(corners, |k| face[k]));
        fan.find_map(|facet| pierces(&ends, facet.points(), [margin, -margin]).filter(is_inside))
    })
}

/// A triangle of a face, or a segment in the plane.
#[derive(Clone, Copy)]
struct Facet {
    points: [Vec3; 3],
    count: usize,
}

impl Facet {
    /// The given corners; the segment of the first two where the last are one.
    fn new([a, b, c]: [usize; 3], corner: impl Fn(usize) -> Vec3) -> Self {
        Self { points: [corner(a), corner(b), corner(c)], count: if b == c { 2 } else { 3 } }
    }

    fn points(&self) -> &[Vec3] {
        &self.points[..self.count]
    }
}

/// Corners of the facets of a polygon of `count` corners, see [`Facet::new`].
fn fan(count: usize) -> impl Iterator<Item = [usize; 3]> {
    (2..count.max(3)).map(move |k| [0, k - 1, k.min(count - 1)])
}

fn facets(surface: &Surface, face: usize, positions: &[Vec3]) -> impl Iterator<Item = Facet> {
    let (kind, nodes) = surface.face(face);
    let corner = move |k: usize| positions[nodes[kind.corners()[k] as usize] as usize];
    fan(kind.corners().len()).map(move |corners| Facet::new(corners, corner))
}

/// Where a segment passes through a triangle, both ends farther than the first margin from its plane and the point
/// farther than the second inside its border; through another segment in the plane z = 0.
fn pierces(ends: &[Vec3; 2], facet: &[Vec3], margins: [f64; 2]) -> Option<Vec3> {
    let (origin, along) = (*facet.first()?, facet.get(1)? - facet[0]);
    let across = facet.get(2).map_or_else(Vec3::z, |last| last - origin);
    let normal = along.cross(&across).try_normalize(0.0)?;
    let heights = ends.map(|end| normal.dot(&(end - origin)));
    if heights[0] * heights[1] >= 0.0 || heights.iter().any(|height| height.abs() <= margins[0]) {
        return None;
    }
    let point = ends[0] + (ends[1] - ends[0]) * (heights[0] / (heights[0] - heights[1]));
    let inside = (0..facet.len()).all(|k| {
        let along = facet[(k + 1) % facet.len()] - facet[k];
        let offset = point - facet[k];
        let inward = if facet.len() == 2 { along.dot(&offset) } else { normal.dot(&along.cross(&offset)) };
        inward > margins[1] * along.norm()
    });
    inside.then_some(point)
}
