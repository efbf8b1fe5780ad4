//! Sorting by binary space partition: the detector of Petőcz and Armero.
//!
//! ```text
//! sort      all surface nodes, called particles, into a binary tree over a box of all particles, the working space
//! traverse  the tree with the buffer zone of each body: the box of the body, widened by the search distance and
//!           a buffer b. If particles of other bodies are in this zone, traverse with the buffer zone of each face of
//!           the body; the particles in the zone of a face are its candidates
//! compute   closest point and gap of each candidate
//! ```
//! Sorting is repeated after n steps (`SortingOptions::every`), or earlier if a relative displacement exceeds the
//! buffer. The buffer is b = n Δt Δv, or larger ([`LEAST_BUFFER`]). Here Δt is the time step, and Δv the largest
//! difference of two nodal velocities along an axis. Velocities are the displacements of the last step divided by Δt.
//! Each surface is contactor and target (two-pass contact). In flight the detector uses [`Buckets`], because the report
//! of Petőcz and Armero has no method for flight.
//!
//! # Source
//! Petőcz & Armero, report UCB/SEMM-98/06, 1998, §3 and Table 1.

mod particle_tree;

use std::time::Instant;

use rayon::prelude::*;

use crate::detection::detector::{
    BuildResult, DetectionMemory, Detector, DetectorOptions, DetectorSetup, SelectableDetector,
    SortingOptions,
};
use crate::detection::face::bounds::Bounds;
use crate::detection::model::{Candidate, Configuration, ContactModel};
use crate::detection::primitive::edge_edge::{EdgeEdgeSearch, EdgePair, bounds_of_edge};
use crate::detection::primitive::node_face::{NodeFaceOptions, NodeFaceSearch};
use crate::detection::report::{DetectionStatistics, Stage, StageClock};
use crate::detection::trajectory::{Flight, Impact};
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::{Constraints, NodeOnSurface};

use super::Buckets;
use super::sorted_body::{SortedBody, box_of_points};
use particle_tree::ParticleTree;

/// Rounding of compared distances, relative to the distances.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Least buffer, relative to the smallest search depth of all bodies.
const LEAST_BUFFER: f64 = 1.0 / 64.0;

/// The sorting detector.
pub struct Sorting {
    model: ContactModel,
    node_face: NodeFaceOptions,
    options: SortingOptions,
    /// Finds the impacts in flight.
    flights: Buckets,
    tree: ParticleTree,
    /// Node and body of each particle.
    particles: Vec<[u32; 2]>,
    /// Particle positions at the last sorting \[m\].
    positions: Vec<Vec3>,
    bodies: Vec<SortedBody>,
    /// Buffer b \[m\].
    buffer: f64,
    /// Steps since the last sorting, and number of sortings left in the present working space. `None` before the first
    /// sorting and after a flight.
    age: Option<[u32; 2]>,
    candidates: Vec<Candidate>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    statistics: DetectionStatistics,
}

impl Sorting {
    /// A detector of contact between the surfaces of the model. In flight, the detector uses the median edge length of
    /// each surface at the nodal positions `positions` \[m\].
    pub fn new(
        model: ContactModel,
        node_face: NodeFaceOptions,
        options: SortingOptions,
        positions: &[Vec3],
    ) -> Self {
        let particles_of = |(body, surface): (u32, &crate::Surface)| {
            surface.nodes().iter().map(|&node| [node, body]).collect::<Vec<_>>()
        };
        let particles: Vec<[u32; 2]> = (0..).zip(&model.surfaces).flat_map(particles_of).collect();
        Self {
            flights: Buckets::new(model.clone(), node_face, positions),
            tree: ParticleTree::default(),
            positions: vec![Vec3::zeros(); particles.len()],
            particles,
            bodies: model.surfaces.iter().map(SortedBody::new).collect(),
            buffer: 0.0,
            age: None,
            candidates: Vec::new(),
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
            statistics: DetectionStatistics::default(),
            model,
            node_face,
            options,
        }
    }

