//! The polynomials x(ξ) − r, with the query r, of faces with nodes in the middle of their edges.

use super::face_polynomial::{Cell, Derivatives, FacePolynomial, least_of, shifted};
use crate::detection::face::closest_point::bernstein::{BiquadraticNet, Bounds, Curve, TriangleNet};
use crate::detection::face::closest_point::domain::{Domain, INTERVAL, SQUARE, TRIANGLE};
use crate::math::Vec3;
use crate::mesh::CellKind;

const MID_SIDES: [[f64; 2]; 4] = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];

/// Three-node segment: c₀ + c₁ ξ + c₂ ξ².
#[derive(Clone, Copy, Debug)]
pub struct QuadraticSegment {
    c: [Vec3; 3],
}

impl QuadraticSegment {
    /// From the nodes at ξ = −1, +1, 0.
    #[inline]
    pub fn new(nodes: &[Vec3; 3], query: &Vec3) -> Self {
        let [a, b, middle] = shifted(nodes, query);
        Self { c: [middle, (b - a) * 0.5, ((a - middle) + (b - middle)) * 0.5] }
    }

    #[inline]
    fn control_points(&self) -> [Vec3; 3] {
        control_points(&self.c)
    }
}

impl FacePolynomial for QuadraticSegment {
    const KIND: CellKind = CellKind::Line3;
    const DOMAIN: &'static Domain = &INTERVAL;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0], [2, 0]];
    const OTHER_NODES: &'static [[f64; 2]] = &[[0.0, 0.0]];

    #[inline]
    fn offset(&self, xi: [f64; 2]) -> Vec3 {
        self.c[0] + (self.c[1] + self.c[2] * xi[0]) * xi[0]
    }

    #[inline]
    fn derivatives(&self, xi: [f64; 2]) -> Derivatives {
        let tangents = [self.c[1] + self.c[2] * (2.0 * xi[0]), Vec3::zeros()];
        let second = [self.c[2] * 2.0, Vec3::zeros(), Vec3::zeros()];
        Derivatives { offset: self.offset(xi), tangents, second }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        Self { c: taylor(&self.c, cell.origin[0], cell.axes[0][0]) }
    }

    fn bounds(&self, limit: f64) -> Bounds {
        Curve::new(&self.control_points()).bounds(limit)
    }

    #[inline]
    fn least_along(&self, direction: &Vec3) -> f64 {
        least_of(&self.control_points(), direction)
    }
}

/// Six-node triangle: c₀ + c₁ ξ + c₂ η + c₁₁ ξ² + c₂₂ η² + c₁₂ ξη.
#[derive(Clone, Copy, Debug)]
pub struct SixNodeTriangle {
    c: [Vec3; 6],
}

impl SixNodeTriangle {
    /// From the three corners, then the middle nodes of the edges 01, 12 and 20.
    #[inline]
    pub fn new(nodes: &[Vec3; 6], query: &Vec3) -> Self {
        let [p, q, r, pq, qr, rp] = shifted(nodes, query);
        let c11 = ((p - pq) + (q - pq)) * 2.0;
        let c22 = ((p - rp) + (r - rp)) * 2.0;
        let c12 = ((p - pq) + (qr - rp)) * 4.0;
        Self { c: [p, (q - p) - c11, (r - p) - c22, c11, c22, c12] }
    }

    #[inline]
    fn control_points(&self) -> [Vec3; 6] {
        let [c0, c1, c2, c11, c22, c12] = &self.c;
        let (along, across) = (c0 + c1 * 0.5, c0 + c2 * 0.5);
        let opposite = across + (c1 + c12) * 0.5;
        [*c0, c0 + c1 + c11, c0 + c2 + c22, along, opposite, across]
    }
}

impl FacePolynomial for SixNodeTriangle {
    const KIND: CellKind = CellKind::Tri6;
    const DOMAIN: &'static Domain = &TRIANGLE;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0], [0, 1], [2, 0], [0, 2], [1, 1]];
    const OTHER_NODES: &'static [[f64; 2]] = &[[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];

