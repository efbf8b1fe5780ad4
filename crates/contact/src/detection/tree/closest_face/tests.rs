//! Compares the closest face with a search over all faces.

use super::search::{Rounded, single};
use super::*;
use crate::detection::samples::Samples;
use crate::detection::volume::Aabb;
use crate::math::eight_lanes::PortableLanes;
use proptest::prelude::*;

/// The first of the closest faces, by a search over all faces.
fn brute_force(surface: &Surface, positions: &[Vec3], query: &Vec3, radius: f64) -> Option<ClosestFace> {
    let mut best: Option<ClosestFace> = None;
    for face in 0..surface.num_faces() {
        let (kind, nodes) = surface.face(face);
        let nodes: Vec<Vec3> = nodes.iter().map(|&node| positions[node as usize]).collect();
        let point = closest_point(Method::Auto, Start::Nearest, kind, &nodes, query);
        let is_closer = best.is_none_or(|best| point.distance_squared < best.point.distance_squared);
        if point.distance_squared <= radius * radius && is_closer {
            best = Some(ClosestFace { face: face as u32, point });
        }
    }
    best
}

fn assert_brute_force(surface: &Surface, positions: &[Vec3], queries: &[Vec3], radius: f64) {
    let index = ClosestFaceIndex::build(surface, positions);
    let mut closest = vec![None; queries.len()];
    index.closest_to_all(queries, radius, &mut closest);
    for (query, found) in queries.iter().zip(closest) {
        assert_eq!(found, brute_force(surface, positions, query, radius), "{query:?} within {radius}");
        assert_eq!(found, index.closest(query, radius));
    }
}

/// Faces of the given kinds over random nodes. Some faces are degenerate; some nodes are shared or coincident.
fn soup(s: &mut Samples, num_faces: usize, kinds: &[CellKind]) -> (Surface, Vec<Vec3>) {
    let num_nodes = 2 * num_faces + 9;
    let spread = s.pick(&[0.05, 0.3, 1.0]);
    let mut positions: Vec<Vec3> = (0..num_nodes).map(|_| s.vector(1.0)).collect();
    for k in 1..num_nodes {
        let jitter = s.vector(spread);
        positions[k] = match s.bits() % 8 {
            0 => positions[k - 1],
            1 => positions[k - 1] + s.vector(1e-9),
            2 => positions[k - 1].lerp(&positions[k / 2], 0.3),
            _ => positions[k / 2] + jitter,
        };
    }
    let faces: Vec<(CellKind, Vec<u32>)> = (0..num_faces)
        .map(|face| {
            let kind = s.pick(kinds);
            let first = 2 * face as u64;
            let nodes = (0..kind.num_nodes()).map(|_| (first + s.bits() % 9) as u32).collect();
            (kind, nodes)
        })
        .collect();
    (Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice()))), positions)
}

/// Random queries, and queries on and slightly off nodes and edges.
fn queries(s: &mut Samples, positions: &[Vec3], count: usize) -> Vec<Vec3> {
    (0..count)
        .map(|_| {
            let (a, b) = (s.pick(positions), s.pick(positions));
            let off = s.pick(&[0.0, 1e-12, 1e-3, 0.1]);
            match s.bits() % 4 {
                0 => s.vector(1.5),
                1 => a,
                2 => a.lerp(&b, 0.5) + s.vector(off),
                _ => a + s.vector(off),
            }
        })
        .collect()
}

const TRIANGLES: &[CellKind] = &[CellKind::Tri3];
const MIXED: &[CellKind] =
    &[CellKind::Tri3, CellKind::Tri3, CellKind::Quad4, CellKind::Line2, CellKind::Tri6];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn soups_of_triangles(seed: u64, num_faces in 0..300_usize, radius in prop_oneof![Just(f64::INFINITY), 0.0..0.5]) {
        let mut s = Samples::new(seed);
        let (surface, positions) = soup(&mut s, num_faces, TRIANGLES);
        let queries = queries(&mut s, &positions, 37);
        assert_brute_force(&surface, &positions, &queries, radius);
    }

    #[test]
    fn soups_of_all_kinds(seed: u64, num_faces in 0..60_usize, radius in prop_oneof![Just(f64::INFINITY), 0.0..0.5]) {
        let mut s = Samples::new(seed);
        let (surface, positions) = soup(&mut s, num_faces, MIXED);
        let queries = queries(&mut s, &positions, 11);
        assert_brute_force(&surface, &positions, &queries, radius);
    }
}

proptest! {
    /// The key of a box is never larger than the key of the distance to a point in the box. The test includes near and
    /// far queries, and coordinates at which the exponent in single precision changes.
    #[test]
    fn rounding_excludes_no_box(seed: u64) {
        let mut s = Samples::new(seed);
        for _ in 0..100 {
            let size = s.pick(&[1e-30, 1e-3, 1.0, 1e6]);
            let anywhere = s.vector(size);
            let corner = anywhere.map(|c| s.pick(&[c, 1.0 - 1e-9, 2.0 - 1e-12, 1e-42]));
            let away = s.pick(&[0.0, 1e-12, 1e-7, 1.0, 1e9]) * size;
            let query = corner + s.vector(away);
            let origin = s.pick(&[Vec3::zeros(), corner, query]);
            let bounds = Aabb { lower: corner, upper: corner };
            let node = Node::of(&[Some(bounds)], 0, &origin);
            let key = node.keys(PortableLanes, &Rounded::new(&query, &origin))[0];
            let distance_squared = (query - corner).norm_squared();
            prop_assert!(key <= single(distance_squared), "{corner:?} {query:?} {origin:?}");
        }
    }
}

