//! Tests of closest points against dense sampling, in every Voronoi region and on degenerate faces, and of the sign of
//! the gap.

use std::f64::consts::TAU;

use super::domain::MAX_FACE_NODES;
use super::segment_segment::closest_parameters;
use super::*;
use crate::Surface;
use crate::detection::samples::Samples;
use crate::element::shape_values;

const ALL: [(Method, Start); 3] =
    [(Method::Auto, Start::Nearest), (Method::Sqp, Start::Nearest), (Method::Sqp, Start::Centre)];

/// x(ξ) = Σ N_a(ξ) x_a.
fn interpolate(kind: CellKind, nodes: &[Vec3], xi: [f64; 2]) -> Vec3 {
    let mut values = [0.0; MAX_FACE_NODES];
    shape_values(kind, [xi[0], xi[1], 0.0], &mut values);
    nodes.iter().zip(values).map(|(x, n)| x * n).sum()
}

/// Least distance of the query from the points of successive grids, each refined around the best point so far. The
/// result is an upper bound on the distance of the face.
fn sampled_distance(kind: CellKind, nodes: &[Vec3], query: &Vec3) -> f64 {
    let to_domain = |s: f64, t: f64| match kind {
        CellKind::Line2 => [2.0 * s - 1.0, 0.0],
        CellKind::Tri3 => [s * (1.0 - t), t],
        _ => [2.0 * s - 1.0, 2.0 * t - 1.0],
    };
    let (mut centre, mut width, mut best) = ([0.5, 0.5], 1.0, f64::INFINITY);
    for _ in 0..14 {
        let middle = centre;
        for i in 0..=24 {
            for j in 0..=24 {
                let at = |k: usize, n: i32| (middle[k] + width * (f64::from(n) / 24.0 - 0.5)).clamp(0.0, 1.0);
                let (s, t) = (at(0, i), at(1, j));
                let distance = (query - interpolate(kind, nodes, to_domain(s, t))).norm();
                if distance < best {
                    (best, centre) = (distance, [s, t]);
                }
            }
        }
        width *= 0.2;
    }
    best
}

/// Checks that the closest point is on the face, that its natural coordinates, position and distance agree, and that no
/// sample is closer.
fn assert_closest(kind: CellKind, nodes: &[Vec3], query: &Vec3) {
    let scale = nodes.iter().map(|x| (x - query).norm()).fold(0.0, f64::max)
        + nodes.iter().map(|x| x.norm()).fold(0.0, f64::max) * 1e-3;
    let sampled = sampled_distance(kind, nodes, query);
    for (method, start) in ALL {
        let found = closest_point(method, start, kind, nodes, query);
        let at = format!("{method:?} {start:?} {kind:?} {nodes:?} {query:?}: {found:?} for {sampled}");
        assert!(found.outcome != Outcome::Capped, "{at}");
        assert!((found.point - interpolate(kind, nodes, found.xi)).norm() <= 1e-12 * scale, "{at}");
        assert!((found.distance_squared - (query - found.point).norm_squared()).abs() <= 1e-30, "{at}");
        let inside = match kind {
            CellKind::Tri3 => {
                found.xi[0] >= 0.0 && found.xi[1] >= 0.0 && found.xi[0] + found.xi[1] <= 1.0 + 1e-15
            }
            _ => found.xi.iter().all(|x| x.abs() <= 1.0),
        };
        assert!(inside, "{at}");
        assert!(found.distance_squared.sqrt() <= sampled + 1e-11 * scale, "{at}");
    }
}

/// Reference values from multi-start optimisation and a 400 × 400 grid.
#[test]
fn warped_quadrilateral_reference_values() {
    let nodes = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 1.0], [0.0, 2.0, 0.0]].map(Vec3::from);
    let cases = [
        ([1.2, 0.8, 1.0], [0.366_328_49, 0.022_301_66], 0.707_547_788_178, Feature::Face),
        ([3.0, 3.0, 3.0], [1.0, 1.0], 2.449_489_742_783, Feature::Vertex(2)),
        ([1.0, -1.0, 0.5], [0.0, -1.0], 1.118_033_988_750, Feature::Edge(0)),
    ];
    for (query, xi, distance, feature) in cases {
        for (method, start) in ALL {
            let found = closest_point(method, start, CellKind::Quad4, &nodes, &query.into());
            assert!((found.distance_squared.sqrt() - distance).abs() < 1e-12, "{found:?}");
            assert!((0..2).all(|i| (found.xi[i] - xi[i]).abs() < 1e-8), "{found:?}");
            assert_eq!(found.feature, feature);
        }
    }
}

