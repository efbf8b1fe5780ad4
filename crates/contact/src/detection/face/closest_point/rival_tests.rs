//! Tests of every method on every kind of face: optimality conditions, agreement with closed forms, degenerate faces.

use super::minimisation::sqp::Hessian;
use super::polynomial::{Expansion, Visitor, visit};
use super::*;
use crate::detection::samples::Samples;

const ITERATIVE: [Method; 4] = [Method::Sqp, Method::ActiveSet, Method::InteriorPoint, Method::Newton];

const STARTS: [Start; 3] = [Start::Nearest, Start::Centre, Start::Previous([0.3, 0.2])];

struct Expand([f64; 2]);

impl Visitor for Expand {
    type Output = (Expansion, &'static Domain);
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> Self::Output {
        (polynomial.expand(self.0), P::DOMAIN)
    }
}

fn local(method: Method, start: Start, kind: CellKind, nodes: &[Vec3], query: &Vec3) -> Minimum {
    match method {
        Method::ActiveSet => local_minimum(&ActiveSet, start, kind, nodes, query),
        Method::InteriorPoint => local_minimum(&InteriorPoint, start, kind, nodes, query),
        Method::Newton => local_minimum(&Newton, start, kind, nodes, query),
        _ => local_minimum(&Sqp { hessian: Hessian::Exact }, start, kind, nodes, query),
    }
    .unwrap()
}

/// Nodes of a typical mesh face. Each Cartesian component of a node is displaced by up to `bend`; then all nodes are
/// shifted by `place`.
fn face(s: &mut Samples, kind: CellKind, bend: f64, place: Vec3) -> Vec<Vec3> {
    let Some((_, domain)) = visit(kind, &[Vec3::zeros(); 9], &Vec3::zeros(), Expand([0.0; 2])) else {
        return Vec::new();
    };
    let corners = domain.corners.len();
    let mut nodes: Vec<Vec3> = domain.corners.iter().map(|c| Vec3::new(c[0], c[1], 0.0)).collect();
    for k in 0..kind.num_nodes() - corners {
        let middle = (nodes[k % corners] + nodes[(k + 1) % corners]) * 0.5;
        nodes.push(if k == corners { Vec3::zeros() } else { middle });
    }
    nodes.truncate(kind.num_nodes());
    nodes.iter().map(|x| x + s.vector(bend) + place).collect()
}

/// Checks the first-order optimality conditions by their definition: F decreases in no feasible direction.
///
/// The rounding of F limits the accuracy of the slope. With a second derivative k of F, a descent step decreases F by
/// slope²/(2k). A decrease within the rounding error of F (`tolerances`) does not count.
fn assert_stationary(found: &Minimum, kind: CellKind, nodes: &[Vec3], query: &Vec3, label: &str) {
    let (here, domain) = visit(kind, nodes, query, Expand(found.xi)).unwrap();
    let at = format!("{label} {kind:?} {nodes:?} {query:?}: {found:?} {here:?}");
    assert!(found.converged, "{at}");
    assert!(domain.contains(found.xi.map(|x| x * (1.0 - 2e-16))), "{at}");
    let (tolerance, _) = tolerances(&here, nodes);
    for direction in directions(domain) {
        // The projection of a small step onto the domain gives a feasible direction.
        let step = toward(domain, found.xi, direction, 1e-6);
        let slope: f64 = (0..2).map(|i| here.gradient[i] * (step[i] - found.xi[i]) / 1e-6).sum();
        assert!(slope >= -tolerance, "{at}: slope {slope}");
    }
}

/// Checks in addition that no neighbouring point is closer, so that the point is a minimum and no saddle point.
fn assert_minimum(found: &Minimum, kind: CellKind, nodes: &[Vec3], query: &Vec3, label: &str) {
    assert_stationary(found, kind, nodes, query, label);
    let (here, domain) = visit(kind, nodes, query, Expand(found.xi)).unwrap();
    let (_, noise) = tolerances(&here, nodes);
    for direction in directions(domain) {
        for h in [1e-4, 1e-5] {
            let xi = toward(domain, found.xi, direction, h);
            let there = visit(kind, nodes, query, Expand(xi)).unwrap().0;
            let rise = there.objective - here.objective;
            assert!(rise >= -noise, "{label} {kind:?} {nodes:?} {query:?}: {found:?}: {rise} at {xi:?}");
        }
    }
}

/// Largest slope and largest change of F that count as rounding.
fn tolerances(here: &Expansion, nodes: &[Vec3]) -> (f64, f64) {
    let size = nodes.iter().map(|x| (x - nodes[0]).norm()).fold(0.0, f64::max);
    let stiffness = size * (size + (2.0 * here.objective).sqrt());
    let noise = 32.0 * f64::EPSILON * (here.objective + stiffness);
    (1e-9 * stiffness + (2.0 * noise * stiffness).sqrt(), noise)
}

fn directions(domain: &Domain) -> impl Iterator<Item = [f64; 2]> + use<> {
    let plane = domain.dimension() == 2;
    (0..24).map(move |k| {
        let angle = std::f64::consts::TAU * f64::from(k) / 24.0;
        [angle.cos(), if plane { angle.sin() } else { 0.0 }]
    })
}

fn toward(domain: &Domain, xi: [f64; 2], direction: [f64; 2], h: f64) -> [f64; 2] {
    domain.project([0, 1].map(|i| xi[i] + h * direction[i]))
}

#[test]
fn local_minima_of_random_faces() {
    let mut s = Samples::new(11);
    for kind in Domain::KINDS {
        for case in 0..400 {
            let place = s.vector(1.0) * s.pick(&[0.0, 100.0]);
            let bend = s.pick(&[0.0, 0.1, 0.4]);
            let nodes = face(&mut s, kind, bend, place);
            let query = s.vector(1.0) * s.pick(&[0.5, 2.0, 10.0, 1e3]) + place;
            for method in ITERATIVE {
                let start = STARTS[case % 3];
                let found = local(method, start, kind, &nodes, &query);
                assert!(found.iterations <= 150);
                assert_minimum(&found, kind, &nodes, &query, &format!("{method:?} {start:?}"));
            }
        }
    }
}

/// On flat faces all methods agree with the closed forms.
#[test]
fn flat_faces_have_one_answer() {
    let mut s = Samples::new(12);
    for _ in 0..2000 {
        let place = s.vector(1.0) * s.pick(&[0.0, 100.0]);
        let nodes = [0; 3].map(|_| s.vector(1.0) + place);
        let query = s.vector(1.0) * s.pick(&[0.5, 2.0, 10.0]) + place;
        let closed_forms = [Method::Auto, Method::Voronoi, Method::BruteForce];
        for kind in [CellKind::Line2, CellKind::Tri3] {
            let nodes = &nodes[..kind.num_nodes()];
            let expected = closest_point(Method::Voronoi, Start::Nearest, kind, nodes, &query);
            for (k, method) in closed_forms.into_iter().chain(ITERATIVE).enumerate() {
                let found = closest_point(method, STARTS[k % 3], kind, nodes, &query);
                let at = format!("{method:?} {nodes:?} {query:?}: {found:?}, {expected:?}");
                assert!((found.point - expected.point).norm() < 1e-11 * (1.0 + place.norm()), "{at}");
                let (near, far) = (found.distance_squared.sqrt(), expected.distance_squared.sqrt());
                assert!((near - far).abs() < 1e-12 * (1.0 + place.norm()), "{at}");
                assert_ne!(found.outcome, Outcome::Capped, "{at}");
                assert_eq!(found.outcome == Outcome::Exact, k < 3, "{at}");
                assert_eq!(found.iterations == 0, k < 3, "{at}");
                if place == Vec3::zeros() && expected.feature != Feature::Face {
                    assert_eq!(found.feature, expected.feature, "{at}");
                }
            }
        }
    }
}

/// Every method finds the global closest point of a curved or warped face, degenerate or not.
#[test]
fn curved_faces_have_one_distance() {
    let mut s = Samples::new(16);
    let mut searched = 0;
    for kind in [CellKind::Quad4, CellKind::Line3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9] {
        for case in 0..300 {
            let bend = s.pick(&[0.1, 0.3, 0.6]);
            let mut nodes = face(&mut s, kind, bend, Vec3::zeros());
            match case % 6 {
                0 => nodes[1] = nodes[0],
                1 => nodes.iter_mut().for_each(|x| x.z *= 1e-12),
                _ => {}
            }
            let query = s.vector(1.0) * s.pick(&[0.5, 3.0]);
            let expected = closest_point(Method::Sqp, Start::Nearest, kind, &nodes, &query);
            for (k, method) in ITERATIVE.into_iter().enumerate().skip(1) {
                let found = closest_point(method, STARTS[(case + k) % 3], kind, &nodes, &query);
                let at = format!("{method:?} {kind:?} {nodes:?} {query:?}: {found:?}, {expected:?}");
                let (near, far) = (found.distance_squared.sqrt(), expected.distance_squared.sqrt());
                assert!((near - far).abs() < 1e-10, "{at}");
                assert_ne!(found.outcome, Outcome::Capped, "{at}");
                searched += usize::from(found.outcome == Outcome::Searched);
            }
        }
    }
    assert!(searched > 100, "{searched}");
}

/// Faces with collapsed edges, without area, with coincident nodes, and slivers as thin as 10⁻¹² of their length.
#[test]
fn degenerate_faces() {
    let mut s = Samples::new(13);
    for case in 0..1600 {
        let mut p: Vec<Vec3> = (0..4).map(|_| s.vector(1.0)).collect();
        let thin = s.pick(&[0.0, 1e-4, 1e-8, 1e-12]);
        let jitter = s.vector(thin);
        match case % 8 {
            0 => p[2] = p[1],
            1 => p[1] = p[0],
            2 => p[2] = p[0],
            3 => p.fill(jitter),
            4 => p[2] = p[0].lerp(&p[1], 0.3) + jitter,
            5 => p[2] = p[0].lerp(&p[1], 1.7) + jitter,
            6 => p[1] = p[0] + jitter,
            _ => p[3] = p[2] + jitter,
        }
        let query = s.vector(1.0) * s.pick(&[0.2, 2.0]);
        for kind in [CellKind::Line2, CellKind::Tri3] {
            let nodes = &p[..kind.num_nodes()];
            let mut least = f64::INFINITY;
            for i in 0..=400 {
                let t = f64::from(i) / 400.0;
                let ends: &[(usize, usize)] =
                    if kind == CellKind::Tri3 { &[(0, 1), (1, 2), (2, 0)] } else { &[(0, 1)] };
                for &(a, b) in ends {
                    least = least.min((nodes[a].lerp(&nodes[b], t) - query).norm());
                }
            }
            let exact = closest_point(Method::BruteForce, Start::Nearest, kind, nodes, &query);
            assert!(exact.distance_squared.sqrt() <= least + 1e-14);
            for (k, method) in [Method::Voronoi].into_iter().chain(ITERATIVE).enumerate() {
                let found = closest_point(method, STARTS[k % 3], kind, nodes, &query);
                let at = format!("{method:?} {nodes:?} {query:?}: {found:?}, {exact:?}");
                assert!((found.distance_squared - exact.distance_squared).abs() < 1e-12, "{at}");
                assert_ne!(found.outcome, Outcome::Capped, "{at}");
            }
        }
        for method in ITERATIVE {
            let found = local(method, STARTS[case % 3], CellKind::Quad4, &p, &query);
            assert_stationary(&found, CellKind::Quad4, &p, &query, &format!("{method:?}, case {case}"));
        }
    }
}

/// Curved faces with coincident nodes, misplaced middle nodes, or all nodes in one point.
#[test]
fn degenerate_curved_faces() {
    let mut s = Samples::new(14);
    for kind in [CellKind::Line3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9] {
        let corners = kind.corners().len();
        for case in 0..400 {
            let bend = s.pick(&[0.0, 0.2]);
            let mut p = face(&mut s, kind, bend, Vec3::zeros());
            match case % 5 {
                0 => p[1] = p[0],
                1 => (p[1], p[corners]) = (p[0], p[0]),
                2 => p.fill(Vec3::x()),
                3 => p[corners] = p[0].lerp(&p[1], 0.02),
                _ => p.iter_mut().for_each(|x| x.y *= 1e-12),
            }
            let query = s.vector(2.0);
            for method in ITERATIVE {
                let found = local(method, STARTS[case % 3], kind, &p, &query);
                assert_stationary(&found, kind, &p, &query, &format!("{method:?}, case {case}"));
            }
        }
    }
}

#[test]
fn not_a_number_and_far_queries_end() {
    let mut s = Samples::new(15);
    for kind in Domain::KINDS {
        let nodes = face(&mut s, kind, 0.2, Vec3::zeros());
        for query in
            [Vec3::repeat(f64::NAN), Vec3::repeat(f64::INFINITY), Vec3::repeat(1e200), Vec3::repeat(1e8)]
        {
            for method in &ITERATIVE[1..] {
                let found = local(*method, Start::Nearest, kind, &nodes, &query);
                assert!(
                    found.iterations < 200 && found.xi.iter().all(|x| x.abs() <= 1.0),
                    "{method:?} {found:?}"
                );
            }
        }
        for scale in [1e-9, 1e9] {
            let nodes: Vec<Vec3> = nodes.iter().map(|x| x * scale).collect();
            let query = Vec3::new(0.4, 0.9, 0.6) * scale;
            for method in ITERATIVE {
                let found = local(method, Start::Centre, kind, &nodes, &query);
                assert_minimum(&found, kind, &nodes, &query, &format!("{method:?} at {scale}"));
            }
        }
    }
}

/// If the Newton projection leaves the face, [`Method::Newton`] finds the closest point on the edges or at the corners.
#[test]
fn newton_falls_back_on_edges_and_corners() {
    let nodes = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 1.0], [0.0, 2.0, 0.0]].map(Vec3::from);
    for (query, xi) in [([3.0, 3.0, 3.0], [1.0, 1.0]), ([1.0, -1.0, 0.5], [0.0, -1.0])] {
        let found = local(Method::Newton, Start::Centre, CellKind::Quad4, &nodes, &query.into());
        assert!((0..2).all(|i| (found.xi[i] - xi[i]).abs() < 1e-10), "{found:?}");
    }
    // On the axis of a cylinder every step diverges.
    let arc = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
    let found = local(Method::Newton, Start::Centre, CellKind::Line3, &arc, &Vec3::new(0.0, 0.5, 0.0));
    assert_minimum(&found, CellKind::Line3, &arc, &Vec3::new(0.0, 0.5, 0.0), "arc");
}

#[test]
fn closed_forms_serve_flat_triangles_and_segments_only() {
    for kind in Domain::KINDS {
        let flat = matches!(kind, CellKind::Line2 | CellKind::Tri3);
        for method in [Method::Voronoi, Method::BruteForce] {
            assert_eq!(method.serves(kind), flat);
        }
        assert!(ITERATIVE.iter().all(|method| method.serves(kind)) && Method::Auto.serves(kind));
    }
}
