//! Laws of friction and damping.

pub(crate) mod damping;
pub(crate) mod friction;
