//! Enriched elements of the distance field ([module](super)): support points and shape functions.
//!
//! | shape of the element | support points | shape functions |
//! |---|---|---|
//! | triangle | 7: corners, edges, centre | quadratic, and the bubble of the centre |
//! | quadrilateral | 9 | biquadratic |
//! | tetrahedron | 15: corners, edges, faces, centre | quartic, complete to degree 2 |
//! | wedge | 21 | products of the triangle functions and the three quadratic functions of the segment |
//! | hexahedron | 27 | triquadratic |
//!
//! The points on a face of an element are the points of the enriched face. The interpolation is therefore continuous.
//! The first support points are the nodes of the linear or quadratic element, in the node order of the element.

use std::sync::LazyLock;

use crate::element::{QuadraturePoint, hexahedron, line, quadrilateral, shape_gradients, shape_values};
use crate::element::{tetrahedron, triangle};
use crate::mesh::CellKind;

/// Largest number of support points of an element.
pub const MAX_POINTS: usize = 27;

/// Enriched reference element. Each support point is the mean of some corners in natural coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enriched {
    kind: CellKind,
    points: &'static [&'static [u8]],
}

const TRIANGLE: [&[u8]; 7] = [&[0], &[1], &[2], &[0, 1], &[1, 2], &[2, 0], &[0, 1, 2]];
const QUADRILATERAL: [&[u8]; 9] = [&[0], &[1], &[2], &[3], &[0, 1], &[1, 2], &[2, 3], &[3, 0], &[0, 1, 2, 3]];
const TETRAHEDRON: [&[u8]; 15] = [
    &[0],
    &[1],
    &[2],
    &[3],
    &[0, 1],
    &[1, 2],
    &[2, 0],
    &[0, 3],
    &[2, 3],
    &[1, 3],
    &[0, 1, 2],
    &[0, 1, 3],
    &[1, 2, 3],
    &[0, 2, 3],
    &[0, 1, 2, 3],
];
const WEDGE: [&[u8]; 21] = [
    &[0],
    &[1],
    &[2],
    &[3],
    &[4],
    &[5],
    &[0, 1],
    &[1, 2],
    &[2, 0],
    &[3, 4],
    &[4, 5],
    &[5, 3],
    &[0, 3],
    &[1, 4],
    &[2, 5],
    &[0, 1, 2],
    &[3, 4, 5],
    &[0, 1, 3, 4],
    &[1, 2, 4, 5],
    &[2, 0, 5, 3],
    &[0, 1, 2, 3, 4, 5],
];
const HEXAHEDRON: [&[u8]; 27] = [
    &[0],
    &[1],
    &[2],
    &[3],
    &[4],
    &[5],
    &[6],
    &[7],
    &[0, 1],
    &[0, 3],
    &[0, 4],
    &[1, 2],
    &[1, 5],
    &[2, 3],
    &[2, 6],
    &[3, 7],
    &[4, 5],
    &[4, 7],
    &[5, 6],
    &[6, 7],
    &[0, 3, 2, 1],
    &[0, 1, 5, 4],
    &[0, 4, 7, 3],
    &[1, 2, 6, 5],
    &[2, 3, 7, 6],
    &[4, 5, 6, 7],
    &[0, 1, 2, 3, 4, 5, 6, 7],
];

impl Enriched {
    /// The enriched element with the corners of `kind`; `None` for points and segments.
    pub fn of(kind: CellKind) -> Option<Self> {
        let points: &[&[u8]] = match kind.linear() {
            CellKind::Tri3 => &TRIANGLE,
            CellKind::Quad4 => &QUADRILATERAL,
            CellKind::Tet4 => &TETRAHEDRON,
            CellKind::Wedge6 => &WEDGE,
            CellKind::Hex8 => &HEXAHEDRON,
            _ => return None,
        };
        Some(Self { kind: kind.linear(), points })
    }

    /// Number of support points.
    pub fn num_points(&self) -> usize {
        self.points.len()
    }

