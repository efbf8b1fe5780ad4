//! From candidate pairs of a contactor node and a target face to contact constraints.

use rayon::prelude::*;

use crate::contact::{Constraints, ContactKey, NodeOnSurface, Side, Surface};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::math::real::{LANES, Lanes};
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;

use super::closest_point::batch::{
    ClosestLanes, PointLanes, TriangleLanes, closest_points_and_normals, point_in_lane, points_from_fn,
};
use super::closest_point::{
    ClosestPoint, Feature, Gap, Method, Start, are_against, closest_point, pseudo_normal, vertex_normal,
};
use super::control_points::least_distance_squared;
use super::self_contact::is_behind;

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
    /// Unit normal of the face at the point, if it was found with it.
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

/// Fours of candidates that go through the lanes together, and candidates.
const BLOCKS: usize = 4;
const TOGETHER: usize = LANES * BLOCKS;

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

/// Candidates whose closest points are found side by side.
struct Together {
    triangles: [TriangleLanes; BLOCKS],
    queries: [PointLanes; BLOCKS],
    closest: [ClosestLanes; BLOCKS],
    normals: [PointLanes; BLOCKS],
    /// Where each four of candidates is among these. Other faces than triangles are searched one by one, all are by
    /// other methods.
    places: [Option<u8>; BLOCKS],
}

impl Default for Together {
    fn default() -> Self {
        Self {
            triangles: [TriangleLanes::ZERO; BLOCKS],
            queries: [[Lanes::splat(0.0); 3]; BLOCKS],
            closest: [ClosestLanes::ZERO; BLOCKS],
            normals: [[Lanes::splat(0.0); 3]; BLOCKS],
            places: [None; BLOCKS],
        }
    }
}

/// A candidate among those.
#[derive(Clone, Copy)]
struct InLane<'a> {
    closest: &'a ClosestLanes,
    normals: &'a PointLanes,
    lane: usize,
}

