//! Registers of numbers: [`Real`] over the vectors of the processor at hand.
//!
//! Data lies in [`Row`]s of [`WIDTH`] numbers, whatever the processor; a [`Pack`] is the part of a row that fits its
//! registers. Which part of a row is computed with which does not change a bit of the result.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use pulp::bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

use super::Vec3;
use super::real::{Lanes, Real};

/// Numbers of a [`Row`].
pub const WIDTH: usize = 8;

/// Lanes that are added to sums one after the other: as many as the narrowest registers have.
pub const QUARTET: usize = 4;

/// Numbers side by side in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f64; WIDTH]);

impl Row {
    /// The same number in every place.
    pub fn splat(value: f64) -> Self {
        Self([value; WIDTH])
    }

    /// Numbers by their place.
    pub fn from_fn(value: impl Fn(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }
}

/// Bytes that memory hands over at a time.
const CACHE_LINE: usize = 64;

/// Asks for data that will be used soon: by itself the processor looks ahead no further than a page of memory.
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

/// A part of a row in a register: of one number, of four or of eight.
#[derive(Clone, Copy, Debug)]
pub struct Pack<S: Simd> {
    simd: S,
    value: S::f64s,
}

/// Three-component vectors padded to four.
pub type Padded = Lanes;

/// Vectors that indices of 16 bits can name.
pub const NUM_SLOTS: usize = 1 << 16;

/// All of them: no index needs to be held against a bound.
pub type Slots = [Padded; NUM_SLOTS];

/// Components of the padded vectors of the lanes of a part of a row: a closure would escape the vector code.
macro_rules! components {
    ($simd:ident, $part:ident, $lane:ident => $vector:expr) => {{
        if Self::LANES == 1 {
            let $lane = $part;
            let [x, y, z, _] = $vector.0;
            return [Self::splat($simd, x), Self::splat($simd, y), Self::splat($simd, z)];
        }
        let mut registers = [$simd.splat_f64s(0.0); 4];
        for register in 0..4 {
            let halves: &mut [[f64; 4]] = cast_slice_mut(std::slice::from_mut(&mut registers[register]));
            for (half, vector) in halves.iter_mut().enumerate() {
                let $lane = $part * Self::LANES + Self::lane_of(register, half);
                *vector = $vector.0;
            }
        }
        let [x, y, z, _] = $simd.deinterleave_shfl_f64s(registers);
        [Self { simd: $simd, value: x }, Self { simd: $simd, value: y }, Self { simd: $simd, value: z }]
    }};
}

/// Up to four numbers that lie together in memory.
pub trait Quadruple: Copy {
    /// The numbers, then zeros.
    fn quadruple(self) -> [f64; 4];
}

impl Quadruple for Vec3 {
    #[inline(always)]
    fn quadruple(self) -> [f64; 4] {
        Padded::from_vector(self.data.0[0]).0
    }
}

impl<const N: usize> Quadruple for [f64; N] {
    #[inline(always)]
    fn quadruple(self) -> [f64; 4] {
        let mut numbers = [0.0; 4];
        let count = if N < 4 { N } else { 4 };
        numbers[..count].copy_from_slice(&self[..count]);
        numbers
    }
}

impl<S: Simd> Pack<S> {
    /// Numbers of a pack.
    pub const LANES: usize = S::F64_LANES;
    /// Packs of a row.
    pub const PARTS: usize = WIDTH / S::F64_LANES;
    /// Quartets of a pack; a single number counts as one.
    pub const QUARTETS: usize = S::F64_LANES.div_ceil(QUARTET);

    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self { simd, value: simd.splat_f64s(value) }
    }

    /// Part of a row.
    #[inline(always)]
    pub fn load(simd: S, row: &Row, part: usize) -> Self {
        Self { simd, value: S::as_simd_f64s(&row.0).0[part] }
    }

    /// Overwrites a part of a row.
    #[inline(always)]
    pub fn store(self, row: &mut Row, part: usize) {
        S::as_mut_simd_f64s(&mut row.0).0[part] = self.value;
    }

