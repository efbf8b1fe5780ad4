//! Bézier control points of a face. Their convex hull contains the face.
//!
//! A quadratic face lies in the hull of its control points, but may leave the hull of its nodes. Control points are
//! linear in the nodal values. If each node moves by at most d, a control point moves by up to 9 d, but a point of the
//! face by at most [`lebesgue_constant`] times d.
//!
//! # Source
//! Farin 2002, "Curves and Surfaces for CAGD", §4 (convex hull property), §15 (tensor products), §17 (triangles).

use crate::math::Vec3;
use crate::mesh::CellKind;

/// Largest number of control points of a face.
pub const MAX_CONTROL_POINTS: usize = 9;

/// Bound on the rounding error of a control point, relative to the largest coordinate. A control point is a weighted
/// sum of at most nine nodal positions; the magnitudes of the weights add up to at most nine.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Whether the nodes of a face of this kind are its control points.
#[inline]
pub const fn lies_in_hull_of_nodes(kind: CellKind) -> bool {
    !matches!(kind, CellKind::Line3 | CellKind::Tri6 | CellKind::Quad8 | CellKind::Quad9)
}

/// Number of control points of a face: one per node, and one more for an eight-node quadrilateral.
pub const fn num_control_points(kind: CellKind) -> usize {
    if matches!(kind, CellKind::Quad8) { 9 } else { kind.num_nodes() }
}

/// Converts nodal values of a face to control points, in place. The values a, b at corners are unchanged. With the
/// values m of the middle nodes, the value x of the centre, and sums Σ over all middle nodes or all corners,
///
/// ```text
/// middle of an edge with the ends a and b:    2 m − (a + b)/2
/// centre of a nine-node quadrilateral:        4 x − Σ m + ¼ Σ a
/// centre of an eight-node quadrilateral:      Σ m − ¾ Σ a
/// ```
///
/// `values` holds at least [`num_control_points`] entries, the nodes first.
#[inline]
pub fn to_control_points(kind: CellKind, values: &mut [Vec3]) {
    match (kind, values) {
        (CellKind::Line3, [a, b, middle, ..]) => *middle = bulge(a, b, middle),
        (CellKind::Tri6, [a, b, c, ab, bc, ca, ..]) => {
            (*ab, *bc, *ca) = (bulge(a, b, ab), bulge(b, c, bc), bulge(c, a, ca));
        }
        (CellKind::Quad8 | CellKind::Quad9, [a, b, c, d, ab, bc, cd, da, centre, ..]) => {
            let (corners, middles) = (*a + *b + *c + *d, *ab + *bc + *cd + *da);
            *centre = match kind {
                CellKind::Quad8 => middles - corners * 0.75,
                _ => *centre * 4.0 - middles + corners * 0.25,
            };
            (*ab, *bc, *cd, *da) = (bulge(a, b, ab), bulge(b, c, bc), bulge(c, d, cd), bulge(d, a, da));
        }
        _ => {}
    }
}

/// Middle control point of a quadratic edge.
#[inline]
pub fn bulge(from: &Vec3, to: &Vec3, middle: &Vec3) -> Vec3 {
    middle * 2.0 - (from + to) * 0.5
}

/// Control points of a face from the values of `field` at its `nodes`.
#[inline]
pub fn control_points<'a>(
    kind: CellKind,
    nodes: &[u32],
    field: &[Vec3],
    points: &'a mut [Vec3; MAX_CONTROL_POINTS],
) -> &'a [Vec3] {
    for (point, &node) in points.iter_mut().zip(nodes) {
        *point = field[node as usize];
    }
    to_control_points(kind, points);
    &points[..num_control_points(kind).min(MAX_CONTROL_POINTS)]
}

/// Square of a lower bound on the distance of a face from a point \[m²\]: the distance of the box around the control
/// points, reduced by rounding errors.
pub fn least_distance_squared(kind: CellKind, nodes: &[Vec3], query: &Vec3) -> f64 {
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    for (point, node) in points.iter_mut().zip(nodes) {
        *point = node - query;
    }
    to_control_points(kind, &mut points);
    let points = &points[..num_control_points(kind).min(MAX_CONTROL_POINTS)];
    let (mut lower, mut upper) = (points[0], points[0]);
    for point in &points[1..] {
        (lower, upper) = (lower.inf(point), upper.sup(point));
    }
    let outside = lower.sup(&-upper).sup(&Vec3::zeros());
    let distance = (outside.norm() - rounding_of(points) - ROUNDING * query.amax()).max(0.0);
    distance * distance
}

/// Bound on the rounding error of `points` \[m\], which are control points or nodes.
#[inline]
pub fn rounding_of(points: &[Vec3]) -> f64 {
    ROUNDING * points.iter().map(Vec3::amax).fold(0.0, f64::max)
}

