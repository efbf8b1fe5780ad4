//! Reproducible random samples for the tests of detection.

use crate::math::Vec3;

/// A generator of pseudo-random numbers: SplitMix64 (Steele, Lea & Flood 2014).
pub struct Samples(u64);

impl Samples {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in \[low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 * (0.5 * f64::EPSILON)
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
