//! Axis-aligned boxes in lanes, the storage of box trees.

use pulp::Simd;
use pulp::bytemuck::{bytes_of, cast_slice};

use super::aabb::Aabb;
use crate::math::Vec3;
use crate::math::pack::{Row, WIDTH};
use crate::math::real::Real;

/// Eight boxes, one in each lane.
#[derive(Clone, Copy, Debug)]
pub struct AabbRow {
    lower: [Row; 3],
    upper: [Row; 3],
}

impl AabbRow {
    /// Boxes that overlap no box, because their bounds are NaN.
    pub const EMPTY: Self = Self { lower: [Row([f64::NAN; WIDTH]); 3], upper: [Row([f64::NAN; WIDTH]); 3] };

    /// Stores a box in a lane.
    pub fn set(&mut self, lane: usize, bounds: &Aabb) {
        for d in 0..3 {
            self.lower[d].0[lane] = bounds.lower[d];
            self.upper[d].0[lane] = bounds.upper[d];
        }
    }

    /// The box in a lane.
    pub fn get(&self, lane: usize) -> Aabb {
        let [lower, upper] = [&self.lower, &self.upper].map(|rows| Vec3::from_fn(|d, _| rows[d].0[lane]));
        Aabb { lower, upper }
    }

    /// Smallest box that contains the boxes of all lanes; NaN bounds are ignored.
    #[inline]
    pub fn joint(&self) -> Aabb {
        let mut joint = Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
        for d in 0..3 {
            for lane in 0..WIDTH {
                joint.lower[d] = Real::min(self.lower[d].0[lane], joint.lower[d]);
                joint.upper[d] = Real::max(self.upper[d].0[lane], joint.upper[d]);
            }
        }
        joint
    }

    /// Mask of the boxes that overlap or touch `other`; bit k belongs to lane k. A box with NaN bounds overlaps no box.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, simd: S, other: &Aabb) -> u64 {
        let mut overlapping = 0;
        for part in 0..WIDTH / S::F64_LANES {
            let mut all = self.overlaps_along(simd, 0, part, other);
            for d in 1..3 {
                all = simd.and_m64s(all, self.overlaps_along(simd, d, part, other));
            }
            overlapping |= bits::<S>(all) << (part * S::F64_LANES);
        }
        overlapping
    }

    /// Mask of the boxes in register `part` that overlap or touch `other` along `axis`.
    #[inline(always)]
    fn overlaps_along<S: Simd>(&self, simd: S, axis: usize, part: usize, other: &Aabb) -> S::m64s {
        let lower = S::as_simd_f64s(&self.lower[axis].0).0[part];
        let upper = S::as_simd_f64s(&self.upper[axis].0).0[part];
        let begin = simd.less_than_or_equal_f64s(lower, simd.splat_f64s(other.upper[axis]));
        let end = simd.less_than_or_equal_f64s(simd.splat_f64s(other.lower[axis]), upper);
        simd.and_m64s(begin, end)
    }
}

/// The bits of a mask; the lowest bit belongs to the first lane.
#[inline(always)]
fn bits<S: Simd>(mask: S::m64s) -> u64 {
    // Depending on the instruction set, a mask is one byte with a bit per lane, one byte with a single truth value, or
    // one word per lane.
    if size_of::<S::m64s>() == 1 {
        return u64::from(bytes_of(&mask)[0]);
    }
    let mut bits = 0;
    for (lane, word) in cast_slice::<S::m64s, u64>(std::slice::from_ref(&mask)).iter().enumerate() {
        bits |= (word >> 63) << lane;
    }
    bits
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;
    use crate::detection::samples::Samples;
    use crate::math::pack::Registers;

    struct Overlaps<'a>(&'a AabbRow, &'a Aabb);

    impl WithSimd for Overlaps<'_> {
        type Output = u64;

        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            self.0.overlapping(simd, self.1)
        }
    }

    /// A row agrees with single boxes for all register widths. Empty lanes overlap no box.
    #[test]
    fn rows_agree_with_single_boxes() {
        let samples = &mut Samples::new(5);
        let mut counts = [0; 3];
        for _ in 0..2000 {
            let grid = samples.pick(&[1e-9, 0.25]);
            let mut bounds = || {
                let [centre, half] =
                    [1.5, 0.5].map(|size| (samples.vector(size) / grid).map(f64::round) * grid);
                Aabb { lower: centre - half.abs(), upper: centre + half.abs() }
            };
            let (boxes, other): (Vec<Aabb>, Aabb) = ((0..WIDTH - 1).map(|_| bounds()).collect(), bounds());
            let mut row = AabbRow::EMPTY;
            (0..).zip(&boxes).for_each(|(lane, bounds)| row.set(lane, bounds));
            assert!((0..).zip(&boxes).all(|(lane, bounds)| row.get(lane) == *bounds));
            let mut expected = 0_u64;
            (0..).zip(&boxes).for_each(|(lane, bounds): (usize, _)| {
                expected |= u64::from(!bounds.excludes(&other)) << lane;
            });
            for registers in Registers::available() {
                assert_eq!(registers.run(Overlaps(&row, &other)), expected);
            }
            assert_eq!(Some(row.joint()), boxes.iter().copied().reduce(|a, b| a.union(&b)));
            counts[0] += usize::from(expected == 0);
            counts[1] += expected.count_ones() as usize;
            let touch = |b: &Aabb| b.lower.x == other.upper.x || b.upper.x == other.lower.x;
            counts[2] += boxes.iter().filter(|b| touch(b) && !b.excludes(&other)).count();
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
        let everywhere = Aabb { lower: Vec3::repeat(f64::NEG_INFINITY), upper: Vec3::repeat(f64::INFINITY) };
        for registers in Registers::available() {
            assert_eq!(registers.run(Overlaps(&AabbRow::EMPTY, &everywhere)), 0);
        }
    }
}
