//! Tetrahedra on the unit simplex.

use super::QuadraturePoint;

/// (5 − √5)/20 and (5 + 3√5)/20: Hammer and Stroud (1956), four points of degree 2.
const NEAR: f64 = 0.138_196_601_125_010_5;
const FAR: f64 = 0.585_410_196_624_968_5;

/// One point, exact to degree 1.
pub const CENTROID: [QuadraturePoint; 1] = [QuadraturePoint { xi: [0.25; 3], weight: 1.0 / 6.0 }];
/// Four points, exact to degree 2 (Hammer and Stroud 1956).
pub const DEGREE_2: [QuadraturePoint; 4] =
    [point([NEAR, NEAR, NEAR]), point([FAR, NEAR, NEAR]), point([NEAR, FAR, NEAR]), point([NEAR, NEAR, FAR])];

const fn point(xi: [f64; 3]) -> QuadraturePoint {
    QuadraturePoint { xi, weight: 1.0 / 24.0 }
}

/// N of the four-node tetrahedron.
pub fn values4(xi: [f64; 3], values: &mut [f64]) {
    values[..4].copy_from_slice(&[1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]]);
}

/// ∂N/∂ξ of the four-node tetrahedron.
pub fn gradients4(gradients: &mut [[f64; 3]]) {
    gradients[..4].copy_from_slice(&[[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
}
