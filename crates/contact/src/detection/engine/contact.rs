//! Levels 1 to 3 of the [engine](super) in the contact phase, in which bodies deform. Each stage updates:
//!
//! ```text
//! motion        displacement bounds of each body in the step                         ([`body_motion`])
//! body pairs    pairs with overlapping inflated boxes, when a body leaves its box    ([`BodyTree`], [`body_pair`])
//! patch pairs   active patch pairs of body pairs whose travel exceeds its limit      ([`body_pair`], [`patches`])
//! near pairs    Verlet lists of patches whose travel exceeds the skin                ([`patch_lists`], [`traversal`])
//! short list    near pairs that can give a constraint in the next steps              ([`short_list`])
//! primitives    closest points of the pairs in short lists, constraints of the nodes in contact
//! ```
//! The stages between the first and the last process only items that are due ([`list_update`]). Most steps update no
//! list, and distant bodies cost only the update of their motion.
//!
//! [`body_motion`]: super::body_motion
//! [`body_pair`]: super::body_pair
//! [`traversal`]: super::traversal
//! [`short_list`]: super::short_list
//! [`list_update`]: super::list_update
//! [`patches`]: super::patches
//! [`patch_lists`]: super::patch_lists

use rayon::prelude::*;

use crate::Constraints;
use crate::detection::model::{Candidate, Configuration, ContactModel};
use crate::detection::primitive::edge_edge::EdgeEdgeSearch;
use crate::detection::primitive::node_face::{NodeFaceSearch, StartFrom, StartingPoint};
use crate::detection::report::{Stage, StageClock};
use crate::detection::tree::body_tree::BodyTree;
use crate::detection::volume::{Aabb, AdaptiveLadder};
use crate::math::pack::Registers;
use crate::math::vectorised::Vectorised;

use super::Engine;
use super::body_motion::BodyMotion;
use super::body_pair::BodyPair;

/// Smallest number of bodies per task of a pass over all nodes.
const BODIES_PER_TASK: usize = 32;

/// Smallest number of body pairs per task, or of bodies in passes where few bodies need work.
pub(super) const PER_TASK: usize = 512;

/// Number of escapes from inflated boxes after which all these boxes are rebuilt, relative to the number of bodies.
const REBUILD_FRACTION: f64 = 0.25;

pub(super) struct ContactPhase {
    /// The bodies with faces, ascending.
    bodies: Vec<u32>,
    /// Surface nodes, body by body, in one array because every step reads all nodes.
    nodes: Vec<u32>,
    /// Index in `nodes` of the first node of each body, then the length of `nodes`.
    first_nodes: Vec<usize>,
    pub motions: Vec<BodyMotion>,
    inflated_boxes: BodyTree,
    /// Number of escapes from inflated boxes since all boxes were rebuilt.
    num_moved: usize,
    /// Pairs with overlapping inflated boxes, and bodies in self-contact, ascending.
    pub body_pairs: Vec<BodyPair>,
    pub ladder: AdaptiveLadder,
    candidates: Vec<Candidate>,
    /// For each body, the index at which its nodes end in the list of the nodes with candidates. This list is sorted by
    /// body.
    node_ends: Vec<usize>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    /// Total length of the lists of edge pairs.
    pub num_edges: usize,
    pub vectorised: Vectorised,
    pub registers: Registers,
}

impl ContactPhase {
    pub fn starting_points(&self) -> Vec<StartingPoint> {
        self.search.starting_points()
    }

    pub fn start_from(&mut self, points: &[StartingPoint]) {
        self.search.start_from(points);
    }

    pub fn new(model: &ContactModel, ladder: AdaptiveLadder) -> Self {
        let motion = |((surface, &depth), &offset)| BodyMotion::new(surface, depth, offset);
        let ends = model.surfaces.iter().scan(0, |end, surface| {
            *end += surface.nodes().len();
            Some(*end)
        });
        Self {
            bodies: model.bodies().collect(),
            nodes: model.surfaces.iter().flat_map(|surface| surface.nodes()).copied().collect(),
            first_nodes: std::iter::once(0).chain(ends).collect(),
            motions: model
                .surfaces
                .par_iter()
                .zip(&model.search_depths)
                .zip(&model.offsets)
                .map(motion)
                .collect(),
            inflated_boxes: BodyTree::new(model.surfaces.len()),
            num_moved: 0,
            body_pairs: Vec::new(),
            ladder,
            candidates: Vec::new(),
            node_ends: vec![0; model.surfaces.len()],
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
            num_edges: 0,
            vectorised: Vectorised::detect(),
            registers: Registers::default(),
        }
    }

