//! Two bodies that are near each other, or one that can touch itself: which patches of them are near each other, and how
//! long that holds.
//!
//! A step takes no point of one body farther towards a point of the other than the *way* of the step. The sum of the
//! ways tells when to look again: bodies that were a distance apart need not be looked at before they have gone it;
//! patches that were farther apart than the search depth and a margin cannot touch until the way is the margin. The
//! others are the *front*: each follows a way of its own. Pairs of a node and a face that were listed within the search
//! depth and a *skin* are all that can touch until the way of their patch is the skin
//! ([`neighbourhood`](super::neighbourhood)). From this list of near pairs, every now and then, a short list is made of
//! those that count in the next steps ([`in_play`](super::in_play)).
//!
//! # Source
//! Verlet 1967, "Computer \"experiments\" on classical fluids. I", for lists that hold while little moves.

use rayon::prelude::*;

use crate::contact::detection::model::ContactModel;
use crate::contact::detection::tree::box_tree::BoxTree;
use crate::contact::detection::volume::Aabb;
use crate::math::pack::Registers;

use super::apart::Clear;
use super::neighbourhood::{Neighbourhood, Part, PatchNearOthers, distance, skin_for};
use super::patches::Patches;
use super::track::BodyTrack;
use super::traversal::NearPair;
use super::way::Way;

/// Margin of the front, relative to the skin of a list.
const MARGIN: f64 = 2.0;

/// Fewest patches whose place in the front is found by one task, and neighbourhoods that are followed by one.
const PER_TASK: usize = 64;
const FOLLOWED_PER_TASK: usize = 512;

/// Rounding of distances, relative to the coordinates and to the search depth.
const ROUNDING: [f64; 2] = [64.0 * f64::EPSILON, 1e-9];

/// Two bodies in each other's room, or a body that can touch itself.
#[derive(Clone, Debug)]
pub(super) struct Encounter {
    /// The bodies, first < second, or twice the same.
    pub bodies: [u32; 2],
    /// How far a point of the one can have gone towards one of the other since the front was found.
    way: Way,
    /// Way from when on patches may touch that are not in the front.
    front_until: f64,
    /// What distances are taken to be off by \[m\].
    pub rounding: f64,
    /// The front: patches with others that they can come near, those of the first body first, ascending.
    pub neighbourhoods: Vec<Neighbourhood>,
    /// The vertices of the trees that were nearest to each other where the bodies were found apart.
    pub nearest: Option<[u32; 2]>,
}

impl Encounter {
    /// Of bodies that have just met.
    pub fn new(bodies: [u32; 2]) -> Self {
        Self {
            bodies,
            way: Way::default(),
            front_until: f64::NEG_INFINITY,
            rounding: 0.0,
            neighbourhoods: Vec::new(),
            nearest: None,
        }
    }

    /// Whether it is one of a body with itself.
    pub fn is_of_one_body(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// Goes along with a step of the bodies. The way also bounds how far points of the same body move towards each
    /// other.
    pub fn follow(&mut self, tracks: &[BodyTrack]) {
        self.measure(tracks);
        self.way.go();
        if self.neighbourhoods.is_empty() {
            return;
        }
        let (Some(bodies), most) = (self.patches(tracks), self.way.step) else { return };
        let follow = |neighbourhood: &mut Neighbourhood| neighbourhood.follow(bodies, most);
        if self.neighbourhoods.len() <= FOLLOWED_PER_TASK {
            self.neighbourhoods.iter_mut().for_each(follow);
        } else {
            self.neighbourhoods.par_iter_mut().with_min_len(FOLLOWED_PER_TASK).for_each(follow);
        }
    }

    /// Notes the way of the last step.
    fn measure(&mut self, tracks: &[BodyTrack]) {
        let [first, second] = self.bodies.map(|body| &tracks[body as usize].step);
        let between = first.greatest_distance(second);
        self.way.step = between.max(first.extent()).max(second.extent());
    }

    fn patches<'a>(&self, tracks: &'a [BodyTrack]) -> Option<[&'a Patches; 2]> {
        let [first, second] = self.bodies.map(|body| tracks[body as usize].patches());
        Some([first?, second?])
    }

    /// The patches of a neighbourhood, each with its body.
    pub fn patches_of(&self, neighbourhood: &Neighbourhood) -> impl Iterator<Item = (u32, u32)> {
        let ([own, other], patch, others) = match &neighbourhood.part {
            Part::Bodies => (self.bodies, 0, &[0][..]),
            Part::Patch(PatchNearOthers { contactor, patch, others }) => {
                ([*contactor, 1 - contactor].map(|side| self.bodies[side]), *patch, &others[..])
            }
        };
        std::iter::once((own, patch)).chain(others.iter().map(move |&patch| (other, patch)))
    }

    /// The patches that go ways of their own, with their bodies; some may come more than once.
    pub fn patches_on_ways(&self) -> impl Iterator<Item = (u32, u32)> {
        let of_patch = |neighbourhood: &&Neighbourhood| matches!(neighbourhood.part, Part::Patch(_));
        self.neighbourhoods.iter().filter(of_patch).flat_map(|neighbourhood| self.patches_of(neighbourhood))
    }

