//! Operations on eight numbers in lanes: comparison, selection and minimum.
//!
//! AVX2 has its own implementation, because compilers do not vectorise the portable loops. Both implementations agree,
//! up to the sign of a zero and the arbitrary values of [`EightLanes::chosen`].

#![expect(clippy::needless_range_loop, reason = "closures of iterators escape the vector code")]

#[cfg(target_arch = "x86_64")]
use pulp::{bytemuck::cast, x86::V3};

use super::real::{LANES, Lanes};

pub use super::pack::WIDTH;

/// Eight boxes in lanes: components of the lower corners, then of the upper corners.
pub type Boxes = [[[f32; WIDTH]; 3]; 2];

/// Operations on eight lanes, implemented for each kind of processor.
pub trait EightLanes: Copy {
    /// Squared distances of eight boxes from another box; NaN for a box with NaN in its lower corner.
    fn distances_squared(self, boxes: &Boxes, other: &[[f32; 3]; 2]) -> [f32; WIDTH];
    /// One bit per lane, set if the number is at most `limit`.
    fn at_most(self, numbers: &[u32; WIDTH], limit: u32) -> u8;
    /// One bit per lane, set if the two numbers are equal.
    fn equal(self, numbers: &[u32; WIDTH], others: &[u32; WIDTH]) -> u8;
    /// The numbers of those lanes whose bit is set in `bits`, in order; then arbitrary values.
    fn chosen(self, numbers: &[u32; WIDTH], bits: u8) -> [u32; WIDTH];
    /// Minimum of eight numbers.
    fn least(self, numbers: &[u32; WIDTH]) -> u32;
    /// Minimum of four numbers, and the first lane with this minimum; NaN counts as infinite.
    fn first_least(self, numbers: &Lanes) -> (f64, usize);
}

/// Portable implementation.
#[derive(Clone, Copy, Debug)]
pub struct PortableLanes;

impl EightLanes for PortableLanes {
    #[inline(always)]
    fn distances_squared(self, [lower, upper]: &Boxes, other: &[[f32; 3]; 2]) -> [f32; WIDTH] {
        // The larger number; `b` if either is NaN.
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let mut squares = [0.0; WIDTH];
        for d in 0..3 {
            for k in 0..WIDTH {
                let apart = larger(other[0][d] - upper[d][k], lower[d][k] - other[1][d]);
                let apart = larger(0.0, apart);
                squares[k] += apart * apart;
            }
        }
        squares
    }

    #[inline(always)]
    fn at_most(self, numbers: &[u32; WIDTH], limit: u32) -> u8 {
        let mut bits = 0;
        for k in 0..WIDTH {
            bits |= u8::from(numbers[k] <= limit) << k;
        }
        bits
    }

    #[inline(always)]
    fn equal(self, numbers: &[u32; WIDTH], others: &[u32; WIDTH]) -> u8 {
        let mut bits = 0;
        for k in 0..WIDTH {
            bits |= u8::from(numbers[k] == others[k]) << k;
        }
        bits
    }

    #[inline(always)]
    fn chosen(self, numbers: &[u32; WIDTH], bits: u8) -> [u32; WIDTH] {
        let mut chosen = [0; WIDTH];
        for k in 0..WIDTH {
            chosen[k] = numbers[set_bits(bits)[k] as usize];
        }
        chosen
    }

    #[inline(always)]
    fn least(self, numbers: &[u32; WIDTH]) -> u32 {
        let mut least = numbers[0];
        for k in 1..WIDTH {
            least = least.min(numbers[k]);
        }
        least
    }

    #[inline(always)]
    fn first_least(self, numbers: &Lanes) -> (f64, usize) {
        let mut first = (f64::INFINITY, 0);
        for lane in 0..LANES {
            if numbers.0[lane] < first.0 {
                first = (numbers.0[lane], lane);
            }
        }
        first
    }
}