    #[inline]
    fn offset(&self, [x, y]: [f64; 2]) -> Vec3 {
        let [c0, c1, c2, c11, c22, c12] = &self.c;
        c0 + (c1 + c11 * x) * x + (c2 + c22 * y + c12 * x) * y
    }

    #[inline]
    fn derivatives(&self, [x, y]: [f64; 2]) -> Derivatives {
        let [c0, c1, c2, c11, c22, c12] = &self.c;
        let (along, across) = (c1 + c11 * x, c2 + c22 * y + c12 * x);
        let tangents = [along + c11 * x + c12 * y, across + c22 * y];
        let offset = c0 + along * x + across * y;
        Derivatives { offset, tangents, second: [c11 * 2.0, c22 * 2.0, *c12] }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        let [_, _, _, c11, c22, c12] = &self.c;
        let Derivatives { offset, tangents: [x1, x2], .. } = self.derivatives(cell.origin);
        let [u, v] = cell.axes;
        let first = [u, v].map(|a| x1 * a[0] + x2 * a[1]);
        let second = [u, v].map(|a| c11 * (a[0] * a[0]) + c22 * (a[1] * a[1]) + c12 * (a[0] * a[1]));
        let mixed = c11 * (2.0 * u[0] * v[0]) + c22 * (2.0 * u[1] * v[1]) + c12 * (u[0] * v[1] + u[1] * v[0]);
        Self { c: [offset, first[0], first[1], second[0], second[1], mixed] }
    }

    fn bounds(&self, limit: f64) -> Bounds {
        TriangleNet::new(&self.control_points()).bounds(limit)
    }

    #[inline]
    fn least_along(&self, direction: &Vec3) -> f64 {
        least_of(&self.control_points(), direction)
    }
}

/// Eight-node (serendipity) quadrilateral:
/// (c₀₀ + c₀₁ η + c₀₂ η²) + (c₁₀ + c₁₁ η + c₁₂ η²) ξ + (c₂₀ + c₂₁ η) ξ².
#[derive(Clone, Copy, Debug)]
pub struct Serendipity {
    c: [Vec3; 8],
}

impl Serendipity {
    /// From the four corners, then the middle nodes at (0, −1), (1, 0), (0, 1) and (−1, 0).
    #[inline]
    pub fn new(nodes: &[Vec3; 8], query: &Vec3) -> Self {
        let [p, q, r, s, bottom, right, top, left] = shifted(nodes, query);
        // Vector from the middle node of an edge to the midpoint of the chord.
        let sagitta = |a: Vec3, b: Vec3, middle: Vec3| ((a - middle) + (b - middle)) * 0.5;
        let (below, above) = (sagitta(p, q, bottom), sagitta(s, r, top));
        let (before, behind) = (sagitta(s, p, left), sagitta(q, r, right));
        let (c20, c02) = ((below + above) * 0.5, (before + behind) * 0.5);
        let centre = ((bottom + top) + (left + right)) * 0.25 - (c20 + c02) * 0.5;
        Self {
            c: [
                centre,
                (right - left) * 0.5,
                (top - bottom) * 0.5,
                c20,
                c02,
                ((p - q) + (r - s)) * 0.25,
                (above - below) * 0.5,
                (behind - before) * 0.5,
            ],
        }
    }

    /// Coefficients c_ij of ξⁱ ηʲ in row i, column j.
    #[inline]
    fn rows(&self) -> [[Vec3; 3]; 3] {
        let [c00, c10, c01, c20, c02, c11, c21, c12] = self.c;
        [[c00, c01, c02], [c10, c11, c12], [c20, c21, Vec3::zeros()]]
    }

    #[inline]
    fn control_points(&self) -> [[Vec3; 3]; 3] {
        net_of_square(&self.rows())
    }
}

