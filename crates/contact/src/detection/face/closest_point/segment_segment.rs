//! Closest points of two straight segments.

use crate::math::Vec3;

/// Squared sine of the angle up to which two segments count as parallel. The angle covers rounding of the directions.
const PARALLEL_SINE_SQUARED: f64 = 1e-28;

/// Parameters in [0, 1] of the closest points of the segments `p` and `q`, given by their ends.
///
/// Parallel segments give the middle of their overlap. A segment of zero length has parameter 0.
///
/// # Source
/// Ericson, Real-Time Collision Detection, §5.1.9. In the notation of this book, d₁ and d₂ are the vectors along the
/// segments, r = p₀ − q₀, and a, b, c, e, f are dot products of these vectors, as in the code. By Lagrange's identity,
/// the right-hand sides replace the left-hand sides of the book:
///
/// ```text
/// a e − b² = |d₁ × d₂|²,   b f − c e = (d₁ × d₂)·(d₂ × r)
/// ```
///
/// The right-hand sides remain accurate for nearly parallel segments.
#[inline]
pub fn closest_parameters(p: &[Vec3; 2], q: &[Vec3; 2]) -> [f64; 2] {
    let (along_p, along_q, offset) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (a, e) = (along_p.norm_squared(), along_q.norm_squared());
    let (b, c, f) = (along_p.dot(&along_q), along_p.dot(&offset), along_q.dot(&offset));
    if a <= f64::MIN_POSITIVE {
        return [0.0, if e <= f64::MIN_POSITIVE { 0.0 } else { unit_interval(f / e) }];
    }
    if e <= f64::MIN_POSITIVE {
        return [unit_interval(-c / a), 0.0];
    }
    let normal = along_p.cross(&along_q);
    let denominator = normal.norm_squared();
    let alpha = if denominator > PARALLEL_SINE_SQUARED * a * e {
        unit_interval(normal.dot(&along_q.cross(&offset)) / denominator)
    } else {
        let ends = [-c / a, (b - c) / a];
        unit_interval(0.5 * (ends[0].min(ends[1]).max(0.0) + ends[0].max(ends[1]).min(1.0)))
    };
    let beta = unit_interval((b * alpha + f) / e);
    [unit_interval((b * beta - c) / a), beta]
}

#[inline]
fn unit_interval(value: f64) -> f64 {
    value.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(p: &[Vec3; 2], q: &[Vec3; 2], parameters: [f64; 2]) -> f64 {
        ((p[0] + (p[1] - p[0]) * parameters[0]) - (q[0] + (q[1] - q[0]) * parameters[1])).norm()
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_other_pair_of_points_is_closer(p in [vector(), vector()], q in [vector(), vector()]) {
            let closest = distance(&p, &q, closest_parameters(&p, &q));
            for i in 0..=20 {
                for j in 0..=20 {
                    let other = distance(&p, &q, [f64::from(i) / 20.0, f64::from(j) / 20.0]);
                    prop_assert!(closest <= other + 1e-14);
                }
            }
        }

        #[test]
        fn nearly_parallel_segments_keep_their_distance(
            p in [vector(), vector()], offset in vector(), tilt in vector(), exponent in -16.0..-2.0_f64,
        ) {
            let q = [p[0] + offset, p[1] + offset + tilt * 10.0_f64.powf(exponent)];
            let closest = distance(&p, &q, closest_parameters(&p, &q));
            for (i, end) in q.iter().enumerate() {
                let point = [*end, *end];
                let alpha = closest_parameters(&p, &point)[0];
                let size = p.iter().chain(&q).map(|end| end.norm()).sum::<f64>();
                let rounding = 16.0 * f64::EPSILON * size;
                prop_assert!(closest <= distance(&p, &q, [alpha, i as f64]) + rounding);
            }
        }
    }

    #[test]
    fn parallel_segments_meet_in_the_middle_of_their_overlap() {
        let p = [Vec3::zeros(), Vec3::new(4.0, 0.0, 0.0)];
        let q = [Vec3::new(3.0, 1.0, 0.0), Vec3::new(-7.0, 1.0, 0.0)];
        let [alpha, beta] = closest_parameters(&p, &q);
        assert!((alpha - 0.375).abs() < 1e-15 && (beta - 0.15).abs() < 1e-15, "{alpha} {beta}");
    }

    #[test]
    fn segments_without_length_are_points() {
        let point = [Vec3::new(1.0, 1.0, 0.0); 2];
        let q = [Vec3::zeros(), Vec3::new(4.0, 0.0, 0.0)];
        assert_eq!(closest_parameters(&point, &q), [0.0, 0.25]);
        assert_eq!(closest_parameters(&q, &point), [0.25, 0.0]);
        assert_eq!(closest_parameters(&point, &point), [0.0, 0.0]);
    }
}
