//! Bounding volumes and their exclusion tests.

mod sphere;

pub use sphere::Sphere;
