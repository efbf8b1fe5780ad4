//! Points along a space-filling curve: neighbours in space become neighbours in the list.

use rayon::prelude::*;

use crate::math::Vec3;

/// Points handled by one task at least.
const POINTS_PER_TASK: usize = 4096;

/// Bits of a digit of the radix sort, and the digits it looks at: the leading bits of the codes. What they leave
/// equal is little as a rule, and sorted by comparison.
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

/// Indices of the points in the order of their Morton codes, ties by index, and a cube around them.
///
/// # Source
/// Morton 1966; Lauterbach et al. 2009, "Fast BVH construction on GPUs", §3.
pub fn order(points: &[Vec3]) -> (Vec<u32>, Cube) {
    let index_bits = usize::BITS - points.len().leading_zeros();
    let axis_bits = ((u64::BITS - index_bits) / 3).min(21);
    let cube = Cube::around(points);
    let cells = ((1_u64 << axis_bits) - 1) as f64;
    let scale = if cube.extent > 0.0 { cells / cube.extent } else { 0.0 };
    let mut keys: Vec<u64> = points
        .par_iter()
        .enumerate()
        .with_min_len(POINTS_PER_TASK)
        .map(|(index, point)| {
            let cell = (point - cube.origin) * scale;
            let code = spread(cell.x as u64) << 2 | spread(cell.y as u64) << 1 | spread(cell.z as u64);
            code << index_bits | index as u64
        })
        .collect();
    sort(&mut keys, index_bits + 3 * axis_bits);
    let index_mask = (1_u64 << index_bits) - 1;
    (keys.iter().map(|key| (key & index_mask) as u32).collect(), cube)
}

impl Cube {
    fn around(points: &[Vec3]) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (mut low, mut high) = (first, first);
        for point in points {
            for d in 0..3 {
                low[d] = if point[d] < low[d] { point[d] } else { low[d] };
                high[d] = if point[d] > high[d] { point[d] } else { high[d] };
            }
        }
        Self { origin: low, extent: (high - low).max() }
    }
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

/// Moves bit i of a 21-bit number to bit 3 i.
fn spread(cell: u64) -> u64 {
    let mut bits = cell & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
