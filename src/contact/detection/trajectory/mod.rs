//! Level 1: predicted trajectories of bounding spheres, and when two of them first touch.

pub mod bounding_spheres;
mod flight;

pub use flight::{Flight, Impact};
