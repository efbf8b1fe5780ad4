//! Reproducible random numbers and vectors.

use ictus::math::Vec3;

#[path = "../../tests/common/random.rs"]
mod generator;

pub use generator::Random;

impl Random {
    /// Uniform in a cube about the origin.
    pub fn vector(&mut self, half: f64) -> Vec3 {
        Vec3::from_fn(|_, _| half * (2.0 * self.unit() - 1.0))
    }
}
