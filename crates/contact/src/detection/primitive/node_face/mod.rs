//! From candidate pairs of a contactor node and a target face to contact constraints.

mod batch;
mod target_face;
mod tied;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use rayon::prelude::*;

use crate::element::{MAX_NODES, shape_values};
use crate::flush::{are_coplanar, rounding_of_gap};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;
use crate::{Constraints, ContactKey, NodeOnSurface, Side, Surface};

use crate::detection::face::closest_point::{
    ClosestPoint, Feature, Gap, Method, Start, are_against, closest_point, face_normal_vector, is_past_rim,
    normals_are_opposed, pseudo_normal_vector, unit_or_zero, vertex_normal,
};
use crate::detection::face::control_points::least_distance_squared;
use crate::detection::model::{Candidate, ContactModel, is_behind};
use batch::{Batch, InLane};
use target_face::TargetFace;
use tied::MeanPoint;

/// Options of the closest-point computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeFaceOptions {
    /// Method.
    pub method: Method,
    /// Starting point of an iterative method.
    pub start: StartFrom,
}

/// Starting point of an iterative method on a candidate face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFrom {
    /// Of the face nodes and the face centre, the point nearest to the contactor.
    #[default]
    Nearest,
    /// The centre of the face.
    Centre,
    /// The closest point in the last step, if the candidate was the closest face in the last step; as `Nearest` on any
    /// other face.
    Previous,
}

impl StartFrom {
    /// Starting point on a face, given the closest point of the last step.
    fn on(self, face: u32, last: Option<StartingPoint>) -> Start {
        match (self, last) {
            (Self::Centre, _) => Start::Centre,
            (Self::Previous, Some(last)) if last.face == face => Start::Previous(last.xi),
            (Self::Nearest | Self::Previous, _) => Start::Nearest,
        }
    }
}

/// The closest candidate face of one contactor node.
#[derive(Clone, Copy, Debug)]
struct Closest {
    /// Index of the face among the candidates.
    candidate: u32,
    point: ClosestPoint,
    /// Normal of the face at the closest point, of any length; `None` if not yet computed.
    face_normal: Option<Vec3>,
    /// Begin and end of the candidates of the node if another face may be equally close.
    rivals: Option<[u32; 2]>,
}

/// Penetration of a node below a face of its target.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Penetration {
    /// Index of the face among the candidates.
    candidate: u32,
    xi: [f64; 2],
    gap: Gap,
}

/// A node that has penetrated its target, at a point of one face or at the mean of the points of equally close faces.
#[derive(Clone, Copy, Debug)]
struct NodeContact {
    key: NodeOnSurface,
    gap: Gap,
    /// Begin and end of its points in the list of all points.
    points: [u32; 2],
}

/// Closest face of a node in the last step and the closest point on it, from which the next search starts with
/// [`StartFrom::Previous`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartingPoint {
    key: NodeOnSurface,
    face: u32,
    xi: [f64; 2],
}

/// Results of a task.
#[derive(Clone, Debug, Default)]
struct Found {
    contacts: Vec<NodeContact>,
    /// Points of all contacts.
    points: Vec<Penetration>,
    /// The closest face of each node and its closest point, if the next step may start from this point.
    last: Vec<Option<StartingPoint>>,
}

/// Workspace of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeFaceSearch {
    vectorised: Vectorised,
    group_ends: Vec<u32>,
    /// Data of the face of each candidate, read in every step.
    target_faces: Vec<TargetFace>,
    /// For each contactor node, the closest face within the search depth and the closest point on this face; empty
    /// unless the next step may start from these points.
    last: Vec<Option<StartingPoint>>,
    found: Vec<Found>,
}

/// Sine of an angle. If the offset of a node from its closest point deviates from the face normal by a smaller angle,
/// the deviation counts as rounding error: the face normal is the contact normal, even if the closest point is on the
/// rim of the face.
pub(crate) const STRAIGHT: f64 = 1e-6;

