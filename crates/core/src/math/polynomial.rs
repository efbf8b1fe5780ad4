//! First root of a polynomial in an interval.
//!
//! The stationary points divide the interval into parts on which the polynomial is monotone. A part with a sign
//! change contains one root. The stationary points are the roots of the derivative, found in the same way; the
//! recursion ends at a linear function. Multiple roots and tiny leading coefficients cause large errors in closed forms
//! (Ferrari) and companion matrices. In this method, only rounding errors of the polynomial move a root.

const MAX_ITERATIONS: usize = 200;

/// Smallest τ in \[0, 1\] with p(τ) = Σ cₖ τᵏ ≤ 0, from `coefficients` c₀ … cₙ. `None` if p is positive on all of
/// \[0, 1\], or if all coefficients are zero.
///
/// If c₀ > 0, the result is the left end of a bracket around the root, with a width of a few units in the last place.
/// The computed p is positive at the left end, so the result does not exceed the root of the computed p. A non-finite
/// coefficient gives `Some(0.0)`: a contact time predicted from the result may be too early, but not too late.
///
/// # Cost
/// O(n²) brackets of about six evaluations each for degree n; no allocation.
pub fn first_root<const N: usize>(coefficients: &[f64; N]) -> Option<f64> {
    if !coefficients.iter().all(|c| c.is_finite()) {
        return Some(0.0);
    }
    let degree = (0..N).rev().find(|&k| coefficients[k] != 0.0)?;
    if coefficients[0] <= 0.0 {
        return Some(0.0);
    }
    let mut knots = [0.0; N];
    let count = roots_from_order(&coefficients[..=degree], 1, &mut knots);
    let mut left = 0.0;
    for right in knots[..count].iter().copied().chain([1.0]) {
        if value(&coefficients[..=degree], right) <= 0.0 {
            return Some(bracketed_root(&coefficients[..=degree], left, right).0);
        }
        left = right;
    }
    None
}

/// Smallest s ≥ 0 with c₀ + c₁ s + c₂ s² ≤ 0; `None` if there is no such s, `Some(NaN)` if c₀ > 0 and c₁ or c₂ is NaN.
///
/// Cancellation is possible only in the discriminant. The result may lie on either side of the root, within rounding.
pub fn first_root_of_quadratic(coefficients: &[f64; 3]) -> Option<f64> {
    let &[c0, c1, c2] = coefficients;
    if c0 <= 0.0 {
        return Some(0.0);
    }
    let discriminant = c1 * c1 - 4.0 * c2 * c0;
    if discriminant < 0.0 || (c1 >= 0.0 && c2 >= 0.0) {
        return None;
    }
    let root = discriminant.sqrt();
    Some(if c1 > 0.0 { (c1 + root) / (-2.0 * c2) } else { 2.0 * c0 / (root - c1) })
}

/// Writes the roots in (0, 1) with a sign change of p into `roots`, ascending; returns the number of roots.
///
/// The roots are accurate to a few units in the last place. Roots without a sign change can be included.
pub fn sign_changes<const N: usize>(coefficients: &[f64; N], roots: &mut [f64; N]) -> usize {
    let degree = (0..N).rev().find(|&k| coefficients[k] != 0.0).unwrap_or(0);
    roots_from_order(&coefficients[..=degree], 0, roots)
}

/// Whether p is certainly non-zero for all τ from `begin` to `end`, a part of \[0, 1\].
///
/// With τ = `begin` + (`end` − `begin`) s, p = Σ qₖ sᵏ and 0 ≤ s ≤ 1. With sums over k ≥ 1,
/// q₀ + Σ min(qₖ, 0) ≤ p ≤ q₀ + Σ max(qₖ, 0).
pub fn keeps_sign<const N: usize>(coefficients: &[f64; N], [begin, end]: [f64; 2]) -> bool {
    let mut shifted = *coefficients;
    for k in 0..N {
        for j in (k..N - 1).rev() {
            shifted[j] += shifted[j + 1] * begin;
        }
    }
    let (mut least, mut greatest) = (shifted[0], shifted[0]);
    let mut scale = 1.0;
    for q in &shifted[1..] {
        scale *= end - begin;
        least += (q * scale).min(0.0);
        greatest += (q * scale).max(0.0);
    }
    // No intermediate result above exceeds Σ 2ᵏ |cₖ| in magnitude.
    let size = coefficients.iter().rev().fold(0.0, |sum, c| 2.0 * sum + c.abs());
    let rounding = 4.0 * N as f64 * f64::EPSILON * size;
    least > rounding || greatest < -rounding
}

