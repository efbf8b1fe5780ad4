use super::*;
use proptest::prelude::*;

const KINDS: [CellKind; 14] = CellKind::ALL;

#[test]
fn mid_side_nodes_lie_between_the_corners_of_their_edge_on_every_face() {
    for kind in KINDS {
        let nodes = natural_nodes(kind);
        for face in kind.faces() {
            let on_face = natural_nodes(face.kind);
            for (a, &node) in face.nodes.iter().enumerate() {
                // Reference: coordinate i from the corners and the linear shape functions of the face.
                let mut n = [0.0; MAX_NODES];
                shape_values(face.kind.linear(), on_face[a], &mut n);
                for (i, &expected) in nodes[node as usize].iter().enumerate() {
                    let corners = face.kind.corners().iter().zip(n);
                    let x: f64 = corners.map(|(&c, n)| nodes[face.nodes[c as usize] as usize][i] * n).sum();
                    assert_eq!(x, expected, "{kind:?} {face:?}");
                }
            }
        }
    }
}

#[test]
fn a_reversed_cell_is_a_reflection_of_the_reference_element() {
    for kind in KINDS.into_iter().filter(|kind| kind.dimension() > 0) {
        let nodes = natural_nodes(kind);
        // The map from the reference element to the element with reversed nodes has a constant gradient. The gradient
        // is its own inverse and has the determinant −1.
        let jacobian = |xi: [f64; 3]| {
            let g = gradients(kind, xi);
            let mut j = crate::math::Mat3::identity();
            for (r, c) in (0..kind.dimension()).flat_map(|r| (0..kind.dimension()).map(move |c| (r, c))) {
                j[(r, c)] = g.iter().zip(kind.reversed()).map(|(g, &a)| g[c] * nodes[a as usize][r]).sum();
            }
            j
        };
        let (one, other) = (jacobian([0.1, 0.2, 0.3]), jacobian([0.4, 0.15, 0.2]));
        assert!((one - other).norm() < 1e-13, "{kind:?} {one} {other}");
        assert!((one.determinant() + 1.0).abs() < 1e-13, "{kind:?} {one}");
        assert!((one * one - crate::math::Mat3::identity()).norm() < 1e-13, "{kind:?}");
    }
}

fn values(kind: CellKind, xi: [f64; 3]) -> Vec<f64> {
    let mut n = [f64::NAN; MAX_NODES];
    shape_values(kind, xi, &mut n);
    n[..kind.num_nodes()].to_vec()
}

fn gradients(kind: CellKind, xi: [f64; 3]) -> Vec<[f64; 3]> {
    let mut g = [[f64::NAN; 3]; MAX_NODES];
    shape_gradients(kind, xi, &mut g);
    g[..kind.num_nodes()].to_vec()
}

#[test]
fn shape_functions_are_one_at_their_node_and_zero_at_the_others() {
    for kind in KINDS {
        for (b, xi) in natural_nodes(kind).into_iter().enumerate() {
            for (a, value) in values(kind, xi).into_iter().enumerate() {
                assert_eq!(value, f64::from(u8::from(a == b)), "{kind:?} N_{a} at node {b}");
            }
        }
    }
}

#[test]
fn values_reproduce_linear_fields_and_write_only_their_nodes() {
    for kind in KINDS {
        let mut n = [f64::NAN; MAX_NODES];
        let xi = [0.2, 0.3, 0.1];
        shape_values(kind, xi, &mut n);
        assert!(n[kind.num_nodes()..].iter().all(|v| v.is_nan()));
        for i in 0..kind.dimension() {
            let x: f64 = natural_nodes(kind).iter().zip(n).map(|(node, n)| node[i] * n).sum();
            assert!((x - xi[i]).abs() < 1e-15, "{kind:?}");
        }
    }
}

proptest! {
    #[test]
    fn partition_of_unity_and_derivatives(x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64) {
        assert_partition_of_unity_and_derivatives([x, y, z]);
    }
}

/// At points with vanishing natural coordinates, terms of the shape functions of quadratic kinds vanish.
#[test]
fn partition_of_unity_and_derivatives_on_an_axis() {
    assert_partition_of_unity_and_derivatives([0.0, 0.0, -0.8345002672935624]);
}

/// The shape functions sum to 1, and their first and second derivatives agree with central differences. Shape functions
/// are at most quadratic in each coordinate. The only error of a central difference is therefore the rounding error of
/// the values, divided by the step. The rounding error of a value is proportional to the magnitude of the value, which
/// is less than 3 s² with s = 1 + Σ |ξ_i| at the shifted points. The tolerance of a value is 16 ε s² with the machine
/// precision ε.
fn assert_partition_of_unity_and_derivatives(xi: [f64; 3]) {
    let h = 0.125;
    let size = (1.0 + h + xi.iter().map(|x| x.abs()).sum::<f64>()).powi(2);
    let rounding = 16.0 * f64::EPSILON * size;
    for kind in KINDS {
        let sum: f64 = values(kind, xi).iter().sum();
        assert!((sum - 1.0).abs() <= rounding, "{kind:?} {xi:?}: {sum}");
        let exact = gradients(kind, xi);
        let mut second = [[f64::NAN; 3]; MAX_NODES];
        shape_hessians(kind, xi, &mut second);
        for i in 0..3 {
            let (mut up, mut down) = (xi, xi);
            up[i] += h;
            down[i] -= h;
            let (n_up, n_down) = (values(kind, up), values(kind, down));
            let (g_up, g_down) = (gradients(kind, up), gradients(kind, down));
            for a in 0..kind.num_nodes() {
                let slope = if i < kind.dimension() { (n_up[a] - n_down[a]) / (2.0 * h) } else { 0.0 };
                assert!((exact[a][i] - slope).abs() <= rounding / h, "{kind:?} {xi:?}");
                if kind.dimension() < 3 {
                    let (own, mixed) =
                        ((g_up[a][i] - g_down[a][i]) / (2.0 * h), (g_up[a][1] - g_down[a][1]) / (2.0 * h));
                    assert!(i > 1 || (second[a][i] - own).abs() <= rounding / h, "{kind:?} {xi:?}");
                    assert!(i > 0 || (second[a][2] - mixed).abs() <= rounding / h, "{kind:?} {xi:?}");
                }
            }
        }
    }
}

