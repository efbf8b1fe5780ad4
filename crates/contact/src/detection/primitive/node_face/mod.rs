//! From candidate pairs of a contactor node and a target face to contact constraints.

mod batch;
mod closest_faces;
mod options;
mod penetration;
mod search;
mod target_face;
mod tied;

pub use options::{NodeFaceOptions, StartFrom, StartingPoint};
pub(crate) use penetration::STRAIGHT;
pub(crate) use search::NodeFaceSearch;

#[cfg(test)]
mod tests;
