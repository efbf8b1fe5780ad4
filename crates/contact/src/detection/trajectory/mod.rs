//! Level 1: times at which moving bounding spheres or boxes can first touch ([`bounding_spheres`], [`bounding_boxes`]),
//! and the state of a flight, with the exact impact of two faces ([`Flight`]). Motions are of the type
//! [`RigidMotion`](crate::math::RigidMotion). The predictions in `engine/flight` use the times of first contact.

pub mod bounding_boxes;
pub mod bounding_spheres;
mod flight;
mod root_motion;

pub use flight::{Flight, Impact, Kinematics};
pub use root_motion::RootHistory;