    /// The bodies whose nodes are held against faces of the other: the first is enough if they are the same.
    pub fn contactors(&self) -> std::ops::Range<usize> {
        0..if self.is_of_one_body() { 1 } else { 2 }
    }

    /// Whether patches may touch that are not in the front; also where the way is no finite number.
    pub fn is_due(&self) -> bool {
        self.way.is_past(self.front_until)
    }

    /// Whether that may be so of the front, or of a list.
    pub fn asks_for_work(&self) -> bool {
        self.is_due()
            || self
                .neighbourhoods
                .iter()
                .any(|neighbourhood| neighbourhood.is_due() || neighbourhood.is_short_due())
    }

    /// Distance from which on things cannot touch \[m\].
    fn nearest_free(&self, model: &ContactModel) -> f64 {
        model.search_depth(self.bodies) + self.rounding
    }

    /// How far beyond that patches are in the front \[m\].
    fn margin(&self, model: &ContactModel) -> f64 {
        MARGIN * skin_for(self.way.step, model.search_depth(self.bodies))
    }

    /// Brings what distances are taken to be off by up to date, for all that is found in the same step.
    fn find_rounding(&mut self, model: &ContactModel, tracks: &[BodyTrack]) {
        let [first, second] = self.bodies.map(|body| tracks[body as usize].largest_coordinate());
        self.rounding = ROUNDING[0] * first.max(second) + ROUNDING[1] * model.search_depth(self.bodies);
    }

    /// Whether the front is to be found; if the boxes of the bodies tell that there is none, when to look again.
    pub fn needs_front(&mut self, model: &ContactModel, tracks: &[BodyTrack]) -> bool {
        self.measure(tracks);
        self.find_rounding(model, tracks);
        let [first, second] = self.bodies.map(|body| &tracks[body as usize]);
        let apart = distance(&first.bounds(), &second.bounds());
        let are_apart = apart > self.nearest_free(model) + self.margin(model);
        if self.is_of_one_body() || !are_apart {
            return true;
        }
        self.take_apart(model, Clear { distance: apart, nearest: None, tests: 0 });
        false
    }

    /// Finds the front, given the trees over the patches of both bodies; none over a single one. Patches that were in it
    /// keep their lists.
    pub fn find_front(
        &mut self,
        model: &ContactModel,
        tracks: &[BodyTrack],
        trees: [Option<&BoxTree>; 2],
        registers: Registers,
    ) {
        let Some(bodies) = self.patches(tracks) else { return };
        let (nearest_free, margin) = (self.nearest_free(model), self.margin(model));
        if trees.iter().any(Option::is_some) {
            let front = self.patches_near(nearest_free + margin, tracks, trees, registers);
            let free = |contactor: usize, patch: u32, other: u32| {
                let [own, others] = [contactor, 1 - contactor].map(|side| bodies[side]);
                distance(&own.bounds(patch), &others.bounds(other)) - nearest_free
            };
            self.replace_front(front, free);
        } else if self.neighbourhoods.is_empty() {
            // Nothing is left out of it: the way only tells when to look whether the bodies are apart.
            self.neighbourhoods = vec![Neighbourhood::new(Part::Bodies)];
        }
        self.nearest = None;
        self.way.restart();
        self.front_until = margin;
    }

    /// Patches that are within a distance \[m\] of others.
    fn patches_near(
        &self,
        within: f64,
        tracks: &[BodyTrack],
        trees: [Option<&BoxTree>; 2],
        registers: Registers,
    ) -> Vec<PatchNearOthers> {
        let Some(bodies) = self.patches(tracks) else { return Vec::new() };
        let near = |side: usize, around: &Aabb| {
            trees[side].map_or_else(|| vec![0], |tree| tree.overlapping(registers, around))
        };
        let mut front = Vec::new();
        for contactor in self.contactors() {
            let other = 1 - contactor;
            let with_others = |patch: u32| {
                let around = bodies[contactor].bounds(patch).widened(within);
                PatchNearOthers { contactor, patch, others: near(other, &around) }
            };
            let around_other = tracks[self.bodies[other] as usize].bounds().widened(within);
            let patches = near(contactor, &around_other);
            if patches.len() <= PER_TASK {
                front.extend(patches.into_iter().map(with_others));
            } else {
                front.par_extend(patches.into_par_iter().with_min_len(PER_TASK).map(with_others));
            }
        }
        front.retain(|patch| !patch.others.is_empty());
        front
    }

