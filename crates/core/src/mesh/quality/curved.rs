//! Volume and smallest Jacobian of quadratic cells by their Bézier form.
//!
//! The Jacobian determinant of the map from the reference cell (the Jacobian) is a polynomial. Its Bernstein
//! coefficients have these properties:
//! - The Jacobian lies between the smallest and the largest coefficient.
//! - The Jacobian at a corner equals the coefficient of this corner.
//! - The mean Jacobian over the reference cell is the mean of the coefficients.
//!
//! If all coefficients are positive, the cell is valid. If the coefficient of a corner is not positive, the cell is
//! inverted. Any other cell is undecided. It is bisected, because the coefficients of the parts are closer to the
//! Jacobian.
//!
//! # Source
//! A. Johnen, J.-F. Remacle and C. Geuzaine, "Geometrical validity of curvilinear finite elements", J. Comput. Phys.
//! 233 (2013) 359.

use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Number of undecided parts found in a cell at which the bisection ends. The cell then counts as inverted, because its
/// smallest Jacobian is zero to rounding.
const MAX_PARTS: usize = 1000;

/// Number of successive bisections of a surface cell before the coarser of the two sums over parts from which
/// [`CurvedCell::area`] extrapolates.
const AREA_BISECTIONS: usize = 6;

#[derive(Clone)]
pub(super) enum CurvedCell {
    /// Control points b_ij = `points[i][j]` of the map Σ b_ij L_i L_j, with barycentric coordinates L_i. Entries with i
    /// or j above `dimension` are unused.
    Simplex { dimension: usize, points: Box<[[Vec3; 4]; 4]> },
    /// Control point (i, j, k) at index i + 3 j + 9 k; k = 0 for surfaces.
    Product { dimension: usize, points: Vec<Vec3> },
}

/// Ends of the edges of Tri6 and Tet10, in the order of the mid-side nodes.
const SIMPLEX_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// Index of the control point of each node of the Quad9.
const QUAD9_PLACES: [usize; 9] = [0, 2, 8, 6, 1, 5, 7, 3, 4];

/// Index of the control point of each node of the Hex27.
const HEX27_PLACES: [usize; 27] =
    [0, 2, 8, 6, 18, 20, 26, 24, 1, 3, 9, 5, 11, 7, 17, 15, 19, 21, 23, 25, 4, 10, 12, 14, 16, 22, 13];

impl CurvedCell {
    /// Bézier form of a quadratic surface or volume cell; `None` for other kinds.
    pub fn new(kind: CellKind, nodes: &[Vec3]) -> Option<Self> {
        match kind {
            CellKind::Tri6 | CellKind::Tet10 => Some(Self::simplex(kind.dimension(), nodes)),
            CellKind::Quad8 => {
                let centre = middle(nodes, &[0, 1, 2, 3], &[4, 5, 6, 7]);
                Some(Self::product(2, &QUAD9_PLACES, &[nodes, &[centre]].concat()))
            }
            CellKind::Quad9 => Some(Self::product(2, &QUAD9_PLACES, nodes)),
            CellKind::Hex20 => Some(Self::product(3, &HEX27_PLACES, &completed(nodes))),
            CellKind::Hex27 => Some(Self::product(3, &HEX27_PLACES, nodes)),
            _ => None,
        }
    }

    fn simplex(dimension: usize, nodes: &[Vec3]) -> Self {
        let mut points = Box::new([[Vec3::zeros(); 4]; 4]);
        for (i, row) in points.iter_mut().enumerate().take(dimension + 1) {
            row[i] = nodes[i];
        }
        for (&[i, j], mid_side) in SIMPLEX_EDGES.iter().zip(&nodes[dimension + 1..]) {
            points[i][j] = mid_side * 2.0 - (nodes[i] + nodes[j]) * 0.5;
            points[j][i] = points[i][j];
        }
        Self::Simplex { dimension, points }
    }

    fn product(dimension: usize, places: &[usize], nodes: &[Vec3]) -> Self {
        let mut points = vec![Vec3::zeros(); places.len()];
        for (&place, node) in places.iter().zip(nodes) {
            points[place] = *node;
        }
        for axis in 0..dimension {
            for_each_row(points.len(), axis, |[a, b, c]| {
                points[b] = points[b] * 2.0 - (points[a] + points[c]) * 0.5;
            });
        }
        Self::Product { dimension, points }
    }