    /// Counts a step. Returns whether no sorting is due: the last sorting is less than `SortingOptions::every` steps
    /// ago, and no relative displacement along an axis since then exceeds the buffer.
    fn holds(&mut self, positions: &[Vec3]) -> bool {
        let Some([steps, _]) = &mut self.age else { return false };
        *steps += 1;
        if *steps >= self.options.every {
            return false;
        }
        let bodies = self.bodies.par_iter_mut().zip(&self.model.surfaces);
        bodies.for_each(|(body, surface)| body.update(surface, positions));
        let all = self.bodies.iter().map(|body| body.displacement).reduce(|a, b| a.union(&b));
        all.is_none_or(|all| all.greatest_difference(&all) <= self.buffer)
    }

    fn sort(&mut self, configuration: &Configuration<'_>) {
        let bodies = self.bodies.par_iter_mut().zip(&self.model.surfaces);
        bodies.for_each(|(body, surface)| body.sort(surface, configuration));
        let all = self.bodies.iter().map(|body| body.step).reduce(|a, b| a.union(&b));
        let per_step = all.map_or(0.0, |all: Bounds| all.greatest_difference(&all));
        let least_depth = self.model.search_depths.iter().copied().fold(f64::INFINITY, f64::min);
        let least = if least_depth.is_finite() { LEAST_BUFFER * least_depth } else { 0.0 };
        self.buffer = (f64::from(self.options.every) * per_step).max(least);
        for (position, [node, _]) in self.positions.iter_mut().zip(&self.particles) {
            *position = configuration.positions[*node as usize];
        }
        let sortings = self.age.map_or(0, |[_, sortings]| sortings);
        let (space, sortings) = match self.tree.space() {
            Some(space) if sortings > 0 && self.positions.iter().all(|position| space.contains(position)) => {
                (*space, sortings)
            }
            _ => (box_of_points(self.positions.iter()), self.options.space_every),
        };
        self.tree.sort(space, &self.positions);
        self.age = Some([0, sortings - 1]);
    }

    /// Lists the candidates and the pairs of near edges. Returns the number of visited cells of the tree.
    fn list_candidates(&mut self, positions: &[Vec3]) -> u64 {
        let mut tests = 0;
        self.candidates.clear();
        for body in 0..self.model.surfaces.len() as u32 {
            if self.model.surfaces[body as usize].num_faces() > 0 {
                tests += self.traverse(body);
            }
        }
        self.candidates.sort_unstable();
        self.search.group(&self.candidates, &self.model, self.node_face.start);
        let pairs = self.near_edges(positions);
        self.edges.set(&self.model, pairs);
        tests
    }

    /// Lists the candidates of the faces of a body. Returns the number of visited cells of the tree.
    fn traverse(&mut self, body: u32) -> u64 {
        let widest = self.model.offsets.iter().copied().fold(0.0, f64::max);
        let depth = self.model.search_depths[body as usize] + self.model.offset_of(body) + widest;
        let longest = (depth + self.buffer) * (1.0 + ROUNDING);
        let Self { model, tree, particles, positions, bodies, candidates, buffer, .. } = self;
        let SortedBody { faces, bounds, .. } = &bodies[body as usize];
        let can_touch = |other: u32| other != body && model.can_meet([body.min(other), body.max(other)]);
        let mut is_near = false;
        let mut visited = tree.visit(&bounds.widened(longest), positions, |particle| {
            is_near |= can_touch(particles[particle as usize][1]);
        });
        for (face, bounds) in (0..).zip(faces).filter(|_| is_near) {
            visited += tree.visit(&bounds.widened(longest), positions, |particle| {
                let [node, other] = particles[particle as usize];
                let reach = reach(model, [other, body], *buffer);
                if can_touch(other) && bounds.widened(reach).contains(&positions[particle as usize]) {
                    let key = NodeOnSurface { contactor: node, target: body };
                    candidates.push(Candidate::new(key, face, other));
                }
            });
        }
        visited
    }

