//! Boxes along axes of their own.
//!
//! Triangles and flat quadrilaterals give their axes directly: the normal, the longest edge, and what is left.
//! Other point sets take the eigenvectors of their covariance about the centre of gravity, which are those of
//! their inertia (Aragón & Molinari 2014, eqs. (13)–(15), with the barycentre in both terms of the last).

use super::ROUNDING;
use crate::math::{Mat3, Vec3};

/// Added to every |cosine| of two axes, so that an axis lost to rounding (the cross product of nearly parallel
/// ones) cannot separate (Gottschalk, Lin & Manocha 1996).
const PARALLEL: f64 = 1e-12;
/// Distance of the nodes from their mean plane, relative to their extent, up to which a face counts as flat.
const FLATNESS: f64 = 1e-6;
/// Spread of the principal moments, relative to the largest, below which the axes are arbitrary.
const SPREAD: f64 = 1e-6;

/// A box: |(x − centre)·axis_k| ≤ half_k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Unit vectors of its edges, orthogonal.
    pub axes: [Vec3; 3],
    /// Half lengths along the axes \[m\].
    pub half: [f64; 3],
}

impl Obb {
    /// Box of `points` (the corners of a face in cyclic order, or any set), enlarged by `margin` \[m\] on every
    /// side and rounded outward.
    pub fn fit(points: &[Vec3], margin: f64) -> Self {
        let axes = flat_axes(points).unwrap_or_else(|| principal_axes(points));
        let mut lower = [f64::INFINITY; 3];
        let mut upper = [f64::NEG_INFINITY; 3];
        let mut magnitude = 0.0_f64;
        for point in points {
            magnitude = magnitude.max(point.x.abs() + point.y.abs() + point.z.abs());
            for k in 0..3 {
                let projection = axes[k].dot(point);
                lower[k] = lower[k].min(projection);
                upper[k] = upper[k].max(projection);
            }
        }
        let middle = |k: usize| axes[k] * (0.5 * (lower[k] + upper[k]));
        // Axes, projections and centre each carry a rounding error of a few units in the last place.
        let half = |k: usize| 0.5 * (upper[k] - lower[k]) + margin + 8.0 * ROUNDING * (magnitude + margin);
        Self { centre: middle(0) + middle(1) + middle(2), axes, half: [0, 1, 2].map(half) }
    }

    /// Whether a face of one box separates them: the test of 2 × 3 axes, which misses gaps between edges.
    #[inline]
    pub fn excludes_by_faces(&self, other: &Self) -> bool {
        Relative::new(self, other).separated_by_faces(&self.half, &other.half)
    }

    /// Whether the boxes are disjoint: separating axes, the 6 of their faces and the 9 of their edge pairs.
    ///
    /// # Source
    /// Gottschalk, Lin & Manocha 1996, *OBBTree*, §5.
    #[inline]
    pub fn excludes(&self, other: &Self) -> bool {
        let relative = Relative::new(self, other);
        relative.separated_by_faces(&self.half, &other.half)
            || relative.separated_by_edges(&self.half, &other.half)
    }
}

/// One box in the frame of another.
struct Relative {
    /// Cosines of axis k of a and axis l of b.
    cosine: [[f64; 3]; 3],
    /// Their sizes, enlarged by [`PARALLEL`].
    size: [[f64; 3]; 3],
    /// From the centre of a to that of b, in the frame of a.
    offset_a: [f64; 3],
    /// The same, in the frame of b.
    offset_b: [f64; 3],
}

impl Relative {
    #[inline]
    fn new(a: &Obb, b: &Obb) -> Self {
        let offset = b.centre - a.centre;
        let mut relative =
            Self { cosine: [[0.0; 3]; 3], size: [[0.0; 3]; 3], offset_a: [0.0; 3], offset_b: [0.0; 3] };
        for k in 0..3 {
            relative.offset_a[k] = offset.dot(&a.axes[k]);
            relative.offset_b[k] = offset.dot(&b.axes[k]);
            for l in 0..3 {
                let cosine = a.axes[k].dot(&b.axes[l]);
                relative.cosine[k][l] = cosine;
                relative.size[k][l] = cosine.abs() + PARALLEL;
            }
        }
        relative
    }

    #[inline]
    fn separated_by_faces(&self, a: &[f64; 3], b: &[f64; 3]) -> bool {
        let q = &self.size;
        let by_a = (0..3).fold(false, |apart, k| {
            apart | (self.offset_a[k].abs() > a[k] + (q[k][0] * b[0] + q[k][1] * b[1] + q[k][2] * b[2]))
        });
        by_a || (0..3).fold(false, |apart, l| {
            apart | (self.offset_b[l].abs() > b[l] + (q[0][l] * a[0] + q[1][l] * a[1] + q[2][l] * a[2]))
        })
    }

    #[inline]
    fn separated_by_edges(&self, a: &[f64; 3], b: &[f64; 3]) -> bool {
        let (q, t) = (&self.size, &self.offset_a);
        (0..3).any(|k| {
            let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
            (0..3).fold(false, |apart, l| {
                let (l1, l2) = ((l + 1) % 3, (l + 2) % 3);
                let distance = (t[k2] * self.cosine[k1][l] - t[k1] * self.cosine[k2][l]).abs();
                let reach = a[k1] * q[k2][l] + a[k2] * q[k1][l] + b[l1] * q[k][l2] + b[l2] * q[k][l1];
                apart | (distance > reach)
            })
        })
    }
}

/// Axes of a segment, triangle or flat quadrilateral: longest edge, in-plane normal of it, normal.
fn flat_axes(points: &[Vec3]) -> Option<[Vec3; 3]> {
    let normal = match points {
        [_, _] => Vec3::zeros(),
        [a, b, c] => (b - a).cross(&(c - a)),
        [a, b, c, d] => (c - a).cross(&(d - b)),
        _ => return None,
    };
    let edges = (0..points.len()).map(|k| points[(k + 1) % points.len()] - points[k]);
    let longest = edges.max_by(|e, f| e.norm_squared().total_cmp(&f.norm_squared()))?;
    let first = longest.try_normalize(0.0)?;
    let across = normal.try_normalize(0.0).unwrap_or_else(|| any_normal(&first));
    let height = |p: &Vec3| (p - points[0]).dot(&across).abs();
    if points.iter().any(|p| height(p) > FLATNESS * longest.norm()) {
        return None;
    }
    let second = across.cross(&first).try_normalize(0.5)?;
    Some([first, second, first.cross(&second)])
}

/// A unit vector normal to `direction`.
fn any_normal(direction: &Vec3) -> Vec3 {
    let axis = Vec3::ith(direction.iamin(), 1.0);
    direction.cross(&axis).normalize()
}

/// Eigenvectors of the covariance of the points; the coordinate axes where they are arbitrary.
fn principal_axes(points: &[Vec3]) -> [Vec3; 3] {
    let mean = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let covariance: Mat3 = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
    let coordinate = [Vec3::x(), Vec3::y(), Vec3::z()];
    if !covariance.iter().all(|c| c.is_finite()) {
        return coordinate;
    }
    let eigen = covariance.symmetric_eigen();
    if eigen.eigenvalues.max() - eigen.eigenvalues.min() <= SPREAD * eigen.eigenvalues.max() {
        return coordinate;
    }
    let (first, second) = (eigen.eigenvectors.column(0).normalize(), eigen.eigenvectors.column(1));
    let second = (second - first * first.dot(&second)).normalize();
    [first, second, first.cross(&second)]
}
