//! SIMD registers of the current processor, with the arithmetic of [`Real`].
//!
//! Data are stored in [`Row`]s of [`WIDTH`] numbers on every processor. A [`Pack`] is the part of a row in one
//! register. Results have the same bits for every width of the registers.

mod registers;
mod transposed;

pub use registers::Registers;
pub use transposed::{NUM_SLOTS, Padded, Slots};

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use pulp::Simd;
use pulp::bytemuck::{cast_slice, cast_slice_mut};
use serde::{Deserialize, Serialize};

use super::real::Real;

/// Number of entries of a [`Row`].
pub const WIDTH: usize = 8;

/// Number of lanes of a quartet; [`Pack::scatter_add`] adds the vectors of one quartet.
pub const QUARTET: usize = 4;

/// [`WIDTH`] contiguous numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Row(pub [f64; WIDTH]);

impl Row {
    /// The same number in every lane.
    pub fn splat(value: f64) -> Self {
        Self([value; WIDTH])
    }

    /// The row with `value(lane)` in each lane.
    pub fn from_fn(value: impl Fn(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }
}

const CACHE_LINE: usize = 64;

/// Prefetches `data` in software, because hardware prefetching stops at page boundaries.
#[inline(always)]
pub fn prefetch<T: ?Sized>(data: &T) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        let start = std::ptr::from_ref(data).cast::<i8>();
        for offset in (0..size_of_val(data)).step_by(CACHE_LINE) {
            sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(start.wrapping_add(offset));
        }
    }
}

/// Part of a row in a register: one, four or eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct Pack<S: Simd> {
    simd: S,
    value: S::f64s,
}

impl<S: Simd> Pack<S> {
    /// Number of lanes.
    pub const LANES: usize = S::F64_LANES;
    /// Number of packs per row.
    pub const PARTS: usize = WIDTH / S::F64_LANES;
    /// Number of quartets per pack; at least one.
    pub const QUARTETS: usize = S::F64_LANES.div_ceil(QUARTET);

    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self { simd, value: simd.splat_f64s(value) }
    }

    /// Loads the first [`Self::LANES`] of `numbers`.
    #[inline(always)]
    pub fn from_slice(simd: S, numbers: &[f64]) -> Self {
        Self { simd, value: S::as_simd_f64s(numbers).0[0] }
    }

    /// Stores to the first [`Self::LANES`] of `numbers`.
    #[inline(always)]
    pub fn write_to(self, numbers: &mut [f64]) {
        S::as_mut_simd_f64s(numbers).0[0] = self.value;
    }

    /// Loads pack number `part` of a row.
    #[inline(always)]
    pub fn load(simd: S, row: &Row, part: usize) -> Self {
        Self { simd, value: S::as_simd_f64s(&row.0).0[part] }
    }

    /// Stores to pack number `part` of a row.
    #[inline(always)]
    pub fn store(self, row: &mut Row, part: usize) {
        S::as_mut_simd_f64s(&mut row.0).0[part] = self.value;
    }

    /// Adds to pack number `part` of a row.
    #[inline(always)]
    pub fn add_to(self, row: &mut Row, part: usize) {
        (Self::load(self.simd, row, part) + self).store(row, part);
    }

    /// The numbers of all lanes.
    #[inline(always)]
    pub fn lanes(&self) -> &[f64] {
        cast_slice(std::slice::from_ref(&self.value))
    }
}

macro_rules! pack_operator {
    ($trait:ident, $method:ident, $operation:ident) => {
        impl<S: Simd> $trait for Pack<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { simd: self.simd, value: self.simd.$operation(self.value, other.value) }
            }
        }
    };
}

pack_operator!(Add, add, add_f64s);
pack_operator!(Sub, sub, sub_f64s);
pack_operator!(Mul, mul, mul_f64s);
pack_operator!(Div, div, div_f64s);

impl<S: Simd> Add<f64> for Pack<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, constant: f64) -> Self {
        self + self.constant(constant)
    }
}

impl<S: Simd> Mul<f64> for Pack<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self * self.constant(factor)
    }
}

impl<S: Simd> Neg for Pack<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { simd: self.simd, value: self.simd.neg_f64s(self.value) }
    }
}

impl<S: Simd> AddAssign for Pack<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Simd> SubAssign for Pack<S> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

