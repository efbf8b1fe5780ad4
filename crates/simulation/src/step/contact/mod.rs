//! Contact within a step.

pub(crate) mod at_middle;
pub(crate) mod response;
