//! Piecewise linear functions.

use super::jet::Jet;

/// Value at `t` and slope of the line through the segment of the table that contains `beside`. If `beside` is a point
/// of the table, the segment after this point counts. Before the first and after the last point, the line is constant.
pub(super) fn interpolate(points: &[(f64, f64)], t: f64, beside: f64) -> Jet {
    let after = points.partition_point(|point| point.0 <= beside);
    match (points.get(after.wrapping_sub(1)), points.get(after)) {
        (Some(left), Some(right)) => {
            let slope = (right.1 - left.1) / (right.0 - left.0);
            Jet { value: left.1 + slope * (t - left.0), first: slope, second: 0.0 }
        }
        (Some(only), None) | (None, Some(only)) => Jet::constant(only.1),
        (None, None) => Jet::constant(0.0),
    }
}