    /// Tangents at the node `corner[0]` towards the nodes `corner[1]` to `corner[3]`, as columns. If an edge
    /// is straight with its mid-side node in the middle, the tangent is the vector from `corner[0]` to the other end.
    pub fn tangents_at(&self, corner: &[u8; 4]) -> Mat3 {
        let [at, a, b, c] = corner.map(usize::from);
        Mat3::from_columns(&[a, b, c].map(|to| self.tangent(at, to)))
    }

    fn tangent(&self, at: usize, to: usize) -> Vec3 {
        match self {
            Self::Simplex { points, .. } => (points[at][to] - points[at][at]) * 2.0,
            Self::Product { dimension: 2, points } => {
                let [at, to] = [QUAD9_PLACES[at], QUAD9_PLACES[to]];
                (points[usize::midpoint(at, to)] - points[at]) * 2.0
            }
            Self::Product { points, .. } => {
                let [at, to] = [HEX27_PLACES[at], HEX27_PLACES[to]];
                (points[usize::midpoint(at, to)] - points[at]) * 2.0
            }
        }
    }

    /// Signed volume; for a surface, the signed area of the projection along the unit vector `normal`.
    pub fn volume(&self, normal: Vec3) -> f64 {
        let coefficients = self.jacobian(normal).coefficients;
        let reference = match self {
            Self::Simplex { dimension: 2, .. } => 0.5,
            Self::Simplex { .. } => 1.0 / 6.0,
            Self::Product { .. } => 1.0,
        };
        reference * coefficients.iter().sum::<f64>() / coefficients.len() as f64
    }

    /// ∫ n dA of a surface with unit normal n.
    pub fn area_vector(&self) -> Vec3 {
        Vec3::new(self.volume(Vec3::x()), self.volume(Vec3::y()), self.volume(Vec3::z()))
    }

    /// Area of a surface in space: Σ |∫ n dA| over parts of the surface, extrapolated to parts of size zero. The error
    /// of the sum is of second order in the size of the parts.
    pub fn area(&self) -> f64 {
        let mut parts = vec![self.clone()];
        let mut bisect = |times: usize| {
            for _ in 0..times {
                parts = parts.iter().flat_map(Self::halves).collect();
            }
            parts.iter().map(|part| part.area_vector().norm()).sum::<f64>()
        };
        let (coarse, fine) = (bisect(AREA_BISECTIONS), bisect(2));
        (4.0 * fine - coarse) / 3.0
    }

    /// If the Jacobian is positive everywhere, a positive lower bound on it. If the Jacobian is not positive somewhere,
    /// or after `MAX_PARTS` undecided parts, a value that is not positive. For a surface, the third tangent is
    /// `normal`. If the cell is bisected, the value is for the Jacobian of a part, in reference coordinates from 0 to 1
    /// over the part.
    pub fn smallest_jacobian(&self, normal: Vec3) -> f64 {
        let mut smallest = f64::INFINITY;
        let mut undecided = vec![self.clone()];
        let mut parts = 0;
        while let Some(part) = undecided.pop() {
            let jacobian = part.jacobian(normal);
            let lowest = minimum(jacobian.coefficients.iter());
            let at_corners = minimum(jacobian.corners.iter());
            if lowest > 0.0 {
                smallest = smallest.min(lowest);
                continue;
            }
            parts += 1;
            if at_corners > 0.0 && parts < MAX_PARTS {
                undecided.extend(part.halves());
            } else {
                return if at_corners > 0.0 { lowest } else { at_corners };
            }
        }
        smallest
    }

