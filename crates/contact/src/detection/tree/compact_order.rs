//! Spatially compact order of points: consecutive points are close to each other.

use rayon::prelude::*;

use crate::Surface;
use crate::math::Vec3;

/// Largest number of points in a part that is not divided further.
const SMALLEST_PART: usize = 8;

const POINTS_PER_TASK: usize = 4096;

/// Indices of the points, sorted by recursive division: each part of the points is divided by a plane normal to the
/// longest side of the box around the part.
///
/// Each run of 2ᵏ ≥ 8 points that begins at a multiple of 2ᵏ forms one compact part. If the points lie on a
/// surface, such a part has about half as many neighbouring parts as an equally long run of a space-filling curve has
/// neighbouring runs.
///
/// # Cost
/// O(n log n) for n points, in parallel.
///
/// # Source
/// Bentley 1975, "Multidimensional binary search trees used for associative searching" (medians); van den Bergen 1997,
/// "Efficient collision detection of complex deformable models using AABB trees", §3 (longest sides).
pub fn compact_order(points: &[Vec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    halve(points, &mut order);
    order
}

/// Faces in the [`compact_order`] of their mean nodal positions. `positions`: of all nodes \[m\].
pub(crate) fn compact_order_of_faces(surface: &Surface, positions: &[Vec3]) -> Vec<u32> {
    let centre = |face: usize| -> Vec3 {
        let (_, nodes) = surface.face(face);
        nodes.iter().map(|&node| positions[node as usize]).sum::<Vec3>() / nodes.len() as f64
    };
    let centres: Vec<Vec3> = (0..surface.num_faces()).into_par_iter().map(centre).collect();
    compact_order(&centres)
}

fn halve(points: &[Vec3], part: &mut [u32]) {
    if part.len() <= SMALLEST_PART {
        return part.sort_unstable();
    }
    let axis = longest_side(points, part);
    let middle = part.len().next_power_of_two() / 2;
    part.select_nth_unstable_by(middle, |&a, &b| {
        let [x, y] = [a, b].map(|point| points[point as usize][axis]);
        x.total_cmp(&y).then(a.cmp(&b))
    });
    let (first, second) = part.split_at_mut(middle);
    if first.len() < POINTS_PER_TASK {
        halve(points, first);
        halve(points, second);
    } else {
        rayon::join(|| halve(points, first), || halve(points, second));
    }
}

fn longest_side(points: &[Vec3], part: &[u32]) -> usize {
    let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for &point in part {
        let point = &points[point as usize];
        (lower, upper) = (lower.inf(point), upper.sup(point));
    }
    (upper - lower).imax()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    /// If a part of 2ᵏ points begins at a multiple of 2ᵏ⁺¹, a plane normal to an axis separates it from the next part.
    /// The order is the same for one thread and for many.
    #[test]
    fn aligned_parts_are_apart() {
        let samples = &mut Samples::new(7);
        for count in [0, 1, 8, 9, 63, 64, 65, 700, 5000, 12_345] {
            let mut points: Vec<Vec3> = (0..count).map(|_| samples.vector(1.0)).collect();
            let order = compact_order(&points);
            let mut all = order.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count));
            let side = |part: &[u32], axis: usize, least: bool| {
                let values = part.iter().map(|&point| points[point as usize][axis]);
                if least {
                    values.fold(f64::INFINITY, f64::min)
                } else {
                    values.fold(f64::NEG_INFINITY, f64::max)
                }
            };
            for size in (3..14).map(|k| 1 << k) {
                for pair in order.chunks(2 * size).filter(|pair| pair.len() > size) {
                    let (first, second) = pair.split_at(size);
                    assert!((0..3).any(|axis| side(first, axis, false) <= side(second, axis, true)));
                }
            }
            let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(one_thread.install(|| compact_order(&points)), order);
            points.iter_mut().skip(5).for_each(|point| *point = Vec3::x());
            points.iter_mut().skip(70).take(1).for_each(|point| point.y = f64::NAN);
            let mut all = compact_order(&points);
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count));
        }
    }
}