    /// For each support point, the local numbers of the corners whose mean is the point.
    pub fn points(&self) -> &'static [&'static [u8]] {
        self.points
    }

    /// Natural coordinates of a support point.
    pub fn natural_coordinates(&self, point: usize) -> [f64; 3] {
        let corners = self.points[point];
        let mean =
            |i: usize| corners.iter().map(|&c| corner(self.kind, c)[i]).sum::<f64>() / corners.len() as f64;
        [mean(0), mean(1), mean(2)]
    }

    /// Values N_A(ξ) of the shape functions, padded with zeros.
    pub fn values(&self, xi: [f64; 3]) -> [f64; MAX_POINTS] {
        let mut values = [0.0; MAX_POINTS];
        match self.kind {
            CellKind::Tri3 => values[..7].copy_from_slice(&triangle_values(barycentric(xi, 2))),
            CellKind::Quad4 => shape_values(CellKind::Quad9, xi, &mut values),
            CellKind::Tet4 => values[..15].copy_from_slice(&tetrahedron_values(barycentric(xi, 3))),
            CellKind::Wedge6 => wedge(xi).into_iter().zip(&mut values).for_each(|(n, value)| *value = n.0),
            _ => shape_values(CellKind::Hex27, xi, &mut values),
        }
        values
    }

    /// Derivatives ∂N_A/∂ξ_i of the shape functions, padded with zeros.
    pub fn gradients(&self, xi: [f64; 3]) -> [[f64; 3]; MAX_POINTS] {
        let mut gradients = [[0.0; 3]; MAX_POINTS];
        match self.kind {
            CellKind::Tri3 => {
                for (gradient, g) in gradients.iter_mut().zip(triangle_gradients(barycentric(xi, 2))) {
                    *gradient = [g[1] - g[0], g[2] - g[0], 0.0];
                }
            }
            CellKind::Quad4 => shape_gradients(CellKind::Quad9, xi, &mut gradients),
            CellKind::Tet4 => {
                for (gradient, g) in gradients.iter_mut().zip(tetrahedron_gradients(barycentric(xi, 3))) {
                    *gradient = [g[1] - g[0], g[2] - g[0], g[3] - g[0]];
                }
            }
            CellKind::Wedge6 => {
                wedge(xi).into_iter().zip(&mut gradients).for_each(|(n, gradient)| *gradient = n.1);
            }
            _ => shape_gradients(CellKind::Hex27, xi, &mut gradients),
        }
        gradients
    }

    /// Quadrature rule that integrates N_A grad N_B exactly on affine elements.
    pub fn quadrature(&self) -> &'static [QuadraturePoint] {
        match self.kind {
            CellKind::Tri3 => &triangle::DEGREE_6,
            CellKind::Quad4 => &quadrilateral::GAUSS_3X3,
            CellKind::Tet4 => &tetrahedron::DEGREE_7,
            CellKind::Wedge6 => &WEDGE_RULE,
            _ => &hexahedron::GAUSS_3X3X3,
        }
    }
}

static WEDGE_RULE: LazyLock<Vec<QuadraturePoint>> = LazyLock::new(|| {
    let product = |a: &QuadraturePoint, b: &QuadraturePoint| QuadraturePoint {
        xi: [a.xi[0], a.xi[1], b.xi[0]],
        weight: a.weight * b.weight,
    };
    let rule = triangle::DEGREE_6.iter().flat_map(|a| line::GAUSS_3.iter().map(move |b| product(a, b)));
    rule.collect()
});

fn corner(kind: CellKind, corner: u8) -> [f64; 3] {
    let c = corner as usize;
    match kind {
        CellKind::Tri3 | CellKind::Tet4 => [1, 2, 3].map(|k| if k == c { 1.0 } else { 0.0 }),
        CellKind::Quad4 => [quadrilateral::CORNERS[c][0], quadrilateral::CORNERS[c][1], 0.0],
        CellKind::Wedge6 => {
            let side = if c < 3 { -1.0 } else { 1.0 };
            [f64::from(u8::from(c % 3 == 1)), f64::from(u8::from(c % 3 == 2)), side]
        }
        _ => hexahedron::CORNERS[c],
    }
}