/// Contactor nodes per task, and contactor nodes searched at a time.
const NODES_PER_TASK: usize = 256;
const NODES_AT_A_TIME: usize = 64;

/// Candidates prepared per task.
const CANDIDATES_PER_TASK: usize = 2048;

impl NodeFaceSearch {
    /// Starting points of the next search, ascending by key; empty unless the option is [`StartFrom::Previous`].
    pub fn starting_points(&self) -> Vec<StartingPoint> {
        self.last.iter().flatten().copied().collect()
    }

    /// Sets the starting points, ascending by key, for the next list of candidates.
    pub fn start_from(&mut self, points: &[StartingPoint]) {
        self.last.clear();
        self.last.extend(points.iter().copied().map(Some));
    }

    /// Groups sorted candidates by contactor node. This call must follow every change of the list of candidates. Each
    /// node keeps its starting point of the last step.
    pub fn group(&mut self, candidates: &[Candidate], model: &ContactModel, start: StartFrom) {
        let target_face = |candidate: &Candidate| {
            let (kind, nodes) = model.surfaces[candidate.key.target as usize].face(candidate.face as usize);
            let triangle = if kind == CellKind::Tri3 { nodes.first_chunk().copied() } else { None };
            TargetFace { triangle, reach: model.reach_of(candidate) }
        };
        self.target_faces.clear();
        self.target_faces
            .par_extend(candidates.par_iter().with_min_len(CANDIDATES_PER_TASK).map(target_face));
        self.group_ends.clear();
        let mut end = 0;
        for group in candidates.chunk_by(|a, b| a.key == b.key) {
            end += group.len() as u32;
            self.group_ends.push(end);
        }
        let last = std::mem::take(&mut self.last);
        if start == StartFrom::Previous {
            // Both lists are sorted by key.
            let mut last = last.iter().flatten().peekable();
            for &end in &self.group_ends {
                let key = candidates[end as usize - 1].key;
                while last.next_if(|closest| closest.key < key).is_some() {}
                self.last.push(last.next_if(|closest| closest.key == key).copied());
            }
        }
    }

    /// Replaces `constraints` by the constraints of the nodes that have penetrated a target. Only the closest face of
    /// each target gives a constraint; equally close faces give the mean of their constraints (see `tied`). The
    /// pseudo-normal of the feature on which the closest point lies gives the sign of the gap.
    ///
    /// A node deeper than the search depth of its body pair counts as outside, beyond the far side of the target.
    pub fn find(
        &mut self,
        candidates: &[Candidate],
        model: &ContactModel,
        options: NodeFaceOptions,
        positions: &[Vec3],
        constraints: &mut Constraints,
    ) {
        let Self { vectorised, group_ends, target_faces, last, found } = self;
        let search =
            ClosestFaces { vectorised: *vectorised, model, options, positions, candidates, target_faces };
        let find = |batch: &mut Batch, (task, (ends, found)): (usize, (&[u32], &mut Found))| {
            let first = NODES_PER_TASK * task;
            let begin = first.checked_sub(1).map_or(0, |before| group_ends[before]);
            let groups = Groups { begin, ends, last: last.get(first..).unwrap_or_default() };
            found.contacts.clear();
            found.points.clear();
            found.last.clear();
            search.find(&groups, batch, |closest| {
                found.contacts.extend(closest.and_then(|closest| search.contact(closest, &mut found.points)));
                if options.start == StartFrom::Previous {
                    found.last.push(closest.map(|closest| search.last(closest)));
                }
            });
        };
        let tasks = group_ends.par_chunks(NODES_PER_TASK);
        found.resize_with(tasks.len(), Found::default);
        if tasks.len() > 1 {
            tasks.zip(&mut *found).enumerate().for_each_init(Batch::default, find);
        } else if let Some(found) = found.first_mut() {
            find(&mut Batch::default(), (0, (group_ends, found)));
        }
        constraints.clear();
        for found in &*found {
            for contact in &found.contacts {
                push(contact, &found.points, candidates, &model.surfaces, constraints);
            }
        }
        last.clear();
        last.extend(found.iter().flat_map(|found| &found.last));
    }
}

