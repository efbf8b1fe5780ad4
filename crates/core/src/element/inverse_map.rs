//! Inverse isoparametric map: natural coordinates of a point of an element.

use super::{MAX_NODES, shape_gradients, shape_values};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Affine elements need one iteration, curved elements a few.
const MOST_ITERATIONS: usize = 30;

/// Largest residual |x − x(ξ)| of a converged ξ, relative to the extent of the element \[-\].
const TOLERANCE: f64 = 1e-10;

/// Largest distance outside the reference element that counts as inside, in natural coordinates \[-\].
const BORDER: f64 = 1e-7;

/// Natural coordinates of the centre of an element.
pub fn centre(kind: CellKind) -> [f64; 3] {
    match kind {
        CellKind::Tri3 | CellKind::Tri6 | CellKind::Wedge6 => [1.0 / 3.0, 1.0 / 3.0, 0.0],
        CellKind::Tet4 | CellKind::Tet10 => [0.25; 3],
        _ => [0.0; 3],
    }
}

/// Natural coordinates ξ of a point of the element, by Newton's method from the centre. `None` for a point outside, and
/// if the method does not converge.
///
/// # Shapes and units
/// `nodes`: one position per node \[m\]; `point` \[m\].
pub fn natural_coordinates(kind: CellKind, nodes: &[Vec3], point: &Vec3) -> Option<[f64; 3]> {
    let dimension = kind.dimension();
    let extent = nodes.iter().map(|node| (node - nodes[0]).norm()).fold(0.0, f64::max);
    let largest = nodes.iter().chain([point]).map(Vec3::amax).fold(0.0, f64::max);
    let tolerance = TOLERANCE * extent + 16.0 * f64::EPSILON * largest;
    let mut xi = centre(kind);
    for _ in 0..MOST_ITERATIONS {
        let residual = point - position(kind, nodes, xi);
        if residual.norm() <= tolerance {
            return is_inside(kind, xi).then_some(xi);
        }
        let tangents = tangents(kind, nodes, xi);
        let mut normal_matrix = tangents.transpose() * tangents;
        (dimension..3).for_each(|k| normal_matrix[(k, k)] = 1.0);
        let change = normal_matrix.try_inverse()? * (tangents.transpose() * residual);
        (0..dimension).for_each(|k| xi[k] += change[k]);
    }
    None
}

/// x(ξ) = Σ N_a x_a.
pub fn position(kind: CellKind, nodes: &[Vec3], xi: [f64; 3]) -> Vec3 {
    let mut values = [0.0; MAX_NODES];
    shape_values(kind, xi, &mut values);
    nodes.iter().zip(values).map(|(node, value)| node * value).sum()
}

/// Tangents ∂x/∂ξ, one column per natural coordinate; columns beyond the dimension are zero.
pub fn tangents(kind: CellKind, nodes: &[Vec3], xi: [f64; 3]) -> Mat3 {
    let mut gradients = [[0.0; 3]; MAX_NODES];
    shape_gradients(kind, xi, &mut gradients);
    nodes.iter().zip(gradients).map(|(node, gradient)| node * Vec3::from(gradient).transpose()).sum()
}

/// Deformation gradient F = ∂x/∂X from the current and reference tangents, with plane strain in plane elements. `None`
/// for singular reference tangents.
pub fn deformation_gradient(present: &Mat3, reference: &Mat3, dimension: usize) -> Option<Mat3> {
    let (mut present, mut reference) = (*present, *reference);
    for axis in dimension..3 {
        present[(axis, axis)] = 1.0;
        reference[(axis, axis)] = 1.0;
    }
    Some(present * reference.try_inverse()?)
}

fn is_inside(kind: CellKind, [r, s, t]: [f64; 3]) -> bool {
    let in_interval = |x: f64| x.abs() <= 1.0 + BORDER;
    let in_simplex = |x: &[f64]| x.iter().all(|x| *x >= -BORDER) && x.iter().sum::<f64>() <= 1.0 + BORDER;
    match kind {
        CellKind::Point1 => true,
        CellKind::Line2 | CellKind::Line3 => in_interval(r),
        CellKind::Tri3 | CellKind::Tri6 => in_simplex(&[r, s]),
        CellKind::Quad4 | CellKind::Quad8 | CellKind::Quad9 => in_interval(r) && in_interval(s),
        CellKind::Tet4 | CellKind::Tet10 => in_simplex(&[r, s, t]),
        CellKind::Wedge6 => in_simplex(&[r, s]) && in_interval(t),
        CellKind::Hex8 | CellKind::Hex20 | CellKind::Hex27 => [r, s, t].into_iter().all(in_interval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inverse map of a skew hexahedron recovers ξ inside and on the boundary to 1e-9, and rejects a point outside.
    #[test]
    fn the_map_is_inverted() {
        let corners = [
            [0.0, 0.0, 0.0],
            [2.0, 0.1, 0.0],
            [2.2, 1.0, 0.2],
            [0.1, 1.2, 0.0],
            [0.0, 0.0, 1.0],
            [2.0, 0.0, 1.4],
            [2.1, 1.1, 1.2],
            [0.0, 1.0, 1.0],
        ];
        let nodes = corners.map(Vec3::from);
        for xi in [[0.0; 3], [0.3, -0.7, 0.9], [1.0, 1.0, -1.0], [-1.0, 0.2, 0.1]] {
            let found = natural_coordinates(CellKind::Hex8, &nodes, &position(CellKind::Hex8, &nodes, xi));
            let found = found.unwrap();
            assert!(found.iter().zip(xi).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} for {xi:?}");
        }
        let beside = position(CellKind::Hex8, &nodes, [1.001, 0.0, 0.0]);
        assert_eq!(natural_coordinates(CellKind::Hex8, &nodes, &beside), None);
    }

    #[test]
    fn a_point_off_a_triangle_is_outside() {
        let nodes = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let inside = natural_coordinates(CellKind::Tri3, &nodes, &Vec3::new(0.25, 0.5, 0.0)).unwrap();
        assert!((inside[0] - 0.25).abs() < 1e-12 && (inside[1] - 0.5).abs() < 1e-12);
        assert_eq!(natural_coordinates(CellKind::Tri3, &nodes, &Vec3::new(0.25, 0.5, 0.1)), None);
    }
}
