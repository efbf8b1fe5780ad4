//! Assumed gradients at the support points ([module](super)): from lumped least squares inside the body; on the
//! surface, the inward normals.

use std::array;
use std::sync::LazyLock;

use rayon::prelude::*;

use super::boundary::outward_normal;
use super::enriched::{Enriched, MAX_POINTS};
use super::support::Support;
use super::target::{Closest, Target};
use super::{DistanceFieldError, NormalWeight};
use crate::element::{MAX_NODES, shape_gradients};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Norm of an assumed gradient below which its direction is undefined, as on the medial axis.
pub(super) const NO_DIRECTION: f64 = 0.1;

/// ∫ N_A grad d dV and ∫ N_A dV for each support point A of an element, with its shape function N_A and the
/// interpolated distance d.
type Contribution = [(Vec3, f64); MAX_POINTS];

/// Assumed gradients at the support points (Wolff & Bucher, eqs. (13), (14)): of unit length except near the medial
/// axis, zero outside the band of elements that the field covers.
pub(super) fn assumed_gradients(
    support: &Support,
    target: &Target<'_>,
    closest: &[Option<Closest>],
    weight: NormalWeight,
) -> Result<Vec<Vec3>, DistanceFieldError> {
    let contribution = |element: usize| {
        let covered = support.in_band[element];
        covered.then(|| contribution_of(support, closest, element)).transpose()
    };
    let contributions: Vec<Option<Box<Contribution>>> =
        (0..support.kinds.len()).into_par_iter().map(contribution).collect::<Result<_, _>>()?;
    let gradient = |point: usize| {
        if let Some(boundary) = support.boundary_of_point[point] {
            let boundary = &support.boundary[boundary as usize];
            let normal = outward_normal(target.surface, target.positions, boundary, weight);
            if support.is_covered(point) && normal != Vec3::zeros() {
                return -normal;
            }
        }
        let parts = support.elements_of(point).iter().filter_map(|&(element, local)| {
            contributions[element as usize].as_ref().map(|parts| parts[local as usize])
        });
        let (numerator, denominator) =
            parts.fold((Vec3::zeros(), 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let mean = if denominator > 0.0 { numerator / denominator } else { Vec3::zeros() };
        if mean.norm() > NO_DIRECTION { mean.normalize() } else { mean }
    };
    Ok((0..support.positions.len()).into_par_iter().map(gradient).collect())
}

fn contribution_of(
    support: &Support,
    closest: &[Option<Closest>],
    element: usize,
) -> Result<Box<Contribution>, DistanceFieldError> {
    let points = support.points_of(element);
    let mut distances = [0.0; MAX_POINTS];
    for (distance, &point) in distances.iter_mut().zip(points) {
        *distance = closest[point as usize].map_or(0.0, |closest| closest.distance);
    }
    let kind = support.kinds[element];
    let places = positions_of(support, element);
    let contribution = match kind {
        CellKind::Tet4 => of_tetrahedron(&places, &distances),
        _ => by_quadrature(kind, &places, &distances),
    };
    contribution.map(Box::new).ok_or(DistanceFieldError::Inverted(element))
}

/// Positions of the support points of an element, the nodes first.
pub(super) fn positions_of(support: &Support, element: usize) -> [Vec3; MAX_POINTS] {
    let mut places = [Vec3::zeros(); MAX_POINTS];
    for (place, &point) in places.iter_mut().zip(support.points_of(element)) {
        *place = support.positions[point as usize];
    }
    places
}

/// Inverse transpose and determinant of the Jacobian ∂X/∂ξ; `None` if the determinant is not positive. Plane elements
/// have unit thickness.
pub(super) fn inverse_jacobian(kind: CellKind, nodes: &[Vec3], xi: [f64; 3]) -> Option<(Mat3, f64)> {
    let mut gradients = [[0.0; 3]; MAX_NODES];
    shape_gradients(kind, xi, &mut gradients);
    let places = nodes.iter().zip(&gradients[..kind.num_nodes()]);
    let mut jacobian: Mat3 =
        places.map(|(node, gradient)| (node - nodes[0]) * Vec3::from(*gradient).transpose()).sum();
    (kind.dimension()..3).for_each(|axis| jacobian[(axis, axis)] = 1.0);
    let determinant = jacobian.determinant();
    let inverse = jacobian.try_inverse().filter(|_| determinant > 0.0)?;
    Some((inverse.transpose(), determinant))
}

fn by_quadrature(
    kind: CellKind,
    places: &[Vec3; MAX_POINTS],
    distances: &[f64; MAX_POINTS],
) -> Option<Contribution> {
    let enriched = Enriched::of(kind)?;
    let mut sums = [(Vec3::zeros(), 0.0); MAX_POINTS];
    for point in enriched.quadrature() {
        let (inverse_transpose, determinant) = inverse_jacobian(kind, places, point.xi)?;
        let natural = natural_slope(&enriched.gradients(point.xi), distances);
        let (gradient, weight) = (inverse_transpose * natural, point.weight * determinant);
        for (sum, value) in sums.iter_mut().zip(enriched.values(point.xi)) {
            sum.0 += gradient * (value * weight);
            sum.1 += value * weight;
        }
    }
    Some(sums)
}

/// Derivative of the interpolated distance with respect to ξ: Σ d_A ∂N_A/∂ξ.
pub(super) fn natural_slope(gradients: &[[f64; 3]; MAX_POINTS], distances: &[f64; MAX_POINTS]) -> Vec3 {
    gradients.iter().zip(distances).map(|(gradient, distance)| Vec3::from(*gradient) * *distance).sum()
}

/// Integrals over the reference tetrahedron: ∫ N_A ∂N_B/∂ξ_i and ∫ N_A.
struct TetrahedronIntegrals {
    products: [[Vec3; 15]; 15],
    values: [f64; 15],
}

static TETRAHEDRON: LazyLock<Option<TetrahedronIntegrals>> = LazyLock::new(|| {
    let enriched = Enriched::of(CellKind::Tet4)?;
    let mut integrals = TetrahedronIntegrals { products: [[Vec3::zeros(); 15]; 15], values: [0.0; 15] };
    for point in enriched.quadrature() {
        let (values, gradients) = (enriched.values(point.xi), enriched.gradients(point.xi));
        let rows = integrals.products.iter_mut().zip(&mut integrals.values).zip(values);
        for ((products, sum), value) in rows {
            let weight = point.weight * value;
            *sum += weight;
            products.iter_mut().zip(gradients).for_each(|(product, g)| *product += Vec3::from(g) * weight);
        }
    }
    Some(integrals)
});

/// Contribution of a tetrahedron with straight edges, from the integrals over the reference tetrahedron.
fn of_tetrahedron(places: &[Vec3; MAX_POINTS], distances: &[f64; MAX_POINTS]) -> Option<Contribution> {
    let integrals = TETRAHEDRON.as_ref()?;
    let (inverse_transpose, determinant) = inverse_jacobian(CellKind::Tet4, places, [0.25; 3])?;
    let of_point = |a: usize| {
        let products = integrals.products.get(a)?.iter().zip(distances);
        let natural: Vec3 = products.map(|(product, distance)| product * *distance).sum();
        Some((inverse_transpose * natural * determinant, integrals.values[a] * determinant))
    };
    Some(array::from_fn(|a| of_point(a).unwrap_or((Vec3::zeros(), 0.0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    /// Assumed gradients G on a single element, the square \[−1, 1\]². Reference by hand, with the distance 1 at the
    /// centre and 0 at the other support points:
    ///
    /// - centre: G = 0, ∫ N_A dV = 16/9
    /// - middle of the right side: G = (−1.6, 0), ∫ N_A dV = 4/9
    /// - upper right corner: G = (−0.8, −0.8), ∫ N_A dV = 1/9
    #[test]
    fn one_square_has_its_reference_gradients() {
        let enriched = Enriched::of(CellKind::Quad4).unwrap();
        let mut places = [Vec3::zeros(); MAX_POINTS];
        (0..9).for_each(|a| places[a] = Vec3::from(enriched.natural_coordinates(a)));
        let mut distances = [0.0; MAX_POINTS];
        distances[8] = 1.0;
        let sums = by_quadrature(CellKind::Quad4, &places, &distances).unwrap();
        let reference =
            [(8, [0.0, 0.0], 16.0 / 9.0), (5, [-1.6, 0.0], 4.0 / 9.0), (2, [-0.8, -0.8], 1.0 / 9.0)];
        for (point, [x, y], weight) in reference {
            let gradient = sums[point].0 / sums[point].1;
            assert!((gradient - Vec3::new(x, y, 0.0)).norm() < 1e-14, "{point}: {gradient}");
            assert!((sums[point].1 - weight).abs() < 1e-14, "{point}: {}", sums[point].1);
        }
    }

    /// On random tetrahedra, the contributions from the integrals over the reference tetrahedron equal those by
    /// quadrature, to 1e-12.
    #[test]
    fn tetrahedra_in_closed_form_equal_quadrature() {
        let mut samples = Samples::new(7);
        for _ in 0..20 {
            let mut places = [Vec3::zeros(); MAX_POINTS];
            let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
            (0..4).for_each(|k| places[k] = corners[k] + samples.vector(0.2));
            let distances = [(); MAX_POINTS].map(|()| samples.uniform(0.0, 1.0));
            let exact = of_tetrahedron(&places, &distances).unwrap();
            let other = by_quadrature(CellKind::Tet4, &places, &distances).unwrap();
            for (a, b) in exact.iter().zip(&other) {
                assert!((a.0 - b.0).norm() < 1e-12 && (a.1 - b.1).abs() < 1e-12, "{a:?} {b:?}");
            }
        }
    }
}
