//! Updates of the active patch pairs, near pairs and short lists of all body pairs.
//!
//! Due updates run in parallel over all body pairs. The results are stored in a fixed order.

use rayon::prelude::*;

use crate::detection::model::{Candidate, Configuration};
use crate::detection::report::{Stage, StageClock};
use crate::detection::tree::box_tree::BoxTree;
use crate::detection::tree::hierarchy::Hierarchy;
use crate::detection::volume::LadderTally;

use super::Engine;
use super::body_motion::BodyMotion;
use super::body_pair::BodyPair;
use super::contact::{ContactPhase, PER_TASK, by_body};
use super::patch_lists::{PatchPartners, Scope};
use super::patches::Patches;
use super::separation::{Separation, SeparationSearch};
use super::short_list::{FaceNormals, PairGeometry};
use super::traversal::{Found, NearPair, Side, Traversal};

impl Engine {
    pub(super) fn list_near_pairs(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let mut separated = self.find_active_pairs(configuration);
        let Self { contact, model, .. } = self;
        let ContactPhase { motions, body_pairs, .. } = contact;
        let choose = |(k, body_pair): (usize, &mut BodyPair)| {
            body_pair.choose_skins(model, motions).into_iter().map(move |lists| [k, lists])
        };
        let body_pairs = body_pairs.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let due: Vec<[usize; 2]> = body_pairs.flat_map_iter(choose).collect();
        self.fit_patches(configuration, &due, clock);
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let list = |&due: &[usize; 2]| self.list(configuration, due);
        let found: Vec<Found> = due.par_iter().map(list).collect();
        let mut edges_changed = false;
        let mut tally = LadderTally::default();
        for (&[k, lists], found) in due.iter().zip(found) {
            tally += found.ladder;
            let lists = &mut self.contact.body_pairs[k].patch_lists[lists];
            self.statistics.counts.overlap += found.tests;
            edges_changed |= lists.edges != found.edges;
            lists.store(found);
        }
        self.statistics.ladder += tally;
        self.contact.ladder.learn(tally);
        for due in due.chunk_by(|a, b| a[0] == b[0]) {
            let patch_lists = &self.contact.body_pairs[due[0][0]].patch_lists;
            let any_near = patch_lists.iter().any(|lists| lists.has_near_batches);
            if due.len() == patch_lists.len() && !any_near {
                separated.push(due[0][0]);
            }
        }
        self.find_separations(configuration, &separated, clock);
        // `edges_changed` covers only the lists made anew. This update may also have dropped lists with pairs of edges,
        // those of patches that became inactive.
        if edges_changed || self.contact.num_edges > 0 {
            self.contact.gather_edges(&self.model, edges_changed);
        }
    }

    /// Finds the active patch pairs of the due body pairs. Returns the indices of the searched body pairs without an
    /// active patch pair.
    fn find_active_pairs(&mut self, configuration: &Configuration<'_>) -> Vec<usize> {
        let Self { contact, model, .. } = self;
        let ContactPhase { motions, body_pairs, registers, .. } = contact;
        let needs_active_pairs = |(k, body_pair): (usize, &mut BodyPair)| {
            body_pair.is_due().then(|| (k, body_pair.needs_active_pairs(model, motions)))
        };
        let all = body_pairs.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let due: Vec<(usize, bool)> = all.filter_map(needs_active_pairs).collect();
        if due.is_empty() {
            return Vec::new();
        }
        let due: Vec<usize> =
            due.into_iter().filter_map(|(k, needs_active_pairs)| needs_active_pairs.then_some(k)).collect();
        let bodies = bodies_of(body_pairs, &due);
        let divide = |(motion, &body): (&mut BodyMotion, &usize)| {
            motion.divide(&model.surfaces[body], configuration.positions)
        };
        let fitted = selected(motions, &bodies).into_par_iter().zip(&bodies).map(divide);
        self.statistics.counts.update += fitted.sum::<usize>() as u64;
        let tree =
            |&body: &usize| motions[body].patches().filter(|patches| patches.len() > 1).map(Patches::tree);
        let trees: Vec<Option<BoxTree>> = bodies.par_iter().map(tree).collect();
        let find_active_pairs = |body_pair: &mut BodyPair| {
            let tree = |body: u32| trees[bodies.partition_point(|&other| other < body as usize)].as_ref();
            body_pair.find_active_pairs(model, motions, body_pair.bodies.map(tree), *registers);
        };
        selected(body_pairs, &due).into_par_iter().for_each(find_active_pairs);
        contact.select_active_patches(configuration);
        let ContactPhase { motions, body_pairs, .. } = contact;
        selected(body_pairs, &due)
            .into_par_iter()
            .for_each(|body_pair| body_pair.measure_active_pairs(motions));
        due.into_iter().filter(|&k| body_pairs[k].patch_lists.is_empty()).collect()
    }

