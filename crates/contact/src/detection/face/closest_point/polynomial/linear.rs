//! The polynomials x(ξ) − r, with the query r, of faces without middle nodes: segment, triangle and quadrilateral.

use super::face_polynomial::{Cell, Derivatives, FacePolynomial, least_of, shifted};
use crate::detection::face::closest_point::bernstein::{BilinearNet, Bounds};
use crate::detection::face::closest_point::domain::{Domain, INTERVAL, SQUARE, TRIANGLE};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Two-node segment: c₀ + c₁ ξ.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    c: [Vec3; 2],
}

impl Segment {
    /// From the nodes at ξ = −1, +1.
    #[inline]
    pub fn new(nodes: &[Vec3; 2], query: &Vec3) -> Self {
        let [a, b] = shifted(nodes, query);
        Self { c: [(a + b) * 0.5, (b - a) * 0.5] }
    }
}

impl FacePolynomial for Segment {
    const KIND: CellKind = CellKind::Line2;
    const DOMAIN: &'static Domain = &INTERVAL;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0]];
    const AFFINE: bool = true;

    #[inline]
    fn offset(&self, xi: [f64; 2]) -> Vec3 {
        self.c[0] + self.c[1] * xi[0]
    }

    #[inline]
    fn derivatives(&self, xi: [f64; 2]) -> Derivatives {
        let tangents = [self.c[1], Vec3::zeros()];
        Derivatives { offset: self.offset(xi), tangents, second: [Vec3::zeros(); 3] }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        Self { c: [self.offset(cell.origin), self.c[1] * cell.axes[0][0]] }
    }
}

/// Three-node triangle: c₀ + c₁ ξ + c₂ η.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    c: [Vec3; 3],
}

impl Triangle {
    /// From the corners.
    #[inline]
    pub fn new(nodes: &[Vec3; 3], query: &Vec3) -> Self {
        let [a, b, c] = shifted(nodes, query);
        Self { c: [a, b - a, c - a] }
    }
}

impl FacePolynomial for Triangle {
    const KIND: CellKind = CellKind::Tri3;
    const DOMAIN: &'static Domain = &TRIANGLE;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0], [0, 1]];
    const AFFINE: bool = true;

    #[inline]
    fn offset(&self, xi: [f64; 2]) -> Vec3 {
        self.c[0] + self.c[1] * xi[0] + self.c[2] * xi[1]
    }

    #[inline]
    fn derivatives(&self, xi: [f64; 2]) -> Derivatives {
        let tangents = [self.c[1], self.c[2]];
        Derivatives { offset: self.offset(xi), tangents, second: [Vec3::zeros(); 3] }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        let [u, v] = cell.axes.map(|[along, across]| self.c[1] * along + self.c[2] * across);
        Self { c: [self.offset(cell.origin), u, v] }
    }
}

/// Four-node quadrilateral: c₀ + c₁ ξ + c₂ η + c₁₂ ξη.
#[derive(Clone, Copy, Debug)]
pub struct Bilinear {
    c: [Vec3; 4],
}

impl Bilinear {
    /// From the corners.
    #[inline]
    pub fn new(nodes: &[Vec3; 4], query: &Vec3) -> Self {
        let [p, q, r, s] = shifted(nodes, query);
        let (pq, rs, qp, sr) = (p + q, r + s, q - p, r - s);
        Self { c: [(pq + rs) * 0.25, (qp + sr) * 0.25, (rs - pq) * 0.25, (sr - qp) * 0.25] }
    }

    #[inline]
    fn control_points(&self) -> [[Vec3; 2]; 2] {
        let [c0, c1, c2, c12] = &self.c;
        let line = |along: Vec3, slope: Vec3| [along - slope, along + slope];
        [line(c0 - c1, c2 - c12), line(c0 + c1, c2 + c12)]
    }
}

impl FacePolynomial for Bilinear {
    const KIND: CellKind = CellKind::Quad4;
    const DOMAIN: &'static Domain = &SQUARE;
    const POWERS: &'static [[u8; 2]] = &[[0, 0], [1, 0], [0, 1], [1, 1]];

    #[inline]
    fn offset(&self, xi: [f64; 2]) -> Vec3 {
        let [c0, c1, c2, c12] = &self.c;
        c0 + c2 * xi[1] + (c1 + c12 * xi[1]) * xi[0]
    }

    #[inline]
    fn derivatives(&self, xi: [f64; 2]) -> Derivatives {
        let [c0, c1, c2, c12] = &self.c;
        let first = c1 + c12 * xi[1];
        let tangents = [first, c2 + c12 * xi[0]];
        let offset = c0 + c2 * xi[1] + first * xi[0];
        Derivatives { offset, tangents, second: [Vec3::zeros(), Vec3::zeros(), *c12] }
    }

    #[inline]
    fn coefficients(&self) -> &[Vec3] {
        &self.c
    }

    fn part(&self, cell: &Cell) -> Self {
        let Derivatives { offset, tangents: [x1, x2], second } = self.derivatives(cell.origin);
        let (h1, h2) = (cell.axes[0][0], cell.axes[1][1]);
        Self { c: [offset, x1 * h1, x2 * h2, second[2] * (h1 * h2)] }
    }

    fn bounds(&self, limit: f64) -> Bounds {
        BilinearNet::new(&self.control_points()).bounds(limit)
    }

    #[inline]
    fn least_along(&self, direction: &Vec3) -> f64 {
        least_of(self.control_points().as_flattened(), direction)
    }
}
