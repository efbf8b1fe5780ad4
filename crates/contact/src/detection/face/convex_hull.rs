//! Bézier faces: faces, and parts of faces. Each lies in the convex hull of the points by which it is given.

use super::control_points::{num_control_points, to_control_points};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// A face or a part of a face, given by nodes or Bézier control points whose convex hull contains it; corners first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BezierFace<const N: usize> {
    /// The linear kind with the same corners.
    pub kind: CellKind,
    count: usize,
    points: [Vec3; N],
}

pub(crate) type QuadraticBezierFace = BezierFace<9>;

impl<const N: usize> BezierFace<N> {
    pub(crate) fn points(&self) -> &[Vec3] {
        &self.points[..self.count]
    }

    /// Diagonal of the box around the points \[m\].
    pub(crate) fn extent(&self) -> f64 {
        let points = self.points();
        let (mut lower, mut upper) = (points[0], points[0]);
        for point in points {
            (lower, upper) = (lower.inf(point), upper.sup(point));
        }
        (upper - lower).norm()
    }

    pub(crate) fn corners(&self) -> &[Vec3] {
        &self.points[..self.kind.num_nodes()]
    }
}

impl BezierFace<4> {
    /// The linear face through the corners of a face of kind `kind`. The k-th node is at `node(k)`.
    pub(crate) fn of_corners(kind: CellKind, node: impl Fn(usize) -> Vec3) -> Self {
        let kind = kind.linear();
        let count = kind.num_nodes().min(4);
        let mut points = [Vec3::zeros(); 4];
        points[..count].iter_mut().enumerate().for_each(|(k, point)| *point = node(k));
        Self { kind, count, points }
    }

    /// Distance between the lines through opposite corners of a quadrilateral \[m\]; zero for other kinds.
    pub(crate) fn warp(&self) -> f64 {
        if self.kind == CellKind::Quad4 { distance_of_diagonals(&self.points) } else { 0.0 }
    }
}

impl QuadraticBezierFace {
    /// A whole face, with the k-th node at `node(k)`. Linear segments and triangles keep their nodes; a bilinear face
    /// is elevated to biquadratic.
    pub(crate) fn of_face(kind: CellKind, node: impl Fn(usize) -> Vec3) -> Self {
        let mut points = [Vec3::zeros(); 9];
        points[..kind.num_nodes().min(9)].iter_mut().enumerate().for_each(|(k, point)| *point = node(k));
        to_control_points(kind, &mut points);
        let bezier_face = Self { kind: kind.linear(), count: num_control_points(kind).min(9), points };
        if kind == CellKind::Quad4 {
            Self { count: 9, points: elevated(&points), ..bezier_face }
        } else {
            bezier_face
        }
    }

    /// Upper bound on two distances \[m\]: of the points of the face from the polygon of its corners, and of the points
    /// of the polygon from the face. The bound does not apply to parts of the face that project outside the border of
    /// the polygon, as on a concave quadrilateral.
    pub(crate) fn thickness(&self) -> f64 {
        if self.count == self.kind.num_nodes() {
            return 0.0;
        }
        let flat = elevated(&self.points);
        let middle = |a: usize, b: usize| (self.points[a] + self.points[b]) * 0.5;
        let off = |k: usize, place: Vec3| (self.points[k] - place).norm();
        match self.kind {
            CellKind::Line2 => off(2, middle(0, 1)),
            CellKind::Tri3 => (0..3).map(|k| off(3 + k, middle(k, (k + 1) % 3))).fold(0.0, f64::max),
            _ => {
                let warp = distance_of_diagonals(&self.points);
                (4..9).map(|k| off(k, flat[k])).fold(0.0, f64::max) + warp
            }
        }
    }

    /// Calls `visit` with the halves of a segment, or with the quarters of a triangle or quadrilateral.
    ///
    /// # Source
    /// Farin 2002, "Curves and Surfaces for CAGD", §4.6 and §17.3 (subdivision by de Casteljau's algorithm).
    pub(crate) fn split(&self, mut visit: impl FnMut(Self)) {
        let p = &match (self.kind, self.count) {
            (CellKind::Line2, 2) => with_middle(&self.points),
            (CellKind::Tri3, 3) => with_middles(&self.points),
            _ => self.points,
        };
        let mut offer = |points: [Vec3; 9]| visit(Self { points, ..*self });
        match self.kind {
            CellKind::Line2 => halves([p[0], p[2], p[1]]).into_iter().for_each(|[a, c, b]| {
                let mut points = [Vec3::zeros(); 9];
                points[..3].copy_from_slice(&[a, b, c]);
                offer(points);
            }),
            CellKind::Tri3 => quarters_of_triangle(p).into_iter().for_each(offer),
            _ => {
                let rows = [[p[0], p[4], p[1]], [p[7], p[8], p[5]], [p[3], p[6], p[2]]];
                for left_or_right in transposed_halves(&rows) {
                    for grid in transposed_halves(&left_or_right) {
                        let [[a, ab, b], [da, centre, bc], [d, cd, c]] = grid;
                        offer([a, b, c, d, ab, bc, cd, da, centre]);
                    }
                }
            }
        }
    }
}

