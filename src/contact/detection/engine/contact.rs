//! Levels 1 to 3 while bodies deform.
//!
//! ```text
//! follow     how far the points of each body have moved in the step                         ([`track`])
//! encounter  bodies that have left their room are given room again: who is in it?           ([`BodyTree`])
//! front      which patches of bodies that have gone as far as was free are near each other  ([`encounter`], [`patches`])
//! list       near nodes and faces of patches that have gone as far as was free              ([`neighbourhood`], [`traversal`])
//! shorten    which of the near pairs can touch in the next steps                            ([`in_play`])
//! search     closest points of these candidates, constraints of the penetrated nodes
//! ```
//! Fronts and lists are brought up to date in [`listing`]. Every stage works for the next ones only as far as the stage
//! before tells it to: in most steps nothing is listed, and bodies far from each other cost no more than that they are
//! followed.
//!
//! [`track`]: super::track
//! [`encounter`]: super::encounter
//! [`traversal`]: super::traversal
//! [`in_play`]: super::in_play
//! [`listing`]: super::listing
//! [`patches`]: super::patches
//! [`neighbourhood`]: super::neighbourhood

use rayon::prelude::*;

use crate::contact::Constraints;
use crate::contact::detection::model::{Candidate, Configuration, ContactModel};
use crate::contact::detection::primitive::edge_edge::EdgeEdgeSearch;
use crate::contact::detection::primitive::node_face::{NodeFaceSearch, StartFrom};
use crate::contact::detection::report::{Stage, StageClock};
use crate::contact::detection::tree::body_tree::BodyTree;
use crate::contact::detection::volume::{Aabb, AdaptiveLadder, VolumeKind};
use crate::math::pack::Registers;
use crate::math::vectorised::Vectorised;

use super::Engine;
use super::encounter::Encounter;
use super::track::BodyTrack;

/// Fewest bodies worth a task that reads all their nodes.
const BODIES_PER_TASK: usize = 32;

/// Fewest encounters worth a task, and bodies of which few have something to do.
pub(super) const PER_TASK: usize = 512;

/// Part of the bodies that have left their room from which on all are given room again.
const MANY: f64 = 0.25;

/// State of the contact phase, reused from step to step.
pub(super) struct ContactPhase {
    /// The bodies that can touch anything, ascending.
    bodies: Vec<u32>,
    /// Nodes of the surfaces of all bodies, one after the other, as every step reads them, and where those of each begin.
    nodes: Vec<u32>,
    first_nodes: Vec<usize>,
    pub tracks: Vec<BodyTrack>,
    rooms: BodyTree,
    /// Bodies that have left their room since all were given room.
    num_moved: usize,
    /// Bodies in each other's room, ascending.
    pub encounters: Vec<Encounter>,
    /// Volumes that are tried on two faces.
    pub ladder: AdaptiveLadder,
    candidates: Vec<Candidate>,
    /// Where the nodes of each body end among those that have candidates.
    node_ends: Vec<usize>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    /// Pairs of edges that are listed, the same one more than once if it is near in more than one place.
    pub num_edges: usize,
    pub vectorised: Vectorised,
    pub registers: Registers,
}

impl ContactPhase {
    /// For the bodies of a model and the rungs that may be climbed; nothing is known of their motion yet.
    pub fn new(model: &ContactModel, ladder: &[VolumeKind]) -> Self {
        let track = |((surface, &depth), &offset)| BodyTrack::new(surface, depth, offset);
        let ends = model.surfaces.iter().scan(0, |end, surface| {
            *end += surface.nodes().len();
            Some(*end)
        });
        Self {
            bodies: model.bodies().collect(),
            nodes: model.surfaces.iter().flat_map(|surface| surface.nodes()).copied().collect(),
            first_nodes: std::iter::once(0).chain(ends).collect(),
            tracks: model
                .surfaces
                .par_iter()
                .zip(&model.search_depths)
                .zip(&model.offsets)
                .map(track)
                .collect(),
            rooms: BodyTree::new(model.surfaces.len()),
            num_moved: 0,
            encounters: Vec::new(),
            ladder: AdaptiveLadder::new(ladder),
            candidates: Vec::new(),
            node_ends: vec![0; model.surfaces.len()],
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
            num_edges: 0,
            vectorised: Vectorised::detect(),
            registers: Registers::default(),
        }
    }

