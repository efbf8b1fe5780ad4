//! Displacements of a step and their sums.

mod steps;
mod travel;

pub(super) use steps::{Steps, bounds_of_chunks};
pub(super) use travel::Travel;
