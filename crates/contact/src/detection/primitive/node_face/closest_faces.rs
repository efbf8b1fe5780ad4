//! Search for the closest candidate face of each contactor node.

use std::ops::Range;

use super::batch::{Batch, InLane};
use super::options::{NodeFaceOptions, StartingPoint};
use super::target_face::TargetFace;
use crate::detection::face::closest_point::{
    ClosestPoint, Method, are_against, closest_point, face_normal_vector, normals_are_opposed, vertex_normal,
};
use crate::detection::face::control_points::least_distance_squared;
use crate::detection::model::{Candidate, ContactModel};
use crate::element::MAX_NODES;
use crate::flush::{rounding_of_gap, rounding_of_gap_at};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;

const NODES_AT_A_TIME: usize = 64;

/// Largest size of a face for which [`ClosestFaces::largest_rounding`] bounds the rounding error, relative to the
/// reach: the distance from the face up to which a node can give a constraint (`TargetFace::reach`). Faces of meshes
/// are far smaller, because the reach is of the order of the edge lengths.
const LARGEST_FACE: f64 = 1e6;

/// The closest candidate face of one contactor node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// Index of the face among the candidates.
    pub candidate: u32,
    pub point: ClosestPoint,
    /// Normal of the face at the closest point, of any length; `None` if not yet computed.
    pub face_normal: Option<Vec3>,
    /// Begin and end of the range of candidates of the node.
    pub group: [u32; 2],
    /// Squared distance \[m²\] of the second-closest of the faces passed to `NodeSearch::take` and `NodeSearch::note`;
    /// `f64::MAX` if there is none.
    pub second: f64,
}

pub(super) struct ClosestFaces<'a> {
    pub vectorised: Vectorised,
    pub model: &'a ContactModel,
    pub options: NodeFaceOptions,
    pub positions: &'a [Vec3],
    pub candidates: &'a [Candidate],
    pub target_faces: &'a [TargetFace],
}

/// Several contactor nodes; the candidates of each node are consecutive.
pub(super) struct Groups<'a> {
    /// First candidate of the first node.
    pub begin: u32,
    /// For each node, the end of its candidates.
    pub ends: &'a [u32],
    /// For each node, its closest face and point of the previous step, a starting point for iterative methods; empty if
    /// no node has one.
    pub last: &'a [Option<StartingPoint>],
}

struct NodeSearch<'a> {
    closest: &'a mut Option<Closest>,
    last: Option<StartingPoint>,
    normal: Option<Vec3>,
    group: [u32; 2],
    /// Squared distance of the closest face so far \[m²\], below which another face replaces it; `f64::MAX` at first.
    farthest: f64,
}

impl<'a> NodeSearch<'a> {
    fn new(closest: &'a mut Option<Closest>, last: Option<StartingPoint>, group: [u32; 2]) -> Self {
        *closest = None;
        Self { closest, last, normal: None, group, farthest: f64::MAX }
    }

    fn take(&mut self, candidate: usize, point: ClosestPoint, face_normal: Option<Vec3>) {
        let second = std::mem::replace(&mut self.farthest, point.distance_squared);
        let (candidate, group) = (candidate as u32, self.group);
        *self.closest = Some(Closest { candidate, point, face_normal, group, second });
    }

    /// Notes the squared distance \[m²\] of another face, if a closest face has already been found.
    fn note(&mut self, distance_squared: f64) {
        if let Some(closest) = self.closest {
            closest.second = closest.second.min(distance_squared);
        }
    }
}

/// Whether √a certainly exceeds √b by more than r = `rounding`: √a − √b ≤ r would imply (a − b)² ≤ 2 r² (a + b).
fn exceeds(a: f64, b: f64, rounding: f64) -> bool {
    let difference = a - b;
    difference > 0.0 && difference * difference > 2.0 * rounding * rounding * (a + b)
}

