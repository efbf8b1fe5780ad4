//! Closest point of a segment in closed form.

use super::{ClosestPoint, Feature, Outcome};
use crate::math::Vec3;

/// Parameter in \[0, 1\] and position of the point of the segment a–b closest to `query`. The parameter is exactly 0
/// at `a` and 1 at `b`, and 0 if the ends coincide.
#[inline]
pub fn parameter(a: &Vec3, b: &Vec3, query: &Vec3) -> (f64, Vec3) {
    let edge = b - a;
    let along = (query - a).dot(&edge);
    let length_squared = edge.norm_squared();
    if along >= length_squared && length_squared > 0.0 {
        (1.0, *b)
    } else if along > 0.0 {
        let t = along / length_squared;
        (t, a + edge * t)
    } else {
        (0.0, *a)
    }
}

/// Closest point of a two-node segment.
pub fn closest_point(nodes: &[Vec3; 2], query: &Vec3) -> ClosestPoint {
    let (t, point) = parameter(&nodes[0], &nodes[1], query);
    let feature = match t {
        0.0 => Feature::Vertex(0),
        1.0 => Feature::Vertex(1),
        _ => Feature::Face,
    };
    ClosestPoint {
        xi: [2.0 * t - 1.0, 0.0],
        point,
        distance_squared: (query - point).norm_squared(),
        feature,
        iterations: 0,
        outcome: Outcome::Exact,
    }
}
