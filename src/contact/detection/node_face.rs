//! From candidate pairs of a contactor node and a target face to contact constraints.

use rayon::prelude::*;

use crate::contact::{Constraints, ContactKey, Surface};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;

use super::closest_point::{
    ClosestPoint, Feature, Gap, Method, Start, closest_point, pseudo_normal, signed_gap, vertex_normal,
};

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
    fn on(self, candidate: &Candidate, before: Option<&Closest>) -> Start {
        match (self, before) {
            (Self::Centre, _) => Start::Centre,
            (Self::Previous, Some(before)) if before.candidate == *candidate => {
                Start::Previous(before.point.xi)
            }
            (Self::Nearest | Self::Previous, _) => Start::Nearest,
        }
    }
}

/// A node that may touch a face; cheap, and may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// Contactor node and target surface.
    pub key: ContactKey,
    /// Face of the target surface.
    pub face: u32,
    /// Index of the pair of bodies.
    pub pair: u32,
    /// Body of the contactor node.
    pub contactor_body: u32,
}

/// The closest of the candidate faces of one contactor node.
#[derive(Clone, Copy, Debug)]
struct Closest {
    candidate: Candidate,
    point: ClosestPoint,
}

/// Workspace of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeFaceSearch {
    closest: Vec<Option<Closest>>,
    closest_before: Vec<Option<Closest>>,
    group_ends: Vec<u32>,
}

/// Fewest contactor nodes worth a task of their own.
const NODES_PER_TASK: usize = 256;

impl NodeFaceSearch {
    /// Groups sorted candidates by contactor node; to be called whenever the list has changed. What was found for a
    /// node stays with it.
    pub fn group(&mut self, candidates: &[Candidate]) {
        self.group_ends.clear();
        std::mem::swap(&mut self.closest, &mut self.closest_before);
        self.closest.clear();
        let mut before = self.closest_before.iter().flatten().peekable();
        for (k, candidate) in candidates.iter().enumerate() {
            let key = candidate.key;
            if candidates.get(k + 1).is_some_and(|next| next.key == key) {
                continue;
            }
            self.group_ends.push(k as u32 + 1);
            while before.next_if(|found| found.candidate.key < key).is_some() {}
            self.closest.push(before.next_if(|found| found.candidate.key == key).copied());
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
        let ends = &self.group_ends;
        self.closest.par_iter_mut().with_min_len(NODES_PER_TASK).enumerate().for_each(|(k, closest)| {
            let first = if k == 0 { 0 } else { ends[k - 1] as usize };
            let group = &candidates[first..ends[k] as usize];
            *closest = closest_face(group, closest.as_ref(), &model.surfaces, options, positions);
        });
        constraints.clear();
        for closest in self.closest.iter().flatten() {
            let depth = model.search_depths[closest.candidate.pair as usize];
            push_if_penetrated(closest, &model.surfaces, depth, positions, constraints);
        }
    }
}

/// The nearest of the candidate faces of one contactor node that face it.
///
/// A face whose normal is not opposed to that of the contactor's surface at the node cannot have been entered
/// from outside. Without this, a node that goes in along the side of its target, as where two blocks of equal
/// section meet, would be nearest to that side.
fn closest_face(
    group: &[Candidate],
    before: Option<&Closest>,
    surfaces: &[Surface],
    options: NodeFaceOptions,
    positions: &[Vec3],
) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    let mut contactor_normal: Option<Vec3> = None;
    for &candidate in group {
        let query = &positions[candidate.key.contactor as usize];
        let (kind, nodes) = surfaces[candidate.key.target as usize].face(candidate.face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = positions[node as usize];
        }
        let start = options.start.on(&candidate, before);
        let point = closest_point(options.method, start, kind, &corners[..nodes.len()], query);
        if best.is_some_and(|best| point.distance_squared >= best.point.distance_squared) {
            continue;
        }
        let target = &surfaces[candidate.key.target as usize];
        let face_normal = pseudo_normal(target, positions, candidate.face as usize, point.xi, Feature::Face);
        let node_normal = *contactor_normal.get_or_insert_with(|| {
            vertex_normal(&surfaces[candidate.contactor_body as usize], positions, candidate.key.contactor)
        });
        if face_normal.dot(&node_normal) < 0.0 {
            best = Some(Closest { candidate, point });
        }
    }
    best
}

/// Adds the constraint of a node that is inside its target.
fn push_if_penetrated(
    closest: &Closest,
    surfaces: &[Surface],
    search_depth: f64,
    positions: &[Vec3],
    constraints: &mut Constraints,
) {
    let Closest { candidate, point } = closest;
    if point.distance_squared > search_depth * search_depth {
        return;
    }
    let surface = &surfaces[candidate.key.target as usize];
    let query = &positions[candidate.key.contactor as usize];
    let Gap { gap, normal } = signed_gap(surface, positions, candidate.face as usize, query, point);
    if gap < 0.0 {
        let (kind, nodes) = surface.face(candidate.face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [point.xi[0], point.xi[1], 0.0], &mut values[..nodes.len()]);
        constraints.push(candidate.key, gap, normal, nodes, &values[..nodes.len()]);
    }
}
