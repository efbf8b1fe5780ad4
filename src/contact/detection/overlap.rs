//! Bodies that overlap in a given configuration: a check of input, not part of a step.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::math::Vec3;

use super::closest_face::{ClosestFace, ClosestFaceIndex};
use super::closest_point::signed_gap;
use super::{ContactModel, volume::Aabb};

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

/// Pairs of bodies that overlap, in the order of the pairs of the model.
///
/// # Cost
/// For each pair whose boxes meet, the edges of one body in the common box of both times the faces of the other; for
/// the nodes in that box, a search of an index of the faces.
pub fn penetrations(model: &ContactModel, positions: &[Vec3]) -> Vec<Penetration> {
    let boxes: Vec<Option<Aabb>> =
        model.surfaces.iter().map(|surface| bounding_box(surface, positions)).collect();
    let common_box = |bodies: &[u32; 2]| {
        let [first, second] = bodies.map(|body| boxes[body as usize]);
        let touching = TOUCHING * first?.diagonal().min(second?.diagonal());
        Some((*bodies, first?.intersection(&second?)?, touching))
    };
    let close: Vec<([u32; 2], Aabb, f64)> = model.pairs.iter().filter_map(common_box).collect();
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
                .or_else(|| crossing(second, first, positions, &common, touching))?;
            Some(Penetration { bodies, depth, point })
        })
        .collect()
}

fn bounding_box(surface: &Surface, positions: &[Vec3]) -> Option<Aabb> {
    let points: Vec<Vec3> = surface.nodes().iter().map(|&node| positions[node as usize]).collect();
    if points.is_empty() { None } else { Some(Aabb::fit(&points, 0.0)) }
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

/// A point where an edge of one surface passes through a face of the other, with depth 0.
fn crossing(
    edges: &Surface,
    faces: &Surface,
    positions: &[Vec3],
    common: &Aabb,
    touching: f64,
) -> Option<(f64, Vec3)> {
    let near: Vec<[Vec3; 3]> = (0..faces.num_faces())
        .flat_map(|face| triangles(faces, face, positions))
        .filter(|triangle| Aabb::fit(triangle, 0.0).intersection(common).is_some())
        .collect();
    edges.edges().iter().find_map(|edge| {
        let ends = edge.nodes.map(|node| positions[node as usize]);
        Aabb::fit(&ends, 0.0).intersection(common)?;
        near.iter().find_map(|triangle| pierces(&ends, triangle, touching)).map(|point| (0.0, point))
    })
}

/// The triangles of a face: a fan over its corners.
fn triangles(surface: &Surface, face: usize, positions: &[Vec3]) -> Vec<[Vec3; 3]> {
    let (kind, nodes) = surface.face(face);
    let corner = |k: usize| positions[nodes[kind.corners()[k] as usize] as usize];
    (2..kind.corners().len()).map(|k| [corner(0), corner(k - 1), corner(k)]).collect()
}

/// Where a segment passes through the inside of a triangle, farther than `margin` from its border and with both
/// ends farther than that from its plane.
fn pierces(ends: &[Vec3; 2], triangle: &[Vec3; 3], margin: f64) -> Option<Vec3> {
    let normal = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0])).try_normalize(0.0)?;
    let heights = ends.map(|end| normal.dot(&(end - triangle[0])));
    if heights[0] * heights[1] >= 0.0 || heights.iter().any(|height| height.abs() <= margin) {
        return None;
    }
    let point = ends[0] + (ends[1] - ends[0]) * (heights[0] / (heights[0] - heights[1]));
    let inside = (0..3).all(|k| {
        let along = triangle[(k + 1) % 3] - triangle[k];
        normal.dot(&along.cross(&(point - triangle[k]))) > margin * along.norm()
    });
    inside.then_some(point)
}
