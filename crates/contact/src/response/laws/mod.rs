//! Laws of contact: stiffness, damping and friction, and their values for pairs of bodies.

pub(crate) mod contact_laws;
pub(crate) mod damping;
pub(crate) mod friction;
pub(crate) mod pairs;
pub(crate) mod stiffness;
