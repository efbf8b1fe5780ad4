//! Random numbers.

use ictus::math::{Rotation, Vec3};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// In \[−half, half\].
    pub fn uniform(&mut self, half: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        half * (2.0 * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 1.0)
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

    /// A value or one that is drawn, as often.
    pub fn either<T>(&mut self, value: T, drawn: impl FnOnce(&mut Self) -> T) -> T {
        if self.uniform(1.0) < 0.0 { value } else { drawn(self) }
    }

    /// About some axis.
    pub fn turn(&mut self) -> Rotation {
        Rotation::from_scaled_axis(self.vector(3.0))
    }
}
