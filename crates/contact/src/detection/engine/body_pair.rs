//! Two nearby bodies, or one body in self-contact: the active patch pairs and their validity.
//!
//! The *travel* is the sum, over steps, of bounds on the relative displacement of any two points, one of each body. The
//! travel decides when to search again:
//!
//! - Separated bodies need no search until the travel exceeds their distance minus the search distance.
//! - *Active patch pairs* are the pairs of patches within the search distance plus a margin. Inactive pairs cannot
//!   touch until the travel exceeds the margin.
//! - An active patch has a Verlet list of node–face pairs within the search distance plus a *skin*. The list is
//!   complete until the travel of the patch relative to its partners, the other patches of its active pairs, exceeds
//!   the skin ([`patch_lists`](super::patch_lists)).
//! - The *short list* contains the pairs of the Verlet list that can give a constraint in the next steps
//!   ([`short_list`](super::short_list)).
//!
//! # Source
//! Verlet 1967, "Computer \"experiments\" on classical fluids. I", for neighbour lists with a skin.

use rayon::prelude::*;

use crate::detection::model::ContactModel;
use crate::detection::tree::box_tree::BoxTree;
use crate::detection::volume::Aabb;
use crate::math::pack::Registers;

use super::body_motion::BodyMotion;
use super::displacement::Travel;
use super::patch_lists::{PatchLists, PatchPartners, Scope, distance, skin_for};
use super::patches::Patches;
use super::separation::Separation;
use super::traversal::NearPair;

/// Margin of active patch pairs, relative to the skin of their lists.
const MARGIN: f64 = 2.0;

const PER_TASK: usize = 64;
const LISTS_PER_TASK: usize = 512;

/// Bound on the rounding of distances: `ROUNDING[0]` · largest absolute coordinate + `ROUNDING[1]` · search distance.
const ROUNDING: [f64; 2] = [64.0 * f64::EPSILON, 1e-9];

#[derive(Clone, Debug)]
pub(super) struct BodyPair {
    /// The bodies, ascending; equal in self-contact.
    pub bodies: [u32; 2],
    /// Travel since the last search for active patch pairs.
    travel: Travel,
    /// Travel beyond which two patches that are not an active pair may touch \[m\].
    active_limit: f64,
    /// Bound on the rounding of distances \[m\].
    pub rounding: f64,
    /// Lists of the active patches, ascending by contactor side, then by patch.
    pub patch_lists: Vec<PatchLists>,
    /// The two vertices, one of each sphere tree, that determined the last bound on the distance of the bodies; `None`
    /// if the bound came from boxes, or if there is no bound.
    pub nearest: Option<[u32; 2]>,
}

impl BodyPair {
    pub fn new(bodies: [u32; 2]) -> Self {
        Self {
            bodies,
            travel: Travel::default(),
            active_limit: f64::NEG_INFINITY,
            rounding: 0.0,
            patch_lists: Vec::new(),
            nearest: None,
        }
    }

    pub fn is_self_contact(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// Adds a step to the travel of the pair and of its lists. The travel also bounds relative displacements within a
    /// body.
    pub fn update(&mut self, motions: &[BodyMotion]) {
        self.measure(motions);
        self.travel.advance();
        if self.patch_lists.is_empty() {
            return;
        }
        let (Some(bodies), bound) = (self.patches(motions), self.travel.step) else { return };
        let update = |lists: &mut PatchLists| lists.update(bodies, bound);
        if self.patch_lists.len() <= LISTS_PER_TASK {
            self.patch_lists.iter_mut().for_each(update);
        } else {
            self.patch_lists.par_iter_mut().with_min_len(LISTS_PER_TASK).for_each(update);
        }
    }

    fn measure(&mut self, motions: &[BodyMotion]) {
        let [first, second] = self.bodies.map(|body| &motions[body as usize].step);
        let between = first.greatest_distance(second);
        self.travel.step = between.max(first.extent()).max(second.extent());
    }

    fn patches<'a>(&self, motions: &'a [BodyMotion]) -> Option<[&'a Patches; 2]> {
        let [first, second] = self.bodies.map(|body| motions[body as usize].patches());
        Some([first?, second?])
    }

    /// The patches of `lists`, each as (body, patch).
    pub fn patches_of(&self, lists: &PatchLists) -> impl Iterator<Item = (u32, u32)> {
        let ([own, other], patch, partners) = match &lists.scope {
            Scope::Bodies => (self.bodies, 0, &[0][..]),
            Scope::Patch(PatchPartners { contactor, patch, partners }) => {
                ([*contactor, 1 - contactor].map(|side| self.bodies[side]), *patch, &partners[..])
            }
        };
        std::iter::once((own, patch)).chain(partners.iter().map(move |&patch| (other, patch)))
    }