/// max Σ |Nₐ(ξ)| with the shape functions Nₐ: the largest motion of a point of the face if all nodes move by at most 1.
///
/// - Quadratic segment: the maximum of 1 + s − s², with s = |ξ|.
/// - Quadratic triangle: the maximum of 3 − 4 Σ λ², with the barycentric coordinates λ.
/// - Eight-node quadrilateral: the maximum of 3 − 2 (ξ² + η²).
/// - Nine-node quadrilateral: the square of the constant of a quadratic segment.
pub const fn lebesgue_constant(kind: CellKind) -> f64 {
    match kind {
        CellKind::Line3 => 1.25,
        CellKind::Tri6 => 5.0 / 3.0,
        CellKind::Quad8 => 3.0,
        CellKind::Quad9 => 1.25 * 1.25,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::face::closest_point::{Method, Start, closest_point};
    use crate::detection::samples::Samples;
    use crate::element::shape_values;

    const CURVED: [CellKind; 4] = [CellKind::Line3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];

    fn grid(kind: CellKind) -> Vec<[f64; 3]> {
        let part = |k: usize| k as f64 / 40.0;
        let square = (0..=40).flat_map(|i| (0..=40).map(move |j| [part(i), part(j)]));
        match kind.linear() {
            CellKind::Line2 => (0..=40).map(|i| [2.0 * part(i) - 1.0, 0.0, 0.0]).collect(),
            CellKind::Tri3 => square.filter(|u| u[0] + u[1] <= 1.0).map(|u| [u[0], u[1], 0.0]).collect(),
            _ => square.map(|u| [2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 0.0]).collect(),
        }
    }

    fn bernstein(kind: CellKind, xi: [f64; 3]) -> Vec<f64> {
        let line = |s: f64| [(1.0 - s) * (1.0 - s), s * s, 2.0 * s * (1.0 - s)];
        let (u, v) = (line(0.5 * (1.0 + xi[0])), line(0.5 * (1.0 + xi[1])));
        match kind {
            CellKind::Line3 => u.to_vec(),
            CellKind::Tri6 => {
                let (x, y, l) = (xi[0], xi[1], 1.0 - xi[0] - xi[1]);
                vec![l * l, x * x, y * y, 2.0 * l * x, 2.0 * x * y, 2.0 * y * l]
            }
            _ => vec![
                u[0] * v[0],
                u[1] * v[0],
                u[1] * v[1],
                u[0] * v[1],
                u[2] * v[0],
                u[1] * v[2],
                u[2] * v[1],
                u[0] * v[2],
                u[2] * v[2],
            ],
        }
    }

    #[test]
    fn control_points_describe_the_same_face() {
        let samples = &mut Samples::new(1);
        for kind in CURVED {
            let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| samples.vector(1.0)).collect();
            let numbers: Vec<u32> = (0..nodes.len() as u32).collect();
            let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
            let points = control_points(kind, &numbers, &nodes, &mut points);
            assert_eq!(points.len(), num_control_points(kind));
            for xi in grid(kind) {
                let mut values = [0.0; 9];
                shape_values(kind, xi, &mut values);
                let face: Vec3 = nodes.iter().zip(values).map(|(x, n)| x * n).sum();
                let weights = bernstein(kind, xi);
                assert!(weights.iter().all(|&weight| weight >= -1e-15));
                let hull: Vec3 = points.iter().zip(weights).map(|(p, b)| p * b).sum();
                assert!((face - hull).norm() < 1e-14, "{kind:?} at {xi:?}: {face} and {hull}");
            }
        }
    }

    #[test]
    fn no_face_is_nearer_than_its_least_distance() {
        let samples = &mut Samples::new(2);
        for kind in CURVED.into_iter().chain([CellKind::Line2, CellKind::Tri3, CellKind::Quad4]) {
            let mut tight = 0;
            for _ in 0..2700 {
                let origin = samples.vector(1.0) * samples.pick(&[0.0, 1.0, 1e6]);
                let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| origin + samples.vector(0.5)).collect();
                let mut query = origin + samples.vector(1.0) * samples.pick(&[0.5, 2.0, 30.0]);
                if samples.bits().is_multiple_of(4) {
                    let corner = nodes.iter().max_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
                    query = corner + Vec3::x() * samples.pick(&[0.0, 1e-12, 1e-9]);
                }
                let least = least_distance_squared(kind, &nodes, &query);
                let point = closest_point(Method::Auto, Start::Nearest, kind, &nodes, &query);
                assert!(least <= point.distance_squared, "{kind:?} {nodes:?} {query:?}");
                tight += usize::from(least > 0.8 * point.distance_squared);
            }
            assert!(tight > 500, "{kind:?}: {tight}");
        }
    }

    #[test]
    fn lebesgue_constants_are_the_largest_sums() {
        for kind in CURVED.into_iter().chain([CellKind::Line2, CellKind::Tri3, CellKind::Quad4]) {
            let sum = |xi: [f64; 3]| {
                let mut values = [0.0; 9];
                shape_values(kind, xi, &mut values);
                values[..kind.num_nodes()].iter().map(|n| n.abs()).sum::<f64>()
            };
            let largest = grid(kind).into_iter().map(sum).fold(0.0, f64::max);
            let constant = lebesgue_constant(kind);
            assert!(largest <= constant + 1e-14, "{kind:?}: {largest}");
            assert!(largest > constant - 2e-3, "{kind:?}: {largest}");
        }
    }
}
