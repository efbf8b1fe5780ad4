//! Reproducible random samples.

use ictus::math::{Rotation, Vec3};

#[path = "../common/random.rs"]
mod generator;

use generator::Random;

/// Samples of scenes.
pub struct Samples(Random);

impl Samples {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Random(seed.wrapping_mul(0xD134_2543_DE82_EF95)))
    }

    /// Uniform in \[low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.unit()
    }

    /// Between low and high; the logarithm is uniform.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.uniform(low.ln(), high.ln()).exp()
    }

    /// A whole number in low ..= high.
    pub fn integer(&mut self, low: usize, high: usize) -> usize {
        low + (self.0.bits() % (high - low + 1) as u64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform(0.0, 1.0) < probability
    }

    /// One of the entries, all with the same probability.
    pub fn pick<T: Copy>(&mut self, entries: &[T]) -> T {
        entries[self.integer(0, entries.len() - 1)]
    }
}

/// Vectors and rotations of space, or of the plane z = 0.
impl Samples {
    /// Uniform in the cube or square \[−half, half).
    pub fn vector(&mut self, half: f64, plane: bool) -> Vec3 {
        let vector = Vec3::from_fn(|_, _| self.uniform(-half, half));
        if plane { Vec3::new(vector.x, vector.y, 0.0) } else { vector }
    }

    /// A unit vector of random direction.
    pub fn direction(&mut self, plane: bool) -> Vec3 {
        loop {
            let v = self.vector(1.0, plane);
            if v.norm_squared() > 1e-4 && v.norm_squared() <= 1.0 {
                return v.normalize();
            }
        }
    }

    /// A random axis of rotation; the z axis if `plane`.
    pub fn axis(&mut self, plane: bool) -> Vec3 {
        if plane { Vec3::z() } else { self.direction(false) }
    }

    /// A random rotation.
    pub fn rotation(&mut self, plane: bool) -> Rotation {
        Rotation::from_scaled_axis(self.axis(plane) * self.uniform(-3.1, 3.1))
    }
}
