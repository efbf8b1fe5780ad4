//! Hexahedra on \[−1, 1\]³.

use super::QuadraturePoint;
use super::line::{GAUSS_2, GAUSS_3, GAUSS_5, quadratic, quadratic_slopes};

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

/// Corner numbers by the signs of the coordinates: bit d of the position in this array is set if `xi[d]` = +1.
pub const CORNER_BY_SIDE: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

/// 2 × 2 × 2 points, exact to degree 3 in each direction.
pub const GAUSS_2X2X2: [QuadraturePoint; 8] = tensor(&GAUSS_2);
/// 3 × 3 × 3 points, exact to degree 5 in each direction.
pub const GAUSS_3X3X3: [QuadraturePoint; 27] = tensor(&GAUSS_3);
/// 5 × 5 × 5 points, exact to degree 9 in each direction.
pub const GAUSS_5X5X5: [QuadraturePoint; 125] = tensor(&GAUSS_5);

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

/// Natural coordinates of the nodes: 8 corners, 12 mid-edges, 6 mid-faces, and the centre.
pub const NODES: [[f64; 3]; 27] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [-1.0, -1.0, 0.0],
    [1.0, 0.0, -1.0],
    [1.0, -1.0, 0.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.0, 0.0, -1.0],
    [0.0, -1.0, 0.0],
    [-1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, 0.0],
];

/// N of the twenty-node (serendipity) hexahedron.
pub fn values20(xi: [f64; 3], values: &mut [f64]) {
    for (value, node) in values[..20].iter_mut().zip(NODES) {
        let [x, y, z] = [0, 1, 2].map(|i| factor(node[i], xi[i]));
        *value = x * y * z;
        if node.iter().all(|&c| c != 0.0) {
            *value *= 0.125 * (corner_sum(node, xi) - 2.0);
        } else {
            *value *= 0.25;
        }
    }
}

/// ∂N/∂ξ of the twenty-node hexahedron.
pub fn gradients20(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    for (gradient, node) in gradients[..20].iter_mut().zip(NODES) {
        let f = [0, 1, 2].map(|i| factor(node[i], xi[i]));
        let slope = [0, 1, 2].map(|i| if node[i] == 0.0 { -2.0 * xi[i] } else { node[i] });
        let corner = node.iter().all(|&c| c != 0.0);
        let sum = corner_sum(node, xi) - 2.0;
        *gradient = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(|[i, j, k]| {
            let across = f[j] * f[k];
            if corner { 0.125 * node[i] * across * (sum + f[i]) } else { 0.25 * slope[i] * across }
        });
    }
}

fn factor(c: f64, xi: f64) -> f64 {
    if c == 0.0 { (1.0 - xi) * (1.0 + xi) } else { 1.0 + c * xi }
}

fn corner_sum(node: [f64; 3], xi: [f64; 3]) -> f64 {
    node[0] * xi[0] + node[1] * xi[1] + node[2] * xi[2]
}

/// Index of a coordinate among the points −1, +1, 0.
fn place(coordinate: f64) -> usize {
    if coordinate < 0.0 {
        0
    } else if coordinate > 0.0 {
        1
    } else {
        2
    }
}

/// N of the twenty-seven-node hexahedron.
pub fn values27(xi: [f64; 3], values: &mut [f64]) {
    let p = xi.map(quadratic);
    for (value, node) in values.iter_mut().zip(NODES) {
        let [i, j, k] = node.map(place);
        *value = p[0][i] * p[1][j] * p[2][k];
    }
}

/// ∂N/∂ξ of the twenty-seven-node hexahedron.
pub fn gradients27(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (p, d) = (xi.map(quadratic), xi.map(quadratic_slopes));
    for (gradient, node) in gradients.iter_mut().zip(NODES) {
        let [i, j, k] = node.map(place);
        *gradient = [d[0][i] * p[1][j] * p[2][k], p[0][i] * d[1][j] * p[2][k], p[0][i] * p[1][j] * d[2][k]];
    }
}
