//! The lists of all encounters: which patches are near each other, which nodes and faces of them, and which of these count
//! for now.
//!
//! Whatever is due is found side by side, over all encounters at once, and taken over in their order.

use rayon::prelude::*;

use crate::contact::detection::model::{Candidate, Configuration};
use crate::contact::detection::report::{Stage, StageClock};
use crate::contact::detection::tree::box_tree::BoxTree;
use crate::contact::detection::tree::hierarchy::Hierarchy;
use crate::contact::detection::volume::LadderTally;

use super::Engine;
use super::apart::{Clear, Distance};
use super::contact::{ContactPhase, PER_TASK, by_body};
use super::encounter::Encounter;
use super::in_play::{Facings, InPlay};
use super::neighbourhood::{Part, PatchNearOthers};
use super::patches::Patches;
use super::track::BodyTrack;
use super::traversal::{Found, NearPair, Side, Traversal};

impl Engine {
    /// Brings the front and the near pairs of all encounters up to date.
    pub(super) fn list_near_pairs(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
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
        let mut tally = LadderTally::default();
        for (&[k, neighbourhood], found) in due.iter().zip(found) {
            tally += found.ladder;
            let neighbourhood = &mut self.contact.encounters[k].neighbourhoods[neighbourhood];
            self.statistics.counts.overlap += found.tests;
            edges_changed |= neighbourhood.edges != found.edges;
            neighbourhood.take(found);
        }
        self.contact.ladder.learn(tally);
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
        let due: Vec<usize> =
            due.into_iter().filter_map(|(k, needs_front)| needs_front.then_some(k)).collect();
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
            ladder: self.contact.ladder.paying(),
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
    pub(super) fn shorten(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
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
}

/// Bodies of some encounters, ascending.
fn bodies_of(encounters: &[Encounter], these: &[usize]) -> Vec<usize> {
    let mut bodies: Vec<usize> =
        these.iter().flat_map(|&k| encounters[k].bodies).map(|body| body as usize).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
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