    /// Adds it to a part of a row.
    #[inline(always)]
    pub fn add_to(self, row: &mut Row, part: usize) {
        (Self::load(self.simd, row, part) + self).store(row, part);
    }

    /// The numbers.
    #[inline(always)]
    pub fn lanes(&self) -> &[f64] {
        cast_slice(std::slice::from_ref(&self.value))
    }

    /// Lane of the number in half `half` of register `register` where four registers of padded vectors are transposed.
    #[inline(always)]
    fn lane_of(register: usize, half: usize) -> usize {
        register / 2 * (Self::LANES / 2) + register % 2 + 2 * half
    }

    /// Components of the vectors that a part of a row of indices names.
    #[inline(always)]
    pub fn gather(simd: S, vectors: &Slots, indices: &[u16; WIDTH], part: usize) -> [Self; 3] {
        components!(simd, part, lane => vectors[usize::from(indices[lane])])
    }

    /// Numbers of the items at as many places as there are lanes.
    #[inline(always)]
    pub fn gather_quadruples<T: Quadruple>(simd: S, items: &[T], places: &[usize; WIDTH]) -> [Self; 4] {
        if Self::LANES == 1 {
            let [a, b, c, d] = items[places[0]].quadruple();
            return [Self::splat(simd, a), Self::splat(simd, b), Self::splat(simd, c), Self::splat(simd, d)];
        }
        let mut registers = [simd.splat_f64s(0.0); 4];
        for register in 0..4 {
            let halves: &mut [[f64; 4]] = cast_slice_mut(std::slice::from_mut(&mut registers[register]));
            for (half, numbers) in halves.iter_mut().enumerate() {
                *numbers = items[places[Self::lane_of(register, half)]].quadruple();
            }
        }
        simd.deinterleave_shfl_f64s(registers).map(|value| Self { simd, value })
    }

    /// The other way round: four numbers for each lane.
    #[inline(always)]
    pub fn quadruples([a, b, c, d]: [Self; 4]) -> [[f64; 4]; WIDTH] {
        let mut quadruples = [[0.0; 4]; WIDTH];
        if Self::LANES == 1 {
            quadruples[0] = [a.lanes()[0], b.lanes()[0], c.lanes()[0], d.lanes()[0]];
            return quadruples;
        }
        let registers = a.simd.interleave_shfl_f64s([a.value, b.value, c.value, d.value]);
        let halves: &[[f64; 4]] = cast_slice(&registers);
        for register in 0..4 {
            for half in 0..Self::LANES / 4 {
                quadruples[Self::lane_of(register, half)] = halves[register * (Self::LANES / 4) + half];
            }
        }
        quadruples
    }

    /// As many numbers as there are lanes.
    #[inline(always)]
    pub fn from_slice(simd: S, numbers: &[f64]) -> Self {
        Self { simd, value: S::as_simd_f64s(numbers).0[0] }
    }

    /// Components of a part of a row of vectors.
    #[inline(always)]
    pub fn components(simd: S, vectors: &[Vec3; WIDTH], part: usize) -> [Self; 3] {
        components!(simd, part, lane => Padded::from_vector(vectors[lane].data.0[0]))
    }

    /// The same for several rows of indices.
    #[inline(always)]
    pub fn gather_rows<const N: usize>(
        simd: S,
        vectors: &Slots,
        indices: &[[u16; WIDTH]; N],
        part: usize,
    ) -> [[Self; 3]; N] {
        let mut gathered = [[Self::splat(simd, 0.0); 3]; N];
        for a in 0..N {
            gathered[a] = Self::gather(simd, vectors, &indices[a], part);
        }
        gathered
    }

