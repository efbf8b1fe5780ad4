//! The two questions that every detector answers.

use crate::contact::Constraints;

use super::model::Configuration;
use super::report::{DetectionStatistics, Placement, QueuedPair};
use super::trajectory::{Flight, Impact};
use super::tree::hierarchy::Hierarchy;

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

/// The state of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Made for nothing yet.
    Fresh,
    /// Made for bodies that fly in closed form.
    Flight,
    /// Made for bodies that deform.
    Contact,
}

impl Phase {
    /// Goes over to another phase; whether it is a new one.
    pub fn enters(&mut self, phase: Self) -> bool {
        std::mem::replace(self, phase) != phase
    }
}
