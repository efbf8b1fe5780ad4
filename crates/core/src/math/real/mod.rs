//! Scalar and SIMD arithmetic with the same code: formulas over [`Real`] run on `f64`, on [`Lanes`] and on the
//! registers of [`Pack`](super::pack::Pack).
//!
//! Results of scalars and of lanes have the same bits on any processor, because only [`Real::mul_add`] and
//! [`Real::negated_mul_add`] fuse a product and a sum. Processors without a fused multiply–add instruction use a slower
//! library routine.

mod lanes;

pub use lanes::{LANES, Lanes, Mask};

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A real number, or several real numbers in lanes.
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Add<f64, Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The same value in every lane.
    fn constant(self, value: f64) -> Self;
    /// `self` · `factor` + `addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `addend` − `self` · `factor`, rounded once.
    fn negated_mul_add(self, factor: Self, addend: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// 1 / `self`.
    #[inline(always)]
    fn reciprocal(self) -> Self {
        self.constant(1.0) / self
    }
    /// Maximum; `other` if either number is NaN.
    fn max(self, other: Self) -> Self;
    /// Minimum; `other` if either number is NaN.
    fn min(self, other: Self) -> Self;
    /// k and 2^−k with `self` · 2^−k in [√½, √2), for normal positive numbers below √½ · 2¹⁰²³.
    fn binary_scale(self) -> (Self, Self);
    /// Initial guess of 1/∛`self` for normal positive numbers, with a relative error of at most 3.4 %.
    fn inverse_cube_root_guess(self) -> Self;

    /// Whether the magnitude is at most `limit` in all lanes; false with NaN.
    fn all_within(self, limit: f64) -> bool;
    /// `yes` in lanes with `self` ≤ `limit`, otherwise `no`; `no` for NaN.
    fn select_at_most(self, limit: Self, yes: Self, no: Self) -> Self;

    /// ln(1 + x) and x − ln(1 + x) for x = `self` > −1, both accurate to rounding for small |x|.
    ///
    /// For |x| ≤ `SMALL_ARGUMENT`, both come from a series without division.
    #[inline(always)]
    fn ln_1p_and_residual(self) -> (Self, Self) {
        let residual = self * self * sum_of_pairs(self, LOGARITHM_RESIDUAL_SERIES);
        let logarithm = self - residual;
        if self.all_within(SMALL_ARGUMENT) {
            return (logarithm, residual);
        }
        let general = general_ln_1p_and_residual(self);
        let (size, limit) = (self.abs(), self.constant(SMALL_ARGUMENT));
        (size.select_at_most(limit, logarithm, general.0), size.select_at_most(limit, residual, general.1))
    }

    /// x^−⅓ of a normal positive number x, without division. Each iterate y is replaced by the series of y (1 − e)^−⅓
    /// in powers of e = 1 − x y³, up to e³.
    #[inline(always)]
    fn inverse_cube_root(self) -> Self {
        let mut inverse = self.inverse_cube_root_guess();
        for _ in 0..2 {
            let e = (self * inverse * inverse).negated_mul_add(inverse, self.constant(1.0));
            let series = e.mul_add(self.constant(14.0 / 81.0), self.constant(2.0 / 9.0));
            inverse = (inverse * e).mul_add(series.mul_add(e, self.constant(1.0 / 3.0)), inverse);
        }
        inverse
    }

    /// Replaces each x of `numbers` by (1 + x)^−⅓, from a series if |x| ≤ `SMALL_ARGUMENT`. All x must exceed −1.
    #[inline(always)]
    fn inverse_cube_roots_1p<const N: usize>(numbers: &mut [Self; N]) {
        let mut largest = numbers[0].abs();
        for x in &numbers[1..] {
            largest = x.abs().max(largest);
        }
        if largest.all_within(SMALL_ARGUMENT) {
            for x in numbers {
                *x = sum_of_pairs(*x, INVERSE_CUBE_ROOT_SERIES);
            }
            return;
        }
        for x in numbers {
            let (near, far) = (sum_of_pairs(*x, INVERSE_CUBE_ROOT_SERIES), (*x + 1.0).inverse_cube_root());
            *x = x.abs().select_at_most(x.constant(SMALL_ARGUMENT), near, far);
        }
    }

    /// Cube root of a normal positive number.
    #[inline(always)]
    fn cube_root(self) -> Self {
        let inverse = self.inverse_cube_root();
        self * inverse * inverse
    }
}

/// Largest |x| for series in powers of x. The truncation error after 14 terms is below 2⁻⁵⁸ of the sum.
const SMALL_ARGUMENT: f64 = 0.0625;

