//! The lists of one active patch: near node–face and edge pairs (a Verlet list), and the short list.
//!
//! Each patch has its own lists. Their travel bounds the relative displacement of the patch and its partners (the other
//! patches of its active pairs), including adjacent faces, which share a node with one of these patches. A fast node,
//! for example of a fragment, therefore shortens only the life of the lists whose travel includes the node. The
//! partners remain the same until the active patch pairs are found again ([`body_pair`](super::body_pair)).

use crate::detection::face::bounds::Bounds;
use crate::detection::model::Candidate;
use crate::detection::primitive::edge_edge::EdgePair;
use crate::detection::volume::Aabb;

use super::displacement::Travel;
use super::patches::Patches;
use super::short_list::TravelBounds;
use super::traversal::{Found, NearPair};

/// Target life of a list of near pairs, in steps.
const STEPS: f64 = 256.0;

/// Least and greatest skin, relative to the search distance. A thicker skin lists more pairs, a thinner skin needs more
/// traversals.
const SKIN: [f64; 2] = [1.0 / 64.0, 0.5];

/// Target life of a short list, in steps. A longer life needs a longer list, and every step evaluates the list.
const SHORT_STEPS: f64 = 16.0;

/// Least and greatest skin of a short list, relative to the skin of the near pairs.
const SHORT_SKIN: [f64; 2] = [1.0 / 64.0, 1.0 / 2.0];

/// A short list whose remaining allowance is below this fraction of its skin is renewed early, with the due lists.
const RENEWAL_FRACTION: f64 = 0.25;

/// Skin of a list whose travel grows by `step` in every step \[m\].
pub(super) fn skin_for(step: f64, search_distance: f64) -> f64 {
    let [least, most] = SKIN.map(|share| share * search_distance);
    (STEPS * step).max(least).min(most)
}

