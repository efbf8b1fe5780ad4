//! Bounds on the displacements in a step, and the sums of these bounds over the steps since the last restart.

mod steps;
mod travel;

pub(super) use steps::{Steps, bounds_of_chunks};
pub(super) use travel::Travel;
