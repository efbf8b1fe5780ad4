//! Level 1: times at which moving bounding spheres or boxes can first touch ([`bounding_spheres`], [`bounding_boxes`]).
//! The queue in `engine/flight` contains these times. [`Flight`] is a step of free flight and computes the impact of
//! two faces. The type [`RigidMotion`](crate::math::RigidMotion) describes the motion of a body.

pub mod bounding_boxes;
pub mod bounding_spheres;
mod flight;
mod root_motion;

pub use flight::{Flight, Impact, Kinematics};
pub use root_motion::RootHistory;
