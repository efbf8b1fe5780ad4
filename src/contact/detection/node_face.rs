//! From candidate pairs of a contactor node and a target face to contact constraints.

mod together;

use rayon::prelude::*;

use crate::contact::{Constraints, ContactKey, NodeOnSurface, Side, Surface};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;

use super::closest_point::{
    ClosestPoint, Feature, Gap, Method, Start, are_against, closest_point, face_normal_vector, pseudo_normal,
    unit_or_zero, vertex_normal,
};
use super::control_points::least_distance_squared;
use super::self_contact::is_behind;
use together::{InLane, Together};

/// How the closest point of a face is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeFaceOptions {
    /// Method.
    pub method: Method,
    /// Where an iterative method starts.
    pub start: StartFrom,
}

/// Where an iterative method starts on a candidate face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFrom {
    /// The nearest of the nodes and the centre.
    #[default]
    Nearest,
    /// The centre.
    Centre,
    /// The closest point that the node had on the face in the step before, or the nearest of nodes and centre.
    Previous,
}

impl StartFrom {
    /// On a face, given the face, if any, and the natural coordinates of the closest point of the step before.
    fn on(self, face: u32, last_face: Option<u32>, last_xi: [f64; 2]) -> Start {
        match self {
            Self::Centre => Start::Centre,
            Self::Previous if last_face == Some(face) => Start::Previous(last_xi),
            Self::Nearest | Self::Previous => Start::Nearest,
        }
    }
}

/// A node that may touch a face; cheap, and may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// Contactor node and target surface.
    pub key: NodeOnSurface,
    /// Face of the target surface.
    pub face: u32,
    /// Body of the contactor node.
    pub contactor_body: u32,
    /// Whether the normals of the node and of the face are known to be opposed.
    pub is_opposed: bool,
}

impl Candidate {
    /// A candidate of whose normals nothing is known.
    pub fn new(key: NodeOnSurface, face: u32, contactor_body: u32) -> Self {
        Self { key, face, contactor_body, is_opposed: false }
    }
}

/// The closest of the candidate faces of one contactor node.
#[derive(Clone, Copy, Debug)]
struct Closest {
    candidate: Candidate,
    point: ClosestPoint,
    /// Normal of the face at the point, of any length, if it was found with it.
    face_normal: Option<Vec3>,
    /// Where the node is inside its target.
    penetration: Option<Gap>,
}

/// Workspace of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeFaceSearch {
    vectorised: Vectorised,
    /// Closest face of each contactor node within the search depth, which the next step may start from.
    closest: Vec<Option<Closest>>,
    last_closest: Vec<Option<Closest>>,
    group_ends: Vec<u32>,
    /// Nodes of the face of each candidate, if it is a triangle.
    triangles: Vec<Option<[u32; 3]>>,
}

/// Contactor nodes of a task.
const NODES_PER_TASK: usize = 256;

impl NodeFaceSearch {
    /// Groups sorted candidates by contactor node; to be called whenever the list has changed. What was found of a node
    /// stays with it where searches start from that.
    pub fn group(&mut self, candidates: &[Candidate], surfaces: &[Surface], start: StartFrom) {
        let triangle = |candidate: &Candidate| {
            let (kind, nodes) = surfaces[candidate.key.target as usize].face(candidate.face as usize);
            if kind == CellKind::Tri3 { nodes.first_chunk().copied() } else { None }
        };
        self.triangles.clear();
        self.triangles.extend(candidates.iter().map(triangle));
        self.group_ends.clear();
        let mut end = 0;
        for group in candidates.chunk_by(|a, b| a.key == b.key) {
            end += group.len() as u32;
            self.group_ends.push(end);
        }
        if start != StartFrom::Previous {
            self.closest.resize(self.group_ends.len(), None);
            return;
        }
        std::mem::swap(&mut self.closest, &mut self.last_closest);
        self.closest.clear();
        // Both lists are in the order of the keys.
        let mut last = self.last_closest.iter().flatten().peekable();
        for &end in &self.group_ends {
            let key = candidates[end as usize - 1].key;
            while last.next_if(|closest| closest.candidate.key < key).is_some() {}
            self.closest.push(last.next_if(|closest| closest.candidate.key == key).copied());
        }
    }

