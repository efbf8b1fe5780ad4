//! Two bodies that are near each other, or one that can touch itself: how long what is known of them holds.
//!
//! A step takes no point of one body farther towards a point of the other than the *way* of the step. The sum of the
//! ways tells when to look again: bodies that were a distance apart need not be looked at before they have gone it;
//! pairs of a node and a face that were listed within the search depth and a *skin* are all that can touch until the
//! way is the skin. From this list of near pairs, every now and then, a short list is made of those that count in the
//! next steps ([`in_play`](super::in_play)).
//!
//! # Source
//! Verlet 1967, "Computer \"experiments\" on classical fluids. I", for lists that hold while little moves.

use crate::contact::detection::ContactModel;
use crate::contact::detection::edge_edge::EdgePair;
use crate::contact::detection::node_face::Candidate;

use super::track::BodyTrack;
use super::traversal::{Found, NearPair};

/// Steps that a list of near pairs should last.
const STEPS: f64 = 256.0;

/// Least and greatest skin, relative to the search depth: a thicker one costs pairs that never touch, a thinner one
/// more traversals of the trees.
const SKIN: [f64; 2] = [1.0 / 64.0, 0.5];

/// Steps that a short list should last: one that lasts longer has more pairs in it, which every step looks at.
const SHORT_STEPS: f64 = 16.0;

/// Greatest skin of the short list, relative to that of the list it is made from.
const SHORT_SKIN: f64 = 1.0 / 2.0;

/// Least skin of the short list, relative to the other.
const LEAST_SHORT: f64 = 1.0 / 64.0;

/// Rounding of distances, relative to the coordinates and to the search depth.
const ROUNDING: [f64; 2] = [64.0 * f64::EPSILON, 1e-9];

/// Two bodies in each other's room, or a body that can touch itself.
#[derive(Clone, Debug)]
pub(super) struct Encounter {
    /// The bodies, first < second, or twice the same.
    pub bodies: [u32; 2],
    /// How far a point of the one can have gone towards one of the other since they met \[m\].
    way: f64,
    /// Way of the last step \[m\].
    step: f64,
    /// Way by when the pairs were listed \[m\].
    listed_at: f64,
    /// Ways from when on pairs may lack, in the list and in the short list.
    near_until: f64,
    short_until: f64,
    /// Thickness of the skin of the list \[m\].
    skin: f64,
    /// That of the short list \[m\].
    short_skin: f64,
    /// What distances are taken to be off by \[m\].
    pub rounding: f64,
    /// Pairs of a node and a face within reach of each other when they were listed, nodes ascending, the nearest faces first.
    pub near: Vec<NearPair>,
    /// Pairs of edges within reach of each other then.
    pub edges: Vec<EdgePair>,
    /// Those of the nodes and faces that may touch for now, in the order of the nodes in the list, faces ascending.
    pub short: Vec<Candidate>,
    /// The vertices of the trees that were nearest to each other where the last traversal found the bodies apart.
    pub nearest: Option<[u32; 2]>,
}

impl Encounter {
    /// Of bodies that have just met.
    pub fn new(bodies: [u32; 2]) -> Self {
        Self {
            bodies,
            way: 0.0,
            step: 0.0,
            listed_at: 0.0,
            near_until: f64::NEG_INFINITY,
            short_until: f64::NEG_INFINITY,
            skin: 0.0,
            short_skin: 0.0,
            rounding: 0.0,
            near: Vec::new(),
            edges: Vec::new(),
            short: Vec::new(),
            nearest: None,
        }
    }

    /// Whether it is one of a body with itself.
    pub fn is_of_one_body(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// Goes along with a step of the bodies. The way also bounds how far points of the same body move towards each
    /// other.
    pub fn follow(&mut self, bodies: &[BodyTrack]) {
        let [first, second] = self.bodies.map(|body| &bodies[body as usize].step);
        let between = first.greatest_distance(second);
        self.step = between.max(first.extent()).max(second.extent());
        self.way += self.step;
    }

    /// Whether the bodies have gone farther than a way; also where theirs is no number.
    fn is_past(&self, way: f64) -> bool {
        self.way > way || self.way.is_nan()
    }

    /// Whether pairs of a node and a face may touch that are not on the list.
    pub fn is_due(&self) -> bool {
        self.is_past(self.near_until)
    }

    /// Whether the short list may lack something.
    pub fn is_short_due(&self) -> bool {
        self.is_past(self.short_until)
    }

    /// Whether either is so.
    pub fn asks_for_work(&self) -> bool {
        self.is_due() || self.is_short_due()
    }

    /// Whether the short list is in the second half of its life.
    pub fn is_short_old(&self) -> bool {
        !self.near.is_empty() && self.is_past(self.short_until - 0.5 * self.short_skin())
    }

    /// Decides how thick the skin of the next list is, and if the boxes of the bodies tell that there is no use for one,
    /// when to look again; true if the trees are to be looked into.
    pub fn needs_traversal(&mut self, model: &ContactModel, tracks: &[BodyTrack]) -> bool {
        let depth = model.search_depth(self.bodies);
        let [first, second] = self.bodies.map(|body| &tracks[body as usize]);
        let largest = first.largest_coordinate().max(second.largest_coordinate());
        self.rounding = ROUNDING[0] * largest + ROUNDING[1] * depth;
        let [least, most] = SKIN.map(|share| share * depth);
        self.skin = (STEPS * self.step).max(least).min(most);
        if self.is_of_one_body() {
            return true;
        }
        let [a, b] = [first.bounds(), second.bounds()];
        let apart = (a.lower - b.upper).sup(&(b.lower - a.upper)).map(|gap| gap.max(0.0)).norm();
        if apart <= self.reach(model) {
            return true;
        }
        self.take(model, Found { clear: apart, ..Found::nothing() });
        false
    }

    /// Distance within which pairs are listed \[m\].
    pub fn reach(&self, model: &ContactModel) -> f64 {
        model.search_depth(self.bodies) + self.skin + self.rounding
    }

    /// How far points can have gone towards each other since the pairs were listed \[m\].
    pub fn gone(&self) -> f64 {
        self.way - self.listed_at
    }

    /// How far points can go towards each other until the short list is made anew \[m\].
    pub fn short_skin(&self) -> f64 {
        self.short_skin
    }

    /// Decides how thick the skin of the next short list is.
    pub fn choose_short_skin(&mut self) {
        self.short_skin = (SHORT_STEPS * self.step).max(LEAST_SHORT * self.skin).min(SHORT_SKIN * self.skin);
    }

    /// Takes over what was found by now.
    pub fn take(&mut self, model: &ContactModel, found: Found) {
        let free = found.clear - model.search_depth(self.bodies) - self.rounding;
        self.near = found.near;
        self.edges = found.edges;
        self.listed_at = self.way;
        self.nearest = found.nearest;
        self.near_until = self.way + if self.near.is_empty() { free.max(self.skin) } else { self.skin };
        self.short.clear();
        self.short_until = if self.near.is_empty() { f64::INFINITY } else { f64::NEG_INFINITY };
    }

    /// Takes over the short list made by now.
    pub fn take_short(&mut self, short: Vec<Candidate>) {
        self.short = short;
        self.short_until = self.way + self.short_skin();
    }

    /// Steps of the size of the last one until it is due.
    pub fn steps_left(&self) -> f64 {
        (self.near_until - self.way) / self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Surface;
    use crate::contact::detection::Configuration;
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
        assert!(encounter.is_due() && !encounter.needs_traversal(&model, &tracks));
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
        assert!(encounter.near.is_empty() && encounter.short.is_empty());
    }
}
