//! Laws of contact (stiffness, damping and friction), their values for pairs of bodies, and the settings of responses.

pub(crate) mod contact_laws;
pub(crate) mod damping;
pub(crate) mod friction;
pub(crate) mod pairs;
pub(crate) mod setup;
pub(crate) mod stiffness;