    /// Adds a step to all motions. Returns the bodies outside their inflated boxes, and whether a body pair needs an
    /// update. Reads each body and body pair once, because the data of many bodies exceed the caches.
    fn update(&mut self, configuration: &Configuration<'_>) -> (Vec<u32>, bool) {
        let Self { bodies, nodes, first_nodes, motions, body_pairs, .. } = self;
        let update_body = |(body, motion): (usize, &mut BodyMotion)| {
            motion.update(&nodes[first_nodes[body]..first_nodes[body + 1]], configuration);
            let body = body as u32;
            (motion.has_escaped() && bodies.binary_search(&body).is_ok()).then_some(body)
        };
        // Waking a thread takes longer than the update of a few bodies.
        let left = if motions.len() <= BODIES_PER_TASK {
            motions.iter_mut().enumerate().filter_map(update_body).collect()
        } else {
            let motions = motions.par_iter_mut().enumerate().with_min_len(BODIES_PER_TASK);
            motions.filter_map(update_body).collect()
        };
        let update_body_pair = |body_pair: &mut BodyPair| {
            body_pair.update(motions);
            body_pair.needs_update()
        };
        let is_due = if body_pairs.len() <= PER_TASK {
            body_pairs.iter_mut().map(update_body_pair).fold(false, |a, b| a | b)
        } else {
            let body_pairs = body_pairs.par_iter_mut().with_min_len(PER_TASK);
            body_pairs.map(update_body_pair).reduce(|| false, |a, b| a | b)
        };
        (left, is_due)
    }

    /// Inflates the boxes of the bodies that left their boxes. After many escapes ([`REBUILD_FRACTION`]), inflates the
    /// boxes of all bodies. Updates the body pairs.
    fn find_body_pairs(&mut self, model: &ContactModel, configuration: &Configuration<'_>, left: Vec<u32>) {
        self.num_moved += left.len();
        let all = self.num_moved as f64 >= REBUILD_FRACTION * self.bodies.len() as f64;
        let moved = if all { self.bodies.clone() } else { left };
        let inflated_boxes = self.inflate_boxes(model, configuration, &moved);
        let mut pairs = if all {
            self.num_moved = 0;
            self.inflated_boxes.build(&inflated_boxes);
            self.inflated_boxes.pairs(usize::MAX).unwrap_or_default()
        } else {
            inflated_boxes.iter().for_each(|&(body, inflated)| self.inflated_boxes.update(body, inflated));
            self.inflated_boxes.pairs_of(&moved)
        };
        pairs.retain(|&bodies| model.can_meet(bodies));
        if all {
            pairs.extend(model.foldable().iter().map(|&body| [body; 2]));
            pairs.sort_unstable();
            keep_only(&mut self.body_pairs, &pairs);
        }
        add(&mut self.body_pairs, &pairs);
    }

    fn inflate_boxes(
        &mut self,
        model: &ContactModel,
        configuration: &Configuration<'_>,
        moved: &[u32],
    ) -> Vec<(u32, Aabb)> {
        let inflate = |(body, motion): (usize, &mut BodyMotion)| {
            moved.binary_search(&(body as u32)).ok()?;
            Some((body as u32, motion.inflate(&model.surfaces[body], configuration.positions)))
        };
        self.motions.par_iter_mut().enumerate().with_min_len(PER_TASK).filter_map(inflate).collect()
    }

    /// Activates exactly the patches of all active patch pairs.
    pub fn select_active_patches(&mut self, configuration: &Configuration<'_>) {
        let Self { motions, body_pairs, .. } = self;
        let body_pairs = body_pairs.par_iter().with_min_len(PER_TASK);
        let mut patches: Vec<(u32, u32)> = body_pairs.flat_map_iter(BodyPair::active_patches).collect();
        let patches = by_body(&mut patches);
        let update = |(body, motion): (usize, &mut BodyMotion)| {
            let of_body = patches.binary_search_by_key(&(body as u32), |patches| patches[0].0);
            let of_body = of_body.map_or(&[][..], |k| patches[k]);
            motion.select_active_patches(of_body.iter().map(|&(_, patch)| patch), configuration);
        };
        motions.par_iter_mut().enumerate().with_min_len(PER_TASK).for_each(update);
    }