    /// Goes along with a step: the bodies that have left their room, and whether an encounter is due.
    ///
    /// Each body and each encounter is read once: of many, they come from memory.
    fn follow(&mut self, configuration: &Configuration<'_>) -> (Vec<u32>, bool) {
        let Self { bodies, nodes, first_nodes, tracks, encounters, .. } = self;
        let follow_body = |(body, track): (usize, &mut BodyTrack)| {
            track.follow(&nodes[first_nodes[body]..first_nodes[body + 1]], configuration);
            let body = body as u32;
            (track.has_left() && bodies.binary_search(&body).is_ok()).then_some(body)
        };
        // A thread that sleeps is not woken for a few bodies.
        let left = if tracks.len() <= BODIES_PER_TASK {
            tracks.iter_mut().enumerate().filter_map(follow_body).collect()
        } else {
            let tracks = tracks.par_iter_mut().enumerate().with_min_len(BODIES_PER_TASK);
            tracks.filter_map(follow_body).collect()
        };
        let follow_encounter = |encounter: &mut Encounter| {
            encounter.follow(tracks);
            encounter.asks_for_work()
        };
        let is_due = if encounters.len() <= PER_TASK {
            encounters.iter_mut().map(follow_encounter).fold(false, |a, b| a | b)
        } else {
            let encounters = encounters.par_iter_mut().with_min_len(PER_TASK);
            encounters.map(follow_encounter).reduce(|| false, |a, b| a | b)
        };
        (left, is_due)
    }

    /// Gives room to the bodies that have left theirs, to all if they are many; brings the encounters up to date.
    fn meet(&mut self, model: &ContactModel, configuration: &Configuration<'_>, left: Vec<u32>) {
        self.num_moved += left.len();
        let all = self.num_moved as f64 >= MANY * self.bodies.len() as f64;
        let moved = if all { self.bodies.clone() } else { left };
        let rooms = self.give_room(model, configuration, &moved);
        let mut pairs = if all {
            self.num_moved = 0;
            self.rooms.build(&rooms);
            self.rooms.pairs(usize::MAX).unwrap_or_default()
        } else {
            rooms.iter().for_each(|&(body, room)| self.rooms.update(body, room));
            self.rooms.pairs_of(&moved)
        };
        pairs.retain(|&bodies| model.can_meet(bodies));
        if all {
            pairs.extend(model.foldable().iter().map(|&body| [body; 2]));
            pairs.sort_unstable();
            keep_only(&mut self.encounters, &pairs);
        }
        add(&mut self.encounters, &pairs);
    }

    fn give_room(
        &mut self,
        model: &ContactModel,
        configuration: &Configuration<'_>,
        moved: &[u32],
    ) -> Vec<(u32, Aabb)> {
        let room = |(body, track): (usize, &mut BodyTrack)| {
            moved.binary_search(&(body as u32)).ok()?;
            Some((body as u32, track.give_room(&model.surfaces[body], configuration.positions)))
        };
        self.tracks.par_iter_mut().enumerate().with_min_len(PER_TASK).filter_map(room).collect()
    }

    /// Follows the patches that are in a front each by itself, and no others.
    pub fn follow_fronts(&mut self, configuration: &Configuration<'_>) {
        let Self { tracks, encounters, .. } = self;
        let encounters = encounters.par_iter().with_min_len(PER_TASK);
        let mut patches: Vec<(u32, u32)> = encounters.flat_map_iter(Encounter::patches_on_ways).collect();
        let patches = by_body(&mut patches);
        let follow = |(body, track): (usize, &mut BodyTrack)| {
            let of_body = patches.binary_search_by_key(&(body as u32), |patches| patches[0].0);
            let of_body = of_body.map_or(&[][..], |k| patches[k]);
            track.follow_patches(of_body.iter().map(|&(_, patch)| patch), configuration);
        };
        tracks.par_iter_mut().enumerate().with_min_len(PER_TASK).for_each(follow);
    }

