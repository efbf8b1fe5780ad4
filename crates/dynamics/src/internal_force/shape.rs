//! A measure of deformation, to detect its changes.

use serde::{Deserialize, Serialize};

/// Deformation of a set of elements.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Shape {
    smallest_jacobian: f64,
    mean_strain: f64,
}

/// Assumed ratio of the largest strain to the root-mean-square strain over the elements. With this ratio, no step of a
/// crushed block or rubber ball exceeds the critical step (`tests/verification/step_size.rs`).
const LARGEST_OVER_RMS_STRAIN: f64 = 4.0;

impl Shape {
    /// Undeformed state.
    pub const UNDEFORMED: Self = Self { smallest_jacobian: 1.0, mean_strain: 0.0 };

    /// Shape from the smallest J = det F and `relative_energy` = W/(μ V), with the strain energy W, the shear modulus μ
    /// and the volume V. At small strain W/V ≥ μ |E|², so the root of the ratio bounds the root-mean-square of |E|.
    pub fn new(smallest_jacobian: f64, relative_energy: f64) -> Self {
        Self { smallest_jacobian, mean_strain: relative_energy.max(0.0).sqrt() }
    }

    /// The larger of the relative decrease of the smallest J since `before`, and the estimated largest change of
    /// strain.
    pub fn change_since(&self, before: &Self) -> f64 {
        let compression = 1.0 - self.smallest_jacobian / before.smallest_jacobian;
        compression.max(LARGEST_OVER_RMS_STRAIN * (self.mean_strain - before.mean_strain).abs())
    }
}
