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

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use engine::{Engine, EngineOptions};
pub use flight::{Flight, Impact};
pub use node_face::{NodeFaceOptions, StartFrom};
pub use overlap::{Penetration, penetrations, self_crossings};
pub use queued_pair::{Placement, QueuedPair};
pub use statistics::{DetectionStatistics, Prediction, StageCounts, StageSeconds, TreeStatistics};

use crate::math::Vec3;

use super::{Constraints, Surface};
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

/// The surfaces of all bodies and which pairs of them may touch.
#[derive(Clone, Debug, Default)]
pub struct ContactModel {
    /// One surface per body, empty where the body touches nothing.
    pub surfaces: Vec<Surface>,
    /// Pairs of bodies that can touch, ascending, first < second; a body that can touch itself is a pair with itself.
    pub pairs: Vec<[u32; 2]>,
    /// How deep a node of either body may penetrate the other before the contact is lost \[m\], per pair.
    pub search_depths: Vec<f64>,
    /// Of the bodies that can touch themselves.
    walls: Walls,
}

impl ContactModel {
    /// All pairs of distinct bodies with faces, but for the `excluded` ones. The search depth of a pair is half
    /// the smaller of their two [`Surface::median_edge`]s at the given positions: a mesh of quadratic faces is searched
    /// as deep as the linear one on the same nodes.
    pub fn new(surfaces: Vec<Surface>, excluded: &[[u32; 2]], positions: &[Vec3]) -> Self {
        let sizes: Vec<f64> = surfaces.iter().map(|surface| surface.median_edge(positions)).collect();
        let pairs: Vec<[u32; 2]> = (0..surfaces.len() as u32)
            .flat_map(|i| (i + 1..surfaces.len() as u32).map(move |j| [i, j]))
            .filter(|pair| pair.iter().all(|&body| surfaces[body as usize].num_faces() > 0))
            .filter(|pair| !excluded.contains(pair))
            .collect();
        let search_depths =
            pairs.iter().map(|p| 0.5 * sizes[p[0] as usize].min(sizes[p[1] as usize])).collect();
        Self { surfaces, pairs, search_depths, walls: Walls::default() }
    }

    /// The same where these bodies, of those with faces, can also touch themselves. At `positions` \[m\] they are free of
    /// stress, and do not.
    ///
    /// # Cost
    /// For each of them a tree over its faces, and for each of its nodes a search in it.
    #[must_use]
    pub fn with_self_contact(mut self, bodies: &[u32], positions: &[Vec3]) -> Self {
        let mut bodies: Vec<u32> = bodies.to_vec();
        bodies.retain(|&body| self.surfaces[body as usize].num_faces() > 0);
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return self;
        }
        self.walls = Walls::new(self.surfaces.len(), positions);
        for body in bodies {
            let surface = &self.surfaces[body as usize];
            let depth = 0.5 * surface.median_edge(positions);
            self.walls.measure(body, surface, depth);
            let place = self.pairs.partition_point(|pair| *pair < [body, body]);
            self.pairs.insert(place, [body, body]);
            self.search_depths.insert(place, depth);
        }
        self
    }

    /// Whether a node and a face can touch as far as the configuration without stress tells.
    fn can_touch(&self, candidate: &Candidate) -> bool {
        let &Candidate { key, face, contactor_body, .. } = candidate;
        contactor_body != key.target
            || !self.walls.exclude(key.target, &self.surfaces[key.target as usize], key.contactor, face)
    }

    /// Depth at which the node of a candidate has left its target again \[m\].
    fn search_depth(&self, candidate: &Candidate) -> f64 {
        let depth = self.search_depths[candidate.pair as usize];
        if candidate.contactor_body == candidate.key.target {
            return depth.min(self.walls.deepest(candidate.key.contactor));
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
