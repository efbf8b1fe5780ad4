//! Closest points of the 41 472 triangles of a rough surface to the nodes of another rough surface.
//!
//! References in the same run: a plain implementation of Ericson's closest point of a triangle, and a search over all
//! faces for a few nodes. Other libraries need the following times \[ns\] on the same surfaces, on one core of a
//! similar machine with warm caches. Closest point of a triangle: 5.2 batched, 11–17 Ericson with branches, 22–36
//! parry. Closest point of the surface per node: 511 bvh and 523 Embree (both single precision), 891 parry, 1261
//! libigl, 1536 CGAL. The same with a bound on the distance: 211 Embree, 418 parry (one spacing); 381 Embree, 686 parry
//! (two spacings). Build of the tree per triangle: 58 obvhs (single precision), 85 Embree, 311 parry.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod common;
#[path = "common/ericson.rs"]
mod ericson;
#[path = "common/rough_surfaces.rs"]
mod rough_surfaces;

use std::hint::black_box;

use common::{Timing, heading, measure, repetitions, report};
use ictus::contact::Surface;
use ictus::contact::detection::face::closest_point::batch::{
    ClosestLanes, PointLanes, TriangleLanes, closest_points_of_triangles,
};
use ictus::contact::detection::face::closest_point::{Method, Start, closest_point};
use ictus::contact::detection::tree::closest_face::ClosestFaceIndex;
use ictus::math::Vec3;
use ictus::math::real::{LANES, Lanes};
use ictus::math::vectorised::Vectorised;
use ictus::mesh::CellKind;
use rough_surfaces::{RoughSurface, SPACING, SUM_OF_SQUARED_DISTANCES};

/// Number of pairs of a point and a triangle that are near each other.
const PAIRS: usize = 8192;

/// Pairs of a lower node and a nearby upper triangle, distributed over the surface.
fn near_pairs(lower: &RoughSurface, upper: &RoughSurface) -> Vec<(Vec3, [Vec3; 3])> {
    (0..PAIRS)
        .map(|k| {
            let face = k * 7919 % upper.triangles.len();
            let corners = upper.triangles[face].map(|node| upper.nodes[node as usize]);
            let node = upper.triangles[face][k % 3] as usize;
            (lower.nodes[(node + k % 5) % lower.nodes.len()], corners)
        })
        .collect()
}

fn point_and_triangle(lower: &RoughSurface, upper: &RoughSurface) {
    heading("a point and a triangle near it");
    let pairs = near_pairs(lower, upper);
    let many = repetitions(200);
    let plain = measure(PAIRS, many, || {
        pairs.iter().for_each(|(query, corners)| {
            black_box((query - ericson::closest_point(query, corners)).norm_squared());
        });
    });
    report("plain Ericson, distance (yardstick)", "pair", plain);
    let scalar = measure(PAIRS, many, || {
        for (query, corners) in &pairs {
            black_box(closest_point(Method::Auto, Start::Nearest, CellKind::Tri3, corners, query));
        }
    });
    report("one at a time: point, xi, feature", "pair", scalar);
    let mut triangles = vec![TriangleLanes::ZERO; PAIRS / LANES];
    let mut queries: Vec<PointLanes> = vec![[Lanes([0.0; LANES]); 3]; PAIRS / LANES];
    for (k, (query, corners)) in pairs.iter().enumerate() {
        triangles[k / LANES].set(k % LANES, corners);
        (0..3).for_each(|d| queries[k / LANES][d].0[k % LANES] = query[d]);
    }
    let mut closest = vec![ClosestLanes::ZERO; PAIRS / LANES];
    for (label, vectorised) in [("widest", Vectorised::detect()), ("baseline", Vectorised::baseline())] {
        let timing = measure(PAIRS, many, || {
            closest_points_of_triangles(vectorised, &triangles, &queries, &mut closest);
            black_box(&closest);
        });
        report(&format!("in lanes, {label}: point, xi, feature"), "pair", timing);
    }
}

fn surface(lower: &RoughSurface, upper: &RoughSurface) {
    heading("the closest point of a surface, one thread");
    let faces = || upper.triangles.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice()));
    let surface = Surface::new(faces());
    let few = repetitions(20);
    let count = lower.nodes.len();
    let mut index = ClosestFaceIndex::build(&surface, &upper.nodes);
    let build =
        measure(upper.triangles.len(), few, || index = ClosestFaceIndex::build(&surface, &upper.nodes));
    report("build", "face", build);
    let sample: Vec<&Vec3> = lower.nodes.iter().step_by(count / 4).collect();
    let corners: Vec<[Vec3; 3]> =
        upper.triangles.iter().map(|nodes| nodes.map(|node| upper.nodes[node as usize])).collect();
    let all = measure(sample.len(), repetitions(5), || {
        for query in &sample {
            let distances = corners
                .iter()
                .map(|corners| (*query - ericson::closest_point(query, corners)).norm_squared());
            black_box(distances.fold(f64::MAX, f64::min));
        }
    });
    report("all faces, plain Ericson (yardstick)", "node", all);
    let mut closest = vec![None; count];
    for (label, radius) in
        [("unbounded", f64::INFINITY), ("within h", SPACING), ("within 2 h", 2.0 * SPACING)]
    {
        let timing: Timing = measure(count, few, || index.closest_to_all(&lower.nodes, radius, &mut closest));
        let found = closest.iter().flatten().count();
        report(&format!("{label}, {found} found"), "node", timing);
        if radius == f64::INFINITY {
            let sum: f64 = closest.iter().flatten().map(|face| face.point.distance_squared).sum();
            println!("sum of squared distances {sum:.10} (known: {SUM_OF_SQUARED_DISTANCES:.10})");
            assert!((sum - SUM_OF_SQUARED_DISTANCES).abs() < 1e-9);
        }
    }
}

fn main() {
    let (lower, upper) = (RoughSurface::lower(), RoughSurface::upper());
    point_and_triangle(&lower, &upper);
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| surface(&lower, &upper)),
        Err(error) => println!("no thread: {error}"),
    }
}
