//! Distance fields: cost per support point, its growth with the size of the mesh, and errors of each algorithm. For
//! comparison, the cost of the closest-point query of the hierarchy alone.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on fails")]

mod common;
#[path = "common/solids.rs"]
mod solids;

use std::hint::black_box;
use std::time::Instant;

use common::{heading, repetitions};
use ictus::contact::detection::distance_field::{
    Band, DistanceAlgorithm, DistanceField, DistanceFieldOptions,
};
use ictus::contact::detection::tree::closest_face::ClosestFaceIndex;
use ictus::mesh::CellKind;
use solids::{Body, ball, block, block_with_hole, bumpy, half_shell};

const ALGORITHMS: [DistanceAlgorithm; 5] = [
    DistanceAlgorithm::Certified,
    DistanceAlgorithm::RingWalk,
    DistanceAlgorithm::FrontMarching,
    DistanceAlgorithm::DiscretePoints,
    DistanceAlgorithm::FastMarching,
];

fn field(body: &Body, algorithm: DistanceAlgorithm) -> DistanceField {
    body.field(&DistanceFieldOptions { algorithm, band: Band::Whole, ..Default::default() }).unwrap()
}

/// Shortest time of several repetitions \[ns\].
fn nanoseconds(many: usize, mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9
    };
    (0..many).map(once).fold(f64::INFINITY, f64::min)
}

/// Prints the time per support point of a whole field, and the time of the closest-point query of the hierarchy alone.
fn costs() {
    heading(
        "ns per support point of a bumpy body of tetrahedra, whole field; last the query of the hierarchy alone",
    );
    for n in if repetitions(2) == 1 { vec![3, 4] } else { vec![6, 12, 24] } {
        let body = bumpy(n, 0.12 / n as f64, 1);
        let points = field(&body, DistanceAlgorithm::Certified).positions().to_vec();
        let count = points.len() as f64;
        print!("{:>8} points", points.len());
        for algorithm in ALGORITHMS {
            let time = nanoseconds(repetitions(3), || drop(black_box(field(&body, algorithm))));
            print!("  {algorithm:?} {:.0}", time / count);
        }
        let mut found = vec![None; points.len()];
        let time = nanoseconds(repetitions(3), || {
            let index = ClosestFaceIndex::build(&body.surface, &body.nodes);
            index.closest_to_all(&points, f64::INFINITY, &mut found);
            black_box(&found);
        });
        println!("  query {:.0}", time / count);
    }
}

/// Prints the number of wrong support points and the largest error of each algorithm.
fn errors() {
    heading("wrong support points (beyond 1e-12) of all, and the largest error; bodies of size 1 to 10");
    let bodies = [
        ("cube, hexahedra", block(CellKind::Hex8, [5; 3], [1.0; 3])),
        ("ball, hexahedra", ball(CellKind::Hex8, 6, 1.0)),
        ("ball, tetrahedra", ball(CellKind::Tet4, 6, 1.0)),
        ("block with a hole", block_with_hole(1)),
        ("half shell with clamp", half_shell(CellKind::Tet4, false, 4)),
    ];
    let bumpy_bodies = (0..20).map(|seed| ("bumpy", bumpy(6, 0.05, seed)));
    for (name, body) in bodies.into_iter().chain(bumpy_bodies) {
        let exact = field(&body, DistanceAlgorithm::Certified);
        print!("{name:>22} {:>6}", exact.positions().len());
        for algorithm in ALGORITHMS.into_iter().skip(1) {
            let other = field(&body, algorithm);
            let pairs = other.distances().iter().zip(exact.distances());
            let (wrong, most) = pairs.map(|(a, b)| (a - b).abs()).fold((0, 0.0), |(wrong, most), error| {
                (wrong + usize::from(error > 1e-12), f64::max(most, error))
            });
            print!("  {algorithm:?} {wrong} {most:.1e}");
        }
        println!();
    }
}

fn main() {
    costs();
    errors();
}
