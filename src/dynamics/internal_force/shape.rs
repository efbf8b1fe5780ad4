//! What is known of the deformation of some elements without asking each: enough to tell when it has changed.

/// Deformation of some elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    smallest_jacobian: f64,
    mean_strain: f64,
}

/// The largest strain of some elements over the root of its mean square, where few of many are strained. With it no step of
/// a crushed block or ball of rubber is past the critical one (`tests/verification/step_size.rs`).
const LARGEST_OVER_MEAN: f64 = 4.0;

impl Shape {
    /// The undeformed one.
    pub const UNDEFORMED: Self = Self { smallest_jacobian: 1.0, mean_strain: 0.0 };

    /// Of the smallest J = det F, and the strain energy over shear modulus and volume: at small strain W ≥ μ |E|², so its
    /// root is at least that of the mean of |E|². Of a state at rest rounding can make it negative.
    pub fn new(smallest_jacobian: f64, relative_energy: f64) -> Self {
        Self { smallest_jacobian, mean_strain: relative_energy.max(0.0).sqrt() }
    }

    /// The part of their volume that the most compressed elements have lost since, or about the largest change of strain,
    /// whichever is more.
    pub fn change_since(&self, before: &Self) -> f64 {
        let compression = 1.0 - self.smallest_jacobian / before.smallest_jacobian;
        compression.max(LARGEST_OVER_MEAN * (self.mean_strain - before.mean_strain).abs())
    }
}
