//! Hexahedra on \[−1, 1\]³.

use super::QuadraturePoint;
use super::line::{GAUSS_2, GAUSS_3};

/// Corners: bottom counter-clockwise, then top.
pub const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// 2 × 2 × 2 points, exact to degree 3 in each direction.
pub const GAUSS_2X2X2: [QuadraturePoint; 8] = tensor(&GAUSS_2);
/// 3 × 3 × 3 points, exact to degree 5 in each direction.
pub const GAUSS_3X3X3: [QuadraturePoint; 27] = tensor(&GAUSS_3);

const fn tensor<const N: usize>(rule: &[QuadraturePoint]) -> [QuadraturePoint; N] {
    let n = rule.len();
    let mut points = [QuadraturePoint { xi: [0.0; 3], weight: 0.0 }; N];
    let mut k = 0;
    while k < N {
        let (x, y, z) = (rule[k % n], rule[k / n % n], rule[k / (n * n)]);
        points[k] =
            QuadraturePoint { xi: [x.xi[0], y.xi[0], z.xi[0]], weight: x.weight * y.weight * z.weight };
        k += 1;
    }
    points
}

/// N of the eight-node hexahedron.
pub fn values8(xi: [f64; 3], values: &mut [f64]) {
    for (value, [a, b, c]) in values.iter_mut().zip(CORNERS) {
        *value = 0.125 * (1.0 + a * xi[0]) * (1.0 + b * xi[1]) * (1.0 + c * xi[2]);
    }
}

/// ∂N/∂ξ of the eight-node hexahedron.
pub fn gradients8(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    for (gradient, [a, b, c]) in gradients.iter_mut().zip(CORNERS) {
        let (x, y, z) = (1.0 + a * xi[0], 1.0 + b * xi[1], 1.0 + c * xi[2]);
        *gradient = [0.125 * a * y * z, 0.125 * b * x * z, 0.125 * c * x * y];
    }
}