impl FacePolynomial for Serendipity {
    const KIND: CellKind = CellKind::Quad8;
    const DOMAIN: &'static Domain = &SQUARE;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0], [0, 1], [2, 0], [0, 2], [1, 1], [2, 1], [1, 2]];
    const OTHER_NODES: &'static [[f64; 2]] = &MID_SIDES;

    #[inline]
    fn offset(&self, [x, y]: [f64; 2]) -> Vec3 {
        let [c00, c10, c01, c20, c02, c11, c21, c12] = &self.c;
        let rows = [c00 + (c01 + c02 * y) * y, c10 + (c11 + c12 * y) * y, c20 + c21 * y];
        rows[0] + (rows[1] + rows[2] * x) * x
    }

    #[inline]
    fn derivatives(&self, [x, y]: [f64; 2]) -> Derivatives {
        let [c00, c10, c01, c20, c02, c11, c21, c12] = &self.c;
        let slopes = [c01 + c02 * y, c11 + c12 * y];
        let rows = [c00 + slopes[0] * y, c10 + slopes[1] * y, c20 + c21 * y];
        let slopes = [slopes[0] + c02 * y, slopes[1] + c12 * y];
        let along = rows[1] + rows[2] * x;
        Derivatives {
            offset: rows[0] + along * x,
            tangents: [along + rows[2] * x, slopes[0] + (slopes[1] + c21 * x) * x],
            second: [rows[2] * 2.0, (c02 + c12 * x) * 2.0, slopes[1] + c21 * (2.0 * x)],
        }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        let [[c00, c01, c02], [c10, c11, c12], [c20, c21, _]] = part_of_square(&self.rows(), cell);
        Self { c: [c00, c10, c01, c20, c02, c11, c21, c12] }
    }

    fn bounds(&self, limit: f64) -> Bounds {
        BiquadraticNet::new(&self.control_points()).bounds(limit)
    }

    #[inline]
    fn least_along(&self, direction: &Vec3) -> f64 {
        least_of(self.control_points().as_flattened(), direction)
    }
}

/// Nine-node quadrilateral: Σ c_ij ξⁱ ηʲ, i, j = 0, 1, 2.
#[derive(Clone, Copy, Debug)]
pub struct Biquadratic {
    c: [Vec3; 9],
}

impl Biquadratic {
    /// From the four corners, then the middle nodes at (0, −1), (1, 0), (0, 1) and (−1, 0), then the centre.
    #[inline]
    pub fn new(nodes: &[Vec3; 9], query: &Vec3) -> Self {
        let [p, q, r, s, bottom, right, top, left, centre] = shifted(nodes, query);
        let sagitta = |a: Vec3, b: Vec3, middle: Vec3| ((a - middle) + (b - middle)) * 0.5;
        let (below, above) = (sagitta(p, q, bottom), sagitta(s, r, top));
        let (before, behind) = (sagitta(s, p, left), sagitta(q, r, right));
        let (c20, c02) = (sagitta(left, right, centre), sagitta(bottom, top, centre));
        Self {
            c: [
                centre,
                (right - left) * 0.5,
                (top - bottom) * 0.5,
                c20,
                c02,
                ((p - q) + (r - s)) * 0.25,
                (above - below) * 0.5,
                (behind - before) * 0.5,
                (above + below) * 0.5 - c20,
            ],
        }
    }

    /// Coefficients c_ij of ξⁱ ηʲ in row i, column j.
    #[inline]
    fn rows(&self) -> [[Vec3; 3]; 3] {
        let [c00, c10, c01, c20, c02, c11, c21, c12, c22] = self.c;
        [[c00, c01, c02], [c10, c11, c12], [c20, c21, c22]]
    }

    #[inline]
    fn control_points(&self) -> [[Vec3; 3]; 3] {
        net_of_square(&self.rows())
    }
}

impl FacePolynomial for Biquadratic {
    const KIND: CellKind = CellKind::Quad9;
    const DOMAIN: &'static Domain = &SQUARE;
    const POWERS: &'static [[u8; 2]] =
        &[[0, 0], [1, 0], [0, 1], [2, 0], [0, 2], [1, 1], [2, 1], [1, 2], [2, 2]];
    const OTHER_NODES: &'static [[f64; 2]] =
        &[MID_SIDES[0], MID_SIDES[1], MID_SIDES[2], MID_SIDES[3], [0.0, 0.0]];

