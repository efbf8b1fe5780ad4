//! Contact history: states by key, transfer over flush surfaces, and sticking pairs.

pub(crate) mod carried;
pub(crate) mod handover;
pub(crate) mod sticking;
