//! Segments on \[−1, 1\], and the Gauss–Legendre rules for all tensor-product families.

use super::QuadraturePoint;

/// 1/√3.
const TWO_POINT: f64 = 0.577_350_269_189_625_8;
/// √(3/5).
const THREE_POINT: f64 = 0.774_596_669_241_483_4;

// Abscissas of the four- and five-point rules (Abramowitz and Stegun 1964, table 25.4).
const FOUR_POINT: [f64; 2] = [0.339_981_043_584_856_3, 0.861_136_311_594_052_6];
const FIVE_POINT: [f64; 2] = [0.538_469_310_105_683_1, 0.906_179_845_938_664];

/// Rule of a point element.
pub const POINT: [QuadraturePoint; 1] = [QuadraturePoint { xi: [0.0; 3], weight: 1.0 }];
/// Two points, exact to degree 3.
pub const GAUSS_2: [QuadraturePoint; 2] = [point(-TWO_POINT, 1.0), point(TWO_POINT, 1.0)];
/// Three points, exact to degree 5.
pub const GAUSS_3: [QuadraturePoint; 3] =
    [point(-THREE_POINT, 5.0 / 9.0), point(0.0, 8.0 / 9.0), point(THREE_POINT, 5.0 / 9.0)];
/// Four points, exact to degree 7.
pub const GAUSS_4: [QuadraturePoint; 4] = [
    point(-FOUR_POINT[1], 0.347_854_845_137_453_85),
    point(-FOUR_POINT[0], 0.652_145_154_862_546_1),
    point(FOUR_POINT[0], 0.652_145_154_862_546_1),
    point(FOUR_POINT[1], 0.347_854_845_137_453_85),
];
/// Five points, exact to degree 9.
pub const GAUSS_5: [QuadraturePoint; 5] = [
    point(-FIVE_POINT[1], 0.236_926_885_056_189_08),
    point(-FIVE_POINT[0], 0.478_628_670_499_366_47),
    point(0.0, 128.0 / 225.0),
    point(FIVE_POINT[0], 0.478_628_670_499_366_47),
    point(FIVE_POINT[1], 0.236_926_885_056_189_08),
];

const fn point(xi: f64, weight: f64) -> QuadraturePoint {
    QuadraturePoint { xi: [xi, 0.0, 0.0], weight }
}

/// N of the two-node segment.
pub fn values2(xi: [f64; 3], values: &mut [f64]) {
    values[..2].copy_from_slice(&[0.5 * (1.0 - xi[0]), 0.5 * (1.0 + xi[0])]);
}

/// ∂N/∂ξ of the two-node segment.
pub fn gradients2(gradients: &mut [[f64; 3]]) {
    gradients[..2].copy_from_slice(&[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]);
}

/// N of the three-node segment.
pub fn values3(xi: [f64; 3], values: &mut [f64]) {
    values[..3].copy_from_slice(&quadratic(xi[0]));
}

/// ∂N/∂ξ of the three-node segment.
pub fn gradients3(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    for (gradient, slope) in gradients.iter_mut().zip(quadratic_slopes(xi[0])) {
        *gradient = [slope, 0.0, 0.0];
    }
}

/// Second derivatives of N of the three-node segment; ∂²N/∂ξ₁² is the first component.
pub fn hessians3(hessians: &mut [[f64; 3]]) {
    for (hessian, curvature) in hessians.iter_mut().zip(QUADRATIC_CURVATURES) {
        *hessian = [curvature, 0.0, 0.0];
    }
}

/// Values at s of the quadratic Lagrange polynomials of the points −1, +1, 0.
pub(super) fn quadratic(s: f64) -> [f64; 3] {
    [0.5 * s * (s - 1.0), 0.5 * s * (s + 1.0), (1.0 - s) * (1.0 + s)]
}

pub(super) fn quadratic_slopes(s: f64) -> [f64; 3] {
    [s - 0.5, s + 0.5, -2.0 * s]
}

pub(super) const QUADRATIC_CURVATURES: [f64; 3] = [1.0, 1.0, -2.0];
