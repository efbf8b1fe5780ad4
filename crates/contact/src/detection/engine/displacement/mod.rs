//! Bounds on the displacements in a step, and the travel: the sum of bounds over the steps since its last restart.

mod steps;
mod travel;

pub(super) use steps::{Steps, bounds_of_chunks};
pub(super) use travel::Travel;
