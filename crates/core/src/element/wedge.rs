//! Wedges (prisms): triangle × segment.

use super::QuadraturePoint;
use super::line::{self, GAUSS_2, GAUSS_3};
use super::triangle::{self, DEGREE_2, DEGREE_4};

/// 3 × 2 points, exact to degree 2 in the triangle and to degree 3 along the axis.
pub const GAUSS_3X2: [QuadraturePoint; 6] = tensor(&DEGREE_2, &GAUSS_2);
/// 6 × 3 points, exact to degree 4 in the triangle and to degree 5 along the axis.
pub const GAUSS_6X3: [QuadraturePoint; 18] = tensor(&DEGREE_4, &GAUSS_3);

const fn tensor<const N: usize>(base: &[QuadraturePoint], axis: &[QuadraturePoint]) -> [QuadraturePoint; N] {
    let mut points = [QuadraturePoint { xi: [0.0; 3], weight: 0.0 }; N];
    let mut k = 0;
    while k < N {
        let (p, z) = (base[k % base.len()], axis[k / base.len()]);
        points[k] = QuadraturePoint { xi: [p.xi[0], p.xi[1], z.xi[0]], weight: p.weight * z.weight };
        k += 1;
    }
    points
}

/// N of the six-node wedge.
pub fn values6(xi: [f64; 3], values: &mut [f64]) {
    let (mut base, mut axis) = ([0.0; 3], [0.0; 2]);
    triangle::values3(xi, &mut base);
    line::values2([xi[2], 0.0, 0.0], &mut axis);
    for (a, value) in values[..6].iter_mut().enumerate() {
        *value = base[a % 3] * axis[a / 3];
    }
}

/// ∂N/∂ξ of the six-node wedge.
pub fn gradients6(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (mut base, mut axis) = ([0.0; 3], [0.0; 2]);
    let (mut base_slope, mut axis_slope) = ([[0.0; 3]; 3], [[0.0; 3]; 2]);
    triangle::values3(xi, &mut base);
    triangle::gradients3(&mut base_slope);
    line::values2([xi[2], 0.0, 0.0], &mut axis);
    line::gradients2(&mut axis_slope);
    for (a, gradient) in gradients[..6].iter_mut().enumerate() {
        let (p, z) = (a % 3, a / 3);
        *gradient = [base_slope[p][0] * axis[z], base_slope[p][1] * axis[z], base[p] * axis_slope[z][0]];
    }
}