    /// The patches of all active pairs, each as (body, patch), with repetitions.
    pub fn active_patches(&self) -> impl Iterator<Item = (u32, u32)> {
        let of_patch = |lists: &&PatchLists| matches!(lists.scope, Scope::Patch(_));
        self.patch_lists.iter().filter(of_patch).flat_map(|lists| self.patches_of(lists))
    }

    /// Sides with contactor nodes. In self-contact the first side suffices.
    pub fn contactors(&self) -> std::ops::Range<usize> {
        0..if self.is_self_contact() { 1 } else { 2 }
    }

    /// Whether a search is due: inactive patches may touch, or the travel is not finite.
    pub fn is_due(&self) -> bool {
        self.travel.is_past(self.active_limit)
    }

    pub fn needs_update(&self) -> bool {
        self.is_due() || self.patch_lists.iter().any(|lists| lists.is_due() || lists.is_short_due())
    }

    /// Distance beyond which the surfaces cannot touch \[m\].
    fn contact_distance(&self, model: &ContactModel) -> f64 {
        model.search_distance(self.bodies) + self.rounding
    }

    /// Patch pairs are active up to the distance [`BodyPair::contact_distance`] plus this margin \[m\].
    fn margin(&self, model: &ContactModel) -> f64 {
        MARGIN * skin_for(self.travel.step, model.search_distance(self.bodies))
    }

    fn update_rounding(&mut self, model: &ContactModel, motions: &[BodyMotion]) {
        let [first, second] = self.bodies.map(|body| motions[body as usize].largest_coordinate());
        self.rounding = ROUNDING[0] * first.max(second) + ROUNDING[1] * model.search_distance(self.bodies);
    }

