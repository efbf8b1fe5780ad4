//! Axis-aligned bounding boxes (AABB).

use super::ROUNDING;
use crate::math::Vec3;

/// Axis-aligned box: lower ≤ x ≤ upper in each component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates \[m\].
    pub lower: Vec3,
    /// Greatest coordinates \[m\].
    pub upper: Vec3,
}

impl Aabb {
    /// Smallest box that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward.
    #[inline]
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        let mut lower = Vec3::repeat(f64::INFINITY);
        let mut upper = Vec3::repeat(f64::NEG_INFINITY);
        for point in points {
            lower = lower.inf(point);
            upper = upper.sup(point);
        }
        let slack = |x: f64| margin + ROUNDING * x.abs();
        Self { lower: lower - lower.map(slack), upper: upper + upper.map(slack) }
    }

    /// Whether the boxes are certainly disjoint. Boxes that touch are not excluded.
    #[inline]
    pub fn excludes(&self, other: &Self) -> bool {
        // Six comparisons without a branch are slightly faster than comparisons in lanes.
        let (a, b) = (self, other);
        (a.lower.x > b.upper.x)
            | (a.lower.y > b.upper.y)
            | (a.lower.z > b.upper.z)
            | (b.lower.x > a.upper.x)
            | (b.lower.y > a.upper.y)
            | (b.lower.z > a.upper.z)
    }

    /// The box moved by a vector \[m\].
    #[inline(always)]
    pub fn moved(&self, by: &Vec3) -> Self {
        Self { lower: self.lower + by, upper: self.upper + by }
    }

    /// The box enlarged by `margin` \[m\] on every side.
    #[inline(always)]
    pub fn widened(&self, margin: f64) -> Self {
        Self { lower: self.lower.add_scalar(-margin), upper: self.upper.add_scalar(margin) }
    }

    /// Smallest box that contains both boxes.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// Intersection of two boxes; `None` if the boxes are disjoint.
    #[inline]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (lower, upper) = (self.lower.sup(&other.lower), self.upper.inf(&other.upper));
        (0..3).all(|k| lower[k] <= upper[k]).then_some(Self { lower, upper })
    }

    /// Whether a point is in the box or on its surface.
    #[inline]
    pub fn contains(&self, point: &Vec3) -> bool {
        (0..3).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }

    /// Vector from the nearest point of the box to `point`; zero for a point in the box.
    #[inline]
    pub fn offset(&self, point: &Vec3) -> Vec3 {
        point - point.inf(&self.upper).sup(&self.lower)
    }

    /// Length of the diagonal of the box \[m\].
    #[inline]
    pub fn diagonal(&self) -> f64 {
        (self.upper - self.lower).norm()
    }
}