/// Coefficients of (x − ln(1 + x))/x² = ½ − x/3 + x²/4 − …, in pairs.
const LOGARITHM_RESIDUAL_SERIES: [[f64; 2]; 7] = [
    [1.0 / 2.0, -1.0 / 3.0],
    [1.0 / 4.0, -1.0 / 5.0],
    [1.0 / 6.0, -1.0 / 7.0],
    [1.0 / 8.0, -1.0 / 9.0],
    [1.0 / 10.0, -1.0 / 11.0],
    [1.0 / 12.0, -1.0 / 13.0],
    [1.0 / 14.0, -1.0 / 15.0],
];

/// Coefficients c_n of (1 + x)^−⅓ = Σ c_n xⁿ, in pairs: c₀ = 1, c_{n+1} = −(n + ⅓)/(n + 1) c_n.
const INVERSE_CUBE_ROOT_SERIES: [[f64; 2]; 7] = {
    let (mut pairs, mut coefficient, mut pair) = ([[0.0; 2]; 7], 1.0, 0);
    while pair < pairs.len() {
        let n = 2.0 * pair as f64;
        let next = -coefficient * (n + 1.0 / 3.0) / (n + 1.0);
        pairs[pair] = [coefficient, next];
        coefficient = -next * (n + 4.0 / 3.0) / (n + 2.0);
        pair += 1;
    }
    pairs
};

/// Σ c_n xⁿ for n < 14, with the coefficients c_n in `pairs`. Summation by pairs has a low latency (Estrin 1960).
#[inline(always)]
fn sum_of_pairs<R: Real>(x: R, pairs: [[f64; 2]; 7]) -> R {
    let mut sums = [x; 7];
    for (sum, [constant, slope]) in sums.iter_mut().zip(pairs) {
        *sum = x.mul_add(x.constant(slope), x.constant(constant));
    }
    let [a, b, c, d, e, f, g] = sums;
    let x2 = x * x;
    let x4 = x2 * x2;
    let low = d.mul_add(x2, c).mul_add(x4, b.mul_add(x2, a));
    let high = g.mul_add(x4, f.mul_add(x2, e));
    high.mul_add(x4 * x4, low)
}

/// [`Real::ln_1p_and_residual`] for any x > −1. With k from [`Real::binary_scale`] of 1 + x, with f from
/// 1 + x = 2^k (1 + f), and with the polynomial R of [`logarithm_series`]:
///
/// ```text
/// ln(1 + x) = k ln 2 + f − t,   t = ½ f² − s (½ f² + R(s²)),   s = f/(2 + f)
/// x − ln(1 + x) = (x − f) − k ln 2 + t
/// ```
/// For k = 0, x − f is only a rounding error, so the second line has no cancellation.
///
/// # Source
/// Reduction and minimax polynomial R of fdlibm (Sun Microsystems 1993, `s_log1p.c`).
#[inline(always)]
fn general_ln_1p_and_residual<R: Real>(x: R) -> (R, R) {
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let u = x + 1.0;
    let rounding = x - (u + -1.0);
    let (k, scale) = u.binary_scale();
    let f = rounding.mul_add(scale, u.mul_add(scale, x.constant(-1.0)));
    let s = f / (f + 2.0);
    let half_square = f * f * 0.5;
    let tail = s.negated_mul_add(half_square + logarithm_series(s * s), half_square);
    let small = k.negated_mul_add(k.constant(LN_2_LOW), tail);
    let high = k.constant(LN_2_HIGH);
    (k.mul_add(high, f - small), k.negated_mul_add(high, x - f) + small)
}

/// R(z) of `general_ln_1p_and_residual` (fdlibm `e_log.c`, coefficients Lg1…Lg7).
#[inline(always)]
fn logarithm_series<R: Real>(z: R) -> R {
    const SERIES: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    let mut sum = z.constant(SERIES[6]);
    for coefficient in SERIES[..6].iter().rev() {
        sum = sum.mul_add(z, z.constant(*coefficient));
    }
    sum * z
}

// A double has 52 bits of fraction and an exponent biased by 1023.
const FRACTION_BITS: u32 = 52;
/// Bits of 1.0 minus bits of √½. The addition of this offset to the bits of a number increases the exponent by 1 if the
/// significand is at least √2.
const SQRT_HALF_OFFSET: u64 = 0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd;
/// Bits of 2^52. The double 2^52 with an integer n in its fraction bits is 2^52 + n.
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
const TWO_52: f64 = 4_503_599_627_370_496.0;
/// The initial guess of x^−⅓ is an offset minus a third of the bits of x, similar to fdlibm `s_cbrt.c`. This constant
/// is the upper 32-bit word of the offset. Its value (1023 (1 + ⅓) − 0.0662) 2²⁰ minimises the largest error.
const INVERSE_CUBE_ROOT_OFFSET: u64 = 1_430_188_248;

