//! The three-level engine: a priority queue of pairs of tree vertices, ordered by their predicted contact times.
//!
//! ```text
//! level 1  queue of (t*, vertex, vertex), with a predicted contact time t*; idle until the earliest t* is due
//! level 2  open the larger vertex of a due pair and predict the pairs with its children (flight); test pairs
//!          of faces, by default only pairs with a curved face, by the ladder of bounding volumes (contact)
//! level 3  time of impact of two faces (flight); closest point and signed gap of a node and a face (contact)
//! ```
//! In flight the spheres move in closed form, so that predictions stay valid until an impact ([`flight`]). In the
//! contact phase, bodies deform, and no prediction stays valid. Instead, the engine bounds the accumulated relative
//! displacement, called the travel. A list of near pairs is complete until the travel exceeds the skin of the list
//! ([`contact`]).
//!
//! # Source
//! Aragón & Molinari, CMAME 268 (2014), Algorithm 1. Additions in the sub-modules ensure that no contact is found late.

mod body_motion;
mod body_pair;
mod contact;
mod displacement;
mod flight;
mod flying;
mod list_update;
mod normal_cone;
mod patch_lists;
mod patches;
mod queue;
mod separation;
mod short_list;
mod top_of_queue;
mod traversal;

use std::time::Instant;

use rayon::prelude::*;

use crate::Constraints;
use crate::math::Vec3;

use super::detector::{
    BuildResult, DetectionMemory, Detector, DetectorSetup, EngineOptions, Phase, SelectableDetector,
};
use super::model::{Configuration, ContactModel};
use super::report::{DetectionStatistics, Placement, Prediction, QueuedPair, TreeStatistics};
use super::trajectory::{Flight, Impact, Kinematics};
use super::tree::hierarchy::Hierarchy;
use super::volume::{AdaptiveLadder, LadderUse};
use contact::ContactPhase;
use flight::FlightPhase;
use queue::{EventQueue, VertexPair};

/// The three-level detector.
pub struct Engine {
    model: ContactModel,
    options: EngineOptions,
    trees: Vec<Option<Hierarchy>>,
    /// Whether the volumes in the reference configuration are fitted. Only flights need these volumes.
    trees_are_fitted: bool,
    queue: EventQueue,
    phase: Phase,
    flight: FlightPhase,
    contact: ContactPhase,
    statistics: DetectionStatistics,
}

impl Engine {
    /// Builds the trees of all surfaces of the model. `positions` \[m\] are the positions of all nodes, equal to the
    /// reference positions of every flight.
    pub fn new(model: ContactModel, options: EngineOptions, positions: &[Vec3]) -> Self {
        let mut statistics = DetectionStatistics::default();
        let built: Vec<Option<(Hierarchy, f64)>> = model
            .surfaces
            .par_iter()
            .map(|surface| {
                let start = Instant::now();
                let tree = Hierarchy::build_with(options.builder, options.fit, surface, positions, 0.0)?;
                Some((tree, start.elapsed().as_secs_f64()))
            })
            .collect();
        for (body, built) in built.iter().enumerate() {
            if let Some((tree, seconds)) = built {
                statistics.trees.push(tree_statistics(body as u32, tree, *seconds));
            }
        }
        let trees = built.into_iter().map(|built| Some(built?.0)).collect();
        let ladder = match options.ladder_use {
            LadderUse::WhilePaying => AdaptiveLadder::new(&options.ladder),
            LadderUse::Always => AdaptiveLadder::fixed(&options.ladder),
        };
        let contact = ContactPhase::new(&model, ladder);
        let flight = FlightPhase::new(model.surfaces.len());
        let queue = EventQueue::default();
        let phase = Phase::Fresh;
        Self { model, options, trees, trees_are_fitted: false, queue, phase, flight, contact, statistics }
    }

    fn root_pair(&self, bodies: [u32; 2]) -> Option<VertexPair> {
        let root = |body: u32| self.trees[body as usize].as_ref().map(Hierarchy::root);
        Some(VertexPair { bodies, vertices: [root(bodies[0])?, root(bodies[1])?] })
    }

