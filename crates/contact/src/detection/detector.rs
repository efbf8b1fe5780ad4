//! The interface of all detectors.

use serde::{Deserialize, Serialize};

use crate::Constraints;

use super::model::Configuration;
use super::primitive::node_face::StartingPoint;
use super::report::{DetectionStatistics, Placement, QueuedPair};
use super::trajectory::{Flight, Impact, RootHistory};
use super::tree::hierarchy::Hierarchy;

/// State of a detector between steps, without caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DetectionMemory {
    /// Starting points of the closest-point searches in the next step, ascending by key. The list is empty unless the
    /// detector starts searches from the closest points of the previous step.
    pub starting_points: Vec<StartingPoint>,
    /// Bounding spheres of the hierarchy roots at the first instants of the current flight. `None` unless the detector
    /// estimates the motion of flights from these spheres.
    pub first_steps: Option<RootHistory>,
}

/// Finds contact.
pub trait Detector: Send {
    /// First contact of two surfaces within a step of flight; `None` if no surfaces touch in this step.
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact>;

    /// Replaces `constraints` by the constraints of this configuration.
    ///
    /// Called once per step, with ascending times. A call to [`Detector::first_impact`] ends the contact phase; the
    /// next call of this function begins another one.
    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints);

    /// State for the next step.
    fn memory(&self) -> DetectionMemory;

    /// Discards all data of earlier configurations, and continues from `memory`.
    fn start_from(&mut self, memory: &DetectionMemory);

    /// Accumulated statistics.
    fn statistics(&self) -> &DetectionStatistics;

    /// For each pair of bodies, in ascending order: the two bounding volumes of the next event in the queue, at their
    /// current positions. Pairs that can no longer touch are omitted. Empty for a detector without a queue.
    fn top_of_queue(&self, _placement: &Placement<'_>) -> Vec<QueuedPair> {
        Vec::new()
    }

    /// The hierarchy over the faces of a body; `None` if the body has no faces or the detector uses no hierarchies.
    fn hierarchy(&self, _body: u32) -> Option<&Hierarchy> {
        None
    }
}

/// Phase of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Before the first flight or contact phase.
    Fresh,
    /// Flight: bodies move rigidly in closed form.
    Flight,
    /// Contact: bodies deform.
    Contact,
}

impl Phase {
    /// Switches to a phase; returns whether the phase changed.
    pub fn enters(&mut self, phase: Self) -> bool {
        std::mem::replace(self, phase) != phase
    }
}
