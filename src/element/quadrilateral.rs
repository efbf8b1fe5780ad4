//! Quadrilaterals on \[−1, 1\]².

use super::QuadraturePoint;
use super::line::{GAUSS_2, GAUSS_3};

/// Corners, counter-clockwise.
pub const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// 2 × 2 points, exact to degree 3 in each direction.
pub const GAUSS_2X2: [QuadraturePoint; 4] = tensor(&GAUSS_2);
/// 3 × 3 points, exact to degree 5 in each direction.
pub const GAUSS_3X3: [QuadraturePoint; 9] = tensor(&GAUSS_3);

const fn tensor<const N: usize>(rule: &[QuadraturePoint]) -> [QuadraturePoint; N] {
    let mut points = [QuadraturePoint { xi: [0.0; 3], weight: 0.0 }; N];
    let mut k = 0;
    while k < N {
        let (x, y) = (rule[k % rule.len()], rule[k / rule.len()]);
        points[k] = QuadraturePoint { xi: [x.xi[0], y.xi[0], 0.0], weight: x.weight * y.weight };
        k += 1;
    }
    points
}

/// N of the four-node quadrilateral.
pub fn values4(xi: [f64; 3], values: &mut [f64]) {
    for (value, [a, b]) in values.iter_mut().zip(CORNERS) {
        *value = 0.25 * (1.0 + a * xi[0]) * (1.0 + b * xi[1]);
    }
}

/// ∂N/∂ξ of the four-node quadrilateral.
pub fn gradients4(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    for (gradient, [a, b]) in gradients.iter_mut().zip(CORNERS) {
        *gradient = [0.25 * a * (1.0 + b * xi[1]), 0.25 * b * (1.0 + a * xi[0]), 0.0];
    }
}

/// Second derivatives of the four-node quadrilateral: only the mixed one, a b/4, is not zero.
pub fn hessians4(hessians: &mut [[f64; 3]]) {
    for (hessian, [a, b]) in hessians.iter_mut().zip(CORNERS) {
        *hessian = [0.0, 0.0, 0.25 * a * b];
    }
}
