//! Transposition between packs and data in memory: three-component vectors, or quadruples of numbers.

use pulp::Simd;
use pulp::bytemuck::{cast_slice, cast_slice_mut};

use super::{Pack, QUARTET, WIDTH};
use crate::math::Vec3;
use crate::math::real::Lanes;

/// A three-component vector, padded with a fourth number.
pub type Padded = Lanes;

/// Number of vectors that 16-bit indices can address.
pub const NUM_SLOTS: usize = 1 << 16;

/// [`NUM_SLOTS`] vectors; 16-bit indices need no bounds checks.
pub type Slots = [Padded; NUM_SLOTS];

/// Four packs from four numbers per lane, `$numbers` for the lane `$lane`: pack k holds number k of every lane. A
/// macro, because a closure would not be compiled for SIMD registers.
macro_rules! transposed {
    ($simd:ident, $lane:ident => $numbers:expr) => {{
        let mut registers = [$simd.splat_f64s(0.0); 4];
        if Self::LANES == 1 {
            let $lane = 0;
            let [a, b, c, d] = $numbers;
            registers = [$simd.splat_f64s(a), $simd.splat_f64s(b), $simd.splat_f64s(c), $simd.splat_f64s(d)];
        } else {
            for register in 0..4 {
                let halves: &mut [[f64; 4]] = cast_slice_mut(std::slice::from_mut(&mut registers[register]));
                for (half, numbers) in halves.iter_mut().enumerate() {
                    let $lane = Self::lane_of(register, half);
                    *numbers = $numbers;
                }
            }
            registers = $simd.deinterleave_shfl_f64s(registers);
        }
        let [a, b, c, d] = registers;
        [
            Self { simd: $simd, value: a },
            Self { simd: $simd, value: b },
            Self { simd: $simd, value: c },
            Self { simd: $simd, value: d },
        ]
    }};
}

impl<S: Simd> Pack<S> {
    /// Four registers hold one padded vector per lane. Each vector fills a half, which is four numbers: an AVX-512
    /// register has two halves, an AVX2 register one. Gives the lane whose vector is in half `half` of register
    /// `register`.
    #[inline(always)]
    fn lane_of(register: usize, half: usize) -> usize {
        register / 2 * (Self::LANES / 2) + register % 2 + 2 * half
    }

    /// Components of the vectors at the indices in part `part` of the row `indices`.
    #[inline(always)]
    pub fn gather(simd: S, vectors: &Slots, indices: &[u16; WIDTH], part: usize) -> [Self; 3] {
        let first = part * Self::LANES;
        let [x, y, z, _] = transposed!(simd, lane => vectors[usize::from(indices[first + lane])].0);
        [x, y, z]
    }

    /// Components of the vectors at the first [`Self::LANES`] entries of `places`.
    #[inline(always)]
    pub fn gather_vectors(simd: S, vectors: &[Vec3], places: &[usize; WIDTH]) -> [Self; 3] {
        let [x, y, z, _] = transposed!(simd, lane => Padded::from_vector(vectors[places[lane]].data.0[0]).0);
        [x, y, z]
    }

    /// Numbers of the quadruples at the first [`Self::LANES`] entries of `places`.
    #[inline(always)]
    pub fn gather_quadruples(simd: S, quadruples: &[[f64; 4]], places: &[usize; WIDTH]) -> [Self; 4] {
        transposed!(simd, lane => quadruples[places[lane]])
    }

    /// [`Self::gather`] for several rows of indices.
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

    /// Components of the vectors in part `part` of a row of vectors.
    #[inline(always)]
    pub fn components(simd: S, vectors: &[Vec3; WIDTH], part: usize) -> [Self; 3] {
        let first = part * Self::LANES;
        let [x, y, z, _] = transposed!(simd, lane => Padded::from_vector(vectors[first + lane].data.0[0]).0);
        [x, y, z]
    }

    /// Quadruple k holds the numbers in lane k of the four packs. Quadruples beyond the number of lanes are zero.
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

    /// Adds the vectors in the lanes 4 `quartet` to 4 `quartet` + 3 to `sums`, one after the other, at the indices in
    /// part `part` of the row `indices`. A pack of one lane adds its only vector and ignores `quartet`.
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