    /// Makes one sorted list of the short lists of all neighbourhoods, node by node: first of each body by itself. Then
    /// all are in order if the nodes are those of one body after the other.
    pub fn gather(&mut self, model: &ContactModel, start: StartFrom) {
        let Self { encounters, candidates, node_ends: ends, search, .. } = self;
        let neighbourhoods = || encounters.iter().flat_map(|encounter| &encounter.neighbourhoods);
        let of_node = |a: &Candidate, b: &Candidate| a.key == b.key;
        let nodes = || neighbourhoods().flat_map(|neighbourhood| neighbourhood.short.chunk_by(of_node));
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

    /// Makes one list of the edges of all neighbourhoods, if any of these have changed or been dropped.
    pub fn gather_edges(&mut self, model: &ContactModel, have_changed: bool) {
        let Self { encounters, edges, num_edges, .. } = self;
        let neighbourhoods = || encounters.iter().flat_map(|encounter| &encounter.neighbourhoods);
        let count = neighbourhoods().map(|neighbourhood| neighbourhood.edges.len()).sum();
        if std::mem::replace(num_edges, count) != count || have_changed {
            edges.set(model, neighbourhoods().flat_map(|neighbourhood| neighbourhood.edges.iter().copied()));
        }
    }
}

/// Patches and their bodies in order, each once, those of each body together.
pub(super) fn by_body(patches: &mut Vec<(u32, u32)>) -> Vec<&[(u32, u32)]> {
    patches.par_sort_unstable();
    patches.dedup();
    patches.chunk_by(|a, b| a.0 == b.0).collect()
}

/// Drops the encounters that are not among the pairs; both ascend.
fn keep_only(encounters: &mut Vec<Encounter>, pairs: &[[u32; 2]]) {
    encounters.retain(|encounter| pairs.binary_search(&encounter.bodies).is_ok());
}

/// Adds an encounter for each of the pairs that has none; both ascend.
fn add(encounters: &mut Vec<Encounter>, pairs: &[[u32; 2]]) {
    let is_new =
        |bodies: &&[u32; 2]| encounters.binary_search_by_key(*bodies, |encounter| encounter.bodies).is_err();
    let new: Vec<Encounter> = pairs.iter().filter(is_new).map(|&bodies| Encounter::new(bodies)).collect();
    if !new.is_empty() {
        encounters.extend(new);
        // Two runs, which a stable sort merges.
        encounters.sort_by_key(|encounter| encounter.bodies);
    }
}

impl Engine {
    /// Forgets where all bodies were.
    pub(super) fn begin_contact(&mut self) {
        self.contact.tracks.iter_mut().for_each(BodyTrack::forget);
        self.contact.encounters.clear();
        self.contact.candidates.clear();
        self.contact.search.group(&[], &self.model, self.options.node_face.start);
        self.contact.edges.set(&self.model, []);
        self.contact.num_edges = 0;
    }

    /// Brings the candidates up to date, as far as the motion of the bodies asks for it.
    pub(super) fn follow_contact(&mut self, configuration: &Configuration<'_>) {
        let mut clock = StageClock::start(Stage::Monitor);
        let (left, mut is_due) = self.contact.follow(configuration);
        self.statistics.counts.monitor += self.contact.bodies.len() as u64;
        if !left.is_empty() {
            clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
            self.statistics.counts.trajectory += left.len() as u64;
            self.contact.meet(&self.model, configuration, left);
            is_due = self.contact.encounters.iter().any(Encounter::asks_for_work);
        }
        if is_due {
            self.statistics.operated(configuration.time, true);
            self.list_near_pairs(configuration, &mut clock);
            self.shorten(configuration, &mut clock);
        }
        clock.stop(&mut self.statistics.seconds);
    }

    /// Closest points of the candidates.
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
