//! Groups of coupled contacts, and the acceleration of their iterations.

pub(crate) mod connected;
pub(crate) mod momentum;
