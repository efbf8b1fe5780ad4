//! A measure of deformation.

use serde::{Deserialize, Serialize};

/// Deformation of a set of elements.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Shape {
    smallest_jacobian: f64,
    /// Estimate of the root-mean-square strain over the volume.
    mean_strain: f64,
}

/// Assumed ratio of the largest strain to the root-mean-square strain. With this value, no step exceeds the critical
/// step in `tests/verification/step_size.rs`.
const LARGEST_OVER_RMS_STRAIN: f64 = 4.0;

impl Shape {
    /// Undeformed state.
    pub const UNDEFORMED: Self = Self { smallest_jacobian: 1.0, mean_strain: 0.0 };

    /// Shape from the smallest J = det F and `relative_energy` = W/(μ V), with strain energy W, shear modulus μ and
    /// volume V. At small strain E, the energy density is at least μ |E|², so √`relative_energy` is at least the root
    /// mean square of |E|. In undeformed elements, rounding can make W negative; it then counts as zero.
    pub fn new(smallest_jacobian: f64, relative_energy: f64) -> Self {
        Self { smallest_jacobian, mean_strain: relative_energy.max(0.0).sqrt() }
    }

    /// The larger of two changes since `before`: relative decrease of the smallest J, and estimated largest change of
    /// strain.
    pub fn change_since(&self, before: &Self) -> f64 {
        let compression = 1.0 - self.smallest_jacobian / before.smallest_jacobian;
        compression.max(LARGEST_OVER_RMS_STRAIN * (self.mean_strain - before.mean_strain).abs())
    }
}
