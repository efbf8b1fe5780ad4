//! Iterations of the closest-point methods over the lattices of Aragón, Yastrebov & Molinari 2013, §5.1.
//!
//! ```text
//!   · · · · · · ·     50 × 50 query points r around one face, in its plane. The face is a triangle or a
//!   · · · · 2 · ·     quadrilateral, linear or with mid-side nodes (one edge convex, the others concave).
//!   · 0-------| ·     Each method minimises the distance of a point of the face from r.
//!   · · · · 1 · ·
//! ```
//!
//! Goal: the trends of the paper's table I. The mean numbers of iterations depend on the tolerance, on the counting of
//! iterations, and on nodal coordinates that the paper does not give. The means of an independent implementation on the
//! same faces agree within 1.5 iterations. The differences that show the trends are larger.

#[path = "../../benches/closest_point/study.rs"]
mod study;

use study::{APPROACHES, Approach, Case, Iterations, PLANE, SPACE};

/// Lattice points along each axis.
const LINES: u32 = 50;

fn iterations(approach: Approach, case: &Case) -> Iterations {
    Iterations::count(approach, case, &case.lattice(LINES))
}

/// Starting from the nearest node (option I) takes fewer iterations than from the centre (option II).
#[test]
fn the_nearest_node_is_the_better_start() {
    for (one, two) in [
        (Approach::SqpNearest, Approach::SqpCentre),
        (Approach::BfgsNearest, Approach::BfgsCentre),
        (Approach::ActiveSetNearest, Approach::ActiveSetCentre),
    ] {
        for case in PLANE.iter().chain(&SPACE) {
            let [first, second] = [one, two].map(|approach| iterations(approach, case).mean());
            assert!(first < second - 0.1, "{one:?}, {:?}: {first} against {second}", case.kind);
        }
    }
}

/// Iterations of the interior-point method divided by the iterations of SQP, with option I. In table I of the paper the
/// ratio is 3.2 to 6.0 for single faces, and 5.0 over all four faces. The test requires 3.5 to 6.0, and 5.0 ± 0.5.
#[test]
fn the_interior_point_method_takes_several_times_the_iterations() {
    let (mut interior, mut sequential) = (0.0, 0.0);
    for case in &PLANE {
        let [barrier, programs] =
            [Approach::InteriorPoint, Approach::SqpNearest].map(|approach| iterations(approach, case).mean());
        println!("{:?}: interior point {barrier:.2}, SQP {programs:.2}", case.kind);
        assert!((3.5..=6.0).contains(&(barrier / programs)), "{:?}: {barrier} and {programs}", case.kind);
        interior += barrier;
        sequential += programs;
    }
    assert!((interior / sequential - 5.0).abs() < 0.5, "{interior} and {sequential}");
}

/// If the closest point is a corner, option I starts at the solution and confirms this solution in one iteration.
/// Option I takes one iteration at more than a quarter of the points. Option II always takes more than one iteration.
#[test]
fn one_iteration_is_enough_about_a_corner() {
    for case in &PLANE {
        let nodes = case.points();
        let lattice = case.lattice(LINES);
        for one in [Approach::SqpNearest, Approach::ActiveSetNearest] {
            let counts = iterations(one, case);
            let corners =
                [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
            let corners = if case.kind.corners().len() == 3 { &corners[4..] } else { &corners[..4] };
            for (query, &count) in lattice.iter().zip(&counts.0) {
                let xi = one.solve(case.kind, &nodes, query).unwrap().xi;
                assert!(!corners.contains(&xi) || count == 1, "{one:?}, {:?}, {query:?}: {count}", case.kind);
            }
            let share = counts.share_of_one();
            println!("{:?}, {one:?}: one iteration at {:.0} % of the points", case.kind, 100.0 * share);
            assert!(share > 0.25);
        }
        for two in [Approach::SqpCentre, Approach::ActiveSetCentre] {
            assert!(iterations(two, case).fewest() > 1);
        }
    }
}

/// Source: an independent implementation of the same methods. Because of other line searches and tolerances, some of
/// its means are larger than ours: by up to 1.25 iterations on linear faces, and by up to 1.4 on faces with mid-side
/// nodes. Our means exceed the other means by less than a quarter of an iteration.
#[test]
fn means_are_those_of_an_independent_implementation() {
    for approach in APPROACHES {
        for (case, expected) in PLANE.iter().zip(approach.published().independent) {
            let counts = iterations(approach, case);
            let mean = counts.mean();
            println!(
                "{:?}, {approach:?}: {mean:.2} (at most {}), expected {expected}",
                case.kind,
                counts.most()
            );
            let fewer = if case.kind.corners().len() == case.kind.num_nodes() { 1.25 } else { 1.4 };
            assert!((-fewer..0.25).contains(&(mean - expected)), "{:?}, {approach:?}: {mean}", case.kind);
        }
    }
}
