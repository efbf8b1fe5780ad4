//! Bounding volumes and their exclusion tests.

mod sphere;

pub use sphere::{Directions, Extremes, MinimumBall, Sphere, larger, rounded_up};
