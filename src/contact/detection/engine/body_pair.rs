//! Two bodies that are near each other, or one that can touch itself: which patches of them are near each other, and how
//! long that holds.
//!
//! A step takes no point of one body farther towards a point of the other than the *way* of the step. The sum of the
//! ways tells when to look again: bodies that were a distance apart need not be looked at before they have gone it;
//! patches that were farther apart than the search depth and a margin cannot touch until the way is the margin. The
//! others are the *front*: each follows a way of its own. Pairs of a node and a face that were listed within the search
//! depth and a *skin* are all that can touch until the way of their patch is the skin
//! ([`patch_lists`](super::patch_lists)). From this list of near pairs, every now and then, a short list is made of
//! those that count in the next steps ([`short_list`](super::short_list)).
//!
//! # Source
//! Verlet 1967, "Computer \"experiments\" on classical fluids. I", for lists that hold while little moves.

use rayon::prelude::*;

use crate::contact::detection::model::ContactModel;
use crate::contact::detection::tree::box_tree::BoxTree;
use crate::contact::detection::volume::Aabb;
use crate::math::pack::Registers;

use super::body_motion::BodyMotion;
use super::patch_lists::{Part, PatchLists, PatchNearOthers, distance, skin_for};
use super::patches::Patches;
use super::separation::Separation;
use super::travel::Travel;
use super::traversal::NearPair;

/// Margin of the front, relative to the skin of a list.
const MARGIN: f64 = 2.0;

/// Fewest patches whose place in the front is found by one task, and neighbourhoods that are followed by one.
const PER_TASK: usize = 64;
const LISTS_PER_TASK: usize = 512;

/// Rounding of distances, relative to the coordinates and to the search depth.
const ROUNDING: [f64; 2] = [64.0 * f64::EPSILON, 1e-9];

/// Two bodies in each other's room, or a body that can touch itself.
#[derive(Clone, Debug)]
pub(super) struct BodyPair {
    /// The bodies, first < second, or twice the same.
    pub bodies: [u32; 2],
    /// How far a point of the one can have gone towards one of the other since the front was found.
    travel: Travel,
    /// Way from when on patches may touch that are not in the front.
    active_until: f64,
    /// What distances are taken to be off by \[m\].
    pub rounding: f64,
    /// The front: patches with others that they can come near, those of the first body first, ascending.
    pub patch_lists: Vec<PatchLists>,
    /// The vertices of the trees that were nearest to each other where the bodies were found apart.
    pub nearest: Option<[u32; 2]>,
}

impl BodyPair {
    /// Of bodies that have just met.
    pub fn new(bodies: [u32; 2]) -> Self {
        Self {
            bodies,
            travel: Travel::default(),
            active_until: f64::NEG_INFINITY,
            rounding: 0.0,
            patch_lists: Vec::new(),
            nearest: None,
        }
    }

    /// Whether it is one of a body with itself.
    pub fn is_of_one_body(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// Goes along with a step of the bodies. The way also bounds how far points of the same body move towards each
    /// other.
    pub fn update(&mut self, motions: &[BodyMotion]) {
        self.measure(motions);
        self.travel.advance();
        if self.patch_lists.is_empty() {
            return;
        }
        let (Some(bodies), most) = (self.patches(motions), self.travel.step) else { return };
        let update = |lists: &mut PatchLists| lists.update(bodies, most);
        if self.patch_lists.len() <= LISTS_PER_TASK {
            self.patch_lists.iter_mut().for_each(update);
        } else {
            self.patch_lists.par_iter_mut().with_min_len(LISTS_PER_TASK).for_each(update);
        }
    }

    /// Notes the way of the last step.
    fn measure(&mut self, motions: &[BodyMotion]) {
        let [first, second] = self.bodies.map(|body| &motions[body as usize].step);
        let between = first.greatest_distance(second);
        self.travel.step = between.max(first.extent()).max(second.extent());
    }

    fn patches<'a>(&self, motions: &'a [BodyMotion]) -> Option<[&'a Patches; 2]> {
        let [first, second] = self.bodies.map(|body| motions[body as usize].patches());
        Some([first?, second?])
    }

