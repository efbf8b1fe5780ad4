//! Closest points of two segments.

use super::segment::parameter;
use crate::math::Vec3;

/// Square of the sine of the angle below which segments count as nearly parallel, and all candidates are compared.
const NEARLY_PARALLEL: f64 = 1e-6;
/// Squared lengths, relative to their scale, that rounding cannot tell apart.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// Closest points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPair {
    /// Place on each segment: 0 at its first end, 1 at its second.
    pub parameters: [f64; 2],
    /// The point on each \[m\].
    pub points: [Vec3; 2],
    /// Square of their distance \[m²\].
    pub distance_squared: f64,
}

/// Closest points of the segments `a` and `b`, given by their ends.
///
/// Segments may be parallel or points. Where a stretch of parallel segments is equally close, its middle is
/// returned, which does not jump between the ends as the segments move.
///
/// # Source
/// Ericson 2005, *Real-Time Collision Detection*, §5.1.9; nearly parallel segments compare the free minimum with
/// the four ends, one of which holds the minimum if the free one is outside.
pub fn closest_points(a: &[Vec3; 2], b: &[Vec3; 2]) -> SegmentPair {
    let (d1, d2, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (length1, length2, cosine) = (d1.norm_squared(), d2.norm_squared(), d1.dot(&d2));
    let (along1, along2) = (d1.dot(&r), d2.dot(&r));
    let determinant = length1 * length2 - cosine * cosine;
    if determinant.is_nan() || determinant <= NEARLY_PARALLEL * length1 * length2 {
        return closest_of_nearly_parallel(a, b);
    }
    let free = ((cosine * along2 - along1 * length2) / determinant).clamp(0.0, 1.0);
    let beta = (cosine * free + along2) / length2;
    let clamped = beta.clamp(0.0, 1.0);
    let alpha = if beta == clamped { free } else { ((cosine * clamped - along1) / length1).clamp(0.0, 1.0) };
    pair_at(a, b, [alpha, clamped])
}

fn pair_at(a: &[Vec3; 2], b: &[Vec3; 2], parameters: [f64; 2]) -> SegmentPair {
    let at = |s: &[Vec3; 2], t: f64| if t == 1.0 { s[1] } else { s[0] + (s[1] - s[0]) * t };
    let points = [at(a, parameters[0]), at(b, parameters[1])];
    SegmentPair { parameters, points, distance_squared: (points[0] - points[1]).norm_squared() }
}

#[cold]
fn closest_of_nearly_parallel(a: &[Vec3; 2], b: &[Vec3; 2]) -> SegmentPair {
    let on_a = |k: usize| parameter(&a[0], &a[1], &b[k]).0;
    let on_b = |k: usize| parameter(&b[0], &b[1], &a[k]).0;
    let ends = [[0.0, on_b(0)], [1.0, on_b(1)], [on_a(0), 0.0], [on_a(1), 1.0]];
    let mut best = pair_at(a, b, ends[0]);
    for candidate in ends[1..].iter().copied().chain(crossing(a, b)) {
        let candidate = pair_at(a, b, candidate);
        if candidate.distance_squared < best.distance_squared {
            best = candidate;
        }
    }
    let middle = 0.5 * (on_a(0) + on_a(1));
    let middle = pair_at(a, b, [middle, parameter(&b[0], &b[1], &(a[0] + (a[1] - a[0]) * middle)).0]);
    let scale = (a[0] - b[0]).norm_squared() + (a[1] - a[0]).norm_squared() + (b[1] - b[0]).norm_squared();
    let level = middle.distance_squared - best.distance_squared;
    if level <= NOISE * NOISE * scale + NOISE * best.distance_squared { middle } else { best }
}

/// Parameters of the closest points of the two lines if both lie on the segments.
///
/// From the part of one direction normal to the other, whose error is that of the sine of the angle and not of
/// its square, as in the determinant.
fn crossing(a: &[Vec3; 2], b: &[Vec3; 2]) -> Option<[f64; 2]> {
    let (d1, d2, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let normal = d2 - d1 * (d1.dot(&d2) / d1.norm_squared());
    let beta = r.dot(&normal) / normal.norm_squared();
    let alpha = (d2 * beta - r).dot(&d1) / d1.norm_squared();
    ((0.0..=1.0).contains(&alpha) && (0.0..=1.0).contains(&beta)).then_some([alpha, beta])
}