    /// Opens the larger vertex of a pair, or the only vertex with children; `None` for two leaves.
    fn open(&self, pair: VertexPair, sizes: [f64; 2]) -> Option<[VertexPair; 2]> {
        let children = |k: usize| {
            let tree = self.trees[pair.bodies[k] as usize].as_ref()?;
            tree.children(pair.vertices[k])
        };
        let (opened, children) = match (children(0), children(1)) {
            (None, None) => return None,
            (Some(first), Some(_)) if sizes[0] >= sizes[1] => (0, first),
            (Some(first), None) => (0, first),
            (_, Some(second)) => (1, second),
        };
        Some(children.map(|child| {
            let mut vertices = pair.vertices;
            vertices[opened] = child;
            VertexPair { vertices, ..pair }
        }))
    }

    fn faces(&self, pair: VertexPair) -> Option<[u32; 2]> {
        let face = |k: usize| self.trees[pair.bodies[k] as usize].as_ref()?.face(pair.vertices[k]);
        Some([face(0)?, face(1)?])
    }

    /// Earliest queue entry of each wanted pair of bodies, ascending by bodies.
    fn earliest_entries(&self, wanted: impl Fn([u32; 2]) -> bool) -> Vec<(f64, VertexPair)> {
        let mut entries: Vec<(f64, VertexPair)> =
            self.queue.entries().filter(|(_, pair)| wanted(pair.bodies)).collect();
        entries.par_sort_unstable_by(|a, b| {
            a.1.bodies.cmp(&b.1.bodies).then(a.0.total_cmp(&b.0)).then(a.1.cmp(&b.1))
        });
        entries.dedup_by_key(|(_, pair)| pair.bodies);
        entries
    }

    fn record_predictions(&mut self, predicted_at: f64, wanted: impl Fn([u32; 2]) -> bool) {
        for (time, pair) in self.earliest_entries(wanted) {
            let depth = |k: usize| {
                self.trees[pair.bodies[k] as usize].as_ref().map_or(0, |tree| tree.depth_of(pair.vertices[k]))
            };
            let depth = [depth(0), depth(1)];
            self.statistics.predictions.push(Prediction { predicted_at, bodies: pair.bodies, depth, time });
        }
    }
}

fn tree_statistics(body: u32, tree: &Hierarchy, build_seconds: f64) -> TreeStatistics {
    let depths = tree.leaf_depths();
    TreeStatistics {
        body,
        leaves: tree.num_leaves_below(tree.root()) as usize,
        min_depth: depths.min,
        mean_depth: depths.mean,
        max_depth: depths.max,
        sum_of_volumes: tree.sum_of_volumes(),
        build_seconds,
    }
}

impl SelectableDetector for Engine {
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self> {
        Ok(Self::new(setup.model, setup.options.engine.clone(), setup.positions))
    }
}

impl Detector for Engine {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let (count, seconds) = (self.statistics.operated_times.len(), self.statistics.seconds);
        if self.phase.enters(Phase::Flight) {
            self.begin_flight(flight);
        }
        let impact = match self.options.kinematics {
            Kinematics::Exact => self.find_first_impact(flight),
            Kinematics::FromSteps => self.first_impact_from_steps(flight),
        };
        self.statistics.close_instants(count, &seconds);
        if impact.is_some() {
            // An impact changes the motions: all predictions become invalid.
            self.phase = Phase::Fresh;
        }
        impact
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        if self.phase.enters(Phase::Contact) {
            self.flight.resumed = None;
            self.begin_contact();
        }
        self.update_candidates(configuration);
        self.find_constraints(configuration, constraints);
    }

    fn memory(&self) -> DetectionMemory {
        let first_steps = match self.phase {
            Phase::Fresh => self.flight.resumed.clone(),
            Phase::Flight => self.flight.first_steps(),
            Phase::Contact => None,
        };
        DetectionMemory { starting_points: self.contact.starting_points(), first_steps }
    }

    fn start_from(&mut self, memory: &DetectionMemory) {
        self.begin_contact();
        self.contact.start_from(&memory.starting_points);
        self.flight.resumed.clone_from(&memory.first_steps);
        self.phase = if memory.starting_points.is_empty() { Phase::Fresh } else { Phase::Contact };
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }

    fn top_of_queue(&self, placement: &Placement<'_>) -> Vec<QueuedPair> {
        self.place_top_of_queue(placement)
    }

    fn hierarchy(&self, body: u32) -> Option<&Hierarchy> {
        self.trees.get(body as usize)?.as_ref()
    }
}
