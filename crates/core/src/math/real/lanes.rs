//! Four numbers in lanes, and masks from comparisons.

use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

use super::{Real, binary_scale, inverse_cube_root_guess};

/// Number of lanes of [`Lanes`].
pub const LANES: usize = 4;

/// Four numbers in lanes.
///
/// Operations use loops and array literals, because `#[inline(always)]` does not apply to closures: closures of
/// [`std::array::from_fn`] and `map` could remain calls to code for the baseline instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    /// A vector of three components, padded with zero.
    #[inline(always)]
    pub fn from_vector([x, y, z]: [f64; 3]) -> Self {
        Self([x, y, z, 0.0])
    }

    /// The four numbers, for scalar access. An optimisation barrier keeps the preceding arithmetic in SIMD form.
    #[inline(always)]
    pub fn settled(self) -> [f64; LANES] {
        std::hint::black_box(self).0
    }

    /// Lane j of row i of the result is lane i of `rows[j]`.
    #[inline(always)]
    pub fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        let [a, b, c, d] = [rows[0].0, rows[1].0, rows[2].0, rows[3].0];
        [
            Self([a[0], b[0], c[0], d[0]]),
            Self([a[1], b[1], c[1], d[1]]),
            Self([a[2], b[2], c[2], d[2]]),
            Self([a[3], b[3], c[3], d[3]]),
        ]
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $operator b[0], a[1] $operator b[1], a[2] $operator b[2], a[3] $operator b[3]])
            }
        }
    };
}

lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);
lane_operator!(Div, div, /);

/// Result of a comparison in each lane; false for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(pub [bool; LANES]);

impl Mask {
    /// Lanes of `yes` where the mask is true, otherwise of `no`.
    #[inline(always)]
    pub fn select(self, yes: Lanes, no: Lanes) -> Lanes {
        let (m, a, b) = (self.0, yes.0, no.0);
        Lanes([
            if m[0] { a[0] } else { b[0] },
            if m[1] { a[1] } else { b[1] },
            if m[2] { a[2] } else { b[2] },
            if m[3] { a[3] } else { b[3] },
        ])
    }

    /// Mask of the lanes where this mask is true and `other` is false.
    #[inline(always)]
    pub fn and_not(self, other: Self) -> Self {
        self & !other
    }

    /// Whether any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3]
    }
}

impl Not for Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        let m = self.0;
        Self([!m[0], !m[1], !m[2], !m[3]])
    }
}

macro_rules! mask_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Mask {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $operator b[0], a[1] $operator b[1], a[2] $operator b[2], a[3] $operator b[3]])
            }
        }
    };
}

mask_operator!(BitAnd, bitand, &);
mask_operator!(BitOr, bitor, |);

macro_rules! lane_comparison {
    ($method:ident, $operator:tt) => {
        impl Lanes {
            #[doc = concat!("Lanes with `self ", stringify!($operator), " other`.")]
            #[inline(always)]
            pub fn $method(self, other: Self) -> Mask {
                let (a, b) = (self.0, other.0);
                Mask([a[0] $operator b[0], a[1] $operator b[1], a[2] $operator b[2], a[3] $operator b[3]])
            }
        }
    };
}

lane_comparison!(at_most, <=);
lane_comparison!(at_least, >=);
lane_comparison!(exceeds, >);

impl Add<f64> for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, constant: f64) -> Self {
        self + Self::splat(constant)
    }
}

impl Mul<f64> for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self * Self::splat(factor)
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let a = self.0;
        Self([-a[0], -a[1], -a[2], -a[3]])
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Real for Lanes {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self::splat(value)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let (a, b, c) = (self.0, factor.0, addend.0);
        Self([
            f64::mul_add(a[0], b[0], c[0]),
            f64::mul_add(a[1], b[1], c[1]),
            f64::mul_add(a[2], b[2], c[2]),
            f64::mul_add(a[3], b[3], c[3]),
        ])
    }
    #[inline(always)]
    fn negated_mul_add(self, factor: Self, addend: Self) -> Self {
        Real::mul_add(-self, factor, addend)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let a = self.0;
        Self([f64::sqrt(a[0]), f64::sqrt(a[1]), f64::sqrt(a[2]), f64::sqrt(a[3])])
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let a = self.0;
        Self([f64::abs(a[0]), f64::abs(a[1]), f64::abs(a[2]), f64::abs(a[3])])
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([Real::max(a[0], b[0]), Real::max(a[1], b[1]), Real::max(a[2], b[2]), Real::max(a[3], b[3])])
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([Real::min(a[0], b[0]), Real::min(a[1], b[1]), Real::min(a[2], b[2]), Real::min(a[3], b[3])])
    }
    #[inline(always)]
    fn all_within(self, limit: f64) -> bool {
        !(!self.abs().at_most(Self::splat(limit))).any()
    }
    #[inline(always)]
    fn select_at_most(self, limit: Self, yes: Self, no: Self) -> Self {
        self.at_most(limit).select(yes, no)
    }
    #[inline(always)]
    fn binary_scale(self) -> (Self, Self) {
        let mut pair = (self, self);
        for lane in 0..LANES {
            (pair.0.0[lane], pair.1.0[lane]) = binary_scale(self.0[lane]);
        }
        pair
    }
    #[inline(always)]
    fn inverse_cube_root_guess(self) -> Self {
        let mut guess = self;
        for lane in 0..LANES {
            guess.0[lane] = inverse_cube_root_guess(self.0[lane]);
        }
        guess
    }
}
