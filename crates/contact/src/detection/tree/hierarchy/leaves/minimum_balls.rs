//! Minimum balls of the bounding points of the faces, computed when a tree is built.

#![expect(clippy::needless_range_loop, reason = "the loop index addresses several arrays")]

use pulp::{Simd, WithSimd};

use super::leaf::{Kinds, ball, num_in_lanes, points_of, sphere};
use crate::detection::tree::hierarchy::lanes::{Balls, difference, norm_squared};
use crate::detection::volume::{MinimumBall, Sphere};
use crate::math::Vec3;
use crate::math::pack::Pack;
use crate::math::real::Real;

/// Computes the minimum balls of consecutive leaves, enlarged by `margin`.
pub struct MinimumBalls<'a, const N: usize> {
    pub kinds: Kinds<'a>,
    pub nodes: &'a [[u32; N]],
    pub positions: &'a [Vec3],
    pub margin: f64,
    /// Output: `weights[a][leaf]` is the weight of bounding point a in the centre of the ball of the leaf.
    pub weights: [&'a mut [f64]; N],
    pub spheres: &'a mut [Sphere],
}

impl<const N: usize> WithSimd for MinimumBalls<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { kinds, nodes, positions, margin, weights: columns, spheres } = self;
        let (lanes, in_lanes) = (Pack::<S>::LANES, num_in_lanes::<S, N>(spheres.len()));
        let mut weights = [Pack::splat(simd, 0.0); N];
        for first in (0..in_lanes).step_by(lanes) {
            let leaves = first..first + lanes;
            let points = points_of(simd, &nodes[leaves.clone()], positions);
            let mut uncertain = Pack::splat(simd, 1.0);
            if N == 3 {
                let found = triangle_weights(&[points[0], points[1 % N], points[2 % N]]);
                for a in 0..N {
                    found.0[a % 3].write_to(&mut columns[a][leaves.clone()]);
                }
                uncertain = found.1;
            }
            if !uncertain.all_within(0.0) {
                for lane in 0..lanes {
                    if uncertain.lanes()[lane] != 0.0 {
                        let leaf = first + lane;
                        let found = weights_of(&kinds.bounding_points(leaf, &nodes[leaf], positions));
                        for a in 0..N {
                            columns[a][leaf] = found[a];
                        }
                    }
                }
            }
            for a in 0..N {
                weights[a] = Pack::from_slice(simd, &columns[a][leaves.clone()]);
            }
            let Balls { centre, radius } = ball(&points, &weights);
            Balls { centre, radius: radius + margin }.store(&mut spheres[leaves]);
        }
        for leaf in in_lanes..spheres.len() {
            let points = kinds.bounding_points(leaf, &nodes[leaf], positions);
            let found = weights_of(&points);
            for a in 0..N {
                columns[a][leaf] = found[a];
            }
            spheres[leaf] = sphere(&points, &found, margin);
        }
    }
}

#[inline(never)]
fn weights_of<const N: usize>(points: &[Vec3; N]) -> [f64; N] {
    let mut weights = [0.0; N];
    if let Some(ball) = MinimumBall::of(points) {
        for (point, weight) in ball.support() {
            weights[point] = weight;
        }
    }
    weights
}

/// Barycentric coordinates of the centre of the minimum ball, one triangle per lane. If the triangle is acute, the
/// centre is the circumcentre; otherwise, the midpoint of the longest edge. The coordinates of the circumcentre are
/// proportional to
///
/// ```text
/// aᵢ² (aⱼ² + aₖ² − aᵢ²)
/// ```
///
/// with the length aᵢ of the edge opposite to corner i (`facing`: aᵢ²).
///
/// The second result is 1 for unreliable weights (acute triangles with a very short edge, and most triangles with NaN),
/// and 0 otherwise.
///
/// # Source
/// Ericson 2005, "Real-Time Collision Detection", §4.3.5, for the obtuse case; Coxeter 1969, "Introduction to
/// Geometry", §13.7, for the circumcentre.
#[inline(always)]
fn triangle_weights<R: Real>([a, b, c]: &[[R; 3]; 3]) -> ([R; 3], R) {
    let facing =
        [norm_squared(&difference(c, b)), norm_squared(&difference(a, c)), norm_squared(&difference(b, a))];
    let longest = facing[0].max(facing[1]).max(facing[2]);
    let sum = facing[0] + facing[1] + facing[2];
    let (zero, half, one) = (sum.constant(0.0), sum.constant(0.5), sum.constant(1.0));
    let raw = [
        (facing[0] * (sum - facing[0] * 2.0)).max(zero),
        (facing[1] * (sum - facing[1] * 2.0)).max(zero),
        (facing[2] * (sum - facing[2] * 2.0)).max(zero),
    ];
    let total = raw[0] + raw[1] + raw[2];
    let by = total.reciprocal();
    // Of two equally long longest edges, the first is chosen.
    let first = longest.select_at_most(facing[0], zero, half);
    let second = longest.select_at_most(facing[0], half, longest.select_at_most(facing[1], zero, half));
    let third = one - first - second;
    let twice = longest + longest;
    let weights = [
        sum.select_at_most(twice, first, raw[0] * by),
        sum.select_at_most(twice, second, raw[1] * by),
        sum.select_at_most(twice, third, raw[2] * by),
    ];
    let acute = (longest * longest * 1e-10).select_at_most(total, zero, one);
    (weights, sum.select_at_most(twice, zero, acute))
}
