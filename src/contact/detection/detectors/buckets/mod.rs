//! Detection by buckets: space cut into cells, faces looked up in the cell of a node.
//!
//! ```text
//! contact  nodes and faces of a pair of bodies sorted into the cells of the zone where they can touch:
//!          a node meets the faces in its own cell only ([`contact`])
//! flight   time cut into slices, first ones first, until bodies move about an edge in one:
//!          the boxes swept by their faces are sorted into cells ([`flight`])
//! ```
//! There is no hierarchy and, but for the spheres around whole bodies in flight, no prediction: far bodies are told
//! apart by their boxes, pair by pair, and a sorting holds until nodes have moved too far. What is found is the same,
//! to the last bit, as by [`AllPairs`](super::all_pairs::AllPairs).
//!
//! Limits: a look at every pair of bodies at each sorting; one cell size for a pair of surfaces, so that much false work is
//! left where the faces of one of them differ in size by orders of magnitude; and in flight a slice costs a look at all
//! faces of both bodies.
//!
//! Source: Benson & Hallquist, CMAME 78 (1990) 141–163, §4 (bucket sort); Aragón, Yastrebov & Molinari 2013, §5.2
//! (buckets of nodes and of elements on a grid).

mod cells;
mod contact;
mod flight;
mod tracked;

use crate::contact::{Constraints, NodeOnSurface};
use crate::math::Vec3;

use crate::contact::detection::detector::{Detector, Phase};
use crate::contact::detection::model::{Configuration, ContactModel};
use crate::contact::detection::primitive::node_face::NodeFaceOptions;
use crate::contact::detection::report::DetectionStatistics;
use crate::contact::detection::trajectory::{Flight, Impact};
use contact::ContactPhase;
use flight::FlightPhase;

/// The detector by buckets.
pub struct Buckets {
    model: ContactModel,
    /// Pairs of bodies that can touch.
    pairs: Vec<[u32; 2]>,
    options: NodeFaceOptions,
    phase: Phase,
    flight: FlightPhase,
    contact: ContactPhase,
    statistics: DetectionStatistics,
}

/// What is in the buckets of the nodes of one body and the faces of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridCensus {
    /// Body of the nodes, body of the faces.
    pub bodies: [u32; 2],
    /// How near a node has to be to the box of a face, along every axis \[m\].
    pub reach: f64,
    /// Cells along each axis.
    pub cells: [u32; 3],
    /// Cells that hold a node.
    pub node_buckets: usize,
    /// Cells that a face, widened by its reach, meets.
    pub face_buckets: usize,
    /// Pairs of a node and a face in the same cell.
    pub tests: u64,
    /// Those of them with the node in the box of the face, widened by its reach.
    pub candidates: usize,
    /// Nodes with a candidate.
    pub contactors: usize,
    /// Fewest and most candidates of a node that has some.
    pub faces_per_contactor: [usize; 2],
}

impl Buckets {
    /// A detector of contact between the surfaces of the model with all nodes at these positions, which are the
    /// reference positions of its flights.
    pub fn new(model: ContactModel, options: NodeFaceOptions, positions: &[Vec3]) -> Self {
        let pairs: Vec<[u32; 2]> = model.pairs().collect();
        let flight = FlightPhase::new(&model, pairs.len(), positions);
        let contact = ContactPhase::new(&model, pairs.len(), positions);
        let statistics = DetectionStatistics::default();
        Self { model, pairs, options, phase: Phase::Fresh, flight, contact, statistics }
    }

    /// What the last sorting in contact has found, for each pair of near bodies both ways.
    ///
    /// # Cost
    /// A pass over all cells that faces meet: not for every step.
    pub fn census(&self) -> Vec<GridCensus> {
        self.contact.census().collect()
    }

    /// Contactor node with target body, and face of the target, that the last sorting in contact has found to be near
    /// each other; ascending.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = (NodeOnSurface, u32)> {
        self.contact.candidates().iter().map(|candidate| (candidate.key, candidate.face))
    }
}

impl Detector for Buckets {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        if self.phase.enters(Phase::Flight) {
            self.begin_flight(flight);
        }
        let impact = self.fly(flight);
        if impact.is_some() {
            // What follows an impact is another flight: all that was predicted is void.
            self.phase = Phase::Fresh;
        }
        impact
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        if self.phase.enters(Phase::Contact) {
            self.contact.forget();
        }
        self.follow_contact(configuration);
        self.find_constraints(configuration, constraints);
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }
}
