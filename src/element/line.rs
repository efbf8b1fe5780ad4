//! Segments on \[−1, 1\], and the Gauss–Legendre rules all tensor-product families are built from.

use super::QuadraturePoint;

/// Abscissa 1/√3 of the two-point rule.
const TWO_POINT: f64 = 0.577_350_269_189_625_8;
/// Abscissa √(3/5) of the three-point rule.
const THREE_POINT: f64 = 0.774_596_669_241_483_4;

/// The whole weight on a point.
pub const POINT: [QuadraturePoint; 1] = [QuadraturePoint { xi: [0.0; 3], weight: 1.0 }];
/// Two points, exact to degree 3.
pub const GAUSS_2: [QuadraturePoint; 2] = [point(-TWO_POINT, 1.0), point(TWO_POINT, 1.0)];
/// Three points, exact to degree 5.
pub const GAUSS_3: [QuadraturePoint; 3] =
    [point(-THREE_POINT, 5.0 / 9.0), point(0.0, 8.0 / 9.0), point(THREE_POINT, 5.0 / 9.0)];

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
