//! Random numbers, and random data of scenes.

use ictus::math::{Rotation, Vec3};

#[path = "../common/random.rs"]
mod generator;

pub use generator::Random;

impl Random {
    /// Uniform in \[−half, half).
    pub fn uniform(&mut self, half: f64) -> f64 {
        half * (2.0 * self.unit() - 1.0)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        0.5 * (low + high) + self.uniform(0.5 * (high - low))
    }

    pub fn vector(&mut self, half: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.uniform(half))
    }

    pub fn pick<T: Copy>(&mut self, entries: &[T]) -> T {
        entries[(self.uniform(1.0).abs() * entries.len() as f64) as usize]
    }

    /// Either the given value or a drawn value, with equal probability.
    pub fn either<T>(&mut self, value: T, drawn: impl FnOnce(&mut Self) -> T) -> T {
        if self.uniform(1.0) < 0.0 { value } else { drawn(self) }
    }

    /// A random rotation.
    pub fn turn(&mut self) -> Rotation {
        Rotation::from_scaled_axis(self.vector(3.0))
    }
}
