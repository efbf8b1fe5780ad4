//! Groups of coupled contacts: the acceleration of their iterations, and couples that balance moments.

pub(crate) mod connected;
pub(crate) mod couple;
pub(crate) mod momentum;