/// Barycentric coordinates L₁ = 1 − Σ ξ_i, L₂ = ξ₁, …; L₄ = 0 on triangles.
fn barycentric(xi: [f64; 3], dimension: usize) -> [f64; 4] {
    let sum: f64 = xi[..dimension].iter().sum();
    [1.0 - sum, xi[0], xi[1], if dimension > 2 { xi[2] } else { 0.0 }]
}

/// Shape functions of the triangle, with the corners i, j and k:
///
/// ```text
/// corner  L_i (2 L_i − 1) + 3 L₁ L₂ L₃
/// edge    4 L_i L_j (1 − 3 L_k)
/// centre  27 L₁ L₂ L₃
/// ```
fn triangle_values([a, b, c, _]: [f64; 4]) -> [f64; 7] {
    let bubble = a * b * c;
    let corner = |l: f64| l * (2.0 * l - 1.0) + 3.0 * bubble;
    let edge = |i: f64, j: f64, k: f64| 4.0 * i * j * (1.0 - 3.0 * k);
    [corner(a), corner(b), corner(c), edge(a, b, c), edge(b, c, a), edge(c, a, b), 27.0 * bubble]
}

/// Derivatives of the triangle functions with respect to L₁, L₂ and L₃ as independent variables.
fn triangle_gradients(l: [f64; 4]) -> [[f64; 3]; 7] {
    let bubble = [l[1] * l[2], l[2] * l[0], l[0] * l[1]];
    let mut gradients = [[0.0; 3]; 7];
    for (i, gradient) in gradients[..3].iter_mut().enumerate() {
        *gradient = bubble.map(|b| 3.0 * b);
        gradient[i] += 4.0 * l[i] - 1.0;
    }
    for (gradient, [i, j, k]) in gradients[3..6].iter_mut().zip([[0, 1, 2], [1, 2, 0], [2, 0, 1]]) {
        gradient[i] = 4.0 * l[j] * (1.0 - 3.0 * l[k]);
        gradient[j] = 4.0 * l[i] * (1.0 - 3.0 * l[k]);
        gradient[k] = -12.0 * l[i] * l[j];
    }
    gradients[6] = bubble.map(|b| 27.0 * b);
    gradients
}

/// The corners of each edge of a tetrahedron, then the two opposite corners.
const EDGE_THEN_OPPOSITE: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [0, 3, 1, 2], [2, 3, 0, 1], [1, 3, 0, 2]];
/// The corners of each face of a tetrahedron, then the opposite corner.
const FACE_THEN_OPPOSITE: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [1, 2, 3, 0], [0, 2, 3, 1]];

/// Shape functions of the tetrahedron, with the corners i, j, k and l, and b = L₁ L₂ L₃ L₄:
///
/// ```text
/// corner  L_i (2 L_i − 1) + 3 L_i (L_j L_k + L_k L_l + L_l L_j) − 4 b
/// edge    4 L_i L_j (1 − 3 L_k − 3 L_l + 8 L_k L_l)
/// face    27 L_i L_j L_k (1 − 4 L_l)
/// centre  256 b
/// ```
fn tetrahedron_values(l: [f64; 4]) -> [f64; 15] {
    let bubble = l[0] * l[1] * l[2] * l[3];
    let mut values = [0.0; 15];
    for i in 0..4 {
        let [j, k, m] = [1, 2, 3].map(|s| l[(i + s) % 4]);
        values[i] = l[i] * (2.0 * l[i] - 1.0) + 3.0 * l[i] * (j * k + k * m + m * j) - 4.0 * bubble;
    }
    for (value, [i, j, k, m]) in values[4..10].iter_mut().zip(EDGE_THEN_OPPOSITE) {
        *value = 4.0 * l[i] * l[j] * (1.0 - 3.0 * l[k] - 3.0 * l[m] + 8.0 * l[k] * l[m]);
    }
    for (value, [i, j, k, m]) in values[10..14].iter_mut().zip(FACE_THEN_OPPOSITE) {
        *value = 27.0 * l[i] * l[j] * l[k] * (1.0 - 4.0 * l[m]);
    }
    values[14] = 256.0 * bubble;
    values
}

