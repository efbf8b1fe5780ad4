//! Ritter's balls of the faces, computed when a tree is built.

use super::leaf::{Kinds, sphere};
use crate::detection::volume::Sphere;
use crate::math::Vec3;

/// Computes Ritter's balls of consecutive leaves, each enlarged by `margin` \[m\].
pub struct RitterBalls<'a, const N: usize> {
    pub kinds: Kinds<'a>,
    pub nodes: &'a [[u32; N]],
    pub positions: &'a [Vec3],
    pub margin: f64,
}

impl<const N: usize> RitterBalls<'_, N> {
    /// Output: `spheres` and, in `columns[k]`, the weight of the k-th bounding point of each leaf in the ball centre.
    pub fn fit(&self, mut columns: [&mut [f64]; N], spheres: &mut [Sphere]) {
        for (leaf, bounds) in spheres.iter_mut().enumerate() {
            let points = self.kinds.bounding_points(leaf, &self.nodes[leaf], self.positions);
            let weights = weights_of(&points);
            for (column, weight) in columns.iter_mut().zip(weights) {
                column[leaf] = weight;
            }
            *bounds = sphere(&points, &weights, self.margin);
        }
    }
}

/// Weights of the points whose weighted mean is the centre of the ball. At first, the segment between the points of
/// [`widest_pair`] is a diameter of the ball. The ball then grows, point by point, to contain each point outside.
///
/// # Source
/// Ritter 1990, "An efficient bounding sphere", Graphics Gems.
fn weights_of<const N: usize>(points: &[Vec3; N]) -> [f64; N] {
    let [first, second] = widest_pair(points);
    let mut weights = [0.0; N];
    weights[first] += 0.5;
    weights[second] += 0.5;
    let mut centre = (points[first] + points[second]) * 0.5;
    let mut radius = 0.5 * (points[second] - points[first]).norm();
    for (k, point) in points.iter().enumerate() {
        let distance = (point - centre).norm();
        if distance > radius {
            radius = 0.5 * (radius + distance);
            let fraction = ((distance - radius) / distance).max(0.0);
            centre += (point - centre) * fraction;
            weights.iter_mut().for_each(|weight| *weight *= 1.0 - fraction);
            weights[k] += fraction;
        }
    }
    weights
}

/// Of three pairs of points, the pair with the greatest distance. Each axis gives a pair: the points with the least and
/// the greatest coordinate.
fn widest_pair(points: &[Vec3]) -> [usize; 2] {
    let extreme = |axis: usize| {
        let by = |a: &usize, b: &usize| points[*a][axis].total_cmp(&points[*b][axis]);
        [(0..points.len()).min_by(by).unwrap_or(0), (0..points.len()).max_by(by).unwrap_or(0)]
    };
    let length = |[a, b]: [usize; 2]| (points[b] - points[a]).norm_squared();
    let pairs = [extreme(0), extreme(1), extreme(2)];
    pairs.into_iter().fold(pairs[0], |best, pair| if length(pair) > length(best) { pair } else { best })
}
