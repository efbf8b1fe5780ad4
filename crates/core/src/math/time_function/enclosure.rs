//! Bounds on a function and its first derivative over an interval of time, by interval arithmetic. Unlike samples,
//! bounds also reveal jumps and narrow pulses.
//!
//! # Source
//! Moore, Kearfott & Cloud, *Introduction to Interval Analysis*, 2009, ch. 5–6. Bounds are not rounded outward and can
//! be too narrow by rounding errors.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
    const ZERO: Self = Self { low: 0.0, high: 0.0 };

    pub fn new(low: f64, high: f64) -> Self {
        // An interval with NaN or with reversed ends becomes all numbers.
        if low <= high { Self { low, high } } else { Self::ALL }
    }

    fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    fn spanned(ends: &[f64]) -> Self {
        if ends.iter().any(|end| end.is_nan()) {
            return Self::ALL;
        }
        Self::new(
            ends.iter().copied().fold(f64::INFINITY, f64::min),
            ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    fn is_point(self) -> bool {
        self.low == self.high
    }

    fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// Largest magnitude in the interval.
    pub fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Image under a nondecreasing function.
    fn rising(self, f: fn(f64) -> f64) -> Self {
        Self::new(f(self.low), f(self.high))
    }

    /// Image under a function that is monotone on either side of an extremum at `peak`.
    fn peaked(self, peak: f64, f: impl Fn(f64) -> f64) -> Self {
        let ends = [f(self.low), f(self.high)];
        if self.contains(peak) { Self::spanned(&[ends[0], ends[1], f(peak)]) } else { Self::spanned(&ends) }
    }

    fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    fn clamped(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    fn sin(self) -> Self {
        use std::f64::consts::{PI, TAU};
        if self.width().is_nan() || self.width() >= TAU {
            return Self::new(-1.0, 1.0);
        }
        let meets = |extreme: f64| self.low + (extreme - self.low).rem_euclid(TAU) <= self.high;
        let ends = [self.low.sin(), self.high.sin()];
        let high = if meets(0.5 * PI) { 1.0 } else { ends[0].max(ends[1]) };
        let low = if meets(-0.5 * PI) { -1.0 } else { ends[0].min(ends[1]) };
        Self::new(low, high)
    }

    fn cos(self) -> Self {
        let quarter = std::f64::consts::FRAC_PI_2;
        Self { low: self.low + quarter, high: self.high + quarter }.sin()
    }

    fn square(self) -> Self {
        if self.contains(0.0) {
            Self::new(0.0, self.size() * self.size())
        } else {
            Self::spanned(&[self.low * self.low, self.high * self.high])
        }
    }

    /// Image under xⁿ. The result is `ALL` if n < 0 and the interval contains 0, or if n is fractional and the interval
    /// contains negative numbers.
    fn power(self, n: f64) -> Self {
        if n == 0.0 {
            return Self::point(1.0);
        }
        if self.low < 0.0 && n.fract() != 0.0 || self.contains(0.0) && n < 0.0 {
            return Self::ALL;
        }
        let ends = [self.low.powf(n), self.high.powf(n)];
        if self.contains(0.0) { Self::spanned(&[ends[0], ends[1], 0.0]) } else { Self::spanned(&ends) }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        let ends =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        Self::spanned(&ends)
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if other.contains(0.0) { Self::ALL } else { self * Self::new(1.0 / other.high, 1.0 / other.low) }
    }
}

/// Bounds on a function and its first derivative over an interval of time. The slope at a jump is unbounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Enclosure {
    pub value: Interval,
    pub slope: Interval,
}

impl Enclosure {
    pub fn constant(value: f64) -> Self {
        Self { value: Interval::point(value), slope: Interval::ZERO }
    }

    /// The function t.
    pub fn time(from: f64, to: f64) -> Self {
        Self { value: Interval::new(from, to), slope: Interval::point(1.0) }
    }

    /// Enclosure of f(x). `self` encloses x; `value` and `derivative` bound f and f′.
    fn compose(self, value: Interval, derivative: Interval) -> Self {
        Self { value, slope: derivative * self.slope }
    }

    /// Enclosure of f(x) for a piecewise constant f with upward jumps. `self` encloses x.
    fn staircase(self, f: fn(f64) -> f64) -> Self {
        let value = self.value.rising(f);
        Self { value, slope: if value.is_point() { Interval::ZERO } else { Interval::ALL } }
    }

    pub fn power(self, exponent: Self) -> Self {
        if !exponent.value.is_point() {
            return (exponent * self.ln()).exp();
        }
        let n = exponent.value.low;
        self.compose(self.value.power(n), self.value.power(n - 1.0) * Interval::point(n))
    }

    pub fn exp(self) -> Self {
        let value = self.value.rising(f64::exp);
        self.compose(value, value)
    }

    pub fn ln(self) -> Self {
        self.compose(self.value.rising(f64::ln), Interval::point(1.0) / self.value)
    }

    pub fn sqrt(self) -> Self {
        let value = self.value.rising(f64::sqrt);
        self.compose(value, Interval::point(0.5) / value)
    }

    pub fn sin(self) -> Self {
        self.compose(self.value.sin(), self.value.cos())
    }

    pub fn cos(self) -> Self {
        self.compose(self.value.cos(), -self.value.sin())
    }

    pub fn tan(self) -> Self {
        self.sin() / self.cos()
    }

    pub fn asin(self) -> Self {
        let value = self.value.rising(f64::asin);
        self.compose(
            value,
            Interval::point(1.0) / (Interval::point(1.0) - self.value.square()).rising(f64::sqrt),
        )
    }

    pub fn acos(self) -> Self {
        Self::constant(std::f64::consts::FRAC_PI_2) - self.asin()
    }

    pub fn atan(self) -> Self {
        let derivative = Interval::point(1.0) / (Interval::point(1.0) + self.value.square());
        self.compose(self.value.rising(f64::atan), derivative)
    }

    pub fn sinh(self) -> Self {
        self.compose(self.value.rising(f64::sinh), self.value.peaked(0.0, f64::cosh))
    }

    pub fn cosh(self) -> Self {
        self.compose(self.value.peaked(0.0, f64::cosh), self.value.rising(f64::sinh))
    }

    pub fn tanh(self) -> Self {
        let value = self.value.rising(f64::tanh);
        self.compose(value, Interval::point(1.0) - value.square())
    }

    pub fn abs(self) -> Self {
        self.compose(self.value.peaked(0.0, f64::abs), self.sign().value)
    }

    pub fn floor(self) -> Self {
        self.staircase(f64::floor)
    }

    pub fn sign(self) -> Self {
        self.staircase(|x| if x == 0.0 { 0.0 } else { x.signum() })
    }

    pub fn step(self) -> Self {
        self.staircase(|x| f64::from(x >= 0.0))
    }

    pub fn smoothstep(self) -> Self {
        let x = self.value.clamped(0.0, 1.0);
        let rise = |x: f64| x * x * (3.0 - 2.0 * x);
        self.compose(x.rising(rise), x.peaked(0.5, |x| 6.0 * x * (1.0 - x)))
    }

    pub fn min(self, other: Self) -> Self {
        -(-self).max(-other)
    }

    pub fn max(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        if a.low >= b.high {
            self
        } else if b.low >= a.high {
            other
        } else {
            let value = Interval::new(a.low.max(b.low), a.high.max(b.high));
            Self { value, slope: self.slope.hull(other.slope) }
        }
    }

    /// 1 where `self` < `other`, or `self` ≤ `other` if `holds` is ≤; otherwise 0.
    pub fn is_below(self, other: Self, holds: fn(&f64, &f64) -> bool) -> Self {
        let (a, b) = (self.value, other.value);
        match (holds(&a.high, &b.low), holds(&a.low, &b.high)) {
            (true, _) => Self::constant(1.0),
            (false, false) => Self::constant(0.0),
            (false, true) => Self { value: Interval::new(0.0, 1.0), slope: Interval::ALL },
        }
    }

    /// 1 where `self` = `other`, otherwise 0.
    pub fn equals(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        if a.is_point() && a == b {
            Self::constant(1.0)
        } else if a.high < b.low || b.high < a.low {
            Self::constant(0.0)
        } else {
            Self { value: Interval::new(0.0, 1.0), slope: Interval::ALL }
        }
    }

    /// 1 where `self` ≠ `other`, otherwise 0.
    pub fn differs(self, other: Self) -> Self {
        Self::constant(1.0) - self.equals(other)
    }
}

impl Add for Enclosure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Neg for Enclosure {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, slope: -self.slope }
    }
}

impl Sub for Enclosure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Enclosure {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl Div for Enclosure {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, slope: (self.slope - value * other.slope) / other.value }
    }
}