    /// Adds vectors of a quartet of lanes, given by the components of all, to those that a part of a row of indices
    /// names, lane after lane.
    #[inline(always)]
    pub fn scatter_add(
        vector: &[Self; 3],
        sums: &mut Slots,
        indices: &[u16; WIDTH],
        part: usize,
        quartet: usize,
    ) {
        let [x, y, z] = vector;
        let simd = x.simd;
        if Self::LANES == 1 {
            let vector = Padded::from_vector([x.lanes()[0], y.lanes()[0], z.lanes()[0]]);
            sums[usize::from(indices[part])] += vector;
            return;
        }
        let registers = simd.interleave_shfl_f64s([x.value, y.value, z.value, simd.splat_f64s(0.0)]);
        let halves: &[[f64; 4]] = cast_slice(&registers);
        for lane in quartet * QUARTET..(quartet + 1) * QUARTET {
            let register = lane / (Self::LANES / 2) * 2 + lane % 2;
            let half = lane % (Self::LANES / 2) / 2;
            let vector = halves[register * (Self::LANES / 4) + half];
            sums[usize::from(indices[part * Self::LANES + lane])] += Lanes(vector);
        }
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

// Bits of a double, seen as two words of 32: the exponent is in the upper one, above 20 bits of fraction.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const UPPER_WORD: u64 = 0xffff_ffff_0000_0000;
const FRACTION_BITS_OF_UPPER_WORD: u32 = 20;
/// Bits of √½ below those of 1.0: adding it carries into the exponent where the fraction passes √2.
const SQRT_HALF_OFFSET: u64 = 0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd;
/// 2^52, whose unit in the last place is 1: an integer of 20 bits in the upper word adds itself times 2^32.
const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_32: f64 = 4_294_967_296.0;
/// What the guess of an inverse cube root counts down from (see [`super::real`]).
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

    /// Both words of each number shifted right.
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
    // Vector instructions take the second of two where one is no number; those of single numbers take the number.
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
        let (none, one) = (self.constant(0.0), self.constant(1.0));
        self.simd.reduce_sum_f64s(self.select_within(limit, none, one).value) == 0.0
    }
    #[inline(always)]
    fn select_within(self, limit: f64, inside: Self, outside: Self) -> Self {
        let within = self.simd.less_than_or_equal_f64s(self.abs().value, self.simd.splat_f64s(limit));
        self.of_bits(self.simd.select_u64s(within, inside.bits(), outside.bits()))
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
    /// A third of the upper word, by its binary series ¼ + 1/16 + 1/64 + …, is taken off.
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

/// The widest registers that the processor has: AVX-512, AVX2, or single numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    #[cfg(target_arch = "x86_64")]
    arch: pulp::Arch,
}

impl Registers {
    /// All that this processor has, narrowest first.
    #[cfg(test)]
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            let vectors =
                [pulp::x86::V3::try_new().map(pulp::Arch::V3), pulp::x86::V4::try_new().map(pulp::Arch::V4)];
            let all = std::iter::once(pulp::Arch::Scalar).chain(vectors.into_iter().flatten());
            all.map(|arch| Self { arch }).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![Self {}]
    }

