//! What a response remembers of a contact from step to step: its state by key, where it goes on over a seam, whether it
//! sticks.

pub(crate) mod carried;
pub(crate) mod handover;
pub(crate) mod sticking;
