//! Bucket search: a grid of cells gives the candidate faces of a node.
//!
//! ```text
//! contact  nodes and faces of two bodies are sorted into cells; a node is tested only against the faces in the
//!          cell of the node ([`contact`])
//! flight   the step is divided into slices of time until the relative displacement of two bodies in a slice is about
//!          an edge length; the boxes that the faces sweep in a slice are sorted into cells ([`flight`])
//! ```
//! The results are equal to [`AllPairs`](super::all_pairs::AllPairs) to the last bit.
//!
//! # Limits
//! Every sorting loops over all pairs of bodies. Each grid has one cell size: if face sizes differ much, nodes are
//! tested against many distant faces. In flight, each slice costs a pass over all faces of the two bodies.
//!
//! # Source
//! Benson & Hallquist, CMAME 78 (1990) 141–163, §4 (bucket sort); Aragón, Yastrebov & Molinari 2013, §5.2 (buckets of
//! nodes and of elements on a grid).

mod cells;
mod contact;
mod flight;

use crate::math::Vec3;
use crate::{Constraints, NodeOnSurface};

use crate::detection::detector::{
    BuildResult, DetectionMemory, Detector, DetectorSetup, Phase, SelectableDetector,
};
use crate::detection::model::{Configuration, ContactModel};
use crate::detection::primitive::node_face::NodeFaceOptions;
use crate::detection::report::DetectionStatistics;
use crate::detection::trajectory::{Flight, Impact};
use contact::ContactPhase;

use flight::FlightPhase;

pub use contact::GridCensus;

/// The bucket detector.
pub struct Buckets {
    model: ContactModel,
    pairs: Vec<[u32; 2]>,
    options: NodeFaceOptions,
    phase: Phase,
    flight: FlightPhase,
    contact: ContactPhase,
    statistics: DetectionStatistics,
}

impl Buckets {
    /// A detector of contact between the surfaces of the model. The median edge length of each surface is measured at
    /// the nodal positions `positions` \[m\].
    pub fn new(model: ContactModel, options: NodeFaceOptions, positions: &[Vec3]) -> Self {
        let pairs: Vec<[u32; 2]> = model.pairs().collect();
        let flight = FlightPhase::new(&model, pairs.len(), positions);
        let contact = ContactPhase::new(&model, pairs.len(), positions);
        let statistics = DetectionStatistics::default();
        Self { model, pairs, options, phase: Phase::Fresh, flight, contact, statistics }
    }

    /// Statistics of the latest sorting in the contact phase. Two bodies near enough to touch before the next sorting
    /// have two entries, one with each body as the contactor. A body in self-contact has one entry.
    ///
    /// # Cost
    /// A pass over all cells of the grids.
    pub fn census(&self) -> Vec<GridCensus> {
        self.contact.census().collect()
    }

    /// All candidates of the latest sorting in the contact phase, ascending. Each item consists of the key (contactor
    /// node and target body) and the target face.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = (NodeOnSurface, u32)> {
        self.contact.candidates().iter().map(|candidate| (candidate.key, candidate.face))
    }
}

impl SelectableDetector for Buckets {
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self> {
        Ok(Self::new(setup.model, setup.options.engine.node_face, setup.positions))
    }
}

impl Detector for Buckets {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        if self.phase.enters(Phase::Flight) {
            self.begin_flight(flight);
        }
        let impact = self.find_first_impact(flight);
        if impact.is_some() {
            // An impact changes the motions: the times predicted by `begin_flight` no longer hold.
            self.phase = Phase::Fresh;
        }
        impact
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        if self.phase.enters(Phase::Contact) {
            self.contact.reset();
        }
        self.update_candidates(configuration);
        self.find_constraints(configuration, constraints);
    }

    fn memory(&self) -> DetectionMemory {
        DetectionMemory { starting_points: self.contact.starting_points(), first_steps: None }
    }

    fn start_from(&mut self, memory: &DetectionMemory) {
        self.contact.reset();
        self.contact.start_from(&memory.starting_points);
        self.phase = if memory.starting_points.is_empty() { Phase::Fresh } else { Phase::Contact };
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }
}