/// ∫ ξ₁^p ξ₂^q ξ₃^r over the reference element, in closed form.
fn monomial_integral(kind: CellKind, p: usize, q: usize, r: usize) -> f64 {
    let factorial = |n: usize| (1..=n).product::<usize>() as f64;
    let segment = |n: usize| if n % 2 == 1 { 0.0 } else { 2.0 / (n as f64 + 1.0) };
    let triangle = |p, q| factorial(p) * factorial(q) / factorial(p + q + 2);
    match kind.linear() {
        CellKind::Point1 => 1.0,
        CellKind::Line2 => segment(p),
        CellKind::Tri3 => triangle(p, q),
        CellKind::Quad4 => segment(p) * segment(q),
        CellKind::Tet4 => factorial(p) * factorial(q) * factorial(r) / factorial(p + q + r + 3),
        CellKind::Wedge6 => triangle(p, q) * segment(r),
        _ => segment(p) * segment(q) * segment(r),
    }
}

#[test]
fn rules_integrate_polynomials_of_their_degree() {
    // (kind, rule, degree, degree along the axis of a wedge): the degree is the total degree in a simplex or in the
    // triangle of a wedge, and the degree in each direction for other kinds.
    let rules: [(CellKind, &[QuadraturePoint], usize, usize); 20] = [
        (CellKind::Tri6, quadrature(CellKind::Tri6), 2, 0),
        (CellKind::Tet10, quadrature(CellKind::Tet10), 2, 0),
        (CellKind::Hex20, quadrature(CellKind::Hex20), 5, 0),
        (CellKind::Line2, quadrature(CellKind::Line2), 3, 0),
        (CellKind::Tri3, quadrature(CellKind::Tri3), 1, 0),
        (CellKind::Quad4, quadrature(CellKind::Quad4), 3, 0),
        (CellKind::Tet4, quadrature(CellKind::Tet4), 1, 0),
        (CellKind::Wedge6, quadrature(CellKind::Wedge6), 2, 3),
        (CellKind::Hex8, quadrature(CellKind::Hex8), 3, 0),
        (CellKind::Line2, second_moment_quadrature(CellKind::Line2), 3, 0),
        (CellKind::Tri3, second_moment_quadrature(CellKind::Tri3), 2, 0),
        (CellKind::Quad4, second_moment_quadrature(CellKind::Quad4), 5, 0),
        (CellKind::Tet4, second_moment_quadrature(CellKind::Tet4), 2, 0),
        (CellKind::Wedge6, second_moment_quadrature(CellKind::Wedge6), 4, 5),
        (CellKind::Hex8, second_moment_quadrature(CellKind::Hex8), 5, 0),
        (CellKind::Line3, second_moment_quadrature(CellKind::Line3), 7, 0),
        (CellKind::Tri6, second_moment_quadrature(CellKind::Tri6), 6, 0),
        (CellKind::Quad9, second_moment_quadrature(CellKind::Quad9), 7, 0),
        (CellKind::Tet10, second_moment_quadrature(CellKind::Tet10), 7, 0),
        (CellKind::Hex27, second_moment_quadrature(CellKind::Hex27), 9, 0),
    ];
    for (kind, rule, degree, axis) in rules {
        for (p, q, r) in monomials(kind, degree, axis) {
            let sum: f64 = rule
                .iter()
                .map(|k| k.weight * k.xi[0].powi(p as i32) * k.xi[1].powi(q as i32) * k.xi[2].powi(r as i32))
                .sum();
            let exact = monomial_integral(kind, p, q, r);
            assert!((sum - exact).abs() < 1e-14, "{kind:?} x^{p} y^{q} z^{r}: {sum} instead of {exact}");
        }
    }
}

fn monomials(kind: CellKind, degree: usize, axis: usize) -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    for p in 0..=degree.max(axis) {
        for q in 0..=degree.max(axis) {
            for r in 0..=degree.max(axis) {
                let wanted = match kind.linear() {
                    CellKind::Point1 => p + q + r == 0,
                    CellKind::Line2 => p <= degree && q + r == 0,
                    CellKind::Tri3 => p + q <= degree && r == 0,
                    CellKind::Quad4 => p <= degree && q <= degree && r == 0,
                    CellKind::Tet4 => p + q + r <= degree,
                    CellKind::Wedge6 => p + q <= degree && r <= axis,
                    _ => p <= degree && q <= degree && r <= degree,
                };
                if wanted {
                    all.push((p, q, r));
                }
            }
        }
    }
    all
}
