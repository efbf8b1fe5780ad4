//! Level 1: times at which moving bounding spheres or boxes can first touch ([`bounding_spheres`], [`bounding_boxes`]).
//! The queue of `detection/engine/queue` contains these times.

pub mod bounding_boxes;
pub mod bounding_spheres;
mod flight;
mod root_motion;

pub use flight::{Flight, Impact, Kinematics};
pub use root_motion::RootHistory;
