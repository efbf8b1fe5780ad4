//! Tests of enriched elements against reference values. `tests/verification` verifies the fields of bodies.

use crate::detection::samples::Samples;
use crate::element::{hexahedron, quadrilateral, tetrahedron, triangle};
use crate::mesh::CellKind;

use super::Enriched;

const KINDS: [CellKind; 5] =
    [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Wedge6, CellKind::Hex8];

/// A random point of a reference element.
fn inside(kind: CellKind, samples: &mut Samples) -> [f64; 3] {
    let [a, b, c] = [0; 3].map(|_| samples.uniform(0.02, 0.32));
    let [r, s, t] = [0; 3].map(|_| samples.uniform(-1.0, 1.0));
    match kind {
        CellKind::Tri3 => [a, b, 0.0],
        CellKind::Tet4 => [a, b, c],
        CellKind::Wedge6 => [a, b, t],
        CellKind::Quad4 => [r, s, 0.0],
        _ => [r, s, t],
    }
}

/// The fifteen shape functions of the tetrahedron have their reference values at the barycentric coordinates
/// L = (0.1, 0.2, 0.3, 0.4), to 1e-15. Reference: symbolic computation, in the order of corners, edges 12 23 31 14 24
/// 34, faces 123 124 234 134, centre.
#[test]
fn the_tetrahedron_has_its_reference_values() {
    let reference = [
        -0.0116, -0.0156, -0.0036, 0.0424, -0.0112, -0.0432, -0.0192, -0.0032, 0.0128, 0.1248, -0.0972,
        -0.0432, 0.3888, 0.0648, 0.6144,
    ];
    let values = Enriched::of(CellKind::Tet4).unwrap().values([0.2, 0.3, 0.4]);
    let order = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 10, 11, 12, 13, 14];
    for (place, expected) in order.into_iter().zip(reference) {
        assert!((values[place] - expected).abs() < 1e-15, "{place}: {} for {expected}", values[place]);
    }
}

/// Each shape function is 1 at its support point and 0 at the other support points. The functions sum to 1 and
/// reproduce quadratics. The derivatives of the functions agree to 1e-8 with central differences of increment 1e-5.
#[test]
fn enriched_functions_interpolate() {
    let mut samples = Samples::new(37);
    for kind in KINDS {
        let enriched = Enriched::of(kind).unwrap();
        let count = enriched.num_points();
        for a in 0..count {
            let values = enriched.values(enriched.natural_coordinates(a));
            for (b, value) in values[..count].iter().enumerate() {
                let expected = if a == b { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-14, "{kind:?} {a} {b}: {value}");
            }
        }
        let quadratic = |x: [f64; 3]| {
            let plane = kind.dimension() == 2;
            let z = if plane { 0.0 } else { x[2] };
            1.0 + x[0] - 2.0 * x[1] + 0.5 * z + x[0] * x[1] - x[1] * z + 3.0 * x[0] * x[0] - z * z + x[0] * z
        };
        for _ in 0..20 {
            let xi = inside(kind, &mut samples);
            let values = enriched.values(xi);
            let sum: f64 = values.iter().sum();
            let interpolated: f64 =
                (0..count).map(|a| values[a] * quadratic(enriched.natural_coordinates(a))).sum();
            assert!((sum - 1.0).abs() < 1e-13, "{kind:?}: sum {sum}");
            assert!((interpolated - quadratic(xi)).abs() < 1e-12, "{kind:?} at {xi:?}");
            let gradients = enriched.gradients(xi);
            for i in 0..kind.dimension() {
                let at = |step: f64| {
                    let mut moved = xi;
                    moved[i] += step;
                    enriched.values(moved)
                };
                let (ahead, behind) = (at(1e-5), at(-1e-5));
                for a in 0..count {
                    let difference = (ahead[a] - behind[a]) / 2e-5;
                    assert!((gradients[a][i] - difference).abs() < 1e-8, "{kind:?} {a} {i}");
                }
            }
        }
    }
}

/// Integrals of the shape functions as fractions of the element volume, to 1e-14; all are positive. For corners, edges,
/// faces and centre: 17/840, 4/105, 27/280 and 32/105 for the tetrahedron; 1/216, 4/216, 16/216 and 64/216 for the
/// hexahedron. For corners, edges and centre: 1/36, 4/36 and 16/36 for the quadrilateral; 1/20, 2/15 and 9/20 for the
/// triangle.
#[test]
fn lumped_weights_are_positive() {
    let fractions: [(CellKind, &[f64]); 4] = [
        (CellKind::Tri3, &[1.0 / 20.0, 2.0 / 15.0, 9.0 / 20.0]),
        (CellKind::Quad4, &[1.0 / 36.0, 4.0 / 36.0, 0.0, 16.0 / 36.0]),
        (CellKind::Tet4, &[17.0 / 840.0, 4.0 / 105.0, 27.0 / 280.0, 32.0 / 105.0]),
        (CellKind::Hex8, &[1.0 / 216.0, 4.0 / 216.0, 0.0, 16.0 / 216.0, 0.0, 0.0, 0.0, 64.0 / 216.0]),
    ];
    for (kind, expected) in fractions {
        let enriched = Enriched::of(kind).unwrap();
        let volume: f64 = enriched.quadrature().iter().map(|point| point.weight).sum();
        for (a, corners) in enriched.points().iter().enumerate() {
            let of = enriched.quadrature().iter().map(|point| point.weight * enriched.values(point.xi)[a]);
            let fraction = of.sum::<f64>() / volume;
            let expected = expected[corners.len() - 1];
            assert!((fraction - expected).abs() < 1e-14, "{kind:?} {a}: {fraction} for {expected}");
        }
    }
}

/// The rule of the tetrahedron is exact to degree 7. This is the degree of N_A grad N_B, the integrand in the least
/// squares for the assumed gradients: the shape functions N_A are of degree 4, their gradients of degree 3. The
/// reference is ∫ ξ₁^a ξ₂^b ξ₃^c = a! b! c!/(a+b+c+3)! over the reference tetrahedron, to 1e-13. For the other elements
/// the test only integrates the volume.
#[test]
fn rules_are_exact() {
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    for (a, b, c) in [(7, 0, 0), (3, 2, 2), (1, 4, 2), (0, 0, 7), (2, 5, 0), (1, 1, 1)] {
        let term = |x: [f64; 3]| x[0].powi(a) * x[1].powi(b) * x[2].powi(c);
        let sum: f64 = tetrahedron::DEGREE_7.iter().map(|point| point.weight * term(point.xi)).sum();
        let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
        assert!((sum - exact).abs() < 1e-13 * exact, "{a} {b} {c}: {sum} for {exact}");
    }
    let volumes = [
        triangle::DEGREE_6.iter().map(|point| point.weight).sum::<f64>() - 0.5,
        quadrilateral::GAUSS_3X3.iter().map(|point| point.weight).sum::<f64>() - 4.0,
        hexahedron::GAUSS_3X3X3.iter().map(|point| point.weight).sum::<f64>() - 8.0,
        Enriched::of(CellKind::Wedge6).unwrap().quadrature().iter().map(|p| p.weight).sum::<f64>() - 1.0,
    ];
    assert!(volumes.iter().all(|error| error.abs() < 1e-13), "{volumes:?}");
}
