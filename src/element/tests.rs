use super::*;
use proptest::prelude::*;

const KINDS: [CellKind; 7] = [
    CellKind::Point1,
    CellKind::Line2,
    CellKind::Tri3,
    CellKind::Quad4,
    CellKind::Tet4,
    CellKind::Wedge6,
    CellKind::Hex8,
];

fn natural_nodes(kind: CellKind) -> Vec<[f64; 3]> {
    match kind {
        CellKind::Point1 => vec![[0.0; 3]],
        CellKind::Line2 => vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        CellKind::Tri3 => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        CellKind::Quad4 => quadrilateral::CORNERS.iter().map(|c| [c[0], c[1], 0.0]).collect(),
        CellKind::Tet4 => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        CellKind::Wedge6 => {
            [-1.0, 1.0].iter().flat_map(|&z| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).collect()
        }
        CellKind::Hex8 => hexahedron::CORNERS.to_vec(),
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
fn values_reproduce_linear_fields_and_do_not_touch_more_than_their_nodes() {
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
        let h = 1e-5;
        for kind in KINDS {
            let xi = [x, y, z];
            prop_assert!((values(kind, xi).iter().sum::<f64>() - 1.0).abs() < 1e-14);
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
                    prop_assert!((exact[a][i] - slope).abs() < 1e-10, "{:?}", kind);
                    if kind.dimension() < 3 {
                        let (own, mixed) = ((g_up[a][i] - g_down[a][i]) / (2.0 * h), (g_up[a][1] - g_down[a][1]) / (2.0 * h));
                        if i < 2 { prop_assert!((second[a][i] - own).abs() < 1e-10); }
                        if i == 0 { prop_assert!((second[a][2] - mixed).abs() < 1e-10); }
                    }
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
    match kind {
        CellKind::Point1 => 1.0,
        CellKind::Line2 => segment(p),
        CellKind::Tri3 => triangle(p, q),
        CellKind::Quad4 => segment(p) * segment(q),
        CellKind::Tet4 => factorial(p) * factorial(q) * factorial(r) / factorial(p + q + r + 3),
        CellKind::Wedge6 => triangle(p, q) * segment(r),
        CellKind::Hex8 => segment(p) * segment(q) * segment(r),
    }
}

#[test]
fn rules_integrate_the_polynomials_they_promise() {
    // (kind, rule, total degree in the simplex part or per-direction degree, degree along the axis of a wedge)
    let rules: [(CellKind, &[QuadraturePoint], usize, usize); 12] = [
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
                let wanted = match kind {
                    CellKind::Point1 => p + q + r == 0,
                    CellKind::Line2 => p <= degree && q + r == 0,
                    CellKind::Tri3 => p + q <= degree && r == 0,
                    CellKind::Quad4 => p <= degree && q <= degree && r == 0,
                    CellKind::Tet4 => p + q + r <= degree,
                    CellKind::Wedge6 => p + q <= degree && r <= axis,
                    CellKind::Hex8 => p <= degree && q <= degree && r <= degree,
                };
                if wanted {
                    all.push((p, q, r));
                }
            }
        }
    }
    all
}
