//! The interface of all detectors.

use serde::{Deserialize, Serialize};

use crate::contact::Constraints;

use super::model::Configuration;
use super::primitive::node_face::StartingPoint;
use super::report::{DetectionStatistics, Placement, QueuedPair};
use super::trajectory::{Flight, Impact, RootHistory};
use super::tree::hierarchy::Hierarchy;

/// What a detector takes from one step to the next, beyond caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DetectionMemory {
    /// Starting points of the closest-point searches of the next step, ascending; empty unless searches start from
    /// those of the step before.
    pub starting_points: Vec<StartingPoint>,
    /// Positions at the first instants of the present flight, where kinematics follow from them.
    pub first_steps: Option<RootHistory>,
}

/// Finds contact.
pub trait Detector: Send {
    /// In flight: the first instant within the flight at which two surfaces touch; `None` if excluded.
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact>;

    /// Replaces `constraints` by those of all penetrated contactor nodes in this configuration.
    ///
    /// Called once per step, with ascending times; a call to [`Detector::first_impact`] in between restarts the contact
    /// phase.
    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints);

    /// What the next step takes from the steps before.
    fn memory(&self) -> DetectionMemory;

    /// Discards all that is kept from earlier configurations, and takes this memory instead.
    fn start_from(&mut self, memory: &DetectionMemory);

    /// Statistics so far.
    fn statistics(&self) -> &DetectionStatistics;

    /// For each pair of bodies, ascending, the two bounding volumes of its next event at their current positions; pairs
    /// that cannot touch any more are left out, and a detector without a queue returns nothing.
    fn top_of_queue(&self, _placement: &Placement<'_>) -> Vec<QueuedPair> {
        Vec::new()
    }

    /// The hierarchy over the faces of a body; `None` without faces or without hierarchies.
    fn hierarchy(&self, _body: u32) -> Option<&Hierarchy> {
        None
    }
}

/// Phase of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Neither phase has begun.
    Fresh,
    /// Flight: bodies move rigidly in closed form.
    Flight,
    /// Contact: bodies deform.
    Contact,
}

impl Phase {
    /// Switches to a phase; returns whether it is a new one.
    pub fn enters(&mut self, phase: Self) -> bool {
        std::mem::replace(self, phase) != phase
    }
}