/// Search for the closest candidate faces of contactor nodes.
struct ClosestFaces<'a> {
    vectorised: Vectorised,
    model: &'a ContactModel,
    options: NodeFaceOptions,
    positions: &'a [Vec3],
    candidates: &'a [Candidate],
    target_faces: &'a [TargetFace],
}

/// Some contactor nodes.
struct Groups<'a> {
    /// First candidate of the first node, and end of the candidates of each node.
    begin: u32,
    ends: &'a [u32],
    /// Starting points of the nodes; empty if none are known.
    last: &'a [Option<StartingPoint>],
}

/// State of the search for one contactor node.
struct NodeSearch<'a> {
    /// The closest face so far.
    closest: &'a mut Option<Closest>,
    last: Option<StartingPoint>,
    normal: Option<Vec3>,
    /// Candidates of the node.
    group: [u32; 2],
    /// Squared distance beyond which faces are ignored.
    farthest: f64,
    /// Difference of distances that counts as rounding \[m\].
    rounding: f64,
}

impl<'a> NodeSearch<'a> {
    fn new(
        closest: &'a mut Option<Closest>,
        last: Option<StartingPoint>,
        group: [u32; 2],
        position: &Vec3,
    ) -> Self {
        *closest = None;
        Self {
            closest,
            last,
            normal: None,
            group,
            farthest: f64::INFINITY,
            rounding: rounding_of_gap([position]),
        }
    }

    /// Whether a squared distance may equal the distance of the closest face so far: |√a − √b| ≤ r implies (a − b)² ≤ 2
    /// r² (a + b).
    fn rivals(&self, distance_squared: f64) -> bool {
        let (sum, difference) = (distance_squared + self.farthest, distance_squared - self.farthest);
        difference * difference <= 2.0 * self.rounding * self.rounding * sum
    }

    fn take(&mut self, candidate: usize, point: ClosestPoint, face_normal: Option<Vec3>) {
        let rivals = self.rivals(point.distance_squared).then_some(self.group);
        self.farthest = point.distance_squared;
        *self.closest = Some(Closest { candidate: candidate as u32, point, face_normal, rivals });
    }

    /// Notes a face that may be as close as the closest so far.
    fn note_rival(&mut self) {
        if let Some(closest) = self.closest {
            closest.rivals = Some(self.group);
        }
    }
}

