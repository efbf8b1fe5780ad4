//! Oriented bounding boxes (OBB).
//!
//! The axes of segments, triangles and flat quadrilaterals are the longest edge, the face normal (of a segment, any
//! normal), and the direction perpendicular to both. The axes of other point sets are the eigenvectors of the
//! covariance (Aragón & Molinari 2014, eqs. (13)–(15), with the centre of gravity subtracted in both factors of eq.
//! (15)).

use super::ROUNDING;
use crate::math::eight_lanes::EightLanes;
use crate::math::real::{Lanes, Real};
use crate::math::vectorised::Kernel;
use crate::math::{Mat3, Vec3};

/// Number added to the absolute cosines. With it, the cross product of nearly parallel axes never separates two boxes
/// (Gottschalk, Lin & Manocha 1996).
const PARALLEL: f64 = 1e-12;
/// Largest distance of the nodes of a flat face from its plane, relative to the longest edge.
const FLATNESS: f64 = 1e-6;
/// Largest relative difference of the eigenvalues of the covariance for which its eigenvectors count as arbitrary.
const SPREAD: f64 = 1e-6;

/// A box: |(x − centre)·axis_k| ≤ half_k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Half edge lengths along the axes \[m\]; zero in the fourth lane.
    pub half: Lanes,
    /// Components of the axes: one entry per coordinate, one lane per axis; zero in the fourth lane.
    components: [Lanes; 3],
}

impl Obb {
    /// Box that contains `points`, enlarged by `margin` \[m\] on every side and rounded outward. The points are the
    /// corners of a face in cyclic order, or any other set.
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
        // The axes, the projections and the centre each have a rounding error of a few units in the last place.
        let half = |k: usize| 0.5 * (upper[k] - lower[k]) + margin + 8.0 * ROUNDING * (magnitude + margin);
        Self {
            centre: middle(0) + middle(1) + middle(2),
            half: Lanes([half(0), half(1), half(2), 0.0]),
            components: components(&axes),
        }
    }

    #[cfg(test)]
    pub(super) fn set_axes(&mut self, axes: &[Vec3; 3]) {
        self.components = components(axes);
    }

    /// Orthogonal unit vectors along the edges of the box.
    #[inline]
    pub fn axes(&self) -> [Vec3; 3] {
        let [x, y, z] = &self.components;
        [0, 1, 2].map(|k| Vec3::new(x.0[k], y.0[k], z.0[k]))
    }

    /// Whether the boxes are separated along a face normal of one of them. The test misses boxes that are separated
    /// only along the cross product of two edges. `Obb::fit` rounds the half lengths up by more than the rounding
    /// error of the test.
    ///
    /// # Source
    /// Aragón & Molinari 2014, §3.2, in the form of Gottschalk, Lin & Manocha 1996: three axes at a time, in lanes (see
    /// [`crate::math::vectorised::Vectorised`]).
    #[inline(always)]
    pub fn excludes_by_faces(&self, other: &Self) -> bool {
        let offset = other.centre - self.centre;
        let ([a, b, c, _], [d, e, f, _]) = (self.half.0, other.half.0);
        let [u, v, w] = other.cosines_with(self);
        let [x, y, z, _] = Lanes::transpose([u, v, w, Lanes::splat(0.0)]);
        let reach_of_self = combined([u, v, w], [a, b, c], other.half);
        let reach_of_other = combined([x, y, z], [d, e, f], self.half);
        let by_own = self.along(offset.x, offset.y, offset.z) - reach_of_other;
        let by_other = other.along(offset.x, offset.y, offset.z) - reach_of_self;
        by_own.max(by_other).exceeds(Lanes::splat(0.0)).any()
    }

    /// Whether the boxes are certainly disjoint, by 15 separating axes: 6 face normals and 9 cross products of edges.
    ///
    /// # Source
    /// Gottschalk, Lin & Manocha 1996, *OBBTree*, §5.
    #[inline(always)]
    pub fn excludes(&self, other: &Self) -> bool {
        self.excludes_by_faces(other)
            || Relative::new(self, other).separated_by_edges(&self.half.0, &other.half.0)
    }

    /// Absolute projections of the vector (x, y, z) on the axes.
    #[inline(always)]
    fn along(&self, x: f64, y: f64, z: f64) -> Lanes {
        let [u, v, w] = self.components;
        u.mul_add(Lanes::splat(x), v.mul_add(Lanes::splat(y), w * z)).abs()
    }

    /// For each axis of the other box, the absolute cosines with the axes of this box, in lanes.
    #[inline(always)]
    fn cosines_with(&self, other: &Self) -> [Lanes; 3] {
        let [x, y, z] = &other.components;
        [
            self.along(x.0[0], y.0[0], z.0[0]),
            self.along(x.0[1], y.0[1], z.0[1]),
            self.along(x.0[2], y.0[2], z.0[2]),
        ]
    }
}

/// The test [`Obb::excludes`], compiled for wide vector registers.
pub struct ObbExclusion<'a>(pub [&'a Obb; 2]);

impl Kernel for ObbExclusion<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self, _: impl EightLanes) -> bool {
        self.0[0].excludes(self.0[1])
    }
}

/// u a + v b + w c + addend.
#[inline(always)]
fn combined([u, v, w]: [Lanes; 3], [a, b, c]: [f64; 3], addend: Lanes) -> Lanes {
    u.mul_add(Lanes::splat(a), v.mul_add(Lanes::splat(b), w.mul_add(Lanes::splat(c), addend)))
}

fn components(axes: &[Vec3; 3]) -> [Lanes; 3] {
    [0, 1, 2].map(|d| Lanes([axes[0][d], axes[1][d], axes[2][d], 0.0]))
}

/// Box b in the frame of box a.
struct Relative {
    /// Cosine of axis k of a with axis l of b, at `[k][l]`.
    cosine: [[f64; 3]; 3],
    /// Absolute cosines, enlarged by [`PARALLEL`].
    size: [[f64; 3]; 3],
    /// Vector from the centre of a to the centre of b, in the frame of a.
    offset: [f64; 3],
}

impl Relative {
    #[inline]
    fn new(a: &Obb, b: &Obb) -> Self {
        let offset = b.centre - a.centre;
        let axes = [a.axes(), b.axes()];
        let mut relative = Self { cosine: [[0.0; 3]; 3], size: [[0.0; 3]; 3], offset: [0.0; 3] };
        for k in 0..3 {
            relative.offset[k] = offset.dot(&axes[0][k]);
            for l in 0..3 {
                let cosine = axes[0][k].dot(&axes[1][l]);
                relative.cosine[k][l] = cosine;
                relative.size[k][l] = cosine.abs() + PARALLEL;
            }
        }
        relative
    }

    #[inline]
    fn separated_by_edges(&self, a: &[f64; 4], b: &[f64; 4]) -> bool {
        let (q, t) = (&self.size, &self.offset);
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

/// Axes of a segment, triangle or flat quadrilateral; `None` for other point sets, and if all points coincide.
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

fn any_normal(direction: &Vec3) -> Vec3 {
    let axis = Vec3::ith(direction.iamin(), 1.0);
    direction.cross(&axis).normalize()
}

/// Eigenvectors of the covariance; the coordinate axes if the eigenvectors are arbitrary or the covariance is not
/// finite.
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
