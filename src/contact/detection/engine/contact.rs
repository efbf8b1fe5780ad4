//! Levels 1 to 3 while bodies deform.
//!
//! ```text
//! follow     how far the points of each body have moved in the step                         ([`track`])
//! encounter  bodies that have left their room are given room again: who is in it?           ([`BodyTree`])
//! list       encounters whose bodies have gone as far as was free: near nodes and faces     ([`encounter`], [`traversal`])
//! shorten    which of the near pairs can touch in the next steps                            ([`in_play`])
//! search     closest points of these candidates, constraints of the penetrated nodes
//! ```
//! Every stage works for the next ones only as far as the stage before tells it to: in most steps nothing is listed, and
//! bodies far from each other cost no more than that they are followed.
//!
//! [`track`]: super::track
//! [`encounter`]: super::encounter
//! [`traversal`]: super::traversal
//! [`in_play`]: super::in_play

use rayon::prelude::*;

use crate::contact::detection::body_tree::BodyTree;
use crate::contact::detection::edge_edge::EdgeEdgeSearch;
use crate::contact::detection::hierarchy::Hierarchy;
use crate::contact::detection::node_face::{Candidate, NodeFaceSearch, StartFrom};
use crate::contact::detection::statistics::{Stage, StageClock};
use crate::contact::detection::volume::Aabb;
use crate::contact::detection::{Configuration, ContactModel};
use crate::contact::{Constraints, NodeOnSurface};
use crate::math::pack::Registers;
use crate::math::vectorised::Vectorised;

use super::Engine;
use super::encounter::Encounter;
use super::in_play::InPlay;
use super::track::BodyTrack;
use super::traversal::{Found, NearPair, Side, Traversal};

/// Fewest bodies, whatever their size, and encounters worth a task.
const BODIES_PER_TASK: usize = 32;
const PER_TASK: usize = 512;

/// Part of the bodies that have left their room from which on all are given room again.
const MANY: f64 = 0.25;

/// State of the contact phase, reused from step to step.
pub(super) struct ContactPhase {
    /// The bodies that can touch anything, ascending.
    bodies: Vec<u32>,
    /// Nodes of the surfaces of all bodies, one after the other, as every step reads them, and where those of each begin.
    nodes: Vec<u32>,
    first_nodes: Vec<usize>,
    tracks: Vec<BodyTrack>,
    rooms: BodyTree,
    /// Bodies that have left their room since all were given room.
    num_moved: usize,
    /// Bodies in each other's room, ascending.
    pub encounters: Vec<Encounter>,
    candidates: Vec<Candidate>,
    /// Where those end whose nodes are of each body.
    candidate_ends: Vec<usize>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    vectorised: Vectorised,
    registers: Registers,
}