/// Quadratic control points of a straight segment.
fn with_middle(points: &[Vec3; 9]) -> [Vec3; 9] {
    let mut points = *points;
    points[2] = (points[0] + points[1]) * 0.5;
    points
}

/// Quadratic control points of a flat triangle.
fn with_middles(points: &[Vec3; 9]) -> [Vec3; 9] {
    let [a, b, c, ..] = *points;
    let middle = |x: Vec3, y: Vec3| (x + y) * 0.5;
    [a, b, c, middle(a, b), middle(b, c), middle(c, a), Vec3::zeros(), Vec3::zeros(), Vec3::zeros()]
}

/// Biquadratic control points of a bilinear face.
fn elevated(points: &[Vec3; 9]) -> [Vec3; 9] {
    let [a, b, c, d, ..] = *points;
    let middle = |x: Vec3, y: Vec3| (x + y) * 0.5;
    [a, b, c, d, middle(a, b), middle(b, c), middle(c, d), middle(d, a), middle(middle(a, c), middle(b, d))]
}

/// Zero if the diagonals are parallel.
fn distance_of_diagonals(corners: &[Vec3]) -> f64 {
    let normal = (corners[2] - corners[0]).cross(&(corners[3] - corners[1]));
    normal.try_normalize(0.0).map_or(0.0, |unit| unit.dot(&(corners[1] - corners[0])).abs())
}

fn halves([a, b, c]: [Vec3; 3]) -> [[Vec3; 3]; 2] {
    let (ab, bc) = ((a + b) * 0.5, (b + c) * 0.5);
    let middle = (ab + bc) * 0.5;
    [[a, ab, middle], [middle, bc, c]]
}

/// Bisects each row and transposes both halves. Two applications give the quarters in the original orientation.
fn transposed_halves(rows: &[[Vec3; 3]; 3]) -> [[[Vec3; 3]; 3]; 2] {
    let halved = rows.map(halves);
    [0, 1].map(|half| std::array::from_fn(|i| std::array::from_fn(|j| halved[j][half][i])))
}

/// Quarters of a quadratic Bézier triangle with the control points pᵢⱼ, by the polar form
///
/// ```text
/// Σ uᵢ vᵢ pᵢᵢ + Σ (uᵢ vⱼ + uⱼ vᵢ) pᵢⱼ
/// ```
///
/// with the barycentric coordinates u and v of two points. The second sum runs over i < j.
fn quarters_of_triangle(p: &[Vec3; 9]) -> [[Vec3; 9]; 4] {
    let polar = |u: [f64; 3], v: [f64; 3]| {
        let cross = |i: usize, j: usize| u[i] * v[j] + u[j] * v[i];
        let corners = p[0] * (u[0] * v[0]) + p[1] * (u[1] * v[1]) + p[2] * (u[2] * v[2]);
        corners + p[3] * cross(0, 1) + p[4] * cross(1, 2) + p[5] * cross(2, 0)
    };
    const CORNERS: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const MIDDLES: [[f64; 3]; 3] = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]];
    let quarters = [
        [CORNERS[0], MIDDLES[0], MIDDLES[2]],
        [MIDDLES[0], CORNERS[1], MIDDLES[1]],
        [MIDDLES[2], MIDDLES[1], CORNERS[2]],
        [MIDDLES[0], MIDDLES[1], MIDDLES[2]],
    ];
    quarters.map(|[a, b, c]| {
        let mut points = [Vec3::zeros(); 9];
        let of_quarter = [(a, a), (b, b), (c, c), (a, b), (b, c), (c, a)];
        points.iter_mut().zip(of_quarter).for_each(|(point, (u, v))| *point = polar(u, v));
        points
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        let nodes = [[1.0, 2.0, 3.0], [4.0, 2.5, 3.0], [4.5, 5.0, 3.0], [1.5, 6.0, 3.0]].map(Vec3::from);
        for kind in [CellKind::Line2, CellKind::Tri3, CellKind::Quad4] {
            let whole = QuadraticBezierFace::of_face(kind, |k| nodes[k]);
            let mut parts = Vec::new();
            whole.split(|part| part.split(|part| parts.push(part)));
            let sum: f64 = parts.iter().map(size).sum();
            assert_eq!(parts.len(), if kind == CellKind::Line2 { 4 } else { 16 });
            assert!((sum / size(&whole) - 1.0).abs() < 1e-14, "{kind:?}: {sum} of {}", size(&whole));
        }
    }

    fn size(bezier_face: &QuadraticBezierFace) -> f64 {
        let corners = bezier_face.corners();
        match corners.len() {
            2 => (corners[1] - corners[0]).norm(),
            3 => 0.5 * (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm(),
            _ => 0.5 * (corners[2] - corners[0]).cross(&(corners[3] - corners[1])).norm(),
        }
    }
}