impl ClosestFaces<'_> {
    /// Passes the closest candidate face of each node to `each`, in the order of the nodes. A face counts only if the
    /// node is within the reach of the face (`TargetFace::reach`), and if the normals of node and face are opposed.
    pub fn find(&self, groups: &Groups<'_>, batch: &mut Batch, mut each: impl FnMut(Option<&Closest>)) {
        let Groups { begin, ends, last } = *groups;
        let (mut candidate, mut found_until) = (begin as usize, begin as usize);
        let until = ends.last().map_or(begin, |&end| end) as usize;
        let mut closest = [None; NODES_AT_A_TIME];
        let mut last = last.iter();
        for ends in ends.chunks(NODES_AT_A_TIME) {
            let closest = &mut closest[..ends.len()];
            for (closest, &end) in closest.iter_mut().zip(ends) {
                let group = [candidate as u32, end];
                let mut node = NodeSearch::new(closest, last.next().copied().flatten(), group);
                let nearest = self.nearest_node(candidate..end as usize);
                while candidate < end as usize {
                    if candidate == found_until {
                        found_until = until.min(candidate + Batch::LEN);
                        if matches!(self.options.method, Method::Auto | Method::NearestNode) {
                            let these = candidate..found_until;
                            let (these, target_faces) =
                                (&self.candidates[these.clone()], &self.target_faces[these]);
                            batch.find(self.vectorised, these, target_faces, self.positions);
                        }
                    }
                    let found = batch.candidate((candidate - begin as usize) % Batch::LEN);
                    if nearest.is_none_or(|node| self.nodes_of(candidate).contains(&node)) {
                        self.compare(candidate, found, &mut node);
                    }
                    candidate += 1;
                }
            }
            // A separate loop, because the unpredictable branches of `each` would delay the square roots of the search.
            closest.iter().for_each(|closest| each(closest.as_ref()));
        }
    }

    /// The node of the candidate faces that is nearest to the contactor; the lowest number among equally near nodes.
    /// `None` if the method is not [`Method::NearestNode`].
    fn nearest_node(&self, candidates: Range<usize>) -> Option<u32> {
        if self.options.method != Method::NearestNode {
            return None;
        }
        let contactor = &self.positions[self.candidates.get(candidates.start)?.key.contactor as usize];
        let distance = |node: &u32| (self.positions[*node as usize] - contactor).norm_squared();
        let nodes = candidates.flat_map(|candidate| self.nodes_of(candidate)).copied();
        nodes.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))
    }

    /// Bound on the rounding error of a distance \[m\], from the coordinates of three nodes, because the coordinates of
    /// a single node may all be zero.
    pub fn rounding(&self, candidate: usize) -> f64 {
        let nodes = self.nodes_of(candidate);
        let points = [self.candidates[candidate].key.contactor, nodes[0], nodes[nodes.len() / 2]];
        rounding_of_gap(points.map(|node| &self.positions[node as usize]))
    }

    /// Upper bound on [`rounding`](Self::rounding), cheaper to compute, for faces smaller than [`LARGEST_FACE`] times
    /// their reach.
    pub fn largest_rounding(&self, candidate: usize) -> f64 {
        let contactor = &self.positions[self.candidates[candidate].key.contactor as usize];
        rounding_of_gap_at(contactor.amax() + LARGEST_FACE * self.target_faces[candidate].reach)
    }

    /// Whether another face may be as close as the closest face.
    pub fn is_tied(&self, closest: &Closest) -> bool {
        let Closest { candidate, second, point, .. } = *closest;
        let exceeds = |rounding: f64| exceeds(second, point.distance_squared, rounding);
        !exceeds(self.largest_rounding(candidate as usize)) && !exceeds(self.rounding(candidate as usize))
    }

    fn nodes_of(&self, candidate: usize) -> &[u32] {
        let Candidate { key, face, .. } = self.candidates[candidate];
        self.model.surfaces[key.target as usize].face(face as usize).1
    }

    /// Takes the face if the node is within the reach of the face, if the face is closer than the closest face so far,
    /// and if the normals of face and node are opposed. If the face is not closer, or the node is beyond its reach,
    /// notes its distance.
    ///
    /// Without the condition on the normals, two blocks that meet end to end would also make contact along their sides.
    fn compare(&self, place: usize, found: Option<InLane<'_>>, node: &mut NodeSearch<'_>) {
        let (candidate, farthest) = (&self.candidates[place], node.farthest);
        let reach = self.target_faces[place].reach;
        let is_near =
            |distance_squared: f64| distance_squared < farthest && distance_squared <= reach * reach;
        if let Some(found) = found {
            if is_near(found.distance_squared()) {
                if self.normals_are_opposed(candidate, || found.normal(), &mut node.normal) {
                    node.take(place, found.point(), Some(found.normal()));
                }
            } else {
                node.note(found.distance_squared());
            }
            return;
        }
        let Some(point) = self.closest_point_within(place, node) else { return };
        let target = &self.model.surfaces[candidate.key.target as usize];
        let position = |node: u32| self.positions[node as usize];
        let normal = || face_normal_vector(target, &position, candidate.face as usize, point.xi);
        if is_near(point.distance_squared) {
            if self.normals_are_opposed(candidate, normal, &mut node.normal) {
                node.take(place, point, None);
            }
        } else {
            node.note(point.distance_squared);
        }
    }

    /// Whether the normals of the face (of any length) and of the node are opposed.
    pub fn normals_are_opposed(
        &self,
        candidate: &Candidate,
        face_normal: impl FnOnce() -> Vec3,
        node_normal: &mut Option<Vec3>,
    ) -> bool {
        if candidate.normals_are_opposed {
            return true;
        }
        let face_normal = face_normal();
        let contactor = &self.model.surfaces[candidate.contactor_body as usize];
        let node = candidate.key.contactor;
        are_against(contactor, self.positions, node, &face_normal).unwrap_or_else(|| {
            let normal = node_normal.get_or_insert_with(|| vertex_normal(contactor, self.positions, node));
            normals_are_opposed(&face_normal, normal)
        })
    }

    /// Closest point of a face; `None` if a lower bound on the distance of the face exceeds its reach, or exceeds the
    /// distance of the closest face so far by more than rounding.
    fn closest_point_within(&self, place: usize, node: &NodeSearch<'_>) -> Option<ClosestPoint> {
        let (candidate, reach) = (&self.candidates[place], self.target_faces[place].reach);
        let query = &self.positions[candidate.key.contactor as usize];
        let (kind, nodes) = self.model.surfaces[candidate.key.target as usize].face(candidate.face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.positions[node as usize];
        }
        let corners = &corners[..nodes.len()];
        let is_closed_form = matches!(kind, CellKind::Line2 | CellKind::Tri3);
        if !is_closed_form {
            let least = least_distance_squared(kind, corners, query);
            if least > reach * reach || exceeds(least, node.farthest, self.largest_rounding(place)) {
                return None;
            }
        }
        let start = self.options.start.on(candidate.face, node.last);
        Some(closest_point(self.options.method, start, kind, corners, query))
    }

    /// Starting point of the node for the next time step.
    pub fn last(&self, closest: &Closest) -> StartingPoint {
        let Candidate { key, face, .. } = self.candidates[closest.candidate as usize];
        StartingPoint { key, face, xi: closest.point.xi }
    }
}
