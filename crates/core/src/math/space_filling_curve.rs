//! Order of points along a space-filling curve: points near each other in this order are mostly near in space too.
//!
//! Trees are built along the Morton curve ([`order`]), because a Morton code takes 3 ns and a Hilbert code 370 ns.
//! Meshes are renumbered only once, along the Hilbert curve ([`hilbert_key`]), whose consecutive cells are always
//! neighbours in space.

use rayon::prelude::*;

use super::Vec3;
use super::eight_lanes::EightLanes;
use super::vectorised::{Kernel, Vectorised};

/// Largest number of bits of a cell index per axis; three axes fill 63 bits of a key.
const BITS: u32 = 21;

const POINTS_PER_TASK: usize = 512;

/// Bound on the coordinates of points and the radii of spheres; below it, squares and cubes of both are finite.
pub const LARGEST_COMPARABLE: f64 = 1e100;

const DIGIT_BITS: u32 = 12;
/// Number of digits of the radix sort. Keys with equal leading `DIGITS` · `DIGIT_BITS` bits are sorted by comparison.
const DIGITS: u32 = 3;

/// A cube with edges along the axes.
#[derive(Clone, Copy, Debug)]
pub struct Cube {
    /// Corner with the smallest coordinates \[m\].
    pub origin: Vec3,
    /// Length of the edges \[m\].
    pub extent: f64,
}

/// Indices of `count` points within `cube`, sorted by the Morton codes of the points. Points with equal codes are
/// sorted by index.
///
/// # Source
/// Morton 1966; Lauterbach et al. 2009, "Fast BVH construction on GPUs", §3.
pub fn order(count: usize, cube: Cube, point: impl Fn(usize) -> Vec3 + Sync) -> Vec<u32> {
    let index_bits = usize::BITS - count.leading_zeros();
    let axis_bits = ((u64::BITS - index_bits) / 3).min(BITS);
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
    /// Cube around the points that [`is_comparable`] accepts. The origin has the smallest coordinates of these points.
    /// If no point is accepted, the extent is zero.
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

/// Whether the sum of the magnitudes of the coordinates is below [`LARGEST_COMPARABLE`]; false with NaN.
#[inline]
pub fn is_comparable(point: &Vec3) -> bool {
    point.x.abs() + point.y.abs() + point.z.abs() < LARGEST_COMPARABLE
}

/// Writes keys: the Morton code of each point, followed by its index.
struct Keys<'a> {
    points: &'a [Vec3],
    origin: Vec3,
    /// Cells per length \[1/m\].
    scale: f64,
    index_bits: u32,
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

/// The integer nearest to a number from 0 to 2²¹ − 1, in the low 21 bits. The higher bits are arbitrary.
#[inline(always)]
fn nearest(cell: f64) -> u64 {
    // Rounds to an integer: the unit in the last place of 2⁵² is 1.
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

/// Moves bit i of the lowest 21 bits to bit 3 i.
#[inline(always)]
fn spread(cell: u64) -> u64 {
    let mut bits = cell & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

/// Number of cells before the cell of `point` on the Hilbert curve through `cube`, with 2²¹ cells per axis.
pub fn hilbert_key(cube: Cube, point: Vec3) -> u64 {
    let cells_per_length = if cube.extent > 0.0 { ((1_u32 << BITS) - 1) as f64 / cube.extent } else { 0.0 };
    // The cast to `u32` saturates at 0, so a coordinate that rounding makes negative stays on the grid.
    let cell = (point - cube.origin) * cells_per_length;
    hilbert_distance([cell.x as u32, cell.y as u32, cell.z as u32])
}

/// Number of cells before the grid cell `axes` on the Hilbert curve.
///
/// # Source
/// J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004) 381, function `AxestoTranspose`, with
/// interleaved bits.
fn hilbert_distance(mut axes: [u32; 3]) -> u64 {
    let highest = 1_u32 << (BITS - 1);
    let mut bit = highest;
    while bit > 1 {
        let below = bit - 1;
        for i in 0..3 {
            if axes[i] & bit != 0 {
                axes[0] ^= below;
            } else {
                let exchange = (axes[0] ^ axes[i]) & below;
                axes[0] ^= exchange;
                axes[i] ^= exchange;
            }
        }
        bit >>= 1;
    }
    axes[1] ^= axes[0];
    axes[2] ^= axes[1];
    let mut flips = 0;
    bit = highest;
    while bit > 1 {
        if axes[2] & bit != 0 {
            flips ^= bit - 1;
        }
        bit >>= 1;
    }
    let interleave = |key: u64, bit: u32| {
        axes.iter().fold(key, |key, axis| key << 1 | u64::from((axis ^ flips) >> bit & 1))
    };
    (0..BITS).rev().fold(0, interleave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hilbert_curve_visits_every_cell_of_a_grid_by_unit_steps() {
        let mut cells: Vec<(u64, [i32; 3])> = (0..512)
            .map(|i| [i % 8, i / 8 % 8, i / 64])
            .map(|cell| (hilbert_distance(cell.map(|x| x as u32)), cell))
            .collect();
        cells.sort_unstable();
        assert!(cells.iter().map(|cell| cell.0).eq(0..512));
        for pair in cells.windows(2) {
            let step: i32 = (0..3).map(|i| (pair[0].1[i] - pair[1].1[i]).abs()).sum();
            assert_eq!(step, 1, "{pair:?}");
        }
    }
}
