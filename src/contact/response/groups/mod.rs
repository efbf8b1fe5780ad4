//! Groups of contacts that act on each other through their bodies, and how unknowns of a group are found together.

pub(crate) mod connected;
pub(crate) mod momentum;
