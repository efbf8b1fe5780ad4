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
//! Every stage works for the next ones only as far as the stage before tells it to: in most steps nothing is listed, and
//! bodies far from each other cost no more than that they are followed.
//!
//! [`track`]: super::track
//! [`encounter`]: super::encounter
//! [`traversal`]: super::traversal
//! [`in_play`]: super::in_play
//! [`patches`]: super::patches
//! [`neighbourhood`]: super::neighbourhood

use rayon::prelude::*;

use crate::contact::Constraints;
use crate::contact::detection::body_tree::BodyTree;
use crate::contact::detection::box_tree::BoxTree;
use crate::contact::detection::edge_edge::EdgeEdgeSearch;
use crate::contact::detection::hierarchy::Hierarchy;
use crate::contact::detection::node_face::{Candidate, NodeFaceSearch, StartFrom};
use crate::contact::detection::statistics::{Stage, StageClock};
use crate::contact::detection::volume::Aabb;
use crate::contact::detection::{Configuration, ContactModel};
use crate::math::pack::Registers;
use crate::math::vectorised::Vectorised;

use super::Engine;
use super::apart::{Clear, Distance};
use super::encounter::Encounter;
use super::in_play::{Facings, InPlay};
use super::neighbourhood::{Part, PatchNearOthers};
use super::patches::Patches;
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
    /// Where the nodes of each body end among those that have candidates.
    node_ends: Vec<usize>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    /// Pairs of edges that are listed, the same one more than once if it is near in more than one place.
    num_edges: usize,
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
    fn follow_fronts(&mut self, configuration: &Configuration<'_>) {
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
    fn gather(&mut self, model: &ContactModel, start: StartFrom) {
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
    fn gather_edges(&mut self, model: &ContactModel, have_changed: bool) {
        let Self { encounters, edges, num_edges, .. } = self;
        let neighbourhoods = || encounters.iter().flat_map(|encounter| &encounter.neighbourhoods);
        let count = neighbourhoods().map(|neighbourhood| neighbourhood.edges.len()).sum();
        if std::mem::replace(num_edges, count) != count || have_changed {
            edges.set(model, neighbourhoods().flat_map(|neighbourhood| neighbourhood.edges.iter().copied()));
        }
    }
}

/// Bodies of some encounters, ascending.
fn bodies_of(encounters: &[Encounter], these: &[usize]) -> Vec<usize> {
    let mut bodies: Vec<usize> =
        these.iter().flat_map(|&k| encounters[k].bodies).map(|body| body as usize).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// Patches and their bodies in order, each once, those of each body together.
fn by_body(patches: &mut Vec<(u32, u32)>) -> Vec<&[(u32, u32)]> {
    patches.par_sort_unstable();
    patches.dedup();
    patches.chunk_by(|a, b| a.0 == b.0).collect()
}

/// The items in these places, ascending.
fn these<'a, T>(mut items: &'a mut [T], places: &[usize]) -> Vec<&'a mut T> {
    let mut first = 0;
    let item = |&place: &usize| {
        let (item, rest) = std::mem::take(&mut items).split_at_mut(place - first).1.split_first_mut()?;
        (items, first) = (rest, place + 1);
        Some(item)
    };
    places.iter().filter_map(item).collect()
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

    /// Brings the front and the near pairs of all encounters up to date.
    fn list_near_pairs(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let mut apart = self.find_fronts(configuration);
        let Self { contact, model, .. } = self;
        let ContactPhase { tracks, encounters, .. } = contact;
        let choose = |(k, encounter): (usize, &mut Encounter)| {
            encounter.choose_skins(model, tracks).into_iter().map(move |neighbourhood| [k, neighbourhood])
        };
        let encounters = encounters.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let due: Vec<[usize; 2]> = encounters.flat_map_iter(choose).collect();
        self.fit_patches(configuration, &due, clock);
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let list = |&due: &[usize; 2]| self.list(configuration, due);
        let found: Vec<Found> = due.par_iter().map(list).collect();
        let mut edges_changed = false;
        for (&[k, neighbourhood], found) in due.iter().zip(found) {
            let neighbourhood = &mut self.contact.encounters[k].neighbourhoods[neighbourhood];
            self.statistics.counts.overlap += found.tests;
            edges_changed |= neighbourhood.edges != found.edges;
            neighbourhood.take(found);
        }
        for due in due.chunk_by(|a, b| a[0] == b[0]) {
            let neighbourhoods = &self.contact.encounters[due[0][0]].neighbourhoods;
            let have_met = neighbourhoods.iter().any(|neighbourhood| neighbourhood.has_met);
            if due.len() == neighbourhoods.len() && !have_met {
                apart.push(due[0][0]);
            }
        }
        self.tell_apart(configuration, &apart, clock);
        // Where there were none, none have been dropped.
        if edges_changed || self.contact.num_edges > 0 {
            self.contact.gather_edges(&self.model, edges_changed);
        }
    }

    /// Finds the fronts that are due; gives the encounters that have none.
    fn find_fronts(&mut self, configuration: &Configuration<'_>) -> Vec<usize> {
        let Self { contact, model, .. } = self;
        let ContactPhase { tracks, encounters, registers, .. } = contact;
        let needs_front = |(k, encounter): (usize, &mut Encounter)| {
            encounter.is_due().then(|| (k, encounter.needs_front(model, tracks)))
        };
        let all = encounters.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let due: Vec<(usize, bool)> = all.filter_map(needs_front).collect();
        if due.is_empty() {
            return Vec::new();
        }
        let due: Vec<usize> = due.into_iter().filter_map(|(k, has_front)| has_front.then_some(k)).collect();
        let bodies = bodies_of(encounters, &due);
        let divide = |(track, &body): (&mut BodyTrack, &usize)| {
            track.divide(&model.surfaces[body], configuration.positions)
        };
        let fitted = these(tracks, &bodies).into_par_iter().zip(&bodies).map(divide);
        self.statistics.counts.update += fitted.sum::<usize>() as u64;
        let tree =
            |&body: &usize| tracks[body].patches().filter(|patches| patches.len() > 1).map(Patches::tree);
        let trees: Vec<Option<BoxTree>> = bodies.par_iter().map(tree).collect();
        let find_front = |encounter: &mut Encounter| {
            let tree = |body: u32| trees[bodies.partition_point(|&other| other < body as usize)].as_ref();
            encounter.find_front(model, tracks, encounter.bodies.map(tree), *registers);
        };
        these(encounters, &due).into_par_iter().for_each(find_front);
        contact.follow_fronts(configuration);
        let ContactPhase { tracks, encounters, .. } = contact;
        these(encounters, &due).into_par_iter().for_each(|encounter| encounter.measure_front(tracks));
        due.into_iter().filter(|&k| encounters[k].neighbourhoods.is_empty()).collect()
    }

    /// Fits the boxes of the patches that have deformed and that these neighbourhoods of encounters need.
    fn fit_patches(&mut self, configuration: &Configuration<'_>, due: &[[usize; 2]], clock: &mut StageClock) {
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        let Self { contact, model, .. } = self;
        let ContactPhase { tracks, encounters, .. } = contact;
        let patches = |&[k, neighbourhood]: &[usize; 2]| {
            let encounter = &encounters[k];
            encounter.patches_of(&encounter.neighbourhoods[neighbourhood])
        };
        let mut needed: Vec<(u32, u32)> = due.iter().flat_map(patches).collect();
        let needed = by_body(&mut needed);
        let bodies: Vec<usize> = needed.iter().map(|patches| patches[0].0 as usize).collect();
        let fit = |((track, &body), patches): ((&mut BodyTrack, &usize), &&[(u32, u32)])| {
            let patches = patches.iter().map(|&(_, patch)| patch);
            track.fit_patches(&model.surfaces[body], configuration.positions, patches)
        };
        let tracks = these(tracks, &bodies).into_par_iter().zip(&bodies).zip(&needed);
        self.statistics.counts.update += tracks.map(fit).sum::<usize>() as u64;
    }

    /// Near pairs of a neighbourhood of an encounter.
    fn list(&self, configuration: &Configuration<'_>, [k, neighbourhood]: [usize; 2]) -> Found {
        let encounter = &self.contact.encounters[k];
        let neighbourhood = &encounter.neighbourhoods[neighbourhood];
        let side = |body: u32| {
            let patches = self.contact.tracks[body as usize].patches()?;
            Some(Side { body, surface: &self.model.surfaces[body as usize], patches })
        };
        let [Some(first), Some(second)] = encounter.bodies.map(side) else { return Found::default() };
        let traversal = Traversal {
            model: &self.model,
            sides: [first, second],
            positions: configuration.positions,
            ladder: &self.options.ladder,
            reach: encounter.reach(neighbourhood, &self.model),
            registers: self.contact.registers,
        };
        let mut found = match &neighbourhood.part {
            Part::Bodies => traversal.list(encounter.contactors(), 0, &[0]),
            Part::Patch(PatchNearOthers { contactor, patch, others }) => {
                traversal.list(*contactor..contactor + 1, *patch, others)
            }
        };
        let in_play = self.in_play(configuration, encounter);
        found.near = in_play.within(&found.near, traversal.reach);
        found.near.sort_unstable_by_key(NearPair::order);
        found
    }

    /// Tells how far apart the bodies of some encounters are.
    fn tell_apart(&mut self, configuration: &Configuration<'_>, apart: &[usize], clock: &mut StageClock) {
        if apart.is_empty() {
            return;
        }
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        let Self { contact, model, trees, .. } = self;
        let bodies = bodies_of(&contact.encounters, apart);
        let fit = |(track, &body): (&mut BodyTrack, &usize)| {
            let fit = |tree| track.fit_spheres(tree, &model.surfaces[body], configuration.positions);
            trees[body].as_ref().map_or(0, fit)
        };
        let tracks = these(&mut contact.tracks, &bodies).into_par_iter().zip(&bodies);
        self.statistics.counts.update += tracks.map(fit).sum::<usize>() as u64;
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let clear: Vec<Option<Clear>> =
            apart.par_iter().map(|&k| self.clear(&self.contact.encounters[k])).collect();
        for (&k, clear) in apart.iter().zip(clear) {
            let Some(clear) = clear else { continue };
            self.statistics.counts.overlap += clear.tests;
            self.contact.encounters[k].take_apart(&self.model, clear);
        }
        self.contact.follow_fronts(configuration);
    }

    /// How far apart the bodies of an encounter are.
    fn clear(&self, encounter: &Encounter) -> Option<Clear> {
        let ([first, second], reach) = (encounter.bodies, encounter.free_reach(&self.model));
        let tree = |body: u32| self.tree_in_contact(body);
        let placed = |body: u32| self.contact.tracks[body as usize].placed_spheres();
        let trees = [tree(first)?, tree(second)?];
        Some(Distance { trees, placed: [placed(first), placed(second)], reach }.find())
    }

    /// The tree that entries of a body are of: another than the first one where that has decayed.
    pub(super) fn tree_in_contact(&self, body: u32) -> Option<&Hierarchy> {
        Some(self.contact.tracks[body as usize].tree(self.trees[body as usize].as_ref()?))
    }

    fn in_play<'a>(&'a self, configuration: &Configuration<'a>, encounter: &Encounter) -> InPlay<'a> {
        InPlay {
            model: &self.model,
            bodies: encounter.bodies,
            positions: configuration.positions,
            rounding: encounter.rounding,
            vectorised: self.contact.vectorised,
        }
    }

    /// Makes the short lists that are due anew, and with them those that soon will be.
    fn shorten(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let Self { contact, model, .. } = self;
        let ContactPhase { tracks, encounters, .. } = contact;
        let choose = |(k, encounter): (usize, &mut Encounter)| {
            let old = encounter.choose_short_skins(model, tracks).into_iter();
            old.map(move |neighbourhood| [k, neighbourhood])
        };
        let encounters = encounters.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let old: Vec<[usize; 2]> = encounters.flat_map_iter(choose).collect();
        let facings = |old: &&[[usize; 2]]| {
            let encounter = &self.contact.encounters[old[0][0]];
            let num_pairs =
                |[_, neighbourhood]: &[usize; 2]| encounter.neighbourhoods[*neighbourhood].near.len();
            self.in_play(configuration, encounter).facings(old.iter().map(num_pairs).sum())
        };
        let of_encounters: Vec<&[[usize; 2]]> = old.chunk_by(|a, b| a[0] == b[0]).collect();
        let facings: Vec<Facings> = of_encounters.par_iter().map(facings).collect();
        let of_encounters = of_encounters.iter().zip(&facings);
        let old: Vec<([usize; 2], &Facings)> =
            of_encounters.flat_map(|(old, facings)| old.iter().map(move |&old| (old, facings))).collect();
        let shorten = |&([k, neighbourhood], facings): &([usize; 2], &Facings)| {
            let encounter = &self.contact.encounters[k];
            let neighbourhood = &encounter.neighbourhoods[neighbourhood];
            let in_play = self.in_play(configuration, encounter);
            in_play.short_list(&neighbourhood.near, neighbourhood.ways(), facings)
        };
        let short: Vec<Vec<Candidate>> = old.par_iter().map(shorten).collect();
        for (([k, neighbourhood], _), short) in old.into_iter().zip(short) {
            let neighbourhood = &mut self.contact.encounters[k].neighbourhoods[neighbourhood];
            self.statistics.counts.overlap += neighbourhood.near.len() as u64;
            neighbourhood.take_short(short);
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
