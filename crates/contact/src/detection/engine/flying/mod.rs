//! Trees in flight: their moving volumes, and kinematics from the first steps of the flight.

mod first_steps;
mod vertex_volumes;

pub(super) use first_steps::FirstSteps;
pub(super) use vertex_volumes::FlyingTrees;
