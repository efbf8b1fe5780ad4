//! The points that bound the face of a leaf, and the ball of these points.

use pulp::Simd;

use crate::detection::face::control_points::{rounding_of, to_control_points};
use crate::detection::tree::hierarchy::lanes::{Balls, difference, norm_squared, rounded_up};
use crate::detection::volume::Sphere;
use crate::math::Vec3;
use crate::math::pack::{Pack, WIDTH};
use crate::math::real::Real;
use crate::mesh::CellKind;

/// Largest stride of surfaces without curved faces. The stride is the number of bounding points stored per face.
pub const LARGEST_FLAT_STRIDE: usize = 4;

/// Kind of the face of each leaf; empty if all faces lie in the hulls of their nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds<'a>(pub &'a [CellKind]);

impl Kinds<'_> {
    /// Points whose hull contains the face of a leaf: its nodes, or the Bézier control points of a curved face.
    ///
    /// The points are linear in the nodal values, so `field` may be positions or velocities.
    #[inline]
    pub fn bounding_points<const N: usize>(self, leaf: usize, nodes: &[u32; N], field: &[Vec3]) -> [Vec3; N] {
        let mut points = nodes.map(|node| field[node as usize]);
        if N > LARGEST_FLAT_STRIDE {
            to_control_points(self.0[leaf], &mut points);
        }
        points
    }

    #[inline(always)]
    pub fn part(self, leaves: std::ops::Range<usize>) -> Self {
        Self(self.0.get(leaves).unwrap_or_default())
    }
}

#[inline(always)]
pub(super) fn points_of<S: Simd, const N: usize>(
    simd: S,
    nodes: &[[u32; N]],
    field: &[Vec3],
) -> [[Pack<S>; 3]; N] {
    let mut points = [[Pack::splat(simd, 0.0); 3]; N];
    let mut places = [0; WIDTH];
    for a in 0..N {
        for lane in 0..Pack::<S>::LANES {
            places[lane] = nodes[lane][a] as usize;
        }
        points[a] = Pack::gather_vectors(simd, field, &places);
    }
    points
}

/// Balls that contain all points pₐ (`points`), with the centre Σ wₐ pₐ (wₐ: `weights`) and the radius rounded up; one
/// ball per lane.
#[inline(always)]
pub(super) fn ball<R: Real, const N: usize>(points: &[[R; 3]; N], weights: &[R; N]) -> Balls<R> {
    let zero = weights[0].constant(0.0);
    let mut centre = [zero; 3];
    for a in 0..N {
        for d in 0..3 {
            let part = points[a][d] * weights[a];
            centre[d] = if a == 0 { part } else { centre[d] + part };
        }
    }
    let mut farthest = zero;
    for point in points {
        farthest = norm_squared(&difference(point, &centre)).max(farthest);
    }
    Balls { centre, radius: rounded_up(farthest.sqrt(), &[zero; 3]) }
}

#[inline(always)]
pub(super) fn sphere<const N: usize>(points: &[Vec3; N], weights: &[f64; N], margin: f64) -> Sphere {
    let Balls { centre, radius } = ball(&points.map(|point| point.data.0[0]), weights);
    let rounding = if N > LARGEST_FLAT_STRIDE { rounding_of(points) } else { 0.0 };
    Sphere { centre: centre.into(), radius: radius + rounding + margin }
}

/// Number of leaves that are processed in lanes, a multiple of the number of lanes; 0 with curved faces.
#[inline(always)]
pub(super) fn num_in_lanes<S: Simd, const N: usize>(num_leaves: usize) -> usize {
    let lanes = Pack::<S>::LANES;
    if N > LARGEST_FLAT_STRIDE { 0 } else { num_leaves / lanes * lanes }
}
