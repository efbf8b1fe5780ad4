//! Tetrahedra on the unit simplex.

use super::QuadraturePoint;
use super::line::{GAUSS_4, GAUSS_5};

/// (5 − √5)/20: the three equal barycentric coordinates at each point of the rule of degree 2.
const NEAR: f64 = 0.138_196_601_125_010_5;
/// (5 + 3√5)/20: the fourth barycentric coordinate.
const FAR: f64 = 0.585_410_196_624_968_5;

/// One point, exact to degree 1.
pub const CENTROID: [QuadraturePoint; 1] = [QuadraturePoint { xi: [0.25; 3], weight: 1.0 / 6.0 }];
/// Four points, exact to degree 2 (Hammer and Stroud 1956).
pub const DEGREE_2: [QuadraturePoint; 4] =
    [point([NEAR, NEAR, NEAR]), point([FAR, NEAR, NEAR]), point([NEAR, FAR, NEAR]), point([NEAR, NEAR, FAR])];
/// A hundred points, exact to degree 7: Gauss rules of 5 × 5 × 4 points on a cube collapsed to the tetrahedron (Stroud
/// 1971, *Approximate Calculation of Multiple Integrals*, §2.5). With coordinates x, u, v in \[0, 1\] on the cube, the
/// Jacobian (1 − x)² (1 − u) adds two degrees in x and one in u.
pub const DEGREE_7: [QuadraturePoint; 100] = collapsed();

const fn collapsed() -> [QuadraturePoint; 100] {
    let mut points = [point([0.0; 3]); 100];
    let mut k = 0;
    while k < 100 {
        let (r, s, t) = (GAUSS_5[k % 5], GAUSS_5[k / 5 % 5], GAUSS_4[k / 25]);
        let (x, u, v) = (0.5 * (1.0 + r.xi[0]), 0.5 * (1.0 + s.xi[0]), 0.5 * (1.0 + t.xi[0]));
        let y = (1.0 - x) * u;
        let jacobian = (1.0 - x) * (1.0 - x) * (1.0 - u);
        points[k] = QuadraturePoint {
            xi: [x, y, (1.0 - x - y) * v],
            weight: 0.125 * r.weight * s.weight * t.weight * jacobian,
        };
        k += 1;
    }
    points
}

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

/// Corner nodes of each edge, in the order of the mid-edge nodes.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// N of the ten-node tetrahedron.
pub fn values10(xi: [f64; 3], values: &mut [f64]) {
    let mut l = [0.0; 4];
    values4(xi, &mut l);
    let (corners, mid_sides) = values.split_at_mut(4);
    for (value, l) in corners.iter_mut().zip(l) {
        *value = l * (2.0 * l - 1.0);
    }
    for (value, [a, b]) in mid_sides.iter_mut().zip(EDGES) {
        *value = 4.0 * l[a] * l[b];
    }
}

/// ∂N/∂ξ of the ten-node tetrahedron.
pub fn gradients10(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (mut l, mut g) = ([0.0; 4], [[0.0; 3]; 4]);
    values4(xi, &mut l);
    gradients4(&mut g);
    let (corners, mid_sides) = gradients.split_at_mut(4);
    for ((gradient, l), g) in corners.iter_mut().zip(l).zip(g) {
        *gradient = g.map(|g| (4.0 * l - 1.0) * g);
    }
    for (gradient, [a, b]) in mid_sides.iter_mut().zip(EDGES) {
        *gradient = [0, 1, 2].map(|i| 4.0 * (l[a] * g[b][i] + l[b] * g[a][i]));
    }
}
