//! Phase, step limit, progress, first contacts and outcome of a run.

use serde::{Deserialize, Serialize};

use crate::dynamics::{Prescribed, PrescribedRotation};
use crate::math::Vec3;

use super::model::RigidSupport;

/// Phase of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Rigid motion in closed form, free of stress and contact.
    Flight,
    /// Explicit time stepping.
    Stepping,
    /// Dynamic relaxation before t = 0.
    Relaxing,
}

impl Phase {
    /// Prescribed motion in this phase: supports are fixed in dynamic relaxation.
    pub fn motion(self, prescribed: &Prescribed) -> &Prescribed {
        if self == Self::Relaxing { &Prescribed::Fixed } else { prescribed }
    }

    /// Prescribed rotation of a rigid body in this phase.
    pub fn rotation(self, support: &RigidSupport) -> Option<&PrescribedRotation> {
        support.rotation().filter(|_| self != Self::Relaxing)
    }
}

/// The first contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstContact {
    /// The bodies, first < second.
    pub bodies: [u32; 2],
    /// Time of the first contact \[s\].
    pub time: f64,
    /// Contact point \[m\].
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Closing speed along the normal \[m/s\].
    pub normal_speed: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end time was reached.
    Finished,
    /// Stopped by the caller, after a complete step.
    Interrupted,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time \[s\].
    pub time: f64,
    /// Time at the end of the run \[s\].
    pub end: f64,
    /// Steps taken.
    pub step: u64,
    /// Steps outside flight among them.
    pub stable_steps: u64,
    /// Remaining time over the last step that no output or end time has cut; infinite before the first step outside
    /// flight \[-\].
    pub remaining_steps: f64,
    /// Last time step \[s\].
    pub time_step: f64,
    /// Active contacts.
    pub contacts: usize,
    /// |Energy imbalance| + |net numerical work|, over the largest energy so far \[-\].
    pub energy_error: f64,
    /// Whether all bodies are in flight.
    pub in_flight: bool,
    /// Dynamic relaxation before t = 0, during it.
    pub relaxation: Option<RelaxationProgress>,
}

/// Progress of a dynamic relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelaxationProgress {
    /// Kinetic energy over its peak \[-\].
    pub share: f64,
    /// Share below which the bodies count as at rest \[-\].
    pub tolerance: f64,
    /// Steps at rest over those with which the relaxation ends, from 0 to 1.
    pub part_done: f64,
}

/// Limit of a time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepLimit {
    /// The `flight_step`, in flight.
    Flight,
    /// A due output, the end of the run, or a break of a function of time.
    Event,
    /// A fixed step of the scenario.
    Scenario,
    /// The `flight_step`, outside flight.
    FlightStep,
    /// Half the search depth of approaching bodies.
    Tunnelling,
    /// The critical step of the elements.
    Elements,
    /// The critical step with the frequencies of contact.
    Contact,
    /// The displacement of rigid bodies.
    RigidMotion,
    /// Stiff contact springs.
    ContactSprings,
    /// Rigid bodies that come to rest on springs.
    Rest,
}

impl StepLimit {
    /// All limits, in the order of their discriminants.
    pub const ALL: [Self; 10] = [
        Self::Flight,
        Self::Event,
        Self::Scenario,
        Self::FlightStep,
        Self::Tunnelling,
        Self::Elements,
        Self::Contact,
        Self::RigidMotion,
        Self::ContactSprings,
        Self::Rest,
    ];

    /// Its name in `steps.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Event => "event",
            Self::Scenario => "step",
            Self::FlightStep => "flight_step",
            Self::Tunnelling => "tunnelling",
            Self::Elements => "elements",
            Self::Contact => "contact",
            Self::RigidMotion => "rigid motion",
            Self::ContactSprings => "contact springs",
            Self::Rest => "rest",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_in_the_order_of_their_discriminants() {
        assert!(StepLimit::ALL.iter().enumerate().all(|(index, limit)| *limit as usize == index));
    }
}
