//! All pairs of faces: the oracle of the tests and the baseline of the benches.

use std::time::Instant;

use crate::{Constraints, NodeOnSurface};

use crate::detection::detector::{BuildResult, DetectionMemory, Detector, DetectorSetup, SelectableDetector};
use crate::detection::model::{Candidate, Configuration, ContactModel, both_ways};
use crate::detection::primitive::edge_edge::{EdgeEdgeSearch, EdgePair};
use crate::detection::primitive::node_face::{NodeFaceOptions, NodeFaceSearch};
use crate::detection::report::DetectionStatistics;
use crate::detection::trajectory::{Flight, Impact};

/// Tests all pairs of bodies that can touch according to the model:
///
/// - flight: all pairs of faces of two different bodies
/// - contact phase, including self-contact: all node–face pairs, and all pairs of the edges that the model selects
///
/// Pairs that can never touch are omitted in the contact phase, for example a node and a face that contains it.
///
/// # Cost
/// Time is quadratic in the number of faces. In the contact phase, memory is also quadratic.
#[derive(Clone, Debug)]
pub struct AllPairs {
    model: ContactModel,
    options: NodeFaceOptions,
    candidates: Vec<Candidate>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
    collected: bool,
    statistics: DetectionStatistics,
}

impl AllPairs {
    /// A detector of contact between the surfaces of the model.
    pub fn new(model: ContactModel, options: NodeFaceOptions) -> Self {
        Self {
            model,
            options,
            candidates: Vec::new(),
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
            collected: false,
            statistics: DetectionStatistics::default(),
        }
    }

    fn collect_candidates(&mut self) {
        for bodies in self.model.pairs() {
            for [contactor, target] in both_ways(bodies) {
                let num_faces = self.model.surfaces[target as usize].num_faces() as u32;
                for &node in self.model.surfaces[contactor as usize].nodes() {
                    let key = NodeOnSurface { contactor: node, target };
                    let candidate = |face| Candidate::new(key, face, contactor);
                    let of_node = (0..num_faces).map(candidate);
                    self.candidates.extend(of_node.filter(|candidate| self.model.can_touch(candidate)));
                }
            }
        }
        self.candidates.sort_unstable();
        self.search.group(&self.candidates, &self.model, self.options.start);
        self.collect_edges();
        self.collected = true;
    }

    fn collect_edges(&mut self) {
        let Self { model, edges, .. } = self;
        let mut pairs = Vec::new();
        for bodies in model.pairs() {
            let [first, second] = bodies.map(|body| model.edges[body as usize].all());
            for (i, &a) in first.iter().enumerate() {
                let others = if bodies[0] == bodies[1] { &second[i + 1..] } else { second };
                pairs.extend(others.iter().filter_map(|&b| EdgePair::new(model, bodies, [a, b])));
            }
        }
        edges.set(model, pairs);
    }
}

impl SelectableDetector for AllPairs {
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self> {
        Ok(Self::new(setup.model, setup.options.engine.node_face))
    }
}

impl Detector for AllPairs {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let start = Instant::now();
        self.statistics.operated(flight.time, false);
        let mut first: Option<Impact> = None;
        for bodies in self.model.pairs().filter(|bodies| bodies[0] != bodies[1]) {
            let faces = bodies.map(|body| self.model.surfaces[body as usize].num_faces() as u32);
            for pair in (0..faces[0]).flat_map(|i| (0..faces[1]).map(move |j| [i, j])) {
                self.statistics.counts.primitive += 1;
                let impact = flight.impact_of_faces(&self.model, bodies, pair);
                first = Impact::earlier(first, impact);
            }
        }
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
        first
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        let start = Instant::now();
        if !self.collected {
            self.collect_candidates();
        }
        self.statistics.operated(configuration.time, true);
        self.statistics.counts.primitive += (self.candidates.len() + self.edges.num_candidates()) as u64;
        let Self { candidates, model, options, search, edges, .. } = self;
        search.find(candidates, model, *options, configuration.positions, constraints);
        edges.find(model, configuration.positions, constraints);
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }

    fn memory(&self) -> DetectionMemory {
        DetectionMemory { starting_points: self.search.starting_points(), first_steps: None }
    }

    fn start_from(&mut self, memory: &DetectionMemory) {
        self.candidates.clear();
        self.collected = false;
        self.search.start_from(&memory.starting_points);
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }
}