    /// Runs `kernel` on them; mark all that it calls `#[inline(always)]`, else it stays baseline code.
    #[inline]
    pub fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if !matches!(self.arch, pulp::Arch::Scalar) {
            return self.arch.dispatch(kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }

    /// Runs a `kernel` on four lanes, with the same result: one that seldom runs, so that less code is compiled, or that
    /// seldom has eight of what it needs.
    #[inline]
    pub fn run_in_fours<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let (true, Some(avx2)) = (!matches!(self.arch, pulp::Arch::Scalar), pulp::x86::V3::try_new()) {
            return Simd::vectorize(avx2, kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// ln(1 + x), x − ln(1 + x), ∛(1 + x), 1/∛(1 + x) and √|x| of a row, part by part.
    struct Functions<'a>(&'a Row);

    impl WithSimd for Functions<'_> {
        type Output = [Row; 5];

        fn with_simd<S: Simd>(self, simd: S) -> [Row; 5] {
            let mut out = [Row::splat(0.0); 5];
            for part in 0..Pack::<S>::PARTS {
                let x = Pack::load(simd, self.0, part);
                let (logarithm, residual) = x.ln_1p_and_residual();
                let (root, inverse_root) = ((x + 1.0).cube_root(), x.inverse_cube_root_1p());
                let values = [logarithm, residual, root, inverse_root, x.abs().sqrt()];
                for (row, value) in out.iter_mut().zip(values) {
                    value.store(row, part);
                }
            }
            out
        }
    }

    /// The larger and the smaller of two rows, part by part.
    struct Extremes<'a>([&'a Row; 2]);

    impl WithSimd for Extremes<'_> {
        type Output = [Row; 2];

        fn with_simd<S: Simd>(self, simd: S) -> [Row; 2] {
            let mut out = [Row::splat(0.0); 2];
            for part in 0..Pack::<S>::PARTS {
                let [a, b] = self.0.map(|row| Pack::load(simd, row, part));
                a.max(b).store(&mut out[0], part);
                a.min(b).store(&mut out[1], part);
            }
            out
        }
    }

    /// Gathers vectors by index and adds them back to where they came from.
    struct Twice<'a>(&'a mut Slots, &'a [u16; WIDTH]);

    impl WithSimd for Twice<'_> {
        type Output = [Row; 3];

        fn with_simd<S: Simd>(self, simd: S) -> [Row; 3] {
            let mut rows = [Row::splat(0.0); 3];
            for part in 0..Pack::<S>::PARTS {
                let vector = Pack::gather(simd, self.0, self.1, part);
                for quartet in 0..Pack::<S>::QUARTETS {
                    Pack::scatter_add(&vector, self.0, self.1, part, quartet);
                }
                for (row, component) in rows.iter_mut().zip(vector) {
                    component.store(row, part);
                }
            }
            rows
        }
    }

    proptest! {
        #[test]
        fn every_register_has_the_bits_of_the_scalar(
            x in prop::array::uniform8(prop_oneof![-0.9..30.0f64, -0.07..0.07f64]),
        ) {
            for registers in Registers::available() {
                let [logarithm, residual, root, inverse_root, square_root] = registers.run(Functions(&Row(x)));
                for (lane, x) in x.into_iter().enumerate() {
                    let scalar = x.ln_1p_and_residual();
                    prop_assert_eq!((logarithm.0[lane], residual.0[lane]), scalar);
                    prop_assert_eq!(root.0[lane], (x + 1.0).cube_root());
                    prop_assert_eq!(inverse_root.0[lane], x.inverse_cube_root_1p());
                    prop_assert_eq!(square_root.0[lane], x.abs().sqrt());
                }
            }
        }
    }

    /// What is no number on one side, signs of zero and infinities included.
    #[test]
    fn every_register_has_the_extremes_of_the_scalar() {
        let values = [f64::NAN, -0.0, 0.0, 1.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, 3.0];
        for shift in 0..WIDTH {
            let rows = [Row(values), Row::from_fn(|lane| values[(lane + shift) % WIDTH])];
            for registers in Registers::available() {
                let [larger, smaller] = registers.run(Extremes([&rows[0], &rows[1]]));
                for lane in 0..WIDTH {
                    let [a, b] = [rows[0].0[lane], rows[1].0[lane]];
                    assert_eq!(larger.0[lane].to_bits(), Real::max(a, b).to_bits(), "{a} {b}");
                    assert_eq!(smaller.0[lane].to_bits(), Real::min(a, b).to_bits(), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn gathered_vectors_are_in_the_lane_of_their_index_and_go_back() {
        for registers in Registers::available() {
            let mut vectors: Vec<Padded> =
                (0..1 << 16).map(|k| Padded::from_vector([k, k + 100, k + 200].map(f64::from))).collect();
            let indices = [3, 17, 0, 8, 9, 19, u16::MAX, 11];
            let rows = registers.run(Twice(vectors.first_chunk_mut().unwrap(), &indices));
            for (i, row) in rows.iter().enumerate() {
                assert_eq!(row.0, indices.map(|index| f64::from(index) + 100.0 * i as f64));
            }
            for (k, vector) in vectors.iter().enumerate() {
                let factor = if indices.contains(&(k as u16)) { 2.0 } else { 1.0 };
                assert_eq!(vector.0[..3], [0.0, 100.0, 200.0].map(|shift| (shift + k as f64) * factor));
                assert_eq!(vector.0[3], 0.0);
            }
        }
    }
}