    /// Replaces `constraints` by those of the penetrated nodes: the closest face of each target wins (of equally
    /// close ones the first), the sign comes from the pseudo-normal of the feature its closest point lies on.
    ///
    /// A node deeper than the search depth of its pair of bodies is taken to be on the far side of the target.
    pub fn find(
        &mut self,
        candidates: &[Candidate],
        model: &super::ContactModel,
        options: NodeFaceOptions,
        positions: &[Vec3],
        constraints: &mut Constraints,
    ) {
        let search = ClosestFaces { vectorised: self.vectorised, model, options, positions };
        let (ends, triangles) = (&self.group_ends, &self.triangles);
        let find_closest = |together: &mut Together, (task, closest): (usize, &mut [Option<Closest>])| {
            let first = NODES_PER_TASK * task;
            let begin = first.checked_sub(1).map_or(0, |before| ends[before]);
            let groups = Groups { candidates, triangles, begin, ends: &ends[first..first + closest.len()] };
            search.find(&groups, together, closest);
        };
        let tasks = self.closest.par_chunks_mut(NODES_PER_TASK).enumerate();
        if tasks.len() > 1 {
            tasks.for_each_init(Together::default, find_closest);
        } else {
            find_closest(&mut Together::default(), (0, &mut self.closest));
        }
        constraints.clear();
        for closest in self.closest.iter().flatten() {
            if let Some(gap) = closest.penetration {
                push(closest, gap, &model.surfaces, constraints);
            }
        }
    }
}

/// The search among the candidate faces of contactor nodes.
struct ClosestFaces<'a> {
    vectorised: Vectorised,
    model: &'a super::ContactModel,
    options: NodeFaceOptions,
    positions: &'a [Vec3],
}

/// Candidates of some contactor nodes.
struct Groups<'a> {
    /// Of these nodes and of others.
    candidates: &'a [Candidate],
    triangles: &'a [Option<[u32; 3]>],
    /// Where those of the first node begin, and where those of each end.
    begin: u32,
    ends: &'a [u32],
}

/// What is known of one contactor node on the way through its candidate faces.
struct NodeSearch<'a> {
    /// The closest face so far.
    closest: &'a mut Option<Closest>,
    /// Face and natural coordinates of that of the step before.
    last_face: Option<u32>,
    last_xi: [f64; 2],
    normal: Option<Vec3>,
    /// Square of the distance beyond which no face counts any more.
    farthest: f64,
}

impl<'a> NodeSearch<'a> {
    fn new(closest: &'a mut Option<Closest>) -> Self {
        let last_face = closest.as_ref().map(|last| last.candidate.face);
        let last_xi = closest.as_ref().map_or([0.0; 2], |last| last.point.xi);
        *closest = None;
        Self { closest, last_face, last_xi, normal: None, farthest: f64::INFINITY }
    }

    fn take(&mut self, candidate: &Candidate, point: ClosestPoint, face_normal: Option<Vec3>) {
        self.farthest = point.distance_squared;
        *self.closest = Some(Closest { candidate: *candidate, point, face_normal, penetration: None });
    }
}