#[cfg(target_arch = "x86_64")]
impl EightLanes for V3 {
    #[inline(always)]
    fn distances_squared(self, [lower, upper]: &Boxes, other: &[[f32; 3]; 2]) -> [f32; WIDTH] {
        let avx = self.avx;
        let (zero, mut squares) = (avx._mm256_setzero_ps(), avx._mm256_setzero_ps());
        for d in 0..3 {
            let below = avx._mm256_sub_ps(avx._mm256_set1_ps(other[0][d]), cast(upper[d]));
            let above = avx._mm256_sub_ps(cast(lower[d]), avx._mm256_set1_ps(other[1][d]));
            let apart = avx._mm256_max_ps(zero, avx._mm256_max_ps(below, above));
            squares = avx._mm256_add_ps(squares, avx._mm256_mul_ps(apart, apart));
        }
        cast(squares)
    }

    #[inline(always)]
    fn at_most(self, numbers: &[u32; WIDTH], limit: u32) -> u8 {
        let limit = self.avx._mm256_set1_epi32(limit.cast_signed());
        let larger = self.avx2._mm256_max_epu32(cast(*numbers), limit);
        let at_most = self.avx2._mm256_cmpeq_epi32(larger, limit);
        self.avx._mm256_movemask_ps(self.avx._mm256_castsi256_ps(at_most)) as u8
    }

    #[inline(always)]
    fn equal(self, numbers: &[u32; WIDTH], others: &[u32; WIDTH]) -> u8 {
        let equal = self.avx2._mm256_cmpeq_epi32(cast(*numbers), cast(*others));
        self.avx._mm256_movemask_ps(self.avx._mm256_castsi256_ps(equal)) as u8
    }

    #[inline(always)]
    fn chosen(self, numbers: &[u32; WIDTH], bits: u8) -> [u32; WIDTH] {
        let places = self.avx2._mm256_cvtepu8_epi32(cast([u64::from_le_bytes(*set_bits(bits)), 0]));
        cast(self.avx2._mm256_permutevar8x32_epi32(cast(*numbers), places))
    }

    #[inline(always)]
    fn least(self, numbers: &[u32; WIDTH]) -> u32 {
        let [first, second]: [[u32; WIDTH / 2]; 2] = cast(*numbers);
        let four = self.sse4_1._mm_min_epu32(cast(first), cast(second));
        let two = self.sse4_1._mm_min_epu32(four, self.sse2._mm_shuffle_epi32::<0b_01_00_11_10>(four));
        let one = self.sse4_1._mm_min_epu32(two, self.sse2._mm_shuffle_epi32::<0b_10_11_00_01>(two));
        self.sse2._mm_cvtsi128_si32(one).cast_unsigned()
    }

    #[inline(always)]
    fn first_least(self, numbers: &Lanes) -> (f64, usize) {
        let avx = self.avx;
        let four = avx._mm256_min_pd(cast(numbers.0), avx._mm256_set1_pd(f64::INFINITY));
        let two = avx._mm256_min_pd(four, avx._mm256_permute_pd::<0b_01_01>(four));
        let one = avx._mm256_min_pd(two, avx._mm256_permute2f128_pd::<1>(two, two));
        let those = avx._mm256_cmp_pd::<{ std::arch::x86_64::_CMP_EQ_OQ }>(four, one);
        let lane = avx._mm256_movemask_pd(those).trailing_zeros() as usize;
        (self.sse2._mm_cvtsd_f64(avx._mm256_castpd256_pd128(one)), lane % LANES)
    }
}