    /// Bisects a simplex at its longest edge, and any other cell along its longest reference direction. Lengths are
    /// those of control polygons, because the ends of a folded edge may coincide.
    fn halves(&self) -> [Self; 2] {
        match self {
            Self::Simplex { dimension, points } => {
                let length = |&(p, q): &(usize, usize)| {
                    (points[p][q] - points[p][p]).norm() + (points[q][q] - points[p][q]).norm()
                };
                let pairs = (0..=*dimension).flat_map(|q| (0..q).map(move |p| (p, q)));
                let (p, q) = pairs.max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or((0, 1));
                let half = |moved: usize, kept: usize| {
                    let mut half = points.clone();
                    for j in (0..=*dimension).filter(|&j| j != moved) {
                        half[moved][j] = (points[kept][j] + points[moved][j]) * 0.5;
                        half[j][moved] = half[moved][j];
                    }
                    half[moved][moved] =
                        (points[kept][kept] + points[kept][moved] * 2.0 + points[moved][moved]) * 0.25;
                    Self::Simplex { dimension: *dimension, points: half }
                };
                [half(q, p), half(p, q)]
            }
            Self::Product { dimension, points } => {
                let extent = |axis: usize| {
                    let mut longest = 0.0_f64;
                    for_each_row(points.len(), axis, |[a, b, c]| {
                        longest =
                            longest.max((points[b] - points[a]).norm() + (points[c] - points[b]).norm());
                    });
                    longest
                };
                let axes = (0..*dimension).max_by(|&a, &b| extent(a).total_cmp(&extent(b)));
                let (mut low, mut high) = (points.clone(), points.clone());
                for_each_row(points.len(), axes.unwrap_or(0), |[a, b, c]| {
                    low[b] = (points[a] + points[b]) * 0.5;
                    high[b] = (points[b] + points[c]) * 0.5;
                    low[c] = (low[b] + high[b]) * 0.5;
                    high[a] = low[c];
                });
                [low, high].map(|points| Self::Product { dimension: *dimension, points })
            }
        }
    }

    fn jacobian(&self, normal: Vec3) -> Jacobian {
        match self {
            Self::Simplex { dimension, points } => simplex_jacobian(*dimension, points, normal),
            Self::Product { dimension, points } => product_jacobian(*dimension, points, normal),
        }
    }
}

/// Bernstein coefficients of a Jacobian.
struct Jacobian {
    coefficients: Vec<f64>,
    /// Values of the Jacobian at the corners.
    corners: Vec<f64>,
}

/// ∂x/∂ξ_j = 2 Σ_c L_c (b_cj − b_c0) with the barycentric coordinates L_c. In d dimensions, each Bernstein coefficient
/// of the determinant belongs to d corners, some of which may be equal. Every assignment of these corners to the
/// columns gives a determinant: column j with corner c is 2 (b_cj − b_c0). The coefficient is the mean of these
/// determinants.
fn simplex_jacobian(dimension: usize, points: &[[Vec3; 4]; 4], normal: Vec3) -> Jacobian {
    let corners = 0..=dimension;
    let column = |c: usize, j: usize| (points[c][j] - points[c][0]) * 2.0;
    // The base-four digit c of an index into `sum` is the number of columns with corner c.
    let (mut sum, mut count) = ([0.0; 256], [0.0; 256]);
    for (a, b) in corners.clone().flat_map(|a| corners.clone().map(move |b| (a, b))) {
        let cross = column(a, 1).cross(&column(b, 2));
        let thirds = if dimension == 3 { corners.clone() } else { 0..=0 };
        for c in thirds {
            let (digit, third) = if dimension == 3 { (1 << (2 * c), column(c, 3)) } else { (0, normal) };
            let index = (1 << (2 * a)) + (1 << (2 * b)) + digit;
            sum[index] += cross.dot(&third);
            count[index] += 1.0;
        }
    }
    let mean = |index: usize| sum[index] / count[index];
    Jacobian {
        coefficients: (0..256).filter(|&index| count[index] > 0.0).map(mean).collect(),
        corners: corners.map(|c| mean(dimension << (2 * c))).collect(),
    }
}

/// A polynomial of three variables in Bernstein form. `values`: Bernstein coefficients times binomial coefficients. The
/// `values` of a product are the convolution of the `values` of its factors.
struct Scaled<T> {
    degree: [usize; 3],
    values: Vec<T>,
}

const BINOMIALS: [[f64; 6]; 6] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0, 0.0],
    [1.0, 5.0, 10.0, 10.0, 5.0, 1.0],
];

impl<T: Copy> Scaled<T> {
    /// All (i, j, k) in the order of `values`.
    fn indices(degree: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
        let [l, m, n] = degree;
        (0..=n).flat_map(move |k| (0..=m).flat_map(move |j| (0..=l).map(move |i| [i, j, k])))
    }

