//! Closest points of random faces to nearby queries: all methods on all kinds of faces.

use std::hint::black_box;

use ictus::contact::detection::face::closest_point::batch::{
    ClosestLanes, PointLanes, TriangleLanes, closest_points_of_triangles,
};
use ictus::contact::detection::face::closest_point::{
    ClosestPoint, Domain, Method, Outcome, Start, closest_point,
};
use ictus::element::shape_values;
use ictus::math::Vec3;
use ictus::math::real::{LANES, Lanes};
use ictus::math::vectorised::Vectorised;
use ictus::mesh::CellKind;

use crate::COUNT;
use crate::common::{heading, measure, repetitions, report};
use crate::ericson;
use crate::random::Random;

const KINDS: [CellKind; 7] = [
    CellKind::Tri3,
    CellKind::Quad4,
    CellKind::Tri6,
    CellKind::Quad8,
    CellKind::Quad9,
    CellKind::Line2,
    CellKind::Line3,
];

const METHODS: [Method; 8] = [
    Method::Auto,
    Method::Voronoi,
    Method::BruteForce,
    Method::Sqp,
    Method::SqpBfgs,
    Method::ActiveSet,
    Method::InteriorPoint,
    Method::Newton,
];

/// Nodes of a face \[m\] and a query \[m\].
type Sample = (Vec<Vec3>, Vec3);

/// A face and a query, typical of detection. The nodes are perturbed by up to a twentieth of the side of the face in
/// each direction. The query is within a tenth of the side from a point of the face.
fn sample(random: &mut Random, kind: CellKind) -> Sample {
    let corners = Domain::of(kind).map_or([].as_slice(), |domain| domain.corners);
    let natural = |k: usize| Vec3::new(corners[k][0], corners[k][1], 0.0);
    let middle = |k: usize| (natural(k) + natural((k + 1) % corners.len())) * 0.5;
    let count = corners.len();
    let side = if count == 3 { 1.0 } else { 2.0 };
    let nodes: Vec<Vec3> = (0..kind.num_nodes())
        .map(|k| match k {
            k if k < count => natural(k),
            k if k < 2 * count && count > 2 => middle(k - count),
            _ => Vec3::zeros(),
        })
        .map(|x| x + random.vector(0.05 * side))
        .collect();
    let shares: Vec<f64> = corners.iter().map(|_| random.unit()).collect();
    let sum: f64 = shares.iter().sum();
    let xi = corners.iter().zip(&shares).fold([0.0; 3], |xi, (corner, share)| {
        [xi[0] + corner[0] * share / sum, xi[1] + corner[1] * share / sum, 0.0]
    });
    let mut values = [0.0; 9];
    shape_values(kind, xi, &mut values);
    let point: Vec3 = nodes.iter().zip(values).map(|(x, n)| x * n).sum();
    let query = point + random.vector(0.1 * side);
    (nodes, query)
}

/// Prints the time per query for triangles that are processed in vector lanes.
fn in_lanes(samples: &[Sample], yardstick: f64) {
    let mut triangles = vec![TriangleLanes::ZERO; samples.len() / LANES];
    let mut queries: Vec<PointLanes> = vec![[Lanes([0.0; LANES]); 3]; triangles.len()];
    for (k, (x, q)) in samples[..LANES * triangles.len()].iter().enumerate() {
        triangles[k / LANES].set(k % LANES, &[x[0], x[1], x[2]]);
        (0..3).for_each(|d| queries[k / LANES][d].0[k % LANES] = q[d]);
    }
    let mut closest = vec![ClosestLanes::ZERO; triangles.len()];
    let timing = measure(LANES * triangles.len(), repetitions(1000), || {
        closest_points_of_triangles(Vectorised::detect(), &triangles, &queries, &mut closest);
        black_box(&closest);
    });
    report(&format!("tri3 in lanes {:.1}", timing.minimum / yardstick), "query", timing);
}

/// Prints the time per query, the mean iterations and the outcome for each kind of face and each method.
pub fn closest_points(random: &mut Random) {
    heading(
        "closest point of a face to a query near it (iterations, certified without a search; minimum over that of the yardstick)",
    );
    // The yardstick is the time for the first kind, the triangle.
    let mut yardstick = f64::NAN;
    for kind in KINDS {
        let samples: Vec<_> = (0..COUNT).map(|_| sample(random, kind)).collect();
        let time = |label: &str, yardstick: f64, work: &dyn Fn(&Sample)| {
            // Repetitions are short, so that other programs do not disturb all repetitions.
            let timing = measure(COUNT, repetitions(150), || samples.iter().for_each(work));
            report(&format!("{label} {:.1}", timing.minimum / yardstick), "query", timing);
            timing.minimum
        };
        if kind == CellKind::Tri3 {
            yardstick = time("tri3 plain Ericson (yardstick)", f64::NAN, &|(x, q)| {
                black_box(ericson::closest_point(q, &[x[0], x[1], x[2]]));
            });
            in_lanes(&samples, yardstick);
        }
        for method in METHODS.into_iter().filter(|method| method.serves(kind)) {
            let solve = |(x, q): &Sample| closest_point(method, Start::Nearest, kind, x, q);
            let found: Vec<ClosestPoint> = samples.iter().map(solve).collect();
            assert!(found.iter().all(|found| found.outcome != Outcome::Capped), "{method:?}, {kind:?}");
            let mean = found.iter().map(|found| f64::from(found.iterations)).sum::<f64>() / COUNT as f64;
            let searched = found.iter().filter(|found| found.outcome == Outcome::Searched).count();
            let certified = 100.0 * (1.0 - searched as f64 / COUNT as f64);
            let label = format!("{} {method:?} ({mean:.2}, {certified:.1} %)", kind.name());
            time(&label, yardstick, &|sample| {
                black_box(solve(sample));
            });
        }
    }
}