    /// Replaces the front. Patches that were in it keep their lists, unless one of the others comes too early to be
    /// listed in time, given how far from touching two of them are \[m\].
    fn replace_front(&mut self, front: Vec<PatchNearOthers>, free: impl Fn(usize, u32, u32) -> f64) {
        let mut known = std::mem::take(&mut self.neighbourhoods).into_iter().peekable();
        let neighbourhood = |new: PatchNearOthers| {
            let PatchNearOthers { contactor, patch, .. } = new;
            let place = (contactor, patch);
            while known.next_if(|known| known.place() < place).is_some() {}
            match known.next_if(|known| known.place() == place) {
                Some(mut known) => {
                    known.renew(new, |other| free(contactor, patch, other));
                    known
                }
                None => Neighbourhood::new(Part::Patch(new)),
            }
        };
        self.neighbourhoods = front.into_iter().map(neighbourhood).collect();
    }

    /// Notes how far the patches of the front went in this step.
    pub fn measure_front(&mut self, tracks: &[BodyTrack]) {
        let (Some(bodies), most) = (self.patches(tracks), self.way.step) else { return };
        self.neighbourhoods.iter_mut().for_each(|neighbourhood| neighbourhood.measure(bodies, most));
    }

    /// Takes over that the bodies are apart: there is no front, unless the one that is known holds for longer.
    pub fn take_apart(&mut self, model: &ContactModel, clear: Clear) {
        self.nearest = clear.nearest;
        let free = clear.distance - self.nearest_free(model);
        if self.is_due() || free > self.front_until - self.way.gone() {
            self.neighbourhoods.clear();
            self.way.restart();
            self.front_until = free;
        }
    }

    /// Chooses the skins of the neighbourhoods whose pairs are to be listed, and gives their places.
    pub fn choose_skins(&mut self, model: &ContactModel, tracks: &[BodyTrack]) -> Vec<usize> {
        let depth = model.search_depth(self.bodies);
        self.prepare(model, tracks, Neighbourhood::is_due, |neighbourhood| neighbourhood.choose_skin(depth))
    }

    /// Chooses the skins of the short lists that are to be made anew, and gives the places of their neighbourhoods.
    pub fn choose_short_skins(&mut self, model: &ContactModel, tracks: &[BodyTrack]) -> Vec<usize> {
        self.prepare(model, tracks, Neighbourhood::is_short_old, Neighbourhood::choose_short_skin)
    }

    /// Has some neighbourhoods choose, and brings the rounding up to date for them; gives their places.
    fn prepare(
        &mut self,
        model: &ContactModel,
        tracks: &[BodyTrack],
        is_due: impl Fn(&Neighbourhood) -> bool,
        choose: impl Fn(&mut Neighbourhood),
    ) -> Vec<usize> {
        let mut places = Vec::new();
        for (place, neighbourhood) in self.neighbourhoods.iter_mut().enumerate() {
            if is_due(neighbourhood) {
                choose(neighbourhood);
                places.push(place);
            }
        }
        if !places.is_empty() {
            self.find_rounding(model, tracks);
        }
        places
    }

    /// Distance within which pairs of a neighbourhood are listed \[m\].
    pub fn reach(&self, neighbourhood: &Neighbourhood, model: &ContactModel) -> f64 {
        self.nearest_free(model) + neighbourhood.skin()
    }

    /// How far apart the bodies are at least if no boxes of batches have been found near in any neighbourhood by now
    /// \[m\]: as far as was looked, but what is not in the front is as far as is left of its margin.
    pub fn free_reach(&self, model: &ContactModel) -> f64 {
        let reaches = self.neighbourhoods.iter().map(|neighbourhood| self.reach(neighbourhood, model));
        reaches.fold(self.nearest_free(model) + (self.front_until - self.way.gone()), f64::min)
    }

    /// All near pairs.
    pub fn near(&self) -> impl Iterator<Item = &NearPair> {
        self.neighbourhoods.iter().flat_map(|neighbourhood| &neighbourhood.near)
    }

    /// Steps of the size of the last one until something is due.
    pub fn steps_left(&self) -> f64 {
        let of_neighbourhoods = self.neighbourhoods.iter().map(Neighbourhood::steps_left);
        of_neighbourhoods.fold(self.way.steps_to(self.front_until), f64::min)
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
        let mut tracks: Vec<BodyTrack> =
            model.surfaces.iter().map(|surface| BodyTrack::new(surface, 0.5, 0.0)).collect();
        for (track, surface) in tracks.iter_mut().zip(&model.surfaces) {
            assert!(track.has_left());
            track.give_room(surface, &positions);
        }
        let mut encounter = Encounter::new([0, 1]);
        assert!(encounter.is_due() && !encounter.needs_front(&model, &tracks));
        let mut steps = 0;
        while !encounter.is_due() {
            positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * 0.1);
            let configuration =
                Configuration { time: 0.0, time_step: 0.1, positions: &positions, velocities: &velocities };
            for (track, surface) in tracks.iter_mut().zip(&model.surfaces) {
                track.follow(surface.nodes(), &configuration);
            }
            encounter.follow(&tracks);
            steps += 1;
        }
        let free = 10.0 - model.search_depth([0, 1]);
        assert_eq!(steps, (free / 0.05).ceil() as usize);
        assert!(encounter.neighbourhoods.is_empty());
    }
}