    /// The patches of a neighbourhood, each with its body.
    pub fn patches_of(&self, lists: &PatchLists) -> impl Iterator<Item = (u32, u32)> {
        let ([own, other], patch, others) = match &lists.part {
            Part::Bodies => (self.bodies, 0, &[0][..]),
            Part::Patch(PatchNearOthers { contactor, patch, others }) => {
                ([*contactor, 1 - contactor].map(|side| self.bodies[side]), *patch, &others[..])
            }
        };
        std::iter::once((own, patch)).chain(others.iter().map(move |&patch| (other, patch)))
    }

    /// The patches that go ways of their own, with their bodies; some may come more than once.
    pub fn active_patches(&self) -> impl Iterator<Item = (u32, u32)> {
        let of_patch = |lists: &&PatchLists| matches!(lists.part, Part::Patch(_));
        self.patch_lists.iter().filter(of_patch).flat_map(|lists| self.patches_of(lists))
    }

    /// The bodies whose nodes are held against faces of the other: the first is enough if they are the same.
    pub fn contactors(&self) -> std::ops::Range<usize> {
        0..if self.is_of_one_body() { 1 } else { 2 }
    }

    /// Whether patches may touch that are not in the front; also where the way is no finite number.
    pub fn is_due(&self) -> bool {
        self.travel.is_past(self.active_until)
    }

    /// Whether that may be so of the front, or of a list.
    pub fn needs_update(&self) -> bool {
        self.is_due() || self.patch_lists.iter().any(|lists| lists.is_due() || lists.is_short_due())
    }

    /// Distance from which on things cannot touch \[m\].
    fn contact_distance(&self, model: &ContactModel) -> f64 {
        model.search_depth(self.bodies) + self.rounding
    }

    /// How far beyond that patches are in the front \[m\].
    fn margin(&self, model: &ContactModel) -> f64 {
        MARGIN * skin_for(self.travel.step, model.search_depth(self.bodies))
    }

    /// Brings what distances are taken to be off by up to date, for all that is found in the same step.
    fn update_rounding(&mut self, model: &ContactModel, motions: &[BodyMotion]) {
        let [first, second] = self.bodies.map(|body| motions[body as usize].largest_coordinate());
        self.rounding = ROUNDING[0] * first.max(second) + ROUNDING[1] * model.search_depth(self.bodies);
    }

