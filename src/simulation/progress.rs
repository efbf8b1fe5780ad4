//! Phase, progress, first contacts and outcome of a run.

use crate::math::Vec3;

/// Phase of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rigid motion in closed form, free of stress and contact.
    Flight,
    /// Explicit time stepping.
    Stepping,
}

/// The first contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Last time step \[s\].
    pub time_step: f64,
    /// Active contacts.
    pub contacts: usize,
    /// |Energy imbalance| + |net numerical work|, over the largest energy so far \[-\].
    pub energy_error: f64,
    /// Whether all bodies are in flight.
    pub in_flight: bool,
}