    /// Whether the active patch pairs must be found. For two separated bodies, returns false and stores the travel at
    /// which the next search is due.
    pub fn needs_active_pairs(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> bool {
        self.measure(motions);
        self.update_rounding(model, motions);
        let [first, second] = self.bodies.map(|body| &motions[body as usize]);
        let separation = distance(&first.bounds(), &second.bounds());
        let are_separated = separation > self.contact_distance(model) + self.margin(model);
        if self.is_self_contact() || !are_separated {
            return true;
        }
        self.set_separation(model, Separation { distance: separation, nearest: None, tests: 0 });
        false
    }

    /// Finds the active patch pairs from the box trees over the patches. A body with a single patch has no tree.
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
            let slack = |contactor: usize, patch: u32, other: u32| {
                let [own, partners] = [contactor, 1 - contactor].map(|side| bodies[side]);
                distance(&own.bounds(patch), &partners.bounds(other)) - contact_distance
            };
            self.replace_active_pairs(active_pairs, slack);
        } else if self.patch_lists.is_empty() {
            // Each body is a single patch. The pair of these patches is always active, and the travel only decides when
            // to test for separation.
            self.patch_lists = vec![PatchLists::new(Scope::Bodies)];
        }
        self.nearest = None;
        self.travel.restart();
        self.active_limit = margin;
    }

    /// For each patch of a contactor side, the patches of the other side whose boxes overlap the box of this patch
    /// widened by `within` \[m\]. Omits patches without partners.
    fn patches_near(
        &self,
        within: f64,
        motions: &[BodyMotion],
        trees: [Option<&BoxTree>; 2],
        registers: Registers,
    ) -> Vec<PatchPartners> {
        let Some(bodies) = self.patches(motions) else { return Vec::new() };
        let near = |side: usize, around: &Aabb| {
            trees[side].map_or_else(|| vec![0], |tree| tree.overlapping(registers, around))
        };
        let mut active_pairs = Vec::new();
        for contactor in self.contactors() {
            let other = 1 - contactor;
            let with_others = |patch: u32| {
                let around = bodies[contactor].bounds(patch).widened(within);
                PatchPartners { contactor, patch, partners: near(other, &around) }
            };
            let around_other = motions[self.bodies[other] as usize].bounds().widened(within);
            let patches = near(contactor, &around_other);
            if patches.len() <= PER_TASK {
                active_pairs.extend(patches.into_iter().map(with_others));
            } else {
                active_pairs.par_extend(patches.into_par_iter().with_min_len(PER_TASK).map(with_others));
            }
        }
        active_pairs.retain(|patch| !patch.partners.is_empty());
        active_pairs
    }

    /// Replaces the active patch pairs. Patches that stay active keep their lists. `slack(contactor, patch, partner)`
    /// is the distance of the patches minus the contact distance \[m\].
    fn replace_active_pairs(
        &mut self,
        active_pairs: Vec<PatchPartners>,
        slack: impl Fn(usize, u32, u32) -> f64,
    ) {
        let mut known = std::mem::take(&mut self.patch_lists).into_iter().peekable();
        let lists = |new: PatchPartners| {
            let PatchPartners { contactor, patch, .. } = new;
            let key = (contactor, patch);
            while known.next_if(|known| known.key() < key).is_some() {}
            match known.next_if(|known| known.key() == key) {
                Some(mut known) => {
                    known.set_partners(new, |other| slack(contactor, patch, other));
                    known
                }
                None => PatchLists::new(Scope::Patch(new)),
            }
        };
        self.patch_lists = active_pairs.into_iter().map(lists).collect();
    }

    pub fn measure_active_pairs(&mut self, motions: &[BodyMotion]) {
        let (Some(bodies), bound) = (self.patches(motions), self.travel.step) else { return };
        self.patch_lists.iter_mut().for_each(|lists| lists.measure(bodies, bound));
    }

    /// Records a lower bound on the distance of the bodies. Discards the active patch pairs if a search is due, or if
    /// the bound allows more travel than the remaining margin of these pairs.
    pub fn set_separation(&mut self, model: &ContactModel, separation: Separation) {
        self.nearest = separation.nearest;
        let slack = separation.distance - self.contact_distance(model);
        if self.is_due() || slack > self.active_limit - self.travel.travelled() {
            self.patch_lists.clear();
            self.travel.restart();
            self.active_limit = slack;
        }
    }

    /// Chooses the skins of the due lists. Returns the indices of these lists.
    pub fn choose_skins(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> Vec<usize> {
        let depth = model.search_distance(self.bodies);
        self.prepare(model, motions, PatchLists::is_due, |lists| lists.choose_skin(depth))
    }

    /// Chooses the skins of the short lists that are due or nearly due. Returns the indices of these lists.
    pub fn choose_short_skins(&mut self, model: &ContactModel, motions: &[BodyMotion]) -> Vec<usize> {
        self.prepare(model, motions, PatchLists::is_short_nearly_due, PatchLists::choose_short_skin)
    }

    fn prepare(
        &mut self,
        model: &ContactModel,
        motions: &[BodyMotion],
        is_due: impl Fn(&PatchLists) -> bool,
        choose: impl Fn(&mut PatchLists),
    ) -> Vec<usize> {
        let mut indices = Vec::new();
        for (index, lists) in self.patch_lists.iter_mut().enumerate() {
            if is_due(lists) {
                choose(lists);
                indices.push(index);
            }
        }
        if !indices.is_empty() {
            self.update_rounding(model, motions);
        }
        indices
    }

    /// Distance within which `lists` contain all node–face pairs \[m\].
    pub fn reach(&self, lists: &PatchLists, model: &ContactModel) -> f64 {
        self.contact_distance(model) + lists.skin()
    }

    /// Lower bound on the distance of the bodies \[m\], valid if no two batches of faces were within
    /// [`BodyPair::reach`] of each other when the lists were made.
    pub fn separation_bound(&self, model: &ContactModel) -> f64 {
        let reaches = self.patch_lists.iter().map(|lists| self.reach(lists, model));
        reaches.fold(self.contact_distance(model) + (self.active_limit - self.travel.travelled()), f64::min)
    }

    pub fn near(&self) -> impl Iterator<Item = &NearPair> {
        self.patch_lists.iter().flat_map(|lists| &lists.near)
    }

    /// Steps until a list or the active patch pairs are due, if each step has the displacements of the latest step.
    pub fn steps_left(&self) -> f64 {
        let of_patch_lists = self.patch_lists.iter().map(PatchLists::steps_left);
        of_patch_lists.fold(self.travel.steps_to(self.active_limit), f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use crate::detection::model::Configuration;
    use crate::math::Vec3;
    use crate::mesh::CellKind;

    #[test]
    fn separated_bodies_are_due_when_their_travel_exceeds_the_distance() {
        let nodes = |x: f64| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]].map(Vec3::from);
        let mut positions = [nodes(0.0), nodes(10.0)].concat();
        let surfaces = vec![
            Surface::new([(CellKind::Tri3, [0_u32, 1, 2].as_slice())]),
            Surface::new([(CellKind::Tri3, [3_u32, 5, 4].as_slice())]),
        ];
        let model = ContactModel::new(surfaces, &[], &positions);
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
            let before = positions.clone();
            positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * 0.1);
            let configuration =
                Configuration { time: 0.0, time_step: 0.1, positions: &positions, positions_before: &before };
            for (motion, surface) in motions.iter_mut().zip(&model.surfaces) {
                motion.update(surface.nodes(), &configuration);
            }
            body_pair.update(&motions);
            steps += 1;
        }
        let slack = 10.0 - model.search_distance([0, 1]);
        assert_eq!(steps, (slack / 0.05).ceil() as usize);
        assert!(body_pair.patch_lists.is_empty());
    }
}
