//! Order of points along a space-filling curve: neighbours in space become neighbours in the list.

use rayon::prelude::*;

use crate::math::Vec3;
use crate::math::eight_lanes::EightLanes;
use crate::math::vectorised::{Kernel, Vectorised};

/// Points per task.
const POINTS_PER_TASK: usize = 512;

/// Largest coordinate or radius whose square and cube stay finite.
pub const LARGEST_COMPARABLE: f64 = 1e100;

/// Bits of a digit of the radix sort, which sorts the leading bits of the codes only; the few ties are sorted by
/// comparison.
const DIGIT_BITS: u32 = 12;
const DIGITS: u32 = 3;

/// A cube along the axes.
#[derive(Clone, Copy, Debug)]
pub struct Cube {
    /// Lower corner.
    pub origin: Vec3,
    /// Edge.
    pub extent: f64,
}

/// Indices of `count` points within `cube` in the order of their Morton codes, ties by index.
///
/// # Source
/// Morton 1966; Lauterbach et al. 2009, "Fast BVH construction on GPUs", §3.
pub fn order(count: usize, cube: Cube, point: impl Fn(usize) -> Vec3 + Sync) -> Vec<u32> {
    let index_bits = usize::BITS - count.leading_zeros();
    let axis_bits = ((u64::BITS - index_bits) / 3).min(21);
    let cells = ((1_u64 << axis_bits) - 1) as f64;
    let scale = if cube.extent > 0.0 { cells / cube.extent } else { 0.0 };
    let mut keys = vec![0; count];
    let vectorised = Vectorised::detect();
    keys.par_chunks_mut(POINTS_PER_TASK).enumerate().for_each(|(task, keys)| {
        let mut points = [Vec3::zeros(); POINTS_PER_TASK];
        let first = task * POINTS_PER_TASK;
        for (k, slot) in points[..keys.len()].iter_mut().enumerate() {
            *slot = point(first + k);
        }
        let points = &points[..keys.len()];
        vectorised.run(Keys { points, origin: cube.origin, scale, index_bits, first, keys });
    });
    sort(&mut keys, index_bits + 3 * axis_bits);
    let index_mask = (1_u64 << index_bits) - 1;
    keys.iter().map(|key| (key & index_mask) as u32).collect()
}

impl Cube {
    /// The smallest cube around all points with coordinates of usable size.
    pub fn around(points: impl Iterator<Item = Vec3>) -> Self {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for point in points {
            if is_comparable(&point) {
                for d in 0..3 {
                    low[d] = if point[d] < low[d] { point[d] } else { low[d] };
                    high[d] = if point[d] > high[d] { point[d] } else { high[d] };
                }
            }
        }
        let extent = (high - low).max();
        if extent >= 0.0 { Self { origin: low, extent } } else { Self { origin: Vec3::zeros(), extent: 0.0 } }
    }
}

/// Whether the squares and cubes of the coordinates are finite.
#[inline]
pub fn is_comparable(point: &Vec3) -> bool {
    point.x.abs() + point.y.abs() + point.z.abs() < LARGEST_COMPARABLE
}

/// Codes of some points, each followed by the index of the point.
struct Keys<'a> {
    points: &'a [Vec3],
    origin: Vec3,
    /// Cells per length.
    scale: f64,
    index_bits: u32,
    /// Index of the first point.
    first: usize,
    keys: &'a mut [u64],
}

impl Kernel for Keys<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl EightLanes) {
        let Self { points, origin, scale, index_bits, first, keys } = self;
        let points = &points[..keys.len()];
        for k in 0..keys.len() {
            let x = spread(nearest((points[k].x - origin.x) * scale));
            let y = spread(nearest((points[k].y - origin.y) * scale));
            let z = spread(nearest((points[k].z - origin.z) * scale));
            keys[k] = (x << 2 | y << 1 | z) << index_bits | (first + k) as u64;
        }
    }
}

/// The nearest integer to a number between 0 and 2²¹ − 1, in the low bits.
#[inline(always)]
fn nearest(cell: f64) -> u64 {
    // At 2⁵² the unit in the last place is 1.
    (cell + 4_503_599_627_370_496.0).to_bits()
}

/// Sorts distinct keys of `num_bits` bits.
fn sort(keys: &mut Vec<u64>, num_bits: u32) {
    let lowest = num_bits.saturating_sub(DIGITS * DIGIT_BITS);
    let mask = (1_usize << DIGIT_BITS) - 1;
    let mut counts = vec![[0_u32; 1 << DIGIT_BITS]; DIGITS as usize];
    for key in &*keys {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[(key >> (lowest + digit as u32 * DIGIT_BITS)) as usize & mask] += 1;
        }
    }
    let mut sorted = vec![0; keys.len()];
    for (digit, counts) in counts.iter_mut().enumerate() {
        let mut before = 0;
        for count in counts.iter_mut() {
            before += std::mem::replace(count, before);
        }
        for &key in &*keys {
            let place = &mut counts[(key >> (lowest + digit as u32 * DIGIT_BITS)) as usize & mask];
            sorted[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, &mut sorted);
    }
    let mut start = 0;
    for end in 1..=keys.len() {
        if end == keys.len() || keys[end] >> lowest != keys[start] >> lowest {
            if end - start > 1 {
                keys[start..end].sort_unstable();
            }
            start = end;
        }
    }
}

/// Moves bit i of the lowest 21 to bit 3 i.
#[inline(always)]
fn spread(cell: u64) -> u64 {
    let mut bits = cell & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