/// Writes the roots in (0, 1) of the derivative of order `lowest` (0: of p), ascending; returns their number. The roots
/// of each derivative divide (0, 1) into parts on which the derivative of the next lower order is monotone.
fn roots_from_order<const N: usize>(coefficients: &[f64], lowest: usize, roots: &mut [f64; N]) -> usize {
    let degree = coefficients.len() - 1;
    let mut count = 0;
    for order in (lowest..degree).rev() {
        let (derivative, length) = differentiate::<N>(coefficients, order);
        let derivative = &derivative[..length];
        let knots = *roots;
        let mut left = 0.0;
        let mut found = 0;
        for right in knots[..count].iter().copied().chain([1.0]) {
            let (at_left, at_right) = (value(derivative, left), value(derivative, right));
            if (at_left < 0.0 && at_right > 0.0) || (at_left > 0.0 && at_right < 0.0) {
                let (low, high) = bracketed_root(derivative, left, right);
                roots[found] = 0.5 * (low + high);
                found += 1;
            } else if right < 1.0 && at_right == 0.0 {
                roots[found] = right;
                found += 1;
            }
            left = right;
        }
        count = found;
    }
    count
}

/// Coefficients of the derivative of order `order`, and the number of these coefficients.
fn differentiate<const N: usize>(coefficients: &[f64], order: usize) -> ([f64; N], usize) {
    let mut derivative = [0.0; N];
    for (k, &c) in coefficients.iter().enumerate().skip(order) {
        derivative[k - order] = (k - order + 1..=k).map(|j| j as f64).product::<f64>() * c;
    }
    (derivative, coefficients.len() - order)
}

fn value(coefficients: &[f64], tau: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, &c| sum * tau + c)
}

fn value_and_slope(coefficients: &[f64], tau: f64) -> (f64, f64) {
    coefficients.iter().rev().fold((0.0, 0.0), |(sum, slope), &c| (sum * tau + c, slope * tau + sum))
}

