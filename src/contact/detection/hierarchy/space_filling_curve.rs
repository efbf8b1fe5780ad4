//! Spheres along a space-filling curve: neighbours in space become neighbours in the list.

use rayon::prelude::*;

use crate::contact::detection::volume::Sphere;
use crate::math::Vec3;

/// Indices of the spheres in the order of the Morton codes of their centres, ties by index.
///
/// # Source
/// Morton 1966; Lauterbach et al. 2009, "Fast BVH construction on GPUs", §3.
pub fn order(spheres: &[Sphere]) -> Vec<u32> {
    let index_bits = usize::BITS - spheres.len().leading_zeros();
    let axis_bits = ((u64::BITS - index_bits) / 3).min(21);
    let (origin, extent) = cube_around(spheres);
    let cells = ((1_u64 << axis_bits) - 1) as f64;
    let scale = if extent > 0.0 { cells / extent } else { 0.0 };
    let mut keys: Vec<u64> = spheres
        .par_iter()
        .enumerate()
        .with_min_len(4096)
        .map(|(index, sphere)| {
            let cell = (sphere.centre - origin) * scale;
            let code = spread(cell.x as u64) << 2 | spread(cell.y as u64) << 1 | spread(cell.z as u64);
            code << index_bits | index as u64
        })
        .collect();
    keys.par_sort_unstable();
    let index_mask = (1_u64 << index_bits) - 1;
    keys.iter().map(|key| (key & index_mask) as u32).collect()
}

/// Lower corner and edge of a cube around the centres.
pub fn cube_around(spheres: &[Sphere]) -> (Vec3, f64) {
    let Some(first) = spheres.first() else { return (Vec3::zeros(), 0.0) };
    let (mut low, mut high) = (first.centre, first.centre);
    for sphere in spheres {
        low = low.inf(&sphere.centre);
        high = high.sup(&sphere.centre);
    }
    (low, (high - low).max())
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