impl Together {
    /// The k-th candidate, if its closest point was found.
    fn candidate(&self, k: usize) -> Option<InLane<'_>> {
        let place = usize::from(self.places[k / LANES]?);
        Some(InLane { closest: &self.closest[place], normals: &self.normals[place], lane: k % LANES })
    }
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
                    found_until = last.min(candidate + TOGETHER);
                    let these = candidate..found_until;
                    self.find_together(&candidates[these.clone()], &triangles[these], together);
                }
                let found = together.candidate((candidate - begin as usize) % TOGETHER);
                self.compare(&candidates[candidate], found, &mut node);
                candidate += 1;
            }
            if let Some(closest) = closest {
                closest.penetration = penetration(closest, self.model, self.positions);
            }
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
            let distance_squared = found.closest.distance_squared.0[found.lane];
            // Most are not nearer than another: only of the others the reach is asked for.
            if distance_squared < farthest && is_near(distance_squared, self.model.reach_of(candidate)) {
                let normal = point_in_lane(found.normals, found.lane);
                if candidate.is_opposed || self.is_opposed(candidate, &normal, &mut node.normal) {
                    node.take(candidate, found.closest.lane(found.lane), Some(normal));
                }
            }
            return;
        }
        let reach = self.model.reach_of(candidate);
        let Some(point) = self.closest_point_within(candidate, node, reach) else { return };
        if point.distance_squared < farthest && is_near(point.distance_squared, reach) {
            let target = &self.model.surfaces[candidate.key.target as usize];
            let face = candidate.face as usize;
            let normal = || pseudo_normal(target, self.positions, face, point.xi, Feature::Face);
            if candidate.is_opposed || self.is_opposed(candidate, &normal(), &mut node.normal) {
                node.take(candidate, point, None);
            }
        }
    }

    /// Whether the normals of a face and of the node are opposed; that of the node is found only where the faces around it
    /// differ.
    fn is_opposed(&self, candidate: &Candidate, face_normal: &Vec3, node_normal: &mut Option<Vec3>) -> bool {
        let contactor = &self.model.surfaces[candidate.contactor_body as usize];
        let node = candidate.key.contactor;
        are_against(contactor, self.positions, node, face_normal).unwrap_or_else(|| {
            let normal = node_normal.get_or_insert_with(|| vertex_normal(contactor, self.positions, node));
            face_normal.dot(normal) < 0.0
        })
    }

    /// Closest points of the candidates whose faces are triangles, if those beside them are, too.
    fn find_together(
        &self,
        candidates: &[Candidate],
        triangles: &[Option<[u32; 3]>],
        together: &mut Together,
    ) {
        together.places = [None; BLOCKS];
        if self.options.method != Method::Auto {
            return;
        }
        let position = |node: u32| self.positions[node as usize];
        let mut count = 0;
        let fours = candidates.chunks(LANES).zip(triangles.chunks(LANES));
        for (place, (candidates, triangles)) in together.places.iter_mut().zip(fours) {
            let last = candidates.len() - 1;
            let corners = [0, 1, 2, 3].map(|lane| triangles[lane.min(last)]);
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            let corners = [a, b, c, d];
            together.triangles[count] =
                TriangleLanes::from_fn(|lane, corner| position(corners[lane][corner]));
            together.queries[count] =
                points_from_fn(|lane| position(candidates[lane.min(last)].key.contactor));
            *place = Some(count as u8);
            count += 1;
        }
        let Together { triangles, queries, closest, normals, .. } = together;
        let (triangles, queries) = (&triangles[..count], &queries[..count]);
        closest_points_and_normals(self.vectorised, triangles, queries, closest, normals);
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
        (Feature::Face, Some(normal)) => *normal,
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
mod tests {
    use super::super::ContactModel;
    use super::super::closest_point::signed_gap;
    use super::*;
    use crate::contact::Surface;
    use crate::contact::detection::samples::Samples;
    use crate::mesh::CellKind;

    /// A warped face below, and one in it whose nodes are the contactors.
    fn two_faces() -> (ContactModel, Vec<Vec3>, Vec<Candidate>) {
        let target = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.4], [-1.0, 1.0, 0.0]];
        let contactor = [[-0.5, 0.4, -0.05], [0.4, 0.6, -0.05], [0.5, -0.5, -0.05], [-0.4, -0.6, -0.05]];
        let positions: Vec<Vec3> = target.into_iter().chain(contactor).map(Vec3::from).collect();
        let surface = |nodes: [u32; 4]| Surface::new([(CellKind::Quad4, nodes.as_slice())]);
        let model = ContactModel::new(vec![surface([0, 1, 2, 3]), surface([4, 5, 6, 7])], &[], &positions);
        let candidate = |contactor| Candidate::new(NodeOnSurface { contactor, target: 0 }, 0, 1);
        (model, positions, (4..8).map(candidate).collect())
    }

    #[test]
    fn the_step_before_is_a_good_start() {
        let (model, mut positions, candidates) = two_faces();
        let find = |search: &mut NodeFaceSearch, positions: &[Vec3], start| {
            let mut constraints = Constraints::default();
            let options = NodeFaceOptions { method: Method::Sqp, start };
            search.find(&candidates, &model, options, positions, &mut constraints);
            let iterations: u32 = search.closest.iter().flatten().map(|found| found.point.iterations).sum();
            (iterations, constraints.iter().map(|c| c.gap).collect::<Vec<_>>())
        };
        let mut search = NodeFaceSearch::default();
        search.group(&candidates, &model.surfaces, StartFrom::Previous);
        let first = find(&mut search, &positions, StartFrom::Previous);
        assert_eq!(first, find(&mut search.clone(), &positions, StartFrom::Nearest));
        positions[4..].iter_mut().for_each(|x| *x += Vec3::new(1e-3, 2e-3, -1e-4));
        let [nearest, centre] =
            [StartFrom::Nearest, StartFrom::Centre].map(|start| find(&mut search.clone(), &positions, start));
        let previous = find(&mut search, &positions, StartFrom::Previous);
        assert!(previous.0 < nearest.0 && previous.0 < centre.0, "{previous:?} {nearest:?} {centre:?}");
        assert_eq!(previous.1.len(), 4);
        for (k, gap) in previous.1.iter().enumerate() {
            assert!((gap - nearest.1[k]).abs() < 1e-12 && (gap - centre.1[k]).abs() < 1e-12);
        }
    }

    #[test]
    fn what_was_found_stays_with_its_node() {
        let (model, positions, candidates) = two_faces();
        let options = NodeFaceOptions { method: Method::Sqp, start: StartFrom::Previous };
        let mut search = NodeFaceSearch::default();
        search.group(&candidates, &model.surfaces, options.start);
        search.find(&candidates, &model, options, &positions, &mut Constraints::default());
        let found = |search: &NodeFaceSearch| -> Vec<_> {
            search.closest.iter().map(|c| c.map(|c| (c.candidate.key.contactor, c.point.xi))).collect()
        };
        let all = found(&search);
        assert!(all.iter().enumerate().all(|(k, c)| c.is_some_and(|(node, _)| node == 4 + k as u32)));
        search.group(&candidates[1..3], &model.surfaces, StartFrom::Previous);
        assert_eq!(found(&search), all[1..3]);
        search.group(&candidates, &model.surfaces, options.start);
        assert_eq!(found(&search), [None, all[1], all[2], None]);
        // On another face it is of no use.
        let node = NodeSearch::new(&mut search.closest[1]);
        let start = |face| StartFrom::Previous.on(face, node.last_face, node.last_xi);
        assert_eq!([start(1), start(0)], [Start::Nearest, Start::Previous(all[1].unwrap().1)]);
    }

    /// Nodes of several tasks over a sheet of triangles and some quadrilaterals, with none to nine candidates that count:
    /// each has the closest of its own, bit for bit, wherever it is in the lanes.
    #[test]
    fn each_node_has_the_closest_of_its_candidates() {
        let samples = &mut Samples::new(4);
        let n = 24;
        let node = |i: u32, j: u32| (n + 1) * i + j;
        let mut faces: Vec<(CellKind, Vec<u32>)> = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            if (i + j) % 5 == 0 {
                faces.push((CellKind::Quad4, vec![a, b, c, d]));
            } else {
                faces.extend([(CellKind::Tri3, vec![a, b, c]), (CellKind::Tri3, vec![a, c, d])]);
            }
        }
        let lower = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
        let num_nodes = (n + 1) * (n + 1);
        let upper = Surface::new(
            faces
                .iter()
                .map(|(kind, nodes)| {
                    let nodes: Vec<u32> = nodes.iter().rev().map(|node| node + num_nodes).collect();
                    (*kind, nodes)
                })
                .collect::<Vec<_>>()
                .iter()
                .map(|(kind, nodes)| (*kind, nodes.as_slice())),
        );
        let flat = |k: u32| Vec3::new(f64::from(k / (n + 1)), f64::from(k % (n + 1)), 0.0);
        let mut positions: Vec<Vec3> = (0..num_nodes).map(|k| flat(k) + samples.vector(0.2)).collect();
        positions.extend((0..num_nodes).map(|k| flat(k) + samples.vector(0.2)));
        let model = ContactModel::new(vec![lower, upper], &[], &positions);
        let mut candidates = Vec::new();
        for contactor in (num_nodes..2 * num_nodes).filter(|node| node % 7 != 0) {
            let mut faces: Vec<u32> =
                (0..1 + samples.bits() % 9).map(|_| (samples.bits() % faces.len() as u64) as u32).collect();
            let of_node = |face: &usize| model.surfaces[0].face(*face).1.contains(&(contactor - num_nodes));
            faces.extend((0..model.surfaces[0].num_faces()).filter(of_node).map(|face| face as u32));
            faces.sort_unstable();
            faces.dedup();
            let key = NodeOnSurface { contactor, target: 0 };
            candidates.extend(faces.iter().map(|&face| Candidate::new(key, face, 1)));
        }
        let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
        let mut search = NodeFaceSearch::default();
        search.group(&candidates, &model.surfaces, options.start);
        search.find(&candidates, &model, options, &positions, &mut Constraints::default());
        assert!(search.closest.len() > 2 * NODES_PER_TASK - 20);
        let alone = |group: &[Candidate]| {
            let mut search = NodeFaceSearch::default();
            search.group(group, &model.surfaces, options.start);
            search.find(group, &model, options, &positions, &mut Constraints::default());
            search.closest[0].map(|closest| (closest.candidate.face, closest.point, closest.penetration))
        };
        let groups: Vec<&[Candidate]> = candidates.chunk_by(|a, b| a.key == b.key).collect();
        assert_eq!(search.closest.len(), groups.len());
        for (closest, group) in search.closest.iter().zip(groups) {
            let found = closest.map(|closest| (closest.candidate.face, closest.point, closest.penetration));
            assert_eq!(found, alone(group));
            if let Some(Closest { candidate, point, penetration: Some(gap), .. }) = closest {
                let (face, query) = (candidate.face as usize, &positions[candidate.key.contactor as usize]);
                assert_eq!(*gap, signed_gap(&model.surfaces[0], &positions, face, query, point));
            }
            let is_reached = |candidate: &&Candidate| {
                let (kind, nodes) = model.surfaces[0].face(candidate.face as usize);
                let corners: Vec<Vec3> = nodes.iter().map(|&node| positions[node as usize]).collect();
                let query = &positions[candidate.key.contactor as usize];
                let point = closest_point(Method::Auto, Start::Nearest, kind, &corners, query);
                found.is_none_or(|found| point.distance_squared < found.1.distance_squared)
                    && point.distance_squared <= model.reach_of(candidate).powi(2)
            };
            assert_eq!(group.iter().find(is_reached), None);
        }
        assert!(search.closest.iter().flatten().count() > 300);
    }
}
