//! Reproducible random samples for the tests of detection.

use crate::math::Vec3;
use crate::random::Random;

/// Samples of numbers, vectors and entries.
pub struct Samples(Random);

impl Samples {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(Random(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in \[low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.unit()
    }

    /// Uniform in the cube \[−half, half)³.
    pub fn vector(&mut self, half: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.uniform(-half, half))
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector(1.0);
            if v.norm_squared() > 1e-4 && v.norm_squared() <= 1.0 {
                return v.normalize();
            }
        }
    }

    /// One of the entries, with equal probability.
    pub fn pick<T: Copy>(&mut self, entries: &[T]) -> T {
        entries[(self.bits() % entries.len() as u64) as usize]
    }
}
