//! Level 1: predicted trajectories of bounding spheres, and their times of contact.

pub mod bounding_spheres;
mod flight;

pub use flight::{Flight, Impact};
