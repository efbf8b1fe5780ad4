//! The interface of all detectors.

mod options;

use serde::{Deserialize, Serialize};

use crate::Constraints;
use crate::math::Vec3;

use super::distance_field::DistanceFieldError;
use super::model::{Cells, Configuration, ContactModel};
use super::primitive::node_face::StartingPoint;
use super::report::{DetectionStatistics, Placement, QueuedPair};
use super::trajectory::{Flight, Impact, RootHistory};
use super::tree::hierarchy::Hierarchy;
pub use options::{DetectorOptions, EngineOptions, ProjectionNormal, SortingOptions};

/// State of a detector between steps, without caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DetectionMemory {
    /// Starting points of the closest-point searches in the next step, ascending by key. Empty if the searches do not
    /// start from the closest points of the previous step.
    pub starting_points: Vec<StartingPoint>,
    /// Bounding spheres of the hierarchy roots at the first instants of the flight; `None` if the detector uses no such
    /// spheres.
    pub first_steps: Option<RootHistory>,
}

/// Finds contact.
pub trait Detector: Send {
    /// First contact of two surfaces within the step `flight`; `None` without contact.
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact>;

    /// Replaces `constraints` by the constraints of the configuration.
    ///
    /// Called once per step of a contact phase, with ascending times. A call of [`Detector::first_impact`] ends the
    /// contact phase and begins a flight.
    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints);

    /// State for the next step.
    fn memory(&self) -> DetectionMemory;

    /// Discards all data of earlier configurations and continues from `memory`.
    fn start_from(&mut self, memory: &DetectionMemory);

    /// Accumulated statistics.
    fn statistics(&self) -> &DetectionStatistics;

    /// For each pair of bodies that can still touch, the two bounding volumes that the detector examines next, at the
    /// positions of the placement. Pairs are in ascending order. Empty for a detector without a queue of predicted
    /// contact times.
    fn top_of_queue(&self, _placement: &Placement<'_>) -> Vec<QueuedPair> {
        Vec::new()
    }

    /// The hierarchy over the faces of a body, if any.
    fn hierarchy(&self, _body: u32) -> Option<&Hierarchy> {
        None
    }
}

/// Bodies and options from which a detector is built.
pub struct DetectorSetup<'a> {
    /// Surfaces of the bodies, and the pairs that can touch.
    pub model: ContactModel,
    /// Options of all detectors.
    pub options: &'a DetectorOptions,
    /// Reference position of every node \[m\].
    pub positions: &'a [Vec3],
    /// Cells of each body.
    pub cells: &'a [Vec<Cells<'a>>],
}

/// A detector, or the first body whose distance field cannot be computed, and the reason.
pub type BuildResult<D> = Result<D, (u32, DistanceFieldError)>;

/// A detector that scenarios can name.
pub(crate) trait SelectableDetector: Detector + Sized {
    /// Builds the detector.
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Fresh,
    /// Bodies move rigidly in closed form.
    Flight,
    /// Bodies deform.
    Contact,
}

impl Phase {
    /// Switches to `phase`; returns whether the phase changed.
    pub fn enters(&mut self, phase: Self) -> bool {
        std::mem::replace(self, phase) != phase
    }
}