    fn binomial(degree: [usize; 3], index: [usize; 3]) -> f64 {
        (0..3).map(|axis| BINOMIALS[degree[axis]][index[axis]]).product()
    }

    fn product<U: Copy, V>(&self, other: &Scaled<U>, zero: V, multiply: impl Fn(T, U) -> V) -> Scaled<V>
    where
        V: Copy + std::ops::AddAssign,
    {
        let degree = [0, 1, 2].map(|axis| self.degree[axis] + other.degree[axis]);
        let [width, height] = [degree[0] + 1, degree[1] + 1];
        let place = |[i, j, k]: [usize; 3]| i + width * (j + height * k);
        let mut values = vec![zero; width * height * (degree[2] + 1)];
        for (a, &value) in Self::indices(self.degree).zip(&self.values) {
            for (b, &factor) in Self::indices(other.degree).zip(&other.values) {
                values[place([a[0] + b[0], a[1] + b[1], a[2] + b[2]])] += multiply(value, factor);
            }
        }
        Scaled { degree, values }
    }
}

/// Derivative of the map along a reference axis.
fn derivative(points: &[Vec3], dimension: usize, axis: usize) -> Scaled<Vec3> {
    let mut degree = [2, 2, if dimension == 3 { 2 } else { 0 }];
    degree[axis] = 1;
    let stride = [1, 3, 9];
    let value = |index: [usize; 3]| {
        let at: usize = (0..3).map(|i| index[i] * stride[i]).sum();
        (points[at + stride[axis]] - points[at]) * (2.0 * Scaled::<Vec3>::binomial(degree, index))
    };
    Scaled { degree, values: Scaled::<Vec3>::indices(degree).map(value).collect() }
}

fn product_jacobian(dimension: usize, points: &[Vec3], normal: Vec3) -> Jacobian {
    let [first, second] = [0, 1].map(|axis| derivative(points, dimension, axis));
    let cross = first.product(&second, Vec3::zeros(), |a, b| a.cross(&b));
    let third = match dimension {
        3 => derivative(points, dimension, 2),
        _ => Scaled { degree: [0; 3], values: vec![normal] },
    };
    let Scaled { degree, values } = cross.product(&third, 0.0, |a, b| a.dot(&b));
    let is_corner = |index: [usize; 3]| (0..3).all(|axis| index[axis].is_multiple_of(degree[axis].max(1)));
    let (mut coefficients, mut corners) = (Vec::with_capacity(values.len()), Vec::new());
    for (index, value) in Scaled::<f64>::indices(degree).zip(values) {
        coefficients.push(value / Scaled::<f64>::binomial(degree, index));
        if is_corner(index) {
            corners.push(value);
        }
    }
    Jacobian { coefficients, corners }
}

/// Minimum; NaN if any value is NaN.
fn minimum<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(f64::INFINITY, |low, &value| if value.is_nan() || value < low { value } else { low })
}

/// Calls `visit` with the indices of the three control points of each row along a reference axis.
fn for_each_row(points: usize, axis: usize, mut visit: impl FnMut([usize; 3])) {
    let stride = [1, 3, 9][axis];
    for at in (0..points).filter(|at| at / stride % 3 == 0) {
        visit([at, at + stride, at + 2 * stride]);
    }
}

/// Centre of an eight-node face, by the shape functions.
fn middle(nodes: &[Vec3], corners: &[u8], mid_sides: &[u8]) -> Vec3 {
    let sum = |of: &[u8]| of.iter().map(|&node| nodes[node as usize]).sum::<Vec3>();
    sum(mid_sides) * 0.5 - sum(corners) * 0.25
}

/// Nodes of the Hex27 with the shape of a Hex20.
fn completed(nodes: &[Vec3]) -> Vec<Vec3> {
    let mut all = nodes.to_vec();
    for face in CellKind::Hex27.faces().iter().map(|face| face.nodes) {
        all.resize(all.len().max(face[8] as usize + 1), Vec3::zeros());
        all[face[8] as usize] = middle(nodes, &face[..4], &face[4..8]);
    }
    let [corners, mid_sides] = [&nodes[..8], &nodes[8..20]].map(|of| of.iter().sum::<Vec3>());
    all.push((mid_sides - corners) * 0.25);
    all
}
