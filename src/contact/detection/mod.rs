//! Contact detection: geometry and kinematics only; nothing of forces, elements or materials.
//!
//! A detector answers two questions. While every body flies free it tells *when* the first two surfaces touch
//! ([`Detector::first_impact`]); once bodies deform it tells, step by step, *who* has penetrated whom
//! ([`Detector::detect`]). [`Engine`] answers both through three levels: predicted trajectories of bounding
//! spheres in a queue of times, hierarchies of bounding volumes, closest points of faces. [`Buckets`] sorts nodes and
//! faces into the cells of a grid, as most codes do. [`AllPairs`] looks at every pair of faces and is the oracle of the
//! tests.
//!
//! Source: Aragón & Molinari, CMAME 268 (2014) 574–588.

mod all_pairs;
mod body_tree;
mod bounds;
mod buckets;
pub mod closest_face;
pub mod closest_point;
mod control_points;
mod engine;
mod flight;
pub mod hierarchy;
mod node_face;
mod overlap;
mod patch;
mod phase;
mod queued_pair;
#[cfg(test)]
mod samples;
mod self_contact;
mod statistics;
#[cfg(test)]
mod tests;
pub mod time_of_impact;
pub mod trajectory;
pub mod volume;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use engine::{Engine, EngineOptions};
pub use flight::{Flight, Impact};
pub use node_face::{NodeFaceOptions, StartFrom};
pub use overlap::{Penetration, penetrations, self_crossings};
pub use queued_pair::{Placement, QueuedPair};
pub use statistics::{DetectionStatistics, Prediction, StageCounts, StageSeconds, TreeStatistics};
pub use wall::{Wall, WallDetector};

use rayon::prelude::*;

use crate::math::Vec3;

use super::{Constraints, NodeOnSurface, Surface};
use hierarchy::Hierarchy;
use node_face::Candidate;
use self_contact::Walls;

/// Where the nodes are at the end of a predictor step, and the velocities that took them there.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time of the positions \[s\].
    pub time: f64,
    /// Size of the step that led to them \[s\].
    pub time_step: f64,
    /// Position of every node \[m\].
    pub positions: &'a [Vec3],
    /// Velocity of every node over the step: its displacement divided by the step \[m/s\].
    pub velocities: &'a [Vec3],
}

/// The surfaces of all bodies and which of them may touch: all of those with faces, but for what is excluded.
#[derive(Clone, Debug, Default)]
pub struct ContactModel {
    /// One surface per body, empty where the body touches nothing.
    pub surfaces: Vec<Surface>,
    /// How deep a node may penetrate each body, or a node of that body another, before the contact is lost \[m\]; of two
    /// bodies the smaller depth counts.
    pub search_depths: Vec<f64>,
    /// Pairs of different bodies that do not touch, ascending, first < second.
    excluded: Vec<[u32; 2]>,
    /// Bodies that can touch themselves, ascending.
    foldable: Vec<u32>,
    /// Of the bodies that can touch themselves.
    walls: Walls,
}

impl ContactModel {
    /// All pairs of distinct bodies with faces, but for the `excluded` ones. The search depth of a body is half
    /// its [`Surface::median_edge`] at the given positions: a mesh of quadratic faces is searched
    /// as deep as the linear one on the same nodes.
    pub fn new(surfaces: Vec<Surface>, excluded: &[[u32; 2]], positions: &[Vec3]) -> Self {
        let depth = |surface: &Surface| 0.5 * surface.median_edge(positions);
        let search_depths = surfaces.par_iter().map(depth).collect();
        let mut excluded = excluded.to_vec();
        excluded.sort_unstable();
        Self { surfaces, search_depths, excluded, ..Self::default() }
    }

    /// The same where these bodies, of those with faces, can also touch themselves. At `positions` \[m\] they are free of
    /// stress, and do not.
    ///
    /// # Cost
    /// For each of them a tree over its faces, and for each of its nodes a search in it.
    #[must_use]
    pub fn with_self_contact(mut self, bodies: &[u32], positions: &[Vec3]) -> Self {
        let mut bodies: Vec<u32> = bodies.to_vec();
        bodies.retain(|&body| self.has_faces(body));
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return self;
        }
        self.walls = Walls::new(self.surfaces.len(), positions);
        for &body in &bodies {
            let depth = self.search_depths[body as usize];
            self.walls.measure(body, &self.surfaces[body as usize], depth);
        }
        self.foldable = bodies;
        self
    }

    fn has_faces(&self, body: u32) -> bool {
        self.surfaces[body as usize].num_faces() > 0
    }

    /// Bodies with faces, ascending.
    pub fn bodies(&self) -> impl Iterator<Item = u32> + Clone {
        (0..self.surfaces.len() as u32).filter(|&body| self.has_faces(body))
    }

    /// Bodies that can touch themselves, ascending.
    pub fn foldable(&self) -> &[u32] {
        &self.foldable
    }

    /// Whether two different bodies with faces, first < second, can touch.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.excluded.binary_search(&bodies).is_err()
    }

    /// Pairs of bodies that can touch, ascending, first < second; a body that can touch itself is a pair with itself.
    ///
    /// # Cost
    /// Quadratic in the number of bodies.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        self.bodies().flat_map(move |first| {
            let itself = self.foldable.binary_search(&first).is_ok().then_some([first; 2]);
            let others = self.bodies().skip_while(move |&second| second <= first);
            itself
                .into_iter()
                .chain(others.map(move |second| [first, second]))
                .filter(|&bodies| self.can_meet(bodies))
        })
    }

    /// How deep a node of either body may penetrate the other before the contact is lost \[m\].
    pub fn search_depth(&self, bodies: [u32; 2]) -> f64 {
        let [first, second] = bodies.map(|body| self.search_depths[body as usize]);
        first.min(second)
    }

    /// Whether a node and a face can touch as far as the configuration without stress tells.
    fn can_touch(&self, candidate: &Candidate) -> bool {
        let &Candidate { key, face, contactor_body } = candidate;
        contactor_body != key.target
            || !self.walls.exclude(key.target, &self.surfaces[key.target as usize], key.contactor, face)
    }

    /// Depth at which a node of a body has left a target again \[m\].
    fn depth_of_node(&self, key: NodeOnSurface, contactor_body: u32) -> f64 {
        let depth = self.search_depth([contactor_body, key.target]);
        if contactor_body == key.target {
            return depth.min(self.walls.deepest(key.contactor));
        }
        depth
    }
}

/// Contactor and target of a pair of bodies, both ways; once for a body with itself.
fn both_ways([first, second]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    [[first, second], [second, first]].into_iter().take(if first == second { 1 } else { 2 })
}

/// Finds contact.
pub trait Detector: Send {
    /// While all bodies fly as told: the first instant within the flight at which two surfaces touch; `None`
    /// when it can be excluded.
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact>;

    /// Replaces `constraints` by those of all penetrated contactor nodes in this configuration.
    ///
    /// Called once a step, with ascending times; a call to [`Detector::first_impact`] in between starts anew.
    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints);

    /// What has been done so far.
    fn statistics(&self) -> &DetectionStatistics;

    /// For each pair of bodies, ascending, the two bounding volumes that are looked at next, placed where the bodies
    /// are now; none of a pair that cannot meet any more, and none at all of a detector without a queue.
    fn top_of_queue(&self, _placement: &Placement<'_>) -> Vec<QueuedPair> {
        Vec::new()
    }

    /// The hierarchy over the faces of a body; `None` where there are no faces, or no hierarchies.
    fn hierarchy(&self, _body: u32) -> Option<&Hierarchy> {
        None
    }
}
