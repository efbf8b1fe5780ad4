//! Phase, step limit, progress, first contacts and outcome of a run.

use serde::{Deserialize, Serialize};

use crate::dynamics::{Prescribed, PrescribedRotation};
use crate::math::Vec3;

use super::model::RigidSupport;

/// Phase of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Every body is at rest or moves rigidly in closed form, without stress and contact.
    Flight,
    Stepping,
    Relaxing,
}

impl Phase {
    /// Prescribed motion in this phase. In dynamic relaxation, all supports are fixed.
    pub fn motion(self, prescribed: &Prescribed) -> &Prescribed {
        if self == Self::Relaxing { &Prescribed::Fixed } else { prescribed }
    }

    /// Prescribed rotation of a rigid body in this phase; `None` if the rotation is fixed.
    pub fn rotation(self, support: &RigidSupport) -> Option<&PrescribedRotation> {
        support.rotation().filter(|_| self != Self::Relaxing)
    }
}

/// The first contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstContact {
    /// Indices of the two bodies, in ascending order.
    pub bodies: [u32; 2],
    /// Time of the first contact \[s\].
    pub time: f64,
    /// Contact point \[m\].
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Approach speed along the normal \[m/s\].
    pub normal_speed: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end time was reached.
    Finished,
    /// The caller stopped the run, after a complete step.
    Interrupted,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time \[s\].
    pub time: f64,
    /// Time at the end of the run \[s\].
    pub end: f64,
    /// Number of steps taken.
    pub step: u64,
    /// Number of steps taken outside flight.
    pub stable_steps: u64,
    /// Remaining time divided by the length of the last step outside flight \[-\]. If an event such as an impact or an
    /// output time cut this step, its length before the cut is used. Infinite before the first step outside flight.
    pub remaining_steps: f64,
    /// Last time step \[s\].
    pub time_step: f64,
    /// Number of contacts in the last step.
    pub contacts: usize,
    /// |Energy imbalance| + |net numerical work|, relative to the largest energy so far \[-\].
    pub energy_error: f64,
    /// Whether the run is in flight.
    pub in_flight: bool,
    /// Progress of the dynamic relaxation, during relaxation only.
    pub relaxation: Option<RelaxationProgress>,
}

/// Progress of a dynamic relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelaxationProgress {
    /// Kinetic energy, relative to its peak \[-\].
    pub share: f64,
    /// Largest `share` at which the bodies count as at rest \[-\].
    pub tolerance: f64,
    /// Number of consecutive steps at rest, divided by the number of such steps that ends the relaxation \[-\].
    pub part_done: f64,
}

/// The limit that determines the length of a time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepLimit {
    Flight,
    /// An impact, an exact output time, the end of the run, a kink or jump of a function, or
    /// [`Simulation::limit_step`](crate::Simulation::limit_step).
    Event,
    Scenario,
    /// The setting `flight_step`, which also limits steps outside flight.
    FlightStep,
    /// Bodies could penetrate by more than half the search depth in a longer step.
    Tunnelling,
    /// The critical step of the elements.
    Elements,
    /// The critical step of elements and contact springs together.
    Contact,
    /// The largest admissible displacement of a node of a rigid body.
    RigidMotion,
    /// The opening and closing of contacts, if contact springs are much stiffer than the elements.
    ContactSprings,
    /// The penetration of rigid bodies at rest on contact springs: the springs are stiffer in a shorter step.
    Rest,
}

impl StepLimit {
    /// All limits, in the order of the discriminants.
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

    /// Name of the limit in `steps.csv`.
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
