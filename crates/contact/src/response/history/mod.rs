//! Contact history: states by key, transfer over flush surfaces, and sticking pairs of rigid bodies.

pub(crate) mod contact_history;
pub(crate) mod sticking;
pub(crate) mod transfer;