#[test]
fn random_faces_against_sampling() {
    let mut s = Samples::new(1);
    for kind in [CellKind::Line2, CellKind::Tri3, CellKind::Quad4] {
        for _ in 0..400 {
            let place = s.vector(1.0) * s.pick(&[0.0, 100.0]);
            let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| s.vector(1.0) + place).collect();
            let query = s.vector(1.0) * s.pick(&[0.5, 2.0, 10.0]) + place;
            assert_closest(kind, &nodes, &query);
        }
    }
}

/// Typical mesh quadrilaterals, from a square to strongly distorted and warped quadrilaterals. Some queries lie beyond
/// the centre of curvature, where several local minima exist.
#[test]
fn warped_quadrilaterals_against_sampling() {
    let mut s = Samples::new(2);
    for case in 0..800 {
        let (distortion, height) = (s.pick(&[0.0, 0.3]), s.pick(&[0.0, 0.1, 1.0, 3.0]));
        let flat = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3::from);
        let warp = [1.0, -1.0, 1.0, -1.0];
        let nodes: Vec<Vec3> =
            (0..4).map(|k| flat[k] + s.vector(1.0) * distortion + Vec3::z() * (height * warp[k])).collect();
        // Points on the axis of symmetry of the saddle have two closest points.
        let query = if case % 4 == 0 { Vec3::z() * s.uniform(-6.0, 6.0) } else { s.vector(4.0) };
        assert_closest(CellKind::Quad4, &nodes, &query);
    }
}

#[test]
fn degenerate_faces_against_sampling() {
    let mut s = Samples::new(3);
    for case in 0..900 {
        let mut p: Vec<Vec3> = (0..4).map(|_| s.vector(1.0)).collect();
        let thin = s.pick(&[1e-4, 1e-7, 1e-9, 1e-13]);
        let jitter = s.vector(thin);
        match case % 9 {
            0 => p[3] = p[2],
            1 => p[1] = p[0],
            2 => (p[2], p[3]) = (p[1], p[0]),
            3 => p.fill(jitter),
            4 => p[2] = p[0].lerp(&p[1], 0.3) + jitter,
            5 => p[2] = p[0].lerp(&p[1], 1.7) + jitter,
            6 => p[1] = p[0] + jitter,
            7 => {
                p[2] = p[0].lerp(&p[1], 0.3);
                p[3] = p[0].lerp(&p[1], -0.4) + jitter;
            }
            _ => p.swap(1, 2), // a bow tie
        }
        let query = s.vector(1.5);
        assert_closest(CellKind::Quad4, &p, &query);
        assert_closest(CellKind::Tri3, &p[..3], &query);
        assert_closest(CellKind::Line2, &p[..2], &query);
    }
}

