//! Componentwise bounds of a vector field on a surface.

use crate::Surface;
use crate::math::Vec3;

use super::control_points::lebesgue_constant;
use crate::detection::volume::{Aabb, larger};

/// Lower and upper bound of each component of a vector field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    lower: Vec3,
    upper: Vec3,
}

impl Bounds {
    /// Bounds of an empty set of values.
    pub const EMPTY: Self = Self {
        lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Bounds of the value zero.
    pub const ZERO: Self = Self { lower: Vec3::new(0.0, 0.0, 0.0), upper: Vec3::new(0.0, 0.0, 0.0) };

    /// Bounds of the interpolant of nodal `values`. The interpolant leaves the range of `values` by at most the
    /// fraction `overshoot` of the width of this range.
    pub fn of(values: impl Iterator<Item = Vec3>, overshoot: f64) -> Self {
        let mut bounds = Self::EMPTY;
        for value in values {
            for k in 0..3 {
                bounds.lower[k] = -larger(-value[k], -bounds.lower[k]);
                bounds.upper[k] = larger(value[k], bounds.upper[k]);
            }
        }
        bounds.beyond(overshoot)
    }

    /// Extends the range of each component, on both sides, by `overshoot` times the width of the range.
    pub fn beyond(&self, overshoot: f64) -> Self {
        if overshoot == 0.0 {
            return *self;
        }
        let beyond = (self.upper - self.lower) * overshoot;
        Self { lower: self.lower - beyond, upper: self.upper + beyond }
    }

    /// Bounds of the sum of two fields.
    pub fn plus(&self, other: &Self) -> Self {
        Self { lower: self.lower + other.lower, upper: self.upper + other.upper }
    }

    /// Bounds extended by `margin` on every side.
    pub fn widened(&self, margin: f64) -> Self {
        Self { lower: self.lower.add_scalar(-margin), upper: self.upper.add_scalar(margin) }
    }

    /// Whether the bounds admit only the value zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.lower == Vec3::zeros() && self.upper == Vec3::zeros()
    }

    /// Middle of the bounds.
    pub fn middle(&self) -> Vec3 {
        (self.lower + self.upper) * 0.5
    }

    /// Upper bound on the absolute values of the components.
    pub fn greatest(&self) -> f64 {
        larger(self.lower.amax(), self.upper.amax())
    }

    /// Upper bound on the distance of two values of the field.
    pub fn extent(&self) -> f64 {
        (self.upper - self.lower).norm()
    }

    /// Upper bound on |a − b| for values a of this field and b of another.
    pub fn greatest_distance(&self, other: &Self) -> f64 {
        (self.upper - other.lower).sup(&(other.upper - self.lower)).norm()
    }

    /// Box that contains the points of the box `bounds` after displacements by values of the field.
    pub fn displace(&self, bounds: &Aabb) -> Aabb {
        Aabb { lower: bounds.lower + self.lower, upper: bounds.upper + self.upper }
    }

    /// Bounds that hold for both fields.
    pub fn union(&self, other: &Self) -> Self {
        Self { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// Upper bound on |a_k − b_k| for values a of this field and b of another, for any component k.
    pub fn greatest_difference(&self, other: &Self) -> f64 {
        (self.upper - other.lower).max().max((other.upper - self.lower).max())
    }
}

/// max −Σ min(N_a(ξ), 0) over all points ξ of all faces, with the shape functions N_a. Interpolated values leave the
/// range of the nodal values by at most this fraction of the width of the range.
pub(crate) fn overshoot(surface: &Surface) -> f64 {
    let kinds = (0..surface.num_faces()).map(|face| surface.face(face).0);
    kinds.map(|kind| 0.5 * (lebesgue_constant(kind) - 1.0)).fold(0.0, f64::max)
}