/// Narrows the bracket of the only sign change of a monotone p to a few units in the last place.
///
/// Newton steps are lengthened by half the final width, beyond the root, so that both ends of the bracket move.
/// Bisection replaces steps that narrow the bracket slowly, and steps that leave the bracket.
fn bracketed_root(coefficients: &[f64], mut low: f64, mut high: f64) -> (f64, f64) {
    let positive_left = value(coefficients, low) > 0.0;
    let mut tau = 0.5 * (low + high);
    let mut earlier_width = high - low;
    for iteration in 0..MAX_ITERATIONS {
        let tolerance = 4.0 * f64::EPSILON * high;
        if high - low <= tolerance {
            break;
        }
        let (p, slope) = value_and_slope(coefficients, tau);
        if p == 0.0 && !positive_left {
            return (tau, tau);
        }
        if (p > 0.0) == positive_left {
            low = tau;
        } else {
            high = tau;
        }
        let step = -p / slope;
        tau += step + 0.5 * tolerance.copysign(step);
        let bisect = iteration % 2 == 1 && high - low > 0.5 * earlier_width;
        if iteration % 2 == 1 {
            earlier_width = high - low;
        }
        if bisect || !(tau > low && tau < high) {
            tau = 0.5 * (low + high);
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Coefficients of scale · Π (τ − r) · Π ((τ − a)² + b²), with real roots r and conjugate `pairs` (a, b).
    fn expand(scale: f64, roots: &[f64], pairs: &[(f64, f64)]) -> [f64; 5] {
        let mut product = vec![scale];
        let mut multiply = |factor: &[f64]| {
            let mut next = vec![0.0; product.len() + factor.len() - 1];
            for (i, a) in product.iter().enumerate() {
                for (j, b) in factor.iter().enumerate() {
                    next[i + j] += a * b;
                }
            }
            product = next;
        };
        roots.iter().for_each(|r| multiply(&[-r, 1.0]));
        pairs.iter().for_each(|(a, b)| multiply(&[a * a + b * b, -2.0 * a, 1.0]));
        std::array::from_fn(|k| product.get(k).copied().unwrap_or(0.0))
    }

    #[test]
    fn roots_of_every_degree() {
        assert_eq!(first_root(&[1.0, 0.0, 0.0]), None);
        assert_eq!(first_root(&[0.0, 1.0]), Some(0.0));
        assert_eq!(first_root(&[-1.0, 5.0]), Some(0.0));
        for (coefficients, root) in [
            (expand(-1.0, &[0.25], &[]), 0.25),
            (expand(1.0, &[0.25, 0.75], &[]), 0.25),
            (expand(-1.0, &[0.3, 0.5, 0.9], &[]), 0.3),
            (expand(1.0, &[0.1, 0.2, 0.3, 0.4], &[]), 0.1),
            (expand(-1.0, &[0.7], &[(0.4, 0.1)]), 0.7),
            (expand(1.0, &[0.9, 2.0], &[(0.5, 0.01)]), 0.9),
            (expand(1.0, &[1e-12, 0.5], &[]), 1e-12),
        ] {
            let found = first_root(&coefficients).unwrap();
            assert!((found - root).abs() <= 1e-14, "{coefficients:?}: {found} for {root}");
        }
    }

    #[test]
    fn an_exact_double_root_is_not_missed() {
        // (τ − 1/2)² and (τ − 1/2)⁴ have exactly representable coefficients.
        assert!((first_root(&[0.25, -1.0, 1.0]).unwrap() - 0.5).abs() < 1e-7);
        assert!((first_root(&[0.0625, -0.5, 1.5, -2.0, 1.0]).unwrap() - 0.5).abs() < 1e-3);
    }

    #[test]
    fn all_sign_changes() {
        let mut found = [0.0; 5];
        assert_eq!(sign_changes(&expand(3.0, &[0.1, 0.2, 0.7, 1.4], &[]), &mut found), 3);
        assert!((0..3).all(|k| (found[k] - [0.1, 0.2, 0.7][k]).abs() < 1e-14), "{found:?}");
        assert_eq!(sign_changes(&[0.0; 5], &mut found), 0);
    }

    #[test]
    fn quadratic_on_the_half_line() {
        for (coefficients, root) in [
            ([-1.0, 3.0, 1.0], Some(0.0)),
            ([1.0, 0.0, 0.0], None),
            ([1.0, 2.0, 1.0], None),
            ([1.0, -1.0, 1.0], None),
            ([1.0, -0.25, 0.0], Some(4.0)),
            ([6.0, -5.0, 1.0], Some(2.0)),
            ([6.0, 1.0, -1.0], Some(3.0)),
            ([1.0, 0.0, -0.25], Some(2.0)),
        ] {
            assert_eq!(first_root_of_quadratic(&coefficients), root, "{coefficients:?}");
        }
    }

    #[test]
    fn non_finite_coefficients_are_on_the_safe_side() {
        assert_eq!(first_root(&[1.0, f64::NAN, 1.0]), Some(0.0));
        assert_eq!(first_root(&[f64::INFINITY, 0.0, 1.0]), Some(0.0));
    }

    /// Bound on |p(τ)| for τ in [0, 1].
    fn magnitude(coefficients: &[f64]) -> f64 {
        coefficients.iter().map(|coefficient| coefficient.abs()).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn first_of_random_roots(
            mut roots in prop::collection::vec(-0.5..1.5_f64, 1..5),
            scale in prop::sample::select(vec![1e-30, 1e-3, 1.0, 1e12]),
        ) {
            roots.sort_by(f64::total_cmp);
            prop_assume!(roots.windows(2).all(|r| r[1] - r[0] > 1e-2));
            prop_assume!(roots.iter().all(|r| r.abs() > 1e-3 && (r - 1.0).abs() > 1e-3));
            let sign = if roots.iter().filter(|r| **r > 0.0).count() % 2 == 0 { 1.0 } else { -1.0 };
            let coefficients = expand(sign * scale, &roots, &[]);
            let expected = roots.iter().copied().find(|r| (0.0..=1.0).contains(r));
            match (first_root(&coefficients), expected) {
                // Rounding moves a root by at most (rounding error of p)/|slope of p at the root|.
                (Some(found), Some(root)) => {
                    let others = roots.iter().filter(|other| **other != root).map(|other| root - other);
                    let slope = scale * others.product::<f64>().abs();
                    let size = scale * roots.iter().map(|root| 1.0 + root.abs()).product::<f64>();
                    let rounding = 16.0 * f64::EPSILON * size;
                    prop_assert!((found - root).abs() <= rounding / slope, "{found} for {root}");
                }
                (found, root) => prop_assert_eq!(found, root),
            }
        }

        /// `keeps_sign` is false for intervals with a root, and true for intervals of length 0.01 far from all roots.
        #[test]
        fn no_root_is_where_the_sign_is_kept(
            roots in prop::collection::vec(0.0..1.0_f64, 1..5),
            length in prop::sample::select(vec![1e-15, 1e-6, 0.1, 1.0]),
        ) {
            let coefficients = expand(1.0, &roots, &[]);
            for root in &roots {
                let part = [(root - 0.4 * length).max(0.0), (root + 0.6 * length).min(1.0)];
                prop_assert!(!keeps_sign(&coefficients, part));
            }
            for k in 0..100 {
                let part = [0.01 * f64::from(k), 0.01 * f64::from(k + 1)];
                let is_far = roots.iter().all(|root| (root - part[0]).abs() > 0.2);
                prop_assert!(keeps_sign(&coefficients, part) || !is_far);
            }
        }

        #[test]
        fn no_sampled_point_before_the_root_is_below_zero(coefficients in prop::array::uniform5(-1.0..1.0_f64)) {
            let end = first_root(&coefficients).unwrap_or(1.0);
            let rounding = 4.0 * f64::EPSILON * magnitude(&coefficients);
            for k in 0..1000 {
                let tau = end * f64::from(k) / 1000.0;
                prop_assert!(end == 0.0 || value(&coefficients, tau) > -rounding);
            }
            prop_assert!(end == 1.0 || value(&coefficients, end * (1.0 + 8.0 * f64::EPSILON)) <= rounding);
        }
    }
}