    fn fit_patches(&mut self, configuration: &Configuration<'_>, due: &[[usize; 2]], clock: &mut StageClock) {
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        let Self { contact, model, .. } = self;
        let ContactPhase { motions, body_pairs, .. } = contact;
        let patches = |&[k, lists]: &[usize; 2]| {
            let body_pair = &body_pairs[k];
            body_pair.patches_of(&body_pair.patch_lists[lists])
        };
        let mut needed: Vec<(u32, u32)> = due.iter().flat_map(patches).collect();
        let needed = by_body(&mut needed);
        let bodies: Vec<usize> = needed.iter().map(|patches| patches[0].0 as usize).collect();
        let fit = |((motion, &body), patches): ((&mut BodyMotion, &usize), &&[(u32, u32)])| {
            let patches = patches.iter().map(|&(_, patch)| patch);
            motion.fit_patches(&model.surfaces[body], configuration.positions, patches)
        };
        let motions = selected(motions, &bodies).into_par_iter().zip(&bodies).zip(&needed);
        self.statistics.counts.update += motions.map(fit).sum::<usize>() as u64;
    }

    fn list(&self, configuration: &Configuration<'_>, [k, lists]: [usize; 2]) -> Found {
        let body_pair = &self.contact.body_pairs[k];
        let lists = &body_pair.patch_lists[lists];
        let side = |body: u32| {
            let patches = self.contact.motions[body as usize].patches()?;
            Some(Side { body, surface: &self.model.surfaces[body as usize], patches })
        };
        let [Some(first), Some(second)] = body_pair.bodies.map(side) else { return Found::default() };
        let traversal = Traversal {
            model: &self.model,
            sides: [first, second],
            positions: configuration.positions,
            ladder: self.contact.ladder.paying(),
            ladder_use: self.options.ladder_use,
            reach: body_pair.reach(lists, &self.model),
            registers: self.contact.registers,
        };
        let mut found = match &lists.scope {
            Scope::Bodies => traversal.list(body_pair.contactors(), 0, &[0]),
            Scope::Patch(PatchPartners { contactor, patch, partners }) => {
                traversal.list(*contactor..contactor + 1, *patch, partners)
            }
        };
        let geometry = self.geometry(configuration, body_pair);
        found.near = geometry.within(&found.near, traversal.reach);
        found.near.sort_unstable_by_key(NearPair::order);
        found
    }

    /// Finds lower bounds on the distances of the `separated` body pairs, by sphere trees.
    fn find_separations(
        &mut self,
        configuration: &Configuration<'_>,
        separated: &[usize],
        clock: &mut StageClock,
    ) {
        if separated.is_empty() {
            return;
        }
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        let Self { contact, model, trees, .. } = self;
        let bodies = bodies_of(&contact.body_pairs, separated);
        let fit = |(motion, &body): (&mut BodyMotion, &usize)| {
            let fit = |tree| motion.fit_spheres(tree, &model.surfaces[body], configuration.positions);
            trees[body].as_ref().map_or(0, fit)
        };
        let motions = selected(&mut contact.motions, &bodies).into_par_iter().zip(&bodies);
        self.statistics.counts.update += motions.map(fit).sum::<usize>() as u64;
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let separation: Vec<Option<Separation>> =
            separated.par_iter().map(|&k| self.separation(&self.contact.body_pairs[k])).collect();
        for (&k, separation) in separated.iter().zip(separation) {
            let Some(separation) = separation else { continue };
            self.statistics.counts.overlap += separation.tests;
            self.contact.body_pairs[k].set_separation(&self.model, separation);
        }
        self.contact.select_active_patches(configuration);
    }

