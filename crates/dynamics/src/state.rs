//! Kinematic state of the nodes.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::Vec3;

/// Kinematic state of all nodes at one instant.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct NodalState {
    /// Time \[s\].
    pub time: f64,
    /// Accurate sum of the step lengths, minus `time` \[s\] (compensated summation).
    pub time_remainder: f64,
    /// Number of steps taken.
    pub step: u64,
    /// Positions x \[m\].
    pub positions: Vec<Vec3>,
    /// Velocities v \[m/s\].
    pub velocities: Vec<Vec3>,
    /// Accelerations a \[m/s²\].
    pub accelerations: Vec<Vec3>,
}

clone_by_field!(NodalState { time, time_remainder, step, positions, velocities, accelerations });

impl NodalState {
    /// Nodes at rest at `positions` at t = 0.
    pub fn at_rest(positions: Vec<Vec3>) -> Self {
        let zeros = vec![Vec3::zeros(); positions.len()];
        Self {
            time: 0.0,
            time_remainder: 0.0,
            step: 0,
            positions,
            velocities: zeros.clone(),
            accelerations: zeros,
        }
    }

    /// Adds `time_step` \[s\] to the time, by compensated summation (Kahan, Communications of the ACM 8, 1965, p. 40).
    pub fn advance_time(&mut self, time_step: f64) {
        let added = time_step + self.time_remainder;
        let after = self.time + added;
        self.time_remainder = added - (after - self.time);
        self.time = after;
    }

    /// Sets the time to `instant` \[s\] if the two differ only by rounding.
    pub fn settle(&mut self, instant: f64) {
        if (instant - self.time - self.time_remainder).abs() <= 2.0 * f64::EPSILON * instant {
            (self.time, self.time_remainder) = (instant, 0.0);
        }
    }
}