impl ClosestFaces<'_> {
    /// The closest of the candidate faces of each node, ascending: the nearest of those that face the node, no farther
    /// than the search depth.
    ///
    /// Candidates go through the lanes side by side, whichever nodes they are of.
    fn find(&self, groups: &Groups<'_>, together: &mut Together, closest: &mut [Option<Closest>]) {
        let Groups { candidates, triangles, begin, ends } = *groups;
        let last = ends.last().map_or(begin, |&end| end) as usize;
        let mut candidate = begin as usize;
        let mut found_until = candidate;
        for (closest, &end) in closest.iter_mut().zip(ends) {
            let mut node = NodeSearch::new(closest);
            while candidate < end as usize {
                if candidate == found_until {
                    found_until = last.min(candidate + Together::LEN);
                    if self.options.method == Method::Auto {
                        let these = candidate..found_until;
                        let (these, triangles) = (&candidates[these.clone()], &triangles[these]);
                        together.find(self.vectorised, these, triangles, self.positions);
                    }
                }
                let found = together.candidate((candidate - begin as usize) % Together::LEN);
                self.compare(&candidates[candidate], found, &mut node);
                candidate += 1;
            }
        }
        // Apart from the searches: their branches, which nobody can foresee, would stand between the square roots here.
        for closest in closest.iter_mut().flatten() {
            closest.penetration = penetration(closest, self.model, self.positions);
        }
    }

    /// Makes a candidate face the closest of its node if it is.
    ///
    /// A face whose normal is not opposed to that of the contactor's surface at the node cannot have been entered
    /// from outside. Without this, a node that goes in along the side of its target, as where two blocks of equal
    /// section meet, would be nearest to that side.
    fn compare(&self, candidate: &Candidate, found: Option<InLane<'_>>, node: &mut NodeSearch<'_>) {
        let farthest = node.farthest;
        let is_near = |distance_squared: f64, reach: f64| distance_squared <= reach * reach;
        if let Some(found) = found {
            let distance_squared = found.distance_squared();
            // Most are not nearer than another: only of the others the reach is asked for.
            if distance_squared < farthest && is_near(distance_squared, self.model.reach_of(candidate)) {
                let normal = found.normal();
                if candidate.is_opposed || self.is_opposed(candidate, &normal, &mut node.normal) {
                    node.take(candidate, found.point(), Some(normal));
                }
            }
            return;
        }
        let reach = self.model.reach_of(candidate);
        let Some(point) = self.closest_point_within(candidate, node, reach) else { return };
        if point.distance_squared < farthest && is_near(point.distance_squared, reach) {
            let target = &self.model.surfaces[candidate.key.target as usize];
            let face = candidate.face as usize;
            let normal = || face_normal_vector(target, &|node| self.positions[node as usize], face, point.xi);
            if candidate.is_opposed || self.is_opposed(candidate, &normal(), &mut node.normal) {
                node.take(candidate, point, None);
            }
        }
    }

    /// Whether the normals of a face, of any length, and of the node are opposed; that of the node is found only where
    /// the faces around it differ.
    fn is_opposed(&self, candidate: &Candidate, face_normal: &Vec3, node_normal: &mut Option<Vec3>) -> bool {
        let contactor = &self.model.surfaces[candidate.contactor_body as usize];
        let node = candidate.key.contactor;
        are_against(contactor, self.positions, node, face_normal).unwrap_or_else(|| {
            let normal = node_normal.get_or_insert_with(|| vertex_normal(contactor, self.positions, node));
            face_normal.dot(normal) < 0.0
        })
    }

    /// The closest point of a face; none if it is known to count no more before it is searched for.
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
        if !is_closed_form && least_distance_squared(kind, corners, query) > farthest {
            return None;
        }
        let start = self.options.start.on(candidate.face, node.last_face, node.last_xi);
        Some(closest_point(self.options.method, start, kind, corners, query))
    }
}

/// The gap of a node that is inside its target, offset as it may be.
fn penetration(closest: &Closest, model: &super::ContactModel, positions: &[Vec3]) -> Option<Gap> {
    let Closest { candidate, point, face_normal, .. } = closest;
    let surface = &model.surfaces[candidate.key.target as usize];
    let normal_of = |feature: Feature| match (feature, face_normal) {
        (Feature::Face, Some(normal)) => unit_or_zero(normal),
        _ => pseudo_normal(surface, positions, candidate.face as usize, point.xi, feature),
    };
    let offset = model.offset([candidate.contactor_body, candidate.key.target]);
    let query = &positions[candidate.key.contactor as usize];
    let of_one_body = candidate.contactor_body == candidate.key.target;
    if of_one_body && point.feature != Feature::Face {
        let face_normal = normal_of(Feature::Face);
        let from_face = query - point.point;
        let is_before = offset > 0.0 && from_face.dot(&face_normal) > 0.0;
        if !(is_before || is_behind(&face_normal, &from_face)) {
            return None;
        }
    }
    let Gap { gap, normal } = Gap::new(query, point, normal_of(point.feature));
    let is_inside = gap < offset && (offset == 0.0 || gap >= -model.depth_of(candidate));
    is_inside.then_some(Gap { gap: gap - offset, normal })
}

/// Adds the constraint of a node that is inside its target.
fn push(closest: &Closest, Gap { gap, normal }: Gap, surfaces: &[Surface], constraints: &mut Constraints) {
    let Closest { candidate, point, .. } = closest;
    let (kind, nodes) = surfaces[candidate.key.target as usize].face(candidate.face as usize);
    let mut values = [0.0; MAX_NODES];
    shape_values(kind, [point.xi[0], point.xi[1], 0.0], &mut values[..nodes.len()]);
    let NodeOnSurface { contactor, target } = candidate.key;
    let contactor = Side { body: candidate.contactor_body, nodes: &[contactor], shape_values: &[1.0] };
    let target = Side { body: target, nodes, shape_values: &values[..nodes.len()] };
    constraints.push(ContactKey::Node(candidate.key), gap, normal, contactor, target);
}

#[cfg(test)]
mod tests;