/// Derivatives of the tetrahedron functions with respect to L₁, …, L₄ as independent variables.
fn tetrahedron_gradients(l: [f64; 4]) -> [[f64; 4]; 15] {
    let others = |i: usize| [1, 2, 3].map(|s| (i + s) % 4);
    let bubble = [0, 1, 2, 3].map(|i| others(i).iter().map(|&j| l[j]).product::<f64>());
    let mut gradients = [[0.0; 4]; 15];
    for i in 0..4 {
        let [j, k, m] = others(i);
        gradients[i] = bubble.map(|b| -4.0 * b);
        gradients[i][i] += 4.0 * l[i] - 1.0 + 3.0 * (l[j] * l[k] + l[k] * l[m] + l[m] * l[j]);
        gradients[i][j] += 3.0 * l[i] * (l[k] + l[m]);
        gradients[i][k] += 3.0 * l[i] * (l[j] + l[m]);
        gradients[i][m] += 3.0 * l[i] * (l[j] + l[k]);
    }
    for (gradient, [i, j, k, m]) in gradients[4..10].iter_mut().zip(EDGE_THEN_OPPOSITE) {
        let off = 1.0 - 3.0 * l[k] - 3.0 * l[m] + 8.0 * l[k] * l[m];
        gradient[i] = 4.0 * l[j] * off;
        gradient[j] = 4.0 * l[i] * off;
        gradient[k] = 4.0 * l[i] * l[j] * (8.0 * l[m] - 3.0);
        gradient[m] = 4.0 * l[i] * l[j] * (8.0 * l[k] - 3.0);
    }
    for (gradient, [i, j, k, m]) in gradients[10..14].iter_mut().zip(FACE_THEN_OPPOSITE) {
        let off = 27.0 * (1.0 - 4.0 * l[m]);
        gradient[i] = off * l[j] * l[k];
        gradient[j] = off * l[i] * l[k];
        gradient[k] = off * l[i] * l[j];
        gradient[m] = -108.0 * l[i] * l[j] * l[k];
    }
    gradients[14] = bubble.map(|b| 256.0 * b);
    gradients
}

/// Values and gradients of the wedge functions: products of a triangle function and a segment function. `FACTORS` lists
/// the indices of both factors. The points of the segment are ordered −1, +1, 0.
fn wedge(xi: [f64; 3]) -> [(f64, [f64; 3]); 21] {
    const FACTORS: [(usize, usize); 21] = [
        (0, 0),
        (1, 0),
        (2, 0),
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 0),
        (4, 0),
        (5, 0),
        (3, 1),
        (4, 1),
        (5, 1),
        (0, 2),
        (1, 2),
        (2, 2),
        (6, 0),
        (6, 1),
        (3, 2),
        (4, 2),
        (5, 2),
        (6, 2),
    ];
    let l = barycentric(xi, 2);
    let (across, across_slopes) = (triangle_values(l), triangle_gradients(l));
    let (mut along, mut along_slopes) = ([0.0; 3], [[0.0; 3]; 3]);
    line::values3([xi[2], 0.0, 0.0], &mut along);
    line::gradients3([xi[2], 0.0, 0.0], &mut along_slopes);
    FACTORS.map(|(t, s)| {
        let g = across_slopes[t];
        let gradient = [(g[1] - g[0]) * along[s], (g[2] - g[0]) * along[s], across[t] * along_slopes[s][0]];
        (across[t] * along[s], gradient)
    })
}
