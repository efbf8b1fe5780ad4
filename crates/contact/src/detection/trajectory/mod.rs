//! Level 1: times at which moving bounding spheres or boxes can first touch ([`bounding_spheres`], [`bounding_boxes`]),
//! and the state of a flight, with the exact impact of two faces ([`Flight`]). Motions are
//! [`RigidMotion`](crate::math::RigidMotion)s; the engine uses these times for predictions in `engine/flight`.

pub mod bounding_boxes;
pub mod bounding_spheres;
mod flight;
mod root_motion;

pub use flight::{Flight, Impact, Kinematics};
pub use root_motion::RootHistory;