#[derive(Clone, Debug)]
pub(super) struct PatchPartners {
    /// Side (0 or 1) of `patch`, which has the contactor nodes. The partner patches are on the other side.
    pub contactor: usize,
    pub patch: u32,
    /// Partner patches, ascending.
    pub partners: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(super) enum Scope {
    /// Both whole bodies, each with a single patch. Nodes of both sides are contactors.
    Bodies,
    Patch(PatchPartners),
}

#[derive(Clone, Debug)]
pub(super) struct PatchLists {
    pub scope: Scope,
    /// Travel since the near pairs were listed.
    travel: Travel,
    /// Travel up to which the near pairs are complete \[m\].
    near_limit: f64,
    /// Travel up to which the short list is complete \[m\].
    short_limit: f64,
    skin: f64,
    short_skin: f64,
    /// Whether any two batches were within reach (search distance plus skin) when the pairs were listed.
    pub has_near_batches: bool,
    /// Node–face pairs within reach when listed: nodes ascending, for each node the nearest faces first.
    pub near: Vec<NearPair>,
    /// Edge pairs within reach when listed, each in only one assignment of contactor and target.
    pub edges: Vec<EdgePair>,
    /// Short list: candidates among the near pairs, nodes and faces ascending.
    pub short: Vec<Candidate>,
}

impl PatchPartners {
    /// Bound on the relative displacement of any two points of the patch and its partners in the latest step \[m\].
    fn step(&self, bodies: [&Patches; 2]) -> f64 {
        let (own, partners) = (bodies[self.contactor], bodies[1 - self.contactor]);
        let steps = self.partners.iter().map(|&other| partners.step(other));
        let step = steps.fold(Bounds::EMPTY, |joint, step| joint.union(step));
        let extent =
            self.partners.iter().map(|&other| partners.extent(other)).fold(own.extent(self.patch), f64::max);
        own.step(self.patch).greatest_distance(&step).max(extent)
    }
}

impl PatchLists {
    /// Empty lists, due at once.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            travel: Travel::default(),
            near_limit: f64::NEG_INFINITY,
            short_limit: f64::NEG_INFINITY,
            skin: 0.0,
            short_skin: 0.0,
            has_near_batches: false,
            near: Vec::new(),
            edges: Vec::new(),
            short: Vec::new(),
        }
    }

    pub fn key(&self) -> (usize, u32) {
        match self.scope {
            Scope::Bodies => (0, 0),
            Scope::Patch(PatchPartners { contactor, patch, .. }) => (contactor, patch),
        }
    }

    /// Bounds the relative displacement in the latest step. The result is at most `bound`, a bound for the whole bodies
    /// \[m\].
    pub fn measure(&mut self, bodies: [&Patches; 2], bound: f64) {
        self.travel.step = match &self.scope {
            Scope::Bodies => bound,
            Scope::Patch(patch) => patch.step(bodies).min(bound),
        };
    }

    pub fn update(&mut self, bodies: [&Patches; 2], bound: f64) {
        self.measure(bodies, bound);
        self.travel.advance();
    }

    pub fn is_due(&self) -> bool {
        self.travel.is_past(self.near_limit)
    }

    pub fn is_short_due(&self) -> bool {
        self.travel.is_past(self.short_limit)
    }

    /// Whether the short list is due or nearly due; false without near pairs.
    pub fn is_short_nearly_due(&self) -> bool {
        !self.near.is_empty() && self.travel.is_past(self.short_limit - RENEWAL_FRACTION * self.short_skin)
    }

    /// Replaces the partner patches. `slack` is the distance of a partner from the patch minus the contact distance
    /// (beyond which no contact is possible) \[m\]. The lists become due if a new partner could touch before their
    /// renewal.
    ///
    /// Pairs with faces of former partners stay listed, although the travel no longer bounds the motion of these faces.
    /// The faces stay beyond the contact distance: they give no constraint, and do not exclude farther faces from a
    /// short list, as a nearer face within the contact distance could.
    pub fn set_partners(&mut self, new: PatchPartners, slack: impl Fn(u32) -> f64) {
        let left = self.near_limit - self.travel.travelled();
        let partners = if let Scope::Patch(patch) = &self.scope { &patch.partners[..] } else { &[] };
        let is_known = |other: u32| partners.binary_search(&other).is_ok();
        let is_listed_in_time = |&other: &u32| is_known(other) || slack(other) >= left;
        if !new.partners.iter().all(is_listed_in_time) {
            self.near_limit = f64::NEG_INFINITY;
        }
        self.scope = Scope::Patch(new);
    }

    pub fn choose_skin(&mut self, search_distance: f64) {
        self.skin = skin_for(self.travel.step, search_distance);
    }

    pub fn skin(&self) -> f64 {
        self.skin
    }

    pub fn store(&mut self, found: Found) {
        (self.near, self.edges, self.has_near_batches) = (found.near, found.edges, found.has_near_batches);
        self.travel.restart();
        self.near_limit = self.skin;
        self.short.clear();
        self.short_limit = if self.near.is_empty() { f64::INFINITY } else { f64::NEG_INFINITY };
    }

    pub fn choose_short_skin(&mut self) {
        let [least, most] = SHORT_SKIN.map(|share| share * self.skin);
        self.short_skin = (SHORT_STEPS * self.travel.step).max(least).min(most);
    }

    /// Travel since the near pairs were listed, and the allowance of the next short list.
    pub fn travel_bounds(&self) -> TravelBounds {
        TravelBounds { travelled: self.travel.travelled(), allowance: self.short_skin }
    }

    pub fn store_short(&mut self, short: Vec<Candidate>) {
        self.short = short;
        self.short_limit = self.travel.travelled() + self.short_skin;
    }

    /// Steps until the near pairs are due, if each step has the displacements of the latest step.
    pub fn steps_left(&self) -> f64 {
        self.travel.steps_to(self.near_limit)
    }
}

