//! Bodies that come to rest: mass damping, and dynamic relaxation before t = 0.

mod damping;
pub(crate) mod initial_motion;
pub(crate) mod relaxation;
