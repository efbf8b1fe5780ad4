//! Triangles on the unit simplex.

use super::QuadraturePoint;

/// One point, exact to degree 1.
pub const CENTROID: [QuadraturePoint; 1] = [point(1.0 / 3.0, 1.0 / 3.0, 0.5)];
/// Three points, exact to degree 2.
pub const DEGREE_2: [QuadraturePoint; 3] = [
    point(1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0),
    point(2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0),
    point(1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0),
];

// Dunavant (1985), Int. J. Numer. Meth. Eng. 21, Table II, p = 4: two orbits of three points (a, a, 1 − 2a).
const ORBIT_A: f64 = 0.445_948_490_915_964_9;
const ORBIT_B: f64 = 0.091_576_213_509_770_7;
const WEIGHT_A: f64 = 0.223_381_589_678_011_47 / 2.0;
const WEIGHT_B: f64 = 0.109_951_743_655_321_87 / 2.0;

/// Six points, exact to degree 4 (Dunavant 1985, Table II).
pub const DEGREE_4: [QuadraturePoint; 6] = [
    point(ORBIT_A, ORBIT_A, WEIGHT_A),
    point(1.0 - 2.0 * ORBIT_A, ORBIT_A, WEIGHT_A),
    point(ORBIT_A, 1.0 - 2.0 * ORBIT_A, WEIGHT_A),
    point(ORBIT_B, ORBIT_B, WEIGHT_B),
    point(1.0 - 2.0 * ORBIT_B, ORBIT_B, WEIGHT_B),
    point(ORBIT_B, 1.0 - 2.0 * ORBIT_B, WEIGHT_B),
];

const fn point(x: f64, y: f64, weight: f64) -> QuadraturePoint {
    QuadraturePoint { xi: [x, y, 0.0], weight }
}

/// N of the three-node triangle.
pub fn values3(xi: [f64; 3], values: &mut [f64]) {
    values[..3].copy_from_slice(&[1.0 - xi[0] - xi[1], xi[0], xi[1]]);
}

/// ∂N/∂ξ of the three-node triangle.
pub fn gradients3(gradients: &mut [[f64; 3]]) {
    gradients[..3].copy_from_slice(&[[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
}