    /// Separation of a body pair; `None` if a body has no tree.
    fn separation(&self, body_pair: &BodyPair) -> Option<Separation> {
        let ([first, second], reach) = (body_pair.bodies, body_pair.separation_bound(&self.model));
        let tree = |body: u32| self.tree_in_contact(body);
        let placed = |body: u32| self.contact.motions[body as usize].placed_spheres();
        let trees = [tree(first)?, tree(second)?];
        Some(SeparationSearch { trees, placed: [placed(first), placed(second)], reach }.find())
    }

    /// The initial tree of a body, or the tree that replaced it after large deformation.
    pub(super) fn tree_in_contact(&self, body: u32) -> Option<&Hierarchy> {
        Some(self.contact.motions[body as usize].tree(self.trees[body as usize].as_ref()?))
    }

    fn geometry<'a>(&'a self, configuration: &Configuration<'a>, body_pair: &BodyPair) -> PairGeometry<'a> {
        PairGeometry {
            model: &self.model,
            bodies: body_pair.bodies,
            positions: configuration.positions,
            rounding: body_pair.rounding,
            vectorised: self.contact.vectorised,
        }
    }

    /// Renews the short lists that are due or nearly due.
    pub(super) fn make_short_lists(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        let Self { contact, model, .. } = self;
        let ContactPhase { motions, body_pairs, .. } = contact;
        let choose = |(k, body_pair): (usize, &mut BodyPair)| {
            let due = body_pair.choose_short_skins(model, motions).into_iter();
            due.map(move |lists| [k, lists])
        };
        let body_pairs = body_pairs.par_iter_mut().enumerate().with_min_len(PER_TASK);
        let due: Vec<[usize; 2]> = body_pairs.flat_map_iter(choose).collect();
        let face_normals = |due: &&[[usize; 2]]| {
            let body_pair = &self.contact.body_pairs[due[0][0]];
            let num_pairs = |[_, lists]: &[usize; 2]| body_pair.patch_lists[*lists].near.len();
            self.geometry(configuration, body_pair).face_normals(due.iter().map(num_pairs).sum())
        };
        let of_body_pairs: Vec<&[[usize; 2]]> = due.chunk_by(|a, b| a[0] == b[0]).collect();
        let face_normals: Vec<FaceNormals> = of_body_pairs.par_iter().map(face_normals).collect();
        let of_body_pairs = of_body_pairs.iter().zip(&face_normals);
        let due: Vec<([usize; 2], &FaceNormals)> = of_body_pairs
            .flat_map(|(due, face_normals)| due.iter().map(move |&due| (due, face_normals)))
            .collect();
        let make_short_lists = |&([k, lists], face_normals): &([usize; 2], &FaceNormals)| {
            let body_pair = &self.contact.body_pairs[k];
            let lists = &body_pair.patch_lists[lists];
            let geometry = self.geometry(configuration, body_pair);
            geometry.short_list(&lists.near, lists.travel_bounds(), face_normals)
        };
        let short: Vec<Vec<Candidate>> = due.par_iter().map(make_short_lists).collect();
        for (([k, lists], _), short) in due.into_iter().zip(short) {
            let lists = &mut self.contact.body_pairs[k].patch_lists[lists];
            self.statistics.counts.overlap += lists.near.len() as u64;
            lists.store_short(short);
        }
        self.contact.gather(&self.model, self.options.node_face.start);
    }
}

/// Bodies of the selected body pairs, ascending, without repetitions.
fn bodies_of(body_pairs: &[BodyPair], selected: &[usize]) -> Vec<usize> {
    let mut bodies: Vec<usize> =
        selected.iter().flat_map(|&k| body_pairs[k].bodies).map(|body| body as usize).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// The items at `indices`, which ascend.
fn selected<'a, T>(mut items: &'a mut [T], indices: &[usize]) -> Vec<&'a mut T> {
    let mut first = 0;
    let item = |&index: &usize| {
        let (item, rest) = std::mem::take(&mut items).split_at_mut(index - first).1.split_first_mut()?;
        (items, first) = (rest, index + 1);
        Some(item)
    };
    indices.iter().filter_map(item).collect()
}
