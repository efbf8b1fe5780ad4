//! Quadrilaterals on \[−1, 1\]².

use super::QuadraturePoint;
use super::line::{GAUSS_2, GAUSS_3, GAUSS_4, QUADRATIC_CURVATURES, quadratic, quadratic_slopes};

/// Corners, counter-clockwise.
pub const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// 2 × 2 points, exact to degree 3 in each direction.
pub const GAUSS_2X2: [QuadraturePoint; 4] = tensor(&GAUSS_2);
/// 3 × 3 points, exact to degree 5 in each direction.
pub const GAUSS_3X3: [QuadraturePoint; 9] = tensor(&GAUSS_3);
/// 4 × 4 points, exact to degree 7 in each direction.
pub const GAUSS_4X4: [QuadraturePoint; 16] = tensor(&GAUSS_4);

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

/// ∂²N/∂ξ₁², ∂²N/∂ξ₂² and ∂²N/∂ξ₁∂ξ₂ of the four-node quadrilateral.
pub fn hessians4(hessians: &mut [[f64; 3]]) {
    for (hessian, [a, b]) in hessians.iter_mut().zip(CORNERS) {
        *hessian = [0.0, 0.0, 0.25 * a * b];
    }
}

const MID_SIDES: [[f64; 2]; 4] = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];

/// N of the eight-node (serendipity) quadrilateral.
pub fn values8(xi: [f64; 3], values: &mut [f64]) {
    let [x, y, _] = xi;
    let (corners, mid_sides) = values.split_at_mut(4);
    for (value, [a, b]) in corners.iter_mut().zip(CORNERS) {
        *value = 0.25 * (1.0 + a * x) * (1.0 + b * y) * (a * x + b * y - 1.0);
    }
    for (value, [a, b]) in mid_sides.iter_mut().zip(MID_SIDES) {
        *value = if a == 0.0 {
            0.5 * (1.0 - x) * (1.0 + x) * (1.0 + b * y)
        } else {
            0.5 * (1.0 + a * x) * (1.0 - y) * (1.0 + y)
        };
    }
}

/// ∂N/∂ξ of the eight-node quadrilateral.
pub fn gradients8(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let [x, y, _] = xi;
    let (corners, mid_sides) = gradients.split_at_mut(4);
    for (gradient, [a, b]) in corners.iter_mut().zip(CORNERS) {
        *gradient = [
            0.25 * a * (1.0 + b * y) * (2.0 * a * x + b * y),
            0.25 * b * (1.0 + a * x) * (a * x + 2.0 * b * y),
            0.0,
        ];
    }
    for (gradient, [a, b]) in mid_sides.iter_mut().zip(MID_SIDES) {
        *gradient = if a == 0.0 {
            [-x * (1.0 + b * y), 0.5 * b * (1.0 - x) * (1.0 + x), 0.0]
        } else {
            [0.5 * a * (1.0 - y) * (1.0 + y), -y * (1.0 + a * x), 0.0]
        };
    }
}

/// ∂²N/∂ξ₁², ∂²N/∂ξ₂² and ∂²N/∂ξ₁∂ξ₂ of the eight-node quadrilateral.
pub fn hessians8(xi: [f64; 3], hessians: &mut [[f64; 3]]) {
    let [x, y, _] = xi;
    let (corners, mid_sides) = hessians.split_at_mut(4);
    for (hessian, [a, b]) in corners.iter_mut().zip(CORNERS) {
        *hessian =
            [0.5 * (1.0 + b * y), 0.5 * (1.0 + a * x), 0.25 * a * b * (1.0 + 2.0 * a * x + 2.0 * b * y)];
    }
    for (hessian, [a, b]) in mid_sides.iter_mut().zip(MID_SIDES) {
        *hessian = if a == 0.0 { [-(1.0 + b * y), 0.0, -b * x] } else { [0.0, -(1.0 + a * x), -a * y] };
    }
}

/// Factors of each shape function of the nine-node quadrilateral: indices of the Lagrange polynomials of the points −1,
/// +1, 0, first in ξ₁, then in ξ₂.
const FACTORS_9: [[usize; 2]; 9] = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [1, 2], [2, 1], [0, 2], [2, 2]];

/// N of the nine-node quadrilateral.
pub fn values9(xi: [f64; 3], values: &mut [f64]) {
    let [p, q] = [quadratic(xi[0]), quadratic(xi[1])];
    for (value, [i, j]) in values.iter_mut().zip(FACTORS_9) {
        *value = p[i] * q[j];
    }
}

/// ∂N/∂ξ of the nine-node quadrilateral.
pub fn gradients9(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let [p, q] = [quadratic(xi[0]), quadratic(xi[1])];
    let [dp, dq] = [quadratic_slopes(xi[0]), quadratic_slopes(xi[1])];
    for (gradient, [i, j]) in gradients.iter_mut().zip(FACTORS_9) {
        *gradient = [dp[i] * q[j], p[i] * dq[j], 0.0];
    }
}

/// ∂²N/∂ξ₁², ∂²N/∂ξ₂² and ∂²N/∂ξ₁∂ξ₂ of the nine-node quadrilateral.
pub fn hessians9(xi: [f64; 3], hessians: &mut [[f64; 3]]) {
    let [p, q] = [quadratic(xi[0]), quadratic(xi[1])];
    let [dp, dq] = [quadratic_slopes(xi[0]), quadratic_slopes(xi[1])];
    for (hessian, [i, j]) in hessians.iter_mut().zip(FACTORS_9) {
        *hessian = [QUADRATIC_CURVATURES[i] * q[j], p[i] * QUADRATIC_CURVATURES[j], dp[i] * dq[j]];
    }
}
