//! Second-order Taylor jets: a value with its first and second time derivative.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Value x and time derivatives ẋ and ẍ of a function at one instant.
///
/// Jets compare by value, then by the first, then by the second derivative. This is the order of the functions
/// immediately after the instant. Hence `min`, `max` and `abs` have derivatives from the right.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Jet {
    pub value: f64,
    pub first: f64,
    pub second: f64,
}

impl Jet {
    pub fn constant(value: f64) -> Self {
        Self { value, first: 0.0, second: 0.0 }
    }

    /// The function x(t) = t.
    pub fn variable(t: f64) -> Self {
        Self { value: t, first: 1.0, second: 0.0 }
    }

    fn is_constant(self) -> bool {
        self.first == 0.0 && self.second == 0.0
    }

    /// The jet of f(x) by the chain rule, from f, f′ and f″ at x:
    ///
    /// ```text
    /// (f, f′ẋ, f″ẋ² + f′ẍ)
    /// ```
    /// For a constant x, f(x) is constant even if f′ is infinite, as for `sqrt(0)`.
    pub fn compose(self, [f, df, ddf]: [f64; 3]) -> Self {
        if self.is_constant() {
            return Self::constant(f);
        }
        Self { value: f, first: df * self.first, second: ddf * self.first * self.first + df * self.second }
    }

    /// x^y by the power rule for a constant y, otherwise exp(y ln x). The power rule permits any sign of x.
    pub fn power(self, exponent: Self) -> Self {
        let (x, n) = (self.value, exponent.value);
        if !exponent.is_constant() {
            let mut power = (exponent * self.ln()).exp();
            power.value = x.powf(n);
            return power;
        }
        // A zero factor makes a term zero, even with an infinite power of x.
        let term = |factor: f64, degree: f64| if factor == 0.0 { 0.0 } else { factor * x.powf(degree) };
        self.compose([x.powf(n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0)])
    }

    pub fn exp(self) -> Self {
        self.compose([self.value.exp(); 3])
    }

    pub fn ln(self) -> Self {
        let inverse = 1.0 / self.value;
        self.compose([self.value.ln(), inverse, -inverse * inverse])
    }

    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.compose([root, 0.5 / root, -0.25 / (root * self.value)])
    }

    pub fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.compose([sin, cos, -sin])
    }

    pub fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.compose([cos, -sin, -cos])
    }

    pub fn tan(self) -> Self {
        let tan = self.value.tan();
        let derivative = 1.0 + tan * tan;
        self.compose([tan, derivative, 2.0 * tan * derivative])
    }

    pub fn asin(self) -> Self {
        let squared = 1.0 / (1.0 - self.value * self.value);
        self.compose([self.value.asin(), squared.sqrt(), self.value * squared * squared.sqrt()])
    }

    pub fn acos(self) -> Self {
        Self::constant(std::f64::consts::FRAC_PI_2) - self.asin()
    }

    pub fn atan(self) -> Self {
        let derivative = 1.0 / (1.0 + self.value * self.value);
        self.compose([self.value.atan(), derivative, -2.0 * self.value * derivative * derivative])
    }

    pub fn sinh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.compose([sinh, cosh, sinh])
    }

    pub fn cosh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.compose([cosh, sinh, cosh])
    }

    pub fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        let derivative = 1.0 - tanh * tanh;
        self.compose([tanh, derivative, -2.0 * tanh * derivative])
    }

    pub fn abs(self) -> Self {
        if self < Self::constant(0.0) { -self } else { self }
    }

    /// The largest integer not above x.
    pub fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }

    /// −1 for x < 0, 0 for x = 0, and 1 for x > 0.
    pub fn sign(self) -> Self {
        Self::constant(if self.value == 0.0 { 0.0 } else { self.value.signum() })
    }

    /// Heaviside's function, with value 1 at x = 0.
    pub fn step(self) -> Self {
        Self::constant(if self.value.is_nan() { f64::NAN } else { f64::from(self.value >= 0.0) })
    }

    /// 3x² − 2x³ for 0 ≤ x < 1, constant outside. The slope is continuous.
    pub fn smoothstep(self) -> Self {
        if self.value >= 1.0 || self.value < 0.0 {
            return self.step();
        }
        let x = self.value;
        self.compose([x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x])
    }

    /// The smaller jet; NaN if either is NaN.
    pub fn min(self, other: Self) -> Self {
        if self.value.is_nan() || self < other { self } else { other }
    }

    /// The larger jet; NaN if either is NaN.
    pub fn max(self, other: Self) -> Self {
        if self.value.is_nan() || self > other { self } else { other }
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, first: -self.first, second: -self.second }
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            first: self.first * other.value + self.value * other.first,
            second: self.second * other.value + 2.0 * self.first * other.first + self.value * other.second,
        }
    }
}

impl Div for Jet {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // The quotient q follows from x = q y: ẋ = q̇ y + q ẏ and ẍ = q̈ y + 2 q̇ ẏ + q ÿ.
        let value = self.value / other.value;
        let first = (self.first - value * other.first) / other.value;
        let second = (self.second - 2.0 * first * other.first - value * other.second) / other.value;
        Self { value, first, second }
    }
}
