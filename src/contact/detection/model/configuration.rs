//! The bodies at the end of a predictor step.

use crate::math::Vec3;

/// Where the nodes are at the end of a predictor step, and the velocities that took them there.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time of the positions \[s\].
    pub time: f64,
    /// Size of the step that led to them \[s\].
    pub time_step: f64,
    /// Position of every node \[m\].
    pub positions: &'a [Vec3],
    /// Velocity of every node over the step: its displacement since the positions of the step before, those that were
    /// asked for last, divided by the step \[m/s\].
    pub velocities: &'a [Vec3],
}