    /// Pairs of edges of two bodies whose edge boxes overlap. Before this test, the boxes of the second body are
    /// widened by the search distance plus the buffer.
    fn near_edges(&self, positions: &[Vec3]) -> Vec<EdgePair> {
        let boxes: Vec<Vec<Aabb>> = (0..)
            .zip(&self.model.surfaces)
            .map(|(body, surface)| {
                let edges = self.model.edges[body as usize].all().iter();
                edges.map(|&edge| bounds_of_edge(surface, edge, positions)).collect()
            })
            .collect();
        let mut pairs = Vec::new();
        let with_edges = |body: &u32| !boxes[*body as usize].is_empty();
        let bodies: Vec<u32> = (0..boxes.len() as u32).filter(with_edges).collect();
        for (place, &first) in bodies.iter().enumerate() {
            for &second in &bodies[place + 1..] {
                let reach = reach(&self.model, [first, second], self.buffer);
                let zone = self.bodies[second as usize].bounds.widened(reach);
                if !self.model.can_meet([first, second]) || zone.excludes(&self.bodies[first as usize].bounds)
                {
                    continue;
                }
                let of_second: Vec<Aabb> =
                    boxes[second as usize].iter().map(|bounds| bounds.widened(reach)).collect();
                let edges = [first, second].map(|body| self.model.edges[body as usize].all());
                for (&edge, bounds) in edges[0].iter().zip(&boxes[first as usize]) {
                    if zone.excludes(bounds) {
                        continue;
                    }
                    let near = edges[1].iter().zip(&of_second).filter(|(_, other)| !other.excludes(bounds));
                    pairs.extend(near.filter_map(|(&other, _)| {
                        EdgePair::new(&self.model, [first, second], [edge, other])
                    }));
                }
            }
        }
        pairs
    }
}

/// Length by which the box of a face or edge is widened \[m\]. Only nodes in the widened box can touch the face before
/// the next sorting.
fn reach(model: &ContactModel, bodies: [u32; 2], buffer: f64) -> f64 {
    (model.search_distance(bodies) + buffer) * (1.0 + ROUNDING)
}

impl SelectableDetector for Sorting {
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self> {
        let DetectorOptions { engine, sorting, .. } = setup.options;
        Ok(Self::new(setup.model, engine.node_face, *sorting, setup.positions))
    }
}

impl Detector for Sorting {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        self.age = None;
        self.flights.first_impact(flight)
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        let mut clock = StageClock::start(Stage::Monitor);
        let holds = self.holds(configuration.positions);
        self.statistics.counts.monitor += self.model.surfaces.len() as u64;
        if !holds {
            clock.enter(Stage::Update, &mut self.statistics.seconds);
            self.statistics.operated(configuration.time, true);
            self.sort(configuration);
            self.statistics.counts.update += 1;
            clock.enter(Stage::Overlap, &mut self.statistics.seconds);
            self.statistics.counts.overlap += self.list_candidates(configuration.positions);
        }
        clock.stop(&mut self.statistics.seconds);
        let start = Instant::now();
        let Self { candidates, model, node_face, search, edges, .. } = self;
        search.find(candidates, model, *node_face, configuration.positions, constraints);
        edges.find(model, configuration.positions, constraints);
        self.statistics.counts.primitive += (self.candidates.len() + self.edges.num_candidates()) as u64;
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }

    fn memory(&self) -> DetectionMemory {
        DetectionMemory { starting_points: self.search.starting_points(), first_steps: None }
    }

    fn start_from(&mut self, memory: &DetectionMemory) {
        self.age = None;
        self.flights.start_from(&DetectionMemory::default());
        self.search.start_from(&memory.starting_points);
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }
}