#[inline(always)]
fn binary_scale(value: f64) -> (f64, f64) {
    let biased = value.to_bits().wrapping_add(SQRT_HALF_OFFSET) >> FRACTION_BITS;
    let k = f64::from_bits(biased | TWO_52_BITS) - (TWO_52 + 1023.0);
    let scale = f64::from_bits(2046_u64.wrapping_sub(biased) << FRACTION_BITS);
    (k, scale)
}

/// Subtracts a third of the upper word of `value` from the offset: ⅓ = ¼ + 1/16 + 1/64 + …
#[inline(always)]
fn inverse_cube_root_guess(value: f64) -> f64 {
    let upper = value.to_bits() >> 32;
    let mut third = (upper >> 2) + (upper >> 4);
    for amount in [4, 8, 16] {
        third += third >> amount;
    }
    f64::from_bits(INVERSE_CUBE_ROOT_OFFSET.wrapping_sub(third) << 32)
}

impl Real for f64 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        f64::mul_add(self, factor, addend)
    }
    #[inline(always)]
    fn negated_mul_add(self, factor: Self, addend: Self) -> Self {
        f64::mul_add(-self, factor, addend)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn all_within(self, limit: f64) -> bool {
        self.abs() <= limit
    }
    #[inline(always)]
    fn select_at_most(self, limit: Self, yes: Self, no: Self) -> Self {
        if self <= limit { yes } else { no }
    }
    #[inline(always)]
    fn binary_scale(self) -> (Self, Self) {
        binary_scale(self)
    }
    #[inline(always)]
    fn inverse_cube_root_guess(self) -> Self {
        inverse_cube_root_guess(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithm_agrees_with_the_library(x in prop_oneof![-0.999..30.0f64, -0.3..0.3f64, -0.07..0.07f64, -1e-5..1e-5f64]) {
            let (logarithm, residual) = x.ln_1p_and_residual();
            prop_assert!((logarithm - x.ln_1p()).abs() <= 4.0 * f64::EPSILON * x.ln_1p().abs());
            // The reference for |x| < 0.1 is Σ (−x)^n/n over n ≥ 2.
            let exact = if x.abs() < 0.1 {
                (2..30).rev().map(|n| (-x).powi(n) / f64::from(n)).sum::<f64>()
            } else {
                x - x.ln_1p()
            };
            let tolerance = if x.abs() < 0.1 { 1e-15 } else { 1e-13 };
            prop_assert!((residual - exact).abs() <= tolerance * exact.abs(), "{} {}", residual, exact);
        }

        #[test]
        fn cube_root_agrees_with_the_library(x in prop_oneof![1e-6..10.0f64, 1.0..1e9f64, 0.99..1.01f64]) {
            prop_assert!((x.cube_root() / x.cbrt() - 1.0).abs() < 1e-13);
        }

        #[test]
        fn inverse_cube_roots_near_one_agree_with_the_library(
            x in prop::array::uniform2(prop_oneof![-0.9..3.0f64, -0.07..0.07f64, -1e-5..1e-5f64]),
        ) {
            let mut roots = x;
            Real::inverse_cube_roots_1p(&mut roots);
            for (x, root) in x.into_iter().zip(roots) {
                prop_assert!((root * (1.0 + x).cbrt() - 1.0).abs() <= 4.0 * f64::EPSILON);
                prop_assert!((root * root * root * (1.0 + x) - 1.0).abs() <= 6.0 * f64::EPSILON);
                let mut alone = [x];
                Real::inverse_cube_roots_1p(&mut alone);
                prop_assert_eq!(alone[0], root);
            }
        }

        #[test]
        fn lanes_have_the_bits_of_the_scalar(
            x in prop::array::uniform4(prop_oneof![-0.9..3.0f64, -0.07..0.07f64]),
        ) {
            let (logarithm, residual) = Lanes(x).ln_1p_and_residual();
            let root = (Lanes(x) + Lanes::splat(1.0)).cube_root();
            let mut inverse_roots = ([Lanes(x)], x);
            Real::inverse_cube_roots_1p(&mut inverse_roots.0);
            Real::inverse_cube_roots_1p(&mut inverse_roots.1);
            prop_assert_eq!(inverse_roots.0[0].0, inverse_roots.1);
            for (lane, x) in x.into_iter().enumerate() {
                let scalar = x.ln_1p_and_residual();
                prop_assert_eq!((logarithm.0[lane], residual.0[lane]), scalar);
                prop_assert_eq!(root.0[lane], (x + 1.0).cube_root());
            }
        }
    }
}
