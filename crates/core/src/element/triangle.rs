//! Triangles on the unit simplex.

use super::QuadraturePoint;
use super::line::GAUSS_4;

/// One point, exact to degree 1.
pub const CENTROID: [QuadraturePoint; 1] = [point(1.0 / 3.0, 1.0 / 3.0, 0.5)];
/// Three points, exact to degree 2.
pub const DEGREE_2: [QuadraturePoint; 3] = [
    point(1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0),
    point(2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0),
    point(1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0),
];

// Dunavant (1985), Int. J. Numer. Meth. Eng. 21, Table II, p = 4: values of a in the barycentric coordinates
// (a, a, 1 − 2 a) and their permutations, and weights.
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
/// Sixteen points, exact to degree 6: the Gauss rule of 4 × 4 points on a square collapsed to the triangle (Stroud
/// 1971, *Approximate Calculation of Multiple Integrals*, §2.5). The Jacobian 1 − x adds one degree.
pub const DEGREE_6: [QuadraturePoint; 16] = collapsed();

const fn collapsed() -> [QuadraturePoint; 16] {
    let mut points = [point(0.0, 0.0, 0.0); 16];
    let mut k = 0;
    while k < 16 {
        let (s, t) = (GAUSS_4[k % 4], GAUSS_4[k / 4]);
        let (x, across) = (0.5 * (1.0 + s.xi[0]), 0.5 * (1.0 + t.xi[0]));
        points[k] = point(x, (1.0 - x) * across, 0.25 * s.weight * t.weight * (1.0 - x));
        k += 1;
    }
    points
}

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

/// N of the six-node triangle.
pub fn values6(xi: [f64; 3], values: &mut [f64]) {
    let (x, y, l) = (xi[0], xi[1], 1.0 - xi[0] - xi[1]);
    values[..6].copy_from_slice(&[
        l * (2.0 * l - 1.0),
        x * (2.0 * x - 1.0),
        y * (2.0 * y - 1.0),
        4.0 * x * l,
        4.0 * x * y,
        4.0 * y * l,
    ]);
}

/// ∂N/∂ξ of the six-node triangle.
pub fn gradients6(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (x, y, l) = (xi[0], xi[1], 1.0 - xi[0] - xi[1]);
    gradients[..6].copy_from_slice(&[
        [1.0 - 4.0 * l, 1.0 - 4.0 * l, 0.0],
        [4.0 * x - 1.0, 0.0, 0.0],
        [0.0, 4.0 * y - 1.0, 0.0],
        [4.0 * (l - x), -4.0 * x, 0.0],
        [4.0 * y, 4.0 * x, 0.0],
        [-4.0 * y, 4.0 * (l - y), 0.0],
    ]);
}

/// ∂²N/∂ξ₁², ∂²N/∂ξ₂² and ∂²N/∂ξ₁∂ξ₂ of the six-node triangle.
pub fn hessians6(hessians: &mut [[f64; 3]]) {
    hessians[..6].copy_from_slice(&[
        [4.0, 4.0, 4.0],
        [4.0, 0.0, 0.0],
        [0.0, 4.0, 0.0],
        [-8.0, 0.0, -4.0],
        [0.0, 0.0, 4.0],
        [0.0, -8.0, -4.0],
    ]);
}