impl ContactPhase {
    /// For the bodies of a model; nothing is known of their motion yet.
    pub fn new(model: &ContactModel) -> Self {
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
            candidates: Vec::new(),
            candidate_ends: vec![0; model.surfaces.len()],
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
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

    /// Makes one sorted list of the short lists of all encounters: first of each body by itself, whose lists are few and
    /// sorted. Then all are in order if the nodes are those of one body after the other.
    fn gather(&mut self, model: &ContactModel, start: StartFrom) {
        let Self { encounters, candidates, candidate_ends: ends, search, .. } = self;
        let is_of_same = |a: &Candidate, b: &Candidate| a.contactor_body == b.contactor_body;
        let lists = || encounters.iter().flat_map(|encounter| encounter.short.chunk_by(is_of_same));
        ends.fill(0);
        lists().for_each(|list| ends[list[0].contactor_body as usize] += list.len());
        let mut total = 0;
        for end in ends.iter_mut() {
            total += std::mem::replace(end, total);
        }
        let nothing = Candidate::new(NodeOnSurface { contactor: 0, target: 0 }, 0, 0);
        candidates.resize(total, nothing);
        for list in lists() {
            let end = &mut ends[list[0].contactor_body as usize];
            candidates[*end..*end + list.len()].copy_from_slice(list);
            *end += list.len();
        }
        candidates.par_chunk_by_mut(is_of_same).for_each(<[Candidate]>::sort);
        candidates.par_sort();
        search.group(candidates, model, start);
    }
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

    /// Lists anew the near pairs of the encounters that are due.
    fn list_near_pairs(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let Self { contact, model, .. } = self;
        let (tracks, encounters) = (&contact.tracks, &mut contact.encounters);
        let needs_traversal = |(k, encounter): (usize, &mut Encounter)| {
            (encounter.is_due() && encounter.needs_traversal(model, tracks)).then_some(k)
        };
        let due: Vec<usize> = encounters
            .par_iter_mut()
            .enumerate()
            .with_min_len(PER_TASK)
            .filter_map(needs_traversal)
            .collect();
        self.fit_volumes(configuration, &due, clock);
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let found: Vec<Option<Found>> =
            due.par_iter().map(|&k| self.traverse(configuration, &self.contact.encounters[k])).collect();
        for (k, found) in due.into_iter().zip(found) {
            let found = found.unwrap_or_else(Found::nothing);
            self.statistics.counts.overlap += found.tests;
            self.contact.encounters[k].take(&self.model, found);
        }
        let encounters = self.contact.encounters.iter();
        let edges = encounters.flat_map(|encounter| encounter.edges.iter().copied());
        self.contact.edges.set(&self.model, edges);
    }

    /// Fits the spheres and the boxes of faces of the bodies in these encounters that have deformed.
    fn fit_volumes(&mut self, configuration: &Configuration<'_>, due: &[usize], clock: &mut StageClock) {
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        let mut bodies: Vec<u32> = due.iter().flat_map(|&k| self.contact.encounters[k].bodies).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies.retain(|&body| self.contact.tracks[body as usize].is_stale());
        let (trees, surfaces) = (&self.trees, &self.model.surfaces);
        let tracks = self.contact.tracks.par_iter_mut().enumerate().with_min_len(BODIES_PER_TASK);
        tracks.filter(|(body, _)| bodies.binary_search(&(*body as u32)).is_ok()).for_each(|(body, track)| {
            if let Some(tree) = &trees[body] {
                track.fit(tree, &surfaces[body], configuration.positions);
            }
        });
        let vertices =
            |&body: &u32| self.trees[body as usize].as_ref().map_or(0, |tree| tree.num_vertices() as u64);
        self.statistics.counts.update += bodies.iter().map(vertices).sum::<u64>();
    }

    /// The tree that entries of a body are of: another than the first one where that has decayed.
    pub(super) fn tree_in_contact(&self, body: u32) -> Option<&Hierarchy> {
        Some(self.contact.tracks[body as usize].tree(self.trees[body as usize].as_ref()?))
    }

    /// Nodes and faces of an encounter that are near each other.
    fn traverse(&self, configuration: &Configuration<'_>, encounter: &Encounter) -> Option<Found> {
        let side = |body: u32| {
            Some(Side {
                body,
                tree: self.tree_in_contact(body)?,
                surface: &self.model.surfaces[body as usize],
                placed: self.contact.tracks[body as usize].placed(),
            })
        };
        let [first, second] = encounter.bodies;
        let reach = encounter.reach(&self.model);
        let traversal = Traversal {
            model: &self.model,
            sides: [side(first)?, side(second)?],
            positions: configuration.positions,
            ladder: &self.options.ladder,
            reach,
            registers: self.contact.registers,
        };
        let mut found = traversal.run();
        let in_play = InPlay { gone: 0.0, ..self.in_play(configuration, encounter) };
        found.near = in_play.within(&found.near, reach);
        found.near.par_sort_unstable_by_key(NearPair::order);
        Some(found)
    }

    fn in_play<'a>(&'a self, configuration: &Configuration<'a>, encounter: &Encounter) -> InPlay<'a> {
        InPlay {
            model: &self.model,
            bodies: encounter.bodies,
            positions: configuration.positions,
            gone: encounter.gone(),
            way: encounter.short_skin(),
            rounding: encounter.rounding,
            vectorised: self.contact.vectorised,
        }
    }

    /// Makes the short lists that are due anew, and with them those that soon will be.
    fn shorten(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let encounters = self.contact.encounters.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let is_old = |(k, encounter): (usize, &mut Encounter)| {
            let is_old = encounter.is_short_due() || encounter.is_short_old();
            is_old.then(|| {
                encounter.choose_short_skin();
                k
            })
        };
        let old: Vec<usize> = encounters.filter_map(is_old).collect();
        let shorten = |&k: &usize| {
            let encounter = &self.contact.encounters[k];
            self.in_play(configuration, encounter).short_list(&encounter.near)
        };
        let short: Vec<Vec<Candidate>> = old.par_iter().map(shorten).collect();
        for (k, short) in old.into_iter().zip(short) {
            self.statistics.counts.overlap += self.contact.encounters[k].near.len() as u64;
            self.contact.encounters[k].take_short(short);
        }
        self.contact.gather(&self.model, self.options.node_face.start);
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