/// Flat faces of every kind with exact coordinates. The queries are on both sides of each border between two regions,
/// at the distances 10⁻¹² and 0.1 from the border.
#[test]
fn every_region_of_flat_faces_and_its_borders() {
    use Feature::{Edge, Face, Vertex};
    let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]].map(Vec3::from);
    let square = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from);
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9] {
        let corners: &[Vec3] = if kind.corners().len() == 3 { &triangle } else { &square };
        let count = corners.len();
        let next = |k: usize| corners[(k + 1) % count];
        let mut nodes = corners.to_vec();
        nodes.extend((0..count).map(|k| (corners[k] + next(k)) * 0.5));
        nodes.push(corners.iter().sum::<Vec3>() / count as f64);
        nodes.truncate(kind.num_nodes());
        for (k, &corner) in corners.iter().enumerate() {
            let along = (next(k) - corner).normalize();
            let outward = along.cross(&Vec3::z());
            let (edge, from, to) = (Edge(k as u8), Vertex(k as u8), Vertex(((k + 1) % count) as u8));
            let borders = [
                (corner + outward, along, from, edge),
                (next(k) + outward, along, edge, to),
                ((corner + next(k)) * 0.5, outward, Face, edge),
            ];
            for (place, across, behind, ahead) in borders {
                for height in [0.0, 0.5, -20.0] {
                    for (side, feature) in [(-1e-12, behind), (1e-12, ahead), (-0.1, behind), (0.1, ahead)] {
                        let query = place + across * side + Vec3::z() * height;
                        for (method, start) in ALL {
                            let found = closest_point(method, start, kind, &nodes, &query);
                            assert_eq!(
                                found.feature, feature,
                                "{kind:?} {method:?} {start:?} {query:?} {side}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn regions_of_a_segment_and_a_quadrilateral() {
    let nodes = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3::from);
    for k in 0..16 {
        let angle = TAU * (f64::from(k) + 0.5) / 16.0;
        let query = Vec3::new(angle.cos(), angle.sin(), 0.0) * 10.0;
        let found = closest_point(Method::Auto, Start::Nearest, CellKind::Quad4, &nodes, &query);
        // From a distance, the corner regions cover all directions except a narrow strip at each side.
        assert!(matches!(found.feature, Feature::Vertex(_)));
        let corner = nodes.iter().position(|x| (x - query).norm() < 9.3 && (x - found.point).norm() == 0.0);
        assert_eq!(Some(found.feature), corner.map(|c| Feature::Vertex(c as u8)));
    }
    for (query, feature) in [
        ([0.3, -2.0, 0.4], Feature::Edge(0)),
        ([2.0, 0.3, 0.4], Feature::Edge(1)),
        ([0.3, 2.0, 0.4], Feature::Edge(2)),
        ([-2.0, 0.3, 0.4], Feature::Edge(3)),
        ([0.3, 0.2, 0.4], Feature::Face),
    ] {
        let found = closest_point(Method::Auto, Start::Centre, CellKind::Quad4, &nodes, &query.into());
        assert_eq!(found.feature, feature);
    }
    for (x, feature) in [(-2.0, Feature::Vertex(0)), (0.0, Feature::Face), (1.5, Feature::Vertex(1))] {
        for (method, start) in ALL {
            let query = Vec3::new(x, 1.0, 0.0);
            assert_eq!(closest_point(method, start, CellKind::Line2, &nodes[..2], &query).feature, feature);
        }
    }
}

#[test]
fn not_a_number_comes_back() {
    let nodes = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(f64::NAN)];
    for kind in [CellKind::Line2, CellKind::Tri3, CellKind::Quad4, CellKind::Point1, CellKind::Tet4] {
        for (method, start) in ALL {
            for query in [Vec3::repeat(f64::NAN), Vec3::repeat(f64::INFINITY)] {
                let found = closest_point(method, start, kind, &nodes[..kind.num_nodes()], &query);
                assert!(!found.distance_squared.is_finite(), "{found:?}");
                assert!(matches!(found.outcome, Outcome::Exact | Outcome::Capped), "{found:?}");
            }
        }
    }
}

/// Few quadratic programs suffice, and both Hessians give the same distance. The literature reports means of 2 to 4
/// quadratic programs for lattices.
#[test]
fn few_iterations_and_both_hessians_agree() {
    let mut s = Samples::new(4);
    let (mut exact, mut bfgs, mut centre) = (0, 0, 0);
    let count = 2000;
    for _ in 0..count {
        let flat = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3::from);
        let nodes = flat.map(|x| x + s.vector(0.2));
        let query = s.vector(1.5);
        let solve =
            |hessian, start| local_minimum(&Sqp { hessian }, start, CellKind::Quad4, &nodes, &query).unwrap();
        let first = solve(minimisation::sqp::Hessian::Exact, Start::Nearest);
        let second = solve(minimisation::sqp::Hessian::Bfgs, Start::Nearest);
        let third = solve(minimisation::sqp::Hessian::Exact, Start::Centre);
        assert!(first.converged && second.converged && third.converged);
        let distance = |xi| (interpolate(CellKind::Quad4, &nodes, xi) - query).norm();
        assert!((distance(first.xi) - distance(second.xi)).abs() < 1e-9, "{nodes:?} {query:?}");
        exact += first.iterations;
        bfgs += second.iterations;
        centre += third.iterations;
    }
    assert!(
        exact < centre && centre <= 5 * count && exact < 4 * count && bfgs < 6 * count,
        "{exact} {bfgs} {centre}"
    );
}

#[test]
fn segments_against_sampling() {
    let mut s = Samples::new(5);
    for case in 0..20_000 {
        let (mut a, mut b) = ([s.vector(1.0), s.vector(1.0)], [s.vector(1.0), s.vector(1.0)]);
        let thin = s.pick(&[0.0, 1e-12, 1e-8, 1e-4]);
        match case % 6 {
            0 => {
                // Nearly parallel, crossing at a known point.
                let (direction, across) = (s.direction(), s.direction() * thin);
                a = [-direction + across, direction - across];
                b = [-direction * 1.2 - across, direction * 0.7 + across];
            }
            1 => b = a.map(|x| x + (a[1] - a[0]) * 0.4 + Vec3::z() * 0.3),
            2 => b[1] = b[0] + s.vector(thin),
            3 => (a[1], b[1]) = (a[0], b[0]),
            _ => {}
        }
        let parameters = closest_parameters(&a, &b);
        assert!(parameters.iter().all(|t| (0.0..=1.0).contains(t)));
        // The distance is convex in both parameters: no neighbour may be closer.
        let at = |p: &[Vec3; 2], t: f64| p[0] + (p[1] - p[0]) * t.clamp(0.0, 1.0);
        let mut least = f64::INFINITY;
        for step in [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5] {
            for (i, j) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                let (p, q) = (f64::from(i) * step, f64::from(j) * step);
                let distance = at(&a, parameters[0] + p) - at(&b, parameters[1] + q);
                least = least.min(distance.norm());
            }
        }
        let found = (at(&a, parameters[0]) - at(&b, parameters[1])).norm();
        assert!(found <= least + 1e-13, "{a:?} {b:?}: {found}, {least}");
    }
}

#[test]
fn parallel_segments_meet_in_the_middle_of_their_overlap() {
    let a = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0)];
    let found = closest_parameters(&a, &[Vec3::new(3.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]);
    assert!((found[0] - 0.5).abs() < 1e-15 && (found[1] - 0.5).abs() < 1e-15, "{found:?}");
    let beyond = closest_parameters(&a, &[Vec3::new(9.0, 1.0, 0.0), Vec3::new(5.0, 1.0, 0.0)]);
    assert_eq!(beyond, [1.0, 1.0]);
}

/// Fans of five triangles, or of five warped quadrilaterals, flat, bent and folded. If all face normals are opposed to
/// a direction, the normal of the common node is opposed to it. If all face normals point along a direction, the normal
/// of the common node points along it. With a curved or collapsed face in the ring, the result is undecided.
#[test]
fn the_normal_of_a_node_is_on_the_side_of_its_faces() {
    let samples = &mut Samples::new(6);
    for kind in [CellKind::Tri3, CellKind::Quad4] {
        let next = |k: u32| 1 + (k + 1) % 5;
        let fan: Vec<Vec<u32>> = match kind {
            CellKind::Tri3 => (0..5).map(|k| vec![0, 1 + k, next(k)]).collect(),
            // Every second face begins at another corner.
            _ => (0..5)
                .map(|k| {
                    [vec![0, 1 + k, 6 + k, next(k)], vec![6 + k, next(k), 0, 1 + k]][k as usize % 2].clone()
                })
                .collect(),
        };
        let faces = || fan.iter().map(|nodes| (kind, nodes.as_slice()));
        let surface = Surface::new(faces());
        let beside = [(CellKind::Quad4, &[0, 1, 6, 0][..]), (CellKind::Tri6, &[0, 1, 6, 7, 8, 9][..])];
        let with_another = beside.map(|another| Surface::new(faces().chain([another])));
        let mut seen = [0; 3];
        for _ in 0..300 {
            let bend = samples.pick(&[0.0, 0.3, 2.0]);
            let mut positions = vec![samples.vector(1.0)];
            for ring in [1.0, 1.5] {
                for k in 0..5 {
                    let (sin, cos) = (0.2 * TAU * (f64::from(k) + ring - 1.0)).sin_cos();
                    let place = Vec3::new(cos, sin, 0.0) * ring + samples.vector(bend);
                    positions.push(positions[0] + place);
                }
            }
            let direction = samples.direction();
            let product = vertex_normal(&surface, &positions, 0).dot(&direction);
            let side = are_against(&surface, &positions, 0, &direction);
            assert!(side.is_none_or(|against| against == (product < 0.0)), "{side:?} {product}");
            for surface in &with_another {
                assert_eq!(are_against(surface, &positions, 0, &direction), None);
            }
            seen[side.map_or(2, usize::from)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{kind:?} {seen:?}");
    }
}

/// Gap of the query from the closest of all faces.
fn brute_force_gap(surface: &Surface, positions: &[Vec3], query: &Vec3) -> Gap {
    let mut best: Option<(usize, ClosestPoint)> = None;
    for face in 0..surface.num_faces() {
        let (kind, numbers) = surface.face(face);
        let nodes: Vec<Vec3> = numbers.iter().map(|&n| positions[n as usize]).collect();
        let found = closest_point(Method::Auto, Start::Nearest, kind, &nodes, query);
        if best.as_ref().is_none_or(|(_, b)| found.distance_squared < b.distance_squared) {
            best = Some((face, found));
        }
    }
    let (face, closest) = best.unwrap();
    signed_gap(surface, positions, face, query, &closest)
}

/// The cube (−1, 1)³, whose top is replaced by an inverted pyramid with its apex at z = −0.8.
fn dented_cube() -> (Surface, Vec<Vec3>) {
    let mut positions: Vec<Vec3> = [-1.0, 1.0]
        .iter()
        .flat_map(|&z| [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, z)))
        .collect();
    positions.push(Vec3::new(0.0, 0.0, -0.8));
    let quads: [[u32; 4]; 5] = [[0, 3, 2, 1], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let triangles: [[u32; 3]; 4] = [[4, 5, 8], [5, 6, 8], [6, 7, 8], [7, 4, 8]];
    let faces = quads.iter().map(|q| (CellKind::Quad4, q.as_slice()));
    let dent = triangles.iter().map(|t| (CellKind::Tri3, t.as_slice()));
    (Surface::new(faces.chain(dent)), positions)
}

#[test]
fn sides_of_a_dented_cube() {
    let (surface, positions) = dented_cube();
    let mut s = Samples::new(6);
    let mut near_features = 0;
    for case in 0..6000 {
        // The query lies anywhere, or near a corner, an edge or a face.
        let from = positions[case % 9];
        let to = positions[(case / 9) % 9];
        let spread = s.pick(&[1e-9, 1e-3, 0.3]);
        let place = from.lerp(&to, s.pick(&[0.0, 0.4]));
        let query = if case % 3 == 0 { s.vector(1.8) } else { place + s.vector(spread) };
        let roof = 1.0 - 1.8 * (1.0 - query.x.abs().max(query.y.abs()));
        let margin = (1.0 - query.x.abs()).min(1.0 - query.y.abs()).min(1.0 + query.z).min(roof - query.z);
        if margin.abs() < 1e-14 {
            continue;
        }
        let found = brute_force_gap(&surface, &positions, &query);
        assert_eq!(found.gap < 0.0, margin > 0.0, "{query:?}: {found:?}");
        assert!((found.normal.norm() - 1.0).abs() < 1e-12);
        // The gap increases in the direction of its normal.
        let step = 1e-3 * found.gap.abs();
        let ahead = brute_force_gap(&surface, &positions, &(query + found.normal * step)).gap;
        assert!(ahead > found.gap, "{query:?}: {found:?} then {ahead}");
        near_features += usize::from(found.gap.abs() < 1e-2);
    }
    assert!(near_features > 1000);
}

#[test]
fn pseudo_normals_of_a_cube() {
    let (surface, positions) = dented_cube();
    let bottom = |feature, xi| pseudo_normal(&surface, &positions, 0, xi, feature);
    let close = |found: Vec3, expected: [f64; 3]| {
        assert!((found - Vec3::from(expected).normalize()).norm() < 1e-14, "{found:?} for {expected:?}");
    };
    close(bottom(Feature::Face, [0.1, 0.7]), [0.0, 0.0, -1.0]);
    // Edge 0 of the bottom runs from node 0 to node 3, at x = −1.
    close(bottom(Feature::Edge(0), [0.2, -1.0]), [-1.0, 0.0, -1.0]);
    close(bottom(Feature::Vertex(2), [1.0, 1.0]), [1.0, 1.0, -1.0]);
    let open = Surface::new([(CellKind::Quad4, [0, 3, 2, 1].as_slice())]);
    for feature in [Feature::Edge(1), Feature::Vertex(1), Feature::Face] {
        close(pseudo_normal(&open, &positions, 0, [1.0, -1.0], feature), [0.0, 0.0, -1.0]);
    }
    // A face with a collapsed edge has the same angle at its corner as the corresponding triangle.
    let collapsed = Surface::new([
        (CellKind::Quad4, [0, 3, 2, 2].as_slice()),
        (CellKind::Quad4, [0, 2, 1, 1].as_slice()),
        (CellKind::Quad4, [1, 2, 6, 5].as_slice()),
        (CellKind::Quad4, [2, 3, 7, 6].as_slice()),
    ]);
    close(pseudo_normal(&collapsed, &positions, 0, [1.0, 1.0], Feature::Vertex(2)), [1.0, 1.0, -1.0]);
}

#[test]
fn sides_of_a_plane_polygon() {
    // An arrow head, counter-clockwise, with a re-entrant corner at the origin.
    let positions = [[2.0, -2.0, 0.0], [0.0, 3.0, 0.0], [-2.0, -2.0, 0.0], [0.0, 0.0, 0.0]].map(Vec3::from);
    let segments: [[u32; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];
    let surface = Surface::new(segments.iter().map(|s| (CellKind::Line2, s.as_slice())));
    let left = |a: &Vec3, b: &Vec3, p: &Vec3| (b - a).cross(&(p - a)).z > 0.0;
    let mut s = Samples::new(7);
    for case in 0..4000 {
        let mut query = s.vector(3.5);
        if case % 2 == 0 {
            query = positions[case % 4] + s.vector(s_pick(case));
        }
        query.z = 0.0;
        let [a, b, c, d] = &positions;
        let inside = left(a, b, &query) && left(b, c, &query) && (left(c, d, &query) || left(d, a, &query));
        let found = brute_force_gap(&surface, &positions, &query);
        assert_eq!(found.gap < 0.0, inside, "{query:?}: {found:?}");
        assert_eq!(found.normal.z, 0.0);
    }
}

/// Spread of the queries around a corner \[m\].
fn s_pick(case: usize) -> f64 {
    [1e-9, 1e-3, 0.5][case % 3]
}

#[test]
fn a_point_on_the_surface_has_the_pseudo_normal() {
    let (surface, positions) = dented_cube();
    for (query, normal) in [
        ([1.0, 0.3, 0.2], [1.0, 0.0, 0.0]),
        ([1.0, 0.3, -1.0], [1.0, 0.0, -1.0]),
        ([1.0, 1.0, -1.0], [1.0, 1.0, -1.0]),
    ] {
        let found = brute_force_gap(&surface, &positions, &query.into());
        assert_eq!(found.gap, 0.0);
        assert!((found.normal - Vec3::from(normal).normalize()).norm() < 1e-14, "{found:?}");
    }
}