// The upper 32 bits of a double contain the sign, the exponent and 20 bits of the fraction.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const UPPER_WORD: u64 = 0xffff_ffff_0000_0000;
const FRACTION_BITS_OF_UPPER_WORD: u32 = 20;
/// Bits of 1.0 minus bits of √½. The addition of this offset to the bits of a number increases the exponent by 1 if the
/// significand is at least √2.
const SQRT_HALF_OFFSET: u64 = 0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd;
/// 2^52, with a unit in the last place of 1.
const TWO_52: f64 = 4_503_599_627_370_496.0;
/// 2^32. The double 2^52 with an integer n in the low bits of its upper word is 2^52 + 2^32 n.
const TWO_32: f64 = 4_294_967_296.0;
/// The initial guess of x^−⅓ is this offset minus a third of the upper word of x (see [`super::real`]).
const INVERSE_CUBE_ROOT_OFFSET: u64 = 1_430_188_248 << 32;

impl<S: Simd> Pack<S> {
    #[inline(always)]
    fn bits(self) -> S::u64s {
        self.simd.transmute_u64s_f64s(self.value)
    }

    #[inline(always)]
    fn of_bits(self, bits: S::u64s) -> Self {
        Self { simd: self.simd, value: self.simd.transmute_f64s_u64s(bits) }
    }

    /// Shifts the two 32-bit words of each number right by `amount` bits, without carry between the words.
    #[inline(always)]
    fn words_shifted(self, bits: S::u64s, amount: u32) -> S::u64s {
        let mut words = bits;
        let shifted: &mut [S::u32s] = cast_slice_mut(std::slice::from_mut(&mut words));
        for words in shifted {
            *words = self.simd.wrapping_dyn_shr_u32s(*words, self.simd.splat_u32s(amount));
        }
        words
    }
}

impl<S: Simd> Real for Pack<S> {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self::splat(self.simd, value)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self { simd: self.simd, value: self.simd.mul_add_f64s(self.value, factor.value, addend.value) }
    }
    #[inline(always)]
    fn negated_mul_add(self, factor: Self, addend: Self) -> Self {
        let value = self.simd.negate_mul_add_f64s(self.value, factor.value, addend.value);
        Self { simd: self.simd, value }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { simd: self.simd, value: self.simd.sqrt_f64s(self.value) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self { simd: self.simd, value: self.simd.abs_f64s(self.value) }
    }
    // If one operand is NaN, SIMD instructions return the second operand, but the scalar operation of `pulp` returns
    // the operand that is not NaN. A single lane therefore uses `Real::max` or `Real::min` of `f64`, which also return
    // the second operand.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if Self::LANES == 1 {
            return Self::splat(self.simd, Real::max(self.lanes()[0], other.lanes()[0]));
        }
        Self { simd: self.simd, value: self.simd.max_f64s(self.value, other.value) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if Self::LANES == 1 {
            return Self::splat(self.simd, Real::min(self.lanes()[0], other.lanes()[0]));
        }
        Self { simd: self.simd, value: self.simd.min_f64s(self.value, other.value) }
    }
    #[inline(always)]
    fn all_within(self, limit: f64) -> bool {
        let (limit, none, one) = (self.constant(limit), self.constant(0.0), self.constant(1.0));
        self.simd.reduce_sum_f64s(self.abs().select_at_most(limit, none, one).value) == 0.0
    }
    #[inline(always)]
    fn select_at_most(self, limit: Self, yes: Self, no: Self) -> Self {
        let at_most = self.simd.less_than_or_equal_f64s(self.value, limit.value);
        self.of_bits(self.simd.select_u64s(at_most, yes.bits(), no.bits()))
    }
    #[inline(always)]
    fn binary_scale(self) -> (Self, Self) {
        let simd = self.simd;
        let carried = simd.add_u64s(self.bits(), simd.splat_u64s(SQRT_HALF_OFFSET));
        let exponent = simd.and_u64s(carried, simd.splat_u64s(EXPONENT));
        let scale = self.of_bits(simd.sub_u64s(simd.splat_u64s(2046 << 52), exponent));
        let integer = self.words_shifted(exponent, FRACTION_BITS_OF_UPPER_WORD);
        let float = self.of_bits(simd.or_u64s(integer, simd.splat_u64s(TWO_52.to_bits())));
        ((float + -TWO_52) * (1.0 / TWO_32) + -1023.0, scale)
    }
    /// Subtracts a third of the upper word of `self` from the offset: ⅓ = ¼ + 1/16 + 1/64 + …
    #[inline(always)]
    fn inverse_cube_root_guess(self) -> Self {
        let simd = self.simd;
        let upper = simd.and_u64s(self.bits(), simd.splat_u64s(UPPER_WORD));
        let mut third = simd.add_u64s(self.words_shifted(upper, 2), self.words_shifted(upper, 4));
        for amount in [4, 8, 16] {
            third = simd.add_u64s(third, self.words_shifted(third, amount));
        }
        self.of_bits(simd.sub_u64s(simd.splat_u64s(INVERSE_CUBE_ROOT_OFFSET), third))
    }
}

#[cfg(test)]
mod tests;