    /// Whether the front is to be found; if the boxes of the bodies tell that there is none, when to look again.
    pub fn needs_active_pairs(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> bool {
        self.measure(motions);
        self.update_rounding(model, motions);
        let [first, second] = self.bodies.map(|body| &motions[body as usize]);
        let apart = distance(&first.bounds(), &second.bounds());
        let are_apart = apart > self.contact_distance(model) + self.margin(model);
        if self.is_of_one_body() || !are_apart {
            return true;
        }
        self.set_separation(model, Separation { distance: apart, nearest: None, tests: 0 });
        false
    }

    /// Finds the front, given the trees over the patches of both bodies; none over a single one. Patches that were in it
    /// keep their lists.
    pub fn find_active_pairs(
        &mut self,
        model: &ContactModel,
        motions: &[BodyMotion],
        trees: [Option<&BoxTree>; 2],
        registers: Registers,
    ) {
        let Some(bodies) = self.patches(motions) else { return };
        let (contact_distance, margin) = (self.contact_distance(model), self.margin(model));
        if trees.iter().any(Option::is_some) {
            let active_pairs = self.patches_near(contact_distance + margin, motions, trees, registers);
            let free = |contactor: usize, patch: u32, other: u32| {
                let [own, others] = [contactor, 1 - contactor].map(|side| bodies[side]);
                distance(&own.bounds(patch), &others.bounds(other)) - contact_distance
            };
            self.replace_active_pairs(active_pairs, free);
        } else if self.patch_lists.is_empty() {
            // Nothing is left out of it: the way only tells when to look whether the bodies are apart.
            self.patch_lists = vec![PatchLists::new(Part::Bodies)];
        }
        self.nearest = None;
        self.travel.restart();
        self.active_until = margin;
    }

    /// Patches that are within a distance \[m\] of others.
    fn patches_near(
        &self,
        within: f64,
        motions: &[BodyMotion],
        trees: [Option<&BoxTree>; 2],
        registers: Registers,
    ) -> Vec<PatchNearOthers> {
        let Some(bodies) = self.patches(motions) else { return Vec::new() };
        let near = |side: usize, around: &Aabb| {
            trees[side].map_or_else(|| vec![0], |tree| tree.overlapping(registers, around))
        };
        let mut active_pairs = Vec::new();
        for contactor in self.contactors() {
            let other = 1 - contactor;
            let with_others = |patch: u32| {
                let around = bodies[contactor].bounds(patch).widened(within);
                PatchNearOthers { contactor, patch, others: near(other, &around) }
            };
            let around_other = motions[self.bodies[other] as usize].bounds().widened(within);
            let patches = near(contactor, &around_other);
            if patches.len() <= PER_TASK {
                active_pairs.extend(patches.into_iter().map(with_others));
            } else {
                active_pairs.par_extend(patches.into_par_iter().with_min_len(PER_TASK).map(with_others));
            }
        }
        active_pairs.retain(|patch| !patch.others.is_empty());
        active_pairs
    }

    /// Replaces the front. Patches that were in it keep their lists, unless one of the others comes too early to be
    /// listed in time, given how far from touching two of them are \[m\].
    fn replace_active_pairs(
        &mut self,
        active_pairs: Vec<PatchNearOthers>,
        free: impl Fn(usize, u32, u32) -> f64,
    ) {
        let mut known = std::mem::take(&mut self.patch_lists).into_iter().peekable();
        let lists = |new: PatchNearOthers| {
            let PatchNearOthers { contactor, patch, .. } = new;
            let place = (contactor, patch);
            while known.next_if(|known| known.place() < place).is_some() {}
            match known.next_if(|known| known.place() == place) {
                Some(mut known) => {
                    known.renew(new, |other| free(contactor, patch, other));
                    known
                }
                None => PatchLists::new(Part::Patch(new)),
            }
        };
        self.patch_lists = active_pairs.into_iter().map(lists).collect();
    }

    /// Notes how far the patches of the front went in this step.
    pub fn measure_active_pairs(&mut self, motions: &[BodyMotion]) {
        let (Some(bodies), most) = (self.patches(motions), self.travel.step) else { return };
        self.patch_lists.iter_mut().for_each(|lists| lists.measure(bodies, most));
    }

    /// Takes over that the bodies are apart: there is no front, unless the one that is known holds for longer.
    pub fn set_separation(&mut self, model: &ContactModel, separation: Separation) {
        self.nearest = separation.nearest;
        let free = separation.distance - self.contact_distance(model);
        if self.is_due() || free > self.active_until - self.travel.travelled() {
            self.patch_lists.clear();
            self.travel.restart();
            self.active_until = free;
        }
    }

    /// Chooses the skins of the neighbourhoods whose pairs are to be listed, and gives their places.
    pub fn choose_skins(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> Vec<usize> {
        let depth = model.search_depth(self.bodies);
        self.prepare(model, motions, PatchLists::is_due, |lists| lists.choose_skin(depth))
    }

    /// Chooses the skins of the short lists that are to be made anew, and gives the places of their neighbourhoods.
    pub fn choose_short_skins(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> Vec<usize> {
        self.prepare(model, motions, PatchLists::is_short_old, PatchLists::choose_short_skin)
    }

    /// Has some neighbourhoods choose, and brings the rounding up to date for them; gives their places.
    fn prepare(
        &mut self,
        model: &ContactModel,
        motions: &[BodyMotion],
        is_due: impl Fn(&PatchLists) -> bool,
        choose: impl Fn(&mut PatchLists),
    ) -> Vec<usize> {
        let mut places = Vec::new();
        for (place, lists) in self.patch_lists.iter_mut().enumerate() {
            if is_due(lists) {
                choose(lists);
                places.push(place);
            }
        }
        if !places.is_empty() {
            self.update_rounding(model, motions);
        }
        places
    }

    /// Distance within which pairs of a neighbourhood are listed \[m\].
    pub fn reach(&self, lists: &PatchLists, model: &ContactModel) -> f64 {
        self.contact_distance(model) + lists.skin()
    }

    /// How far apart the bodies are at least if no boxes of batches have been found near in any neighbourhood by now
    /// \[m\]: as far as was looked, but what is not in the front is as far as is left of its margin.
    pub fn separation_bound(&self, model: &ContactModel) -> f64 {
        let reaches = self.patch_lists.iter().map(|lists| self.reach(lists, model));
        reaches.fold(self.contact_distance(model) + (self.active_until - self.travel.travelled()), f64::min)
    }

    /// All near pairs.
    pub fn near(&self) -> impl Iterator<Item = &NearPair> {
        self.patch_lists.iter().flat_map(|lists| &lists.near)
    }

    /// Steps of the size of the last one until something is due.
    pub fn steps_left(&self) -> f64 {
        let of_patch_lists = self.patch_lists.iter().map(PatchLists::steps_left);
        of_patch_lists.fold(self.travel.steps_to(self.active_until), f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Surface;
    use crate::contact::detection::model::Configuration;
    use crate::math::Vec3;
    use crate::mesh::CellKind;

    /// Bodies a distance apart are not looked at before they have gone it; then there is no reason not to.
    #[test]
    fn far_bodies_are_due_when_they_have_gone_what_was_free() {
        let nodes = |x: f64| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]].map(Vec3::from);
        let mut positions = [nodes(0.0), nodes(10.0)].concat();
        let surfaces = vec![
            Surface::new([(CellKind::Tri3, [0_u32, 1, 2].as_slice())]),
            Surface::new([(CellKind::Tri3, [3_u32, 5, 4].as_slice())]),
        ];
        let model = ContactModel::new(surfaces, &[], &positions);
        // Both also fly off together, which brings them no nearer.
        let velocities: Vec<Vec3> =
            (0..6).map(|node| Vec3::new(if node < 3 { 0.5 } else { 0.0 }, 70.0, 0.0)).collect();
        let mut motions: Vec<BodyMotion> =
            model.surfaces.iter().map(|surface| BodyMotion::new(surface, 0.5, 0.0)).collect();
        for (motion, surface) in motions.iter_mut().zip(&model.surfaces) {
            assert!(motion.has_escaped());
            motion.inflate(surface, &positions);
        }
        let mut body_pair = BodyPair::new([0, 1]);
        assert!(body_pair.is_due() && !body_pair.needs_active_pairs(&model, &motions));
        let mut steps = 0;
        while !body_pair.is_due() {
            positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * 0.1);
            let configuration =
                Configuration { time: 0.0, time_step: 0.1, positions: &positions, velocities: &velocities };
            for (motion, surface) in motions.iter_mut().zip(&model.surfaces) {
                motion.update(surface.nodes(), &configuration);
            }
            body_pair.update(&motions);
            steps += 1;
        }
        let free = 10.0 - model.search_depth([0, 1]);
        assert_eq!(steps, (free / 0.05).ceil() as usize);
        assert!(body_pair.patch_lists.is_empty());
    }
}