    #[inline]
    fn offset(&self, [x, y]: [f64; 2]) -> Vec3 {
        let row = |c: &[Vec3; 3]| c[0] + (c[1] + c[2] * y) * y;
        let c = self.rows();
        let rows = [row(&c[0]), row(&c[1]), row(&c[2])];
        rows[0] + (rows[1] + rows[2] * x) * x
    }

    #[inline]
    fn derivatives(&self, [x, y]: [f64; 2]) -> Derivatives {
        let row = |c: &[Vec3; 3]| c[0] + (c[1] + c[2] * y) * y;
        let c = self.rows();
        let rows = [row(&c[0]), row(&c[1]), row(&c[2])];
        let slope = |c: &[Vec3; 3]| c[1] + c[2] * (2.0 * y);
        let slopes = [slope(&c[0]), slope(&c[1]), slope(&c[2])];
        let curvatures = [c[0][2], c[1][2], c[2][2]];
        let along = rows[1] + rows[2] * x;
        Derivatives {
            offset: rows[0] + along * x,
            tangents: [along + rows[2] * x, slopes[0] + (slopes[1] + slopes[2] * x) * x],
            second: [
                rows[2] * 2.0,
                (curvatures[0] + (curvatures[1] + curvatures[2] * x) * x) * 2.0,
                slopes[1] + slopes[2] * (2.0 * x),
            ],
        }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        let [[c00, c01, c02], [c10, c11, c12], [c20, c21, c22]] = part_of_square(&self.rows(), cell);
        Self { c: [c00, c10, c01, c20, c02, c11, c21, c12, c22] }
    }

    fn bounds(&self, limit: f64) -> Bounds {
        BiquadraticNet::new(&self.control_points()).bounds(limit)
    }

    #[inline]
    fn least_along(&self, direction: &Vec3) -> f64 {
        least_of(self.control_points().as_flattened(), direction)
    }
}

/// Coefficients of p(o + h s) in powers of s, with p(t) = c₀ + c₁ t + c₂ t², o = `origin` and h = `half`.
fn taylor(c: &[Vec3; 3], origin: f64, half: f64) -> [Vec3; 3] {
    let along = c[1] + c[2] * origin;
    [c[0] + along * origin, (along + c[2] * origin) * half, c[2] * (half * half)]
}

fn part_of_square(rows: &[[Vec3; 3]; 3], cell: &Cell) -> [[Vec3; 3]; 3] {
    let rows = rows.map(|row| taylor(&row, cell.origin[1], cell.axes[1][1]));
    let columns = transpose(&rows).map(|column| taylor(&column, cell.origin[0], cell.axes[0][0]));
    transpose(&columns)
}

/// Bézier control points of c₀ + c₁ s + c₂ s² on \[−1, 1\].
#[inline]
fn control_points([c0, c1, c2]: &[Vec3; 3]) -> [Vec3; 3] {
    let even = c0 + c2;
    [even - c1, c0 - c2, even + c1]
}

/// Bézier control points of Σ c_ij ξⁱ ηʲ, with c_ij = `rows[i][j]`. The first index of the result runs along ξ.
#[inline]
fn net_of_square(rows: &[[Vec3; 3]; 3]) -> [[Vec3; 3]; 3] {
    let [p, q, r] = [control_points(&rows[0]), control_points(&rows[1]), control_points(&rows[2])];
    let across = |j: usize| control_points(&[p[j], q[j], r[j]]);
    transpose(&[across(0), across(1), across(2)])
}

#[inline]
fn transpose([p, q, r]: &[[Vec3; 3]; 3]) -> [[Vec3; 3]; 3] {
    [[p[0], q[0], r[0]], [p[1], q[1], r[1]], [p[2], q[2], r[2]]]
}