/// A wavy sheet of 2 n² triangles.
fn sheet(n: u32) -> (Surface, Vec<Vec3>) {
    let place = |k: u32| f64::from(k) / f64::from(n);
    let height = |x: f64, y: f64| 0.02 * (17.0 * x).sin() * (13.0 * y + 1.0).cos();
    let positions = (0..=n).flat_map(|i| (0..=n).map(move |j| (place(i), place(j))));
    let positions: Vec<Vec3> = positions.map(|(x, y)| Vec3::new(x, y, height(x, y))).collect();
    let corner = |i: u32, j: u32| i * (n + 1) + j;
    let faces: Vec<[u32; 3]> = (0..n)
        .flat_map(|i| {
            (0..n).map(move |j| [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)])
        })
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    (Surface::new(faces.iter().map(|f| (CellKind::Tri3, f.as_slice()))), positions)
}

/// Consecutive queries near each other follow a common path through the tree; scattered queries follow different paths.
#[test]
fn neighbouring_and_scattered_queries() {
    let (surface, positions) = sheet(20);
    let mut s = Samples::new(11);
    let rows: Vec<Vec3> = positions.iter().map(|x| x + Vec3::new(0.01, 0.02, 0.03)).collect();
    let scattered: Vec<Vec3> = (0..200).map(|_| s.vector(2.0)).collect();
    let far: Vec<Vec3> = (0..50).map(|_| s.vector(1e7)).collect();
    let own: Vec<Vec3> = positions.iter().step_by(3).copied().collect();
    for queries in [rows, scattered, far, own] {
        for radius in [f64::INFINITY, 0.04, 0.0] {
            assert_brute_force(&surface, &positions, &queries, radius);
        }
    }
}

/// Queries near the centre of a ball are about equally close to all faces, and overflow a list. On a ball with many
/// faces, this is the list of nodes; on a ball with fewer faces, the list of leaves.
#[test]
fn queries_that_all_faces_are_close_to() {
    let mut s = Samples::new(3);
    for n in [20, 40] {
        let (surface, sheet) = sheet(n);
        let ball = |x: &Vec3| {
            let (longitude, latitude) = (6.2 * x.x, 3.0 * (x.y - 0.5));
            Vec3::new(latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin())
        };
        let positions: Vec<Vec3> = sheet.iter().map(ball).collect();
        for off in [0.0, 1e-3, 0.1] {
            let queries: Vec<Vec3> = (0..40).map(|_| s.vector(off)).collect();
            assert_brute_force(&surface, &positions, &queries, f64::INFINITY);
            assert_brute_force(&surface, &positions, &queries, 1.0);
        }
    }
}

/// The queries are at and above the nodes of a regular grid, where up to six faces are equally close.
#[test]
fn of_equally_close_faces_the_first_wins() {
    let (surface, positions) = sheet(9);
    let flat: Vec<Vec3> = positions.iter().map(|x| Vec3::new(x.x, x.y, 0.0)).collect();
    let above: Vec<Vec3> = flat.iter().map(|x| x + Vec3::new(0.0, 0.0, 0.25)).collect();
    assert_brute_force(&surface, &flat, &flat, f64::INFINITY);
    assert_brute_force(&surface, &flat, &above, f64::INFINITY);
    assert_brute_force(&surface, &flat, &above, 0.25);
}

#[test]
fn empty_surfaces_and_numbers_that_are_none() {
    let none = ClosestFaceIndex::build(&Surface::default(), &[]);
    assert_eq!(none.closest(&Vec3::zeros(), f64::INFINITY), None);
    let (surface, mut positions) = sheet(4);
    let index = ClosestFaceIndex::build(&surface, &positions);
    assert_eq!(index.closest(&Vec3::repeat(f64::NAN), f64::INFINITY), None);
    assert_eq!(index.closest(&Vec3::zeros(), f64::NAN), None);
    for node in [7, 11, 12, 13, 17] {
        positions[node] = Vec3::repeat(f64::NAN);
        assert_brute_force(&surface, &positions, &[Vec3::zeros(), Vec3::repeat(0.5)], f64::INFINITY);
    }
}

#[test]
fn answers_do_not_depend_on_threads() {
    let (surface, positions) = sheet(40);
    let queries: Vec<Vec3> = positions.iter().map(|x| x + Vec3::new(0.003, -0.004, 0.02)).collect();
    let with = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut closest = vec![None; queries.len()];
            ClosestFaceIndex::build(&surface, &positions).closest_to_all(
                &queries,
                f64::INFINITY,
                &mut closest,
            );
            closest
        })
    };
    assert_eq!(with(1), with(3));
}