static SET_BITS: [[u8; WIDTH]; 1 << WIDTH] = {
    let mut table = [[0; WIDTH]; 1 << WIDTH];
    let mut byte = 0;
    while byte < table.len() {
        let (mut bit, mut count) = (0, 0);
        while bit < WIDTH {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Indices of the set bits of a byte, ascending, padded with zeros.
#[inline(always)]
pub fn set_bits(byte: u8) -> &'static [u8; WIDTH] {
    &SET_BITS[byte as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vectorised::{Kernel, Vectorised};
    use proptest::prelude::*;

    struct All {
        corners: Vec<f32>,
        keys: [u32; WIDTH],
        chosen: u8,
        four: [f64; LANES],
    }

    impl Kernel for All {
        type Output = ([u32; WIDTH], u8, [u8; 2], [u32; WIDTH], u32, (u64, usize));

        fn call(self, simd: impl EightLanes) -> Self::Output {
            let corner = |k: usize, d: usize, n: usize| self.corners[(k * 3 + d) * (WIDTH + 1) + n];
            let boxes = [0, 1].map(|k| [0, 1, 2].map(|d| std::array::from_fn(|n| corner(k, d, n))));
            let other = [0, 1].map(|k| [0, 1, 2].map(|d| corner(k, d, WIDTH)));
            let squares = simd.distances_squared(&boxes, &other);
            let (least, lane) = simd.first_least(&Lanes(self.four));
            // All NaN count as equal.
            let bits = squares.map(|square| if square.is_nan() { u32::MAX } else { square.to_bits() });
            let mut turned = self.keys;
            turned.rotate_left(1);
            let equal = simd.equal(&self.keys, &turned);
            let mut chosen = simd.chosen(&self.keys, self.chosen);
            chosen[self.chosen.count_ones() as usize..].fill(0);
            (
                bits,
                simd.at_most(&self.keys, self.keys[3]),
                [equal, simd.equal(&self.keys, &self.keys)],
                chosen,
                simd.least(&self.keys),
                (least.to_bits(), lane),
            )
        }
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            -2.0..2.0,
            Just(1.0),
            Just(0.0),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(f64::NAN)
        ]
    }

    proptest! {
        #[test]
        fn all_processors_agree(
            corners in prop::collection::vec(number().prop_map(|x| x as f32), 6 * (WIDTH + 1)),
            keys in prop::array::uniform8(prop_oneof![any::<u32>(), 0..4_u32]),
            chosen in any::<u8>(),
            four in prop::array::uniform4(number()),
        ) {
            let run = |on: Vectorised| on.run(All { corners: corners.clone(), keys, chosen, four });
            let (_, at_most, equal, those, least, (first, lane)) = run(Vectorised::baseline());
            prop_assert_eq!(run(Vectorised::detect()), run(Vectorised::baseline()));
            prop_assert!((0..WIDTH).all(|k| (keys[k] <= keys[3]) == (at_most >> k & 1 == 1)));
            prop_assert!((0..WIDTH).all(|k| (keys[k] == keys[(k + 1) % WIDTH]) == (equal[0] >> k & 1 == 1)));
            prop_assert_eq!(equal[1], u8::MAX);
            let expected: Vec<u32> = (0..WIDTH).filter(|k| chosen >> k & 1 == 1).map(|k| keys[k]).collect();
            prop_assert_eq!(&those[..expected.len()], &expected);
            prop_assert_eq!(Some(&least), keys.iter().min());
            let known = four.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert_eq!(f64::from_bits(first), known);
            let place = four.iter().position(|&x| x == known).unwrap_or(0);
            prop_assert_eq!(lane, if known.is_finite() { place } else { lane });
        }
    }

    #[test]
    fn distances_of_boxes() {
        let lower =
            [[1.0; WIDTH], [-1.0; WIDTH], [f32::NEG_INFINITY, -5.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::NAN]];
        let upper = [[2.0; WIDTH], [1.0; WIDTH], [f32::INFINITY, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::NAN]];
        let squares = PortableLanes.distances_squared(&[lower, upper], &[[-0.5, 0.0, 0.0], [0.0, 0.5, 1.0]]);
        assert_eq!(squares[..3], [1.0, 17.0, 1.0]);
        assert!(squares[7].is_nan());
    }

    #[test]
    fn set_bits_are_listed() {
        for byte in 0..=u8::MAX {
            let numbers = set_bits(byte);
            let count = byte.count_ones() as usize;
            assert!(numbers[..count].is_sorted_by(|a, b| a < b));
            assert_eq!(numbers[..count].iter().map(|bit| 1 << bit).sum::<u32>(), u32::from(byte));
        }
    }
}
