//! Displacements of a step and their sums.

mod steps;
mod travel;

pub(super) use steps::{Steps, in_pieces};
pub(super) use travel::Travel;