    /// Merges all short lists into one list sorted by node. The nodes of each body are sorted first. If nodes are
    /// numbered body by body, this sorting already orders the whole list.
    pub fn gather(&mut self, model: &ContactModel, start: StartFrom) {
        let Self { body_pairs, candidates, node_ends: ends, search, .. } = self;
        let patch_lists = || body_pairs.iter().flat_map(|body_pair| &body_pair.patch_lists);
        let of_node = |a: &Candidate, b: &Candidate| a.key == b.key;
        let nodes = || patch_lists().flat_map(|lists| lists.short.chunk_by(of_node));
        ends.fill(0);
        nodes().for_each(|node| ends[node[0].contactor_body as usize] += 1);
        let mut total = 0;
        for end in ends.iter_mut() {
            total += std::mem::replace(end, total);
        }
        let mut sorted: Vec<&[Candidate]> = vec![&[]; total];
        for node in nodes() {
            let end = &mut ends[node[0].contactor_body as usize];
            sorted[*end] = node;
            *end += 1;
        }
        let key = |node: &&[Candidate]| node.first().map(|candidate| candidate.key);
        let is_of_same = |a: &&[Candidate], b: &&[Candidate]| a[0].contactor_body == b[0].contactor_body;
        sorted.par_chunk_by_mut(is_of_same).for_each(|nodes| nodes.sort_unstable_by_key(key));
        sorted.par_sort_by_key(key);
        candidates.clear();
        sorted.into_iter().for_each(|node| candidates.extend_from_slice(node));
        search.group(candidates, model, start);
    }

    /// Merges the edge lists if `have_changed` is true or their total length has changed.
    pub fn gather_edges(&mut self, model: &ContactModel, have_changed: bool) {
        let Self { body_pairs, edges, num_edges, .. } = self;
        let patch_lists = || body_pairs.iter().flat_map(|body_pair| &body_pair.patch_lists);
        let count = patch_lists().map(|lists| lists.edges.len()).sum();
        if std::mem::replace(num_edges, count) != count || have_changed {
            edges.set(model, patch_lists().flat_map(|lists| lists.edges.iter().copied()));
        }
    }
}

pub(super) fn by_body(patches: &mut Vec<(u32, u32)>) -> Vec<&[(u32, u32)]> {
    patches.par_sort_unstable();
    patches.dedup();
    patches.chunk_by(|a, b| a.0 == b.0).collect()
}

/// Both lists ascend.
fn keep_only(body_pairs: &mut Vec<BodyPair>, pairs: &[[u32; 2]]) {
    body_pairs.retain(|body_pair| pairs.binary_search(&body_pair.bodies).is_ok());
}

/// Both lists ascend.
fn add(body_pairs: &mut Vec<BodyPair>, pairs: &[[u32; 2]]) {
    let is_new =
        |bodies: &&[u32; 2]| body_pairs.binary_search_by_key(*bodies, |body_pair| body_pair.bodies).is_err();
    let new: Vec<BodyPair> = pairs.iter().filter(is_new).map(|&bodies| BodyPair::new(bodies)).collect();
    if !new.is_empty() {
        body_pairs.extend(new);
        // The stable sort merges two sorted runs.
        body_pairs.sort_by_key(|body_pair| body_pair.bodies);
    }
}

impl Engine {
    pub(super) fn begin_contact(&mut self) {
        self.contact.motions.iter_mut().for_each(BodyMotion::reset);
        self.contact.body_pairs.clear();
        self.contact.candidates.clear();
        self.contact.search.group(&[], &self.model, self.options.node_face.start);
        self.contact.edges.set(&self.model, []);
        self.contact.num_edges = 0;
    }

    pub(super) fn update_candidates(&mut self, configuration: &Configuration<'_>) {
        let mut clock = StageClock::start(Stage::Monitor);
        let (left, mut is_due) = self.contact.update(configuration);
        self.statistics.counts.monitor += self.contact.bodies.len() as u64;
        if !left.is_empty() {
            clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
            self.statistics.counts.trajectory += left.len() as u64;
            self.contact.find_body_pairs(&self.model, configuration, left);
            is_due = self.contact.body_pairs.iter().any(BodyPair::needs_update);
        }
        if is_due {
            self.statistics.operated(configuration.time, true);
            self.list_near_pairs(configuration, &mut clock);
            self.make_short_lists(configuration, &mut clock);
        }
        clock.stop(&mut self.statistics.seconds);
    }

    pub(super) fn find_constraints(
        &mut self,
        configuration: &Configuration<'_>,
        constraints: &mut Constraints,
    ) {
        let clock = StageClock::start(Stage::Primitive);
        let ContactPhase { candidates, search, edges, .. } = &mut self.contact;
        search.find(candidates, &self.model, self.options.node_face, configuration.positions, constraints);
        edges.find(&self.model, configuration.positions, constraints);
        self.statistics.counts.primitive += (candidates.len() + edges.num_candidates()) as u64;
        clock.stop(&mut self.statistics.seconds);
    }
}