impl ClosestFaces<'_> {
    /// Passes the closest candidate face of each node to `each`, in the order of the nodes. The closest face is the
    /// nearest of the faces that are within the search depth and whose normals are opposed to the normal of the node.
    ///
    /// The lanes of one vector instruction process candidates of different nodes.
    fn find(&self, groups: &Groups<'_>, batch: &mut Batch, mut each: impl FnMut(Option<&Closest>)) {
        let Groups { begin, ends, last } = *groups;
        let (mut candidate, mut found_until) = (begin as usize, begin as usize);
        let until = ends.last().map_or(begin, |&end| end) as usize;
        let mut closest = [None; NODES_AT_A_TIME];
        let mut last = last.iter();
        for ends in ends.chunks(NODES_AT_A_TIME) {
            let closest = &mut closest[..ends.len()];
            for (closest, &end) in closest.iter_mut().zip(ends) {
                let group = [candidate as u32, end];
                let position = self.positions[self.candidates[candidate].key.contactor as usize];
                let mut node = NodeSearch::new(closest, last.next().copied().flatten(), group, &position);
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
            // A loop separate from the search: the unpredictable branches of `each` would delay the square roots of the
            // search.
            closest.iter().for_each(|closest| each(closest.as_ref()));
        }
    }

    /// The node of the candidate faces that is nearest to the contactor; among equally near nodes, the node with the
    /// lowest number. `None` unless the method is [`Method::NearestNode`].
    fn nearest_node(&self, candidates: Range<usize>) -> Option<u32> {
        if self.options.method != Method::NearestNode {
            return None;
        }
        let contactor = &self.positions[self.candidates.get(candidates.start)?.key.contactor as usize];
        let distance = |node: &u32| (self.positions[*node as usize] - contactor).norm_squared();
        let nodes = candidates.flat_map(|candidate| self.nodes_of(candidate)).copied();
        nodes.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))
    }

    /// Nodes of a candidate face.
    fn nodes_of(&self, candidate: usize) -> &[u32] {
        let Candidate { key, face, .. } = self.candidates[candidate];
        self.model.surfaces[key.target as usize].face(face as usize).1
    }

    /// Replaces the closest face of the node by a candidate face that is closer, within its reach, and has a normal
    /// opposed to the normal of the node.
    ///
    /// A node can have entered a face from outside only if the normals of node and face are opposed. Without this
    /// condition, two blocks of equal section that meet end to end would also make contact along their sides, because
    /// nodes of one block slide in along the sides of the other.
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
            } else if node.rivals(found.distance_squared()) {
                node.note_rival();
            }
            return;
        }
        let Some(point) = self.closest_point_within(candidate, node, reach) else { return };
        let target = &self.model.surfaces[candidate.key.target as usize];
        let position = |node: u32| self.positions[node as usize];
        let normal = || face_normal_vector(target, &position, candidate.face as usize, point.xi);
        if is_near(point.distance_squared) {
            if self.normals_are_opposed(candidate, normal, &mut node.normal) {
                node.take(place, point, None);
            }
        } else if node.rivals(point.distance_squared) {
            node.note_rival();
        }
    }

    /// Whether the normal of a face, of any length, and the normal of the node are opposed. The normals are computed
    /// only if the candidate is not already marked as having opposed normals.
    fn normals_are_opposed(
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

    /// The closest point of a face; `None` if a lower bound on the distance excludes the face.
    fn closest_point_within(
        &self,
        candidate: &Candidate,
        node: &NodeSearch<'_>,
        reach: f64,
    ) -> Option<ClosestPoint> {
        let query = &self.positions[candidate.key.contactor as usize];
        let (kind, nodes) = self.model.surfaces[candidate.key.target as usize].face(candidate.face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.positions[node as usize];
        }
        let corners = &corners[..nodes.len()];
        let is_closed_form = matches!(kind, CellKind::Line2 | CellKind::Tri3);
        let farthest = node.farthest.min(reach * reach);
        if !is_closed_form {
            let least = least_distance_squared(kind, corners, query);
            if least > farthest && !node.rivals(least) {
                return None;
            }
        }
        let start = self.options.start.on(candidate.face, node.last);
        Some(closest_point(self.options.method, start, kind, corners, query))
    }

    /// The penetration of a node inside its target; `None` for a node outside. The gap is the distance from the target
    /// surface minus the offset of the body pair. A node past the rim of its face by at most its depth counts as below
    /// the face, so that no force pushes the node along the face. A node in a dent between coplanar faces counts as below
    /// the face too: the direction from a closest point at a small distance varies with rounding, and it no longer
    /// applies where deformation turns the dent into a ridge. A force along this direction would drive motion along the
    /// face.
    fn penetration(&self, closest: &Closest) -> Option<Penetration> {
        let Self { model, positions, .. } = *self;
        let Closest { candidate: place, point, face_normal, .. } = closest;
        let candidate = &self.candidates[*place as usize];
        let surface = &model.surfaces[candidate.key.target as usize];
        let normal_of = |feature: Feature| {
            pseudo_normal_vector(surface, positions, candidate.face as usize, point.xi, feature)
        };
        let of_feature;
        // A reference instead of a copy: the load of a copied normal would wait for the store, and this wait is longer
        // than the other instructions of the function take.
        let pseudo_normal = match (point.feature, face_normal) {
            (Feature::Face, Some(normal)) => normal,
            (feature, _) => {
                of_feature = normal_of(feature);
                &of_feature
            }
        };
        let offset = model.offset([candidate.contactor_body, candidate.key.target]);
        let query = &positions[candidate.key.contactor as usize];
        let from_face = query - point.point;
        let nodes = surface.face(candidate.face as usize).1;
        // The coordinates of two corners determine the rounding error, because a single corner may be at the origin.
        let corners = [nodes[0], nodes[nodes.len() / 2]].map(|node| &positions[node as usize]);
        let rounding = rounding_of_gap([query, corners[0], corners[1]]);
        let before = from_face.dot(pseudo_normal);
        if offset == 0.0
            && before > 0.0
            && before * before > rounding * rounding * pseudo_normal.norm_squared()
        {
            return None; // avoids the square root for nodes in front of the face
        }
        let of_one_body = candidate.contactor_body == candidate.key.target;
        if of_one_body && point.feature != Feature::Face {
            let face_normal = unit_or_zero(&face_normal.unwrap_or_else(|| normal_of(Feature::Face)));
            let is_before = offset > 0.0 && from_face.dot(&face_normal) > 0.0;
            if !(is_before || is_behind(&face_normal, &from_face)) {
                return None;
            }
        }
        let under_face = || {
            let normal = unit_or_zero(&face_normal.unwrap_or_else(|| normal_of(Feature::Face)));
            let gap = from_face.dot(&normal);
            let is_straight = || {
                let off = (from_face - normal * gap).norm();
                off <= f64::max(STRAIGHT * gap.abs(), rounding)
            };
            let is_in_flat_dent = || {
                are_coplanar(&normal, &unit_or_zero(pseudo_normal))
                    && are_coplanar(&normal, &unit_or_zero(&-from_face))
            };
            let face = candidate.face as usize;
            let is_past_rim = || is_past_rim(surface, positions, face, point.xi, point.feature, &from_face);
            (gap <= rounding && (is_straight() || is_in_flat_dent()) || is_past_rim())
                .then_some(Gap { gap, normal })
        };
        let under_face = if point.feature == Feature::Face { None } else { under_face() };
        let Gap { gap, normal } = under_face.unwrap_or_else(|| Gap::new(query, point, pseudo_normal));
        let is_touching = gap - offset <= rounding && (offset == 0.0 || gap >= -model.depth_of(candidate));
        let gap = Gap { gap: gap - offset, normal };
        is_touching.then_some(Penetration { candidate: *place, xi: point.xi, gap })
    }

    /// Starting point for the next step.
    fn last(&self, closest: &Closest) -> StartingPoint {
        let Candidate { key, face, .. } = self.candidates[closest.candidate as usize];
        StartingPoint { key, face, xi: closest.point.xi }
    }
}

/// Adds the constraint of a penetrated node.
fn push(
    contact: &NodeContact,
    points: &[Penetration],
    candidates: &[Candidate],
    surfaces: &[Surface],
    constraints: &mut Constraints,
) {
    let NodeContact { key, gap: Gap { gap, normal }, points: [first, end] } = *contact;
    let points = &points[first as usize..end as usize];
    let Candidate { face, contactor_body, .. } = candidates[points[0].candidate as usize];
    let surface = &surfaces[key.target as usize];
    let contactor = Side { body: contactor_body, nodes: &[key.contactor], shape_values: &[1.0] };
    let mut push = |nodes: &[u32], shape_values: &[f64]| {
        let target = Side { body: key.target, nodes, shape_values };
        constraints.push(ContactKey::Node(key), gap, normal, contactor, target);
    };
    if let [Penetration { xi, .. }] = points {
        let (kind, nodes) = surface.face(face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        push(nodes, &values[..nodes.len()]);
        return;
    }
    let mut mean = MeanPoint::default();
    for point in points {
        mean.add(surface, candidates[point.candidate as usize].face, point.xi);
    }
    let (nodes, shape_values) = mean.finish();
    push(nodes, shape_values);
}

#[cfg(test)]
mod tests;
