//! Discrete orientation polytopes (DOP): intersections of slabs with fixed directions.
//!
//! The directions of Klosowski et al. 1998 are axes, space diagonals and face diagonals of a cube. In the plane, the
//! directions are the two axes and the two diagonals.
//!
//! Two polytopes are disjoint if their slabs of *at least one* direction are disjoint. Bounds are *signed* projections.
//! (Aragón & Molinari 2014, eqs. (8)–(11), print norms of the projections, and require all slab pairs to be disjoint.)

use std::f64::consts::SQRT_2;

use super::ROUNDING;
use crate::math::Vec3;

/// Length of a space diagonal of the unit cube.
const SQRT_3: f64 = 1.732_050_807_568_877_2;

/// A polytope of `SLABS` slabs α ≤ x·p ≤ β with the directions p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop<const SLABS: usize> {
    /// Bound α of each slab \[m\]: |p| times a signed distance from the origin.
    pub lower: [f64; SLABS],
    /// Bound β of each slab \[m\]: |p| times a signed distance from the origin.
    pub upper: [f64; SLABS],
}

/// Rectangle with cut corners in the plane z = 0: 8 sides. No direction separates along z.
pub type Dop8 = Dop<4>;
/// Box with cut corners: 14 sides.
pub type Dop14 = Dop<7>;
/// Box with cut edges: 18 sides.
pub type Dop18 = Dop<9>;
/// Box with cut corners and edges: 26 sides.
pub type Dop26 = Dop<13>;

/// Projections on (1,1,1), (1,1,−1), (1,−1,1), (1,−1,−1).
#[inline]
fn corners(x: &Vec3) -> [f64; 4] {
    let (sum, difference) = (x.x + x.y, x.x - x.y);
    [sum + x.z, sum - x.z, difference + x.z, difference - x.z]
}

/// Projections on (1,1,0), (1,−1,0), (1,0,1), (1,0,−1), (0,1,1), (0,1,−1).
#[inline]
fn edges(x: &Vec3) -> [f64; 6] {
    [x.x + x.y, x.x - x.y, x.x + x.z, x.x - x.z, x.y + x.z, x.y - x.z]
}

impl Dop8 {
    /// Smallest polytope that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward.
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        Self::fit_with(points, margin, &[1.0, 1.0, SQRT_2, SQRT_2], |x| [x.x, x.y, x.x + x.y, x.x - x.y])
    }
}

impl Dop14 {
    /// Smallest polytope that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward.
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        let lengths = [1.0, 1.0, 1.0, SQRT_3, SQRT_3, SQRT_3, SQRT_3];
        Self::fit_with(points, margin, &lengths, |x| {
            let [a, b, c, d] = corners(x);
            [x.x, x.y, x.z, a, b, c, d]
        })
    }
}

impl Dop18 {
    /// Smallest polytope that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward.
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        let lengths = [1.0, 1.0, 1.0, SQRT_2, SQRT_2, SQRT_2, SQRT_2, SQRT_2, SQRT_2];
        Self::fit_with(points, margin, &lengths, |x| {
            let [a, b, c, d, e, f] = edges(x);
            [x.x, x.y, x.z, a, b, c, d, e, f]
        })
    }
}

impl Dop26 {
    /// Smallest polytope that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward.
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        let mut lengths = [SQRT_2; 13];
        lengths[..3].fill(1.0);
        lengths[3..7].fill(SQRT_3);
        Self::fit_with(points, margin, &lengths, |x| {
            let ([a, b, c, d], [e, f, g, h, i, j]) = (corners(x), edges(x));
            [x.x, x.y, x.z, a, b, c, d, e, f, g, h, i, j]
        })
    }
}

impl<const SLABS: usize> Dop<SLABS> {
    #[inline]
    fn fit_with(
        points: &[Vec3],
        margin: f64,
        lengths: &[f64; SLABS],
        project: impl Fn(&Vec3) -> [f64; SLABS],
    ) -> Self {
        let mut dop = Self { lower: [f64::INFINITY; SLABS], upper: [f64::NEG_INFINITY; SLABS] };
        let mut magnitude = 0.0_f64;
        for point in points {
            magnitude = magnitude.max(point.x.abs() + point.y.abs() + point.z.abs());
            for (k, projection) in project(point).into_iter().enumerate() {
                dop.lower[k] = dop.lower[k].min(projection);
                dop.upper[k] = dop.upper[k].max(projection);
            }
        }
        // The terms of a projection may cancel, so its rounding error is relative to their magnitude, not to their sum.
        for (k, length) in lengths.iter().enumerate() {
            let slack = margin * length * (1.0 + ROUNDING) + ROUNDING * magnitude;
            dop.lower[k] -= slack;
            dop.upper[k] += slack;
        }
        dop
    }

    /// Whether the polytopes are certainly disjoint: the slabs of at least one direction are disjoint. The first three
    /// directions exclude most pairs and are tested without branches.
    #[inline]
    pub fn excludes(&self, other: &Self) -> bool {
        let apart = |k: usize| (self.lower[k] > other.upper[k]) | (other.lower[k] > self.upper[k]);
        (0..3).fold(false, |any, k| any | apart(k)) || (3..SLABS).fold(false, |any, k| any | apart(k))
    }
}