/// Distance of two boxes \[m\].
pub(super) fn distance(a: &Aabb, b: &Aabb) -> f64 {
    (a.lower - b.upper).sup(&(b.lower - a.upper)).map(|gap| gap.max(0.0)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use crate::detection::engine::body_motion::BodyMotion;
    use crate::detection::model::Configuration;
    use crate::math::Vec3;
    use crate::mesh::CellKind;

    const CELLS: u32 = 20;
    const NODES: u32 = (CELLS + 1) * (CELLS + 1);

    fn sheets(displacements: &[Vec3]) -> [BodyMotion; 2] {
        let place = |node: u32| {
            let (i, j) = (node % NODES % (CELLS + 1), node % NODES / (CELLS + 1));
            Vec3::new(f64::from(i), f64::from(j), f64::from(node / NODES))
        };
        let positions: Vec<Vec3> = (0..2 * NODES).map(place).collect();
        let before: Vec<Vec3> = positions.iter().zip(displacements).map(|(x, d)| x - d).collect();
        let configuration =
            Configuration { time: 0.0, time_step: 0.1, positions: &positions, positions_before: &before };
        [0, NODES].map(|first| {
            let corner = |cell: u32| first + cell / CELLS * (CELLS + 1) + cell % CELLS;
            let cells = (0..CELLS * CELLS).map(corner);
            let faces: Vec<[u32; 3]> =
                cells.flat_map(|a| [[a, a + 1, a + CELLS + 2], [a, a + CELLS + 2, a + CELLS + 1]]).collect();
            let surface = Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
            let mut motion = BodyMotion::new(&surface, 0.5, 0.0);
            motion.divide(&surface, &positions);
            motion.update(surface.nodes(), &configuration);
            motion.select_active_patches(0..motion.patches().unwrap().len() as u32, &configuration);
            motion
        })
    }

    fn of_patch(contactor: usize, patch: u32, partners: Vec<u32>) -> PatchLists {
        PatchLists::new(Scope::Patch(PatchPartners { contactor, patch, partners }))
    }

    /// Two fast nodes of one sheet approach each other. Lists become due only if a fast node belongs to the patch, to a
    /// partner, or to an adjacent face.
    #[test]
    fn lists_travel_with_their_patches() {
        let mut displacements = vec![Vec3::zeros(); 2 * NODES as usize];
        displacements[NODES as usize / 2] = Vec3::x() * 0.3;
        displacements[NODES as usize / 2 + 1] = Vec3::x() * -0.3;
        let motions = sheets(&displacements);
        let bodies = [0, 1].map(|k| motions[k].patches().unwrap());
        let (mut num_fast, mut num_apart) = (0, 0);
        for (contactor, patch) in
            (0..2).flat_map(|side| (0..bodies[side].len() as u32).map(move |p| (side, p)))
        {
            let partners = vec![patch, (patch + 1) % bodies[0].len() as u32];
            let travelled = match contactor {
                0 => bodies[0].extent(patch),
                _ => partners.iter().map(|&other| bodies[0].extent(other)).fold(0.0, f64::max),
            };
            let is_near = travelled > 0.0;
            let mut lists = of_patch(contactor, patch, partners);
            assert!(lists.is_due());
            lists.choose_skin(1.0);
            assert_eq!(lists.skin(), 1.0 / 64.0);
            lists.store(Found::default());
            lists.update(bodies, 1.0);
            assert!((lists.travel_bounds().travelled - travelled).abs() < 1e-12);
            assert_eq!((lists.is_due(), lists.is_short_due()), (is_near, false));
            lists.update(bodies, 0.2);
            assert!((lists.travel_bounds().travelled - (travelled + travelled.min(0.2))).abs() < 1e-12);
            lists.choose_skin(1.0);
            assert_eq!(lists.skin(), if is_near { 0.5 } else { 1.0 / 64.0 });
            num_fast += usize::from(is_near);
            num_apart += usize::from((travelled - 0.6).abs() < 1e-12);
            lists.update(bodies, f64::NAN);
            assert_eq!(lists.is_due(), is_near);
        }
        assert!(num_apart > 0 && 2 * num_fast < bodies[0].len() + bodies[1].len(), "{num_apart}, {num_fast}");
    }

    /// Only a new partner that can touch before the next renewal makes the lists due.
    #[test]
    fn a_near_partner_makes_the_lists_due() {
        let motions = sheets(&vec![Vec3::zeros(); 2 * NODES as usize]);
        let bodies = [0, 1].map(|k| motions[k].patches().unwrap());
        let set_partners = |lists: &mut PatchLists, partners: &[u32], slack: &dyn Fn(u32) -> f64| {
            lists.set_partners(PatchPartners { contactor: 0, patch: 0, partners: partners.to_vec() }, slack);
        };
        let mut lists = of_patch(0, 0, vec![3]);
        lists.measure(bodies, 1.0);
        lists.choose_skin(1.0);
        lists.store(Found::default());
        let left = lists.skin();
        set_partners(&mut lists, &[3, 4], &|_| left);
        assert!(!lists.is_due());
        set_partners(&mut lists, &[2, 3, 4], &|other| if other == 2 { 2.0 * left } else { 0.0 });
        assert!(!lists.is_due(), "a known partner does not make the lists due, whatever its distance");
        set_partners(&mut lists, &[2, 3], &|_| 0.0);
        assert!(!lists.is_due());
        set_partners(&mut lists, &[2, 3, 4], &|_| 0.99 * left);
        assert!(lists.is_due());
        lists.store(Found::default());
        set_partners(&mut lists, &[5], &|_| f64::NAN);
        assert!(lists.is_due());
    }
}
