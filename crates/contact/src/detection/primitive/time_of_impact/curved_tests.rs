//! Tests of the times of impact of curved faces against closed forms.

use super::tests::RigidFace;
use super::*;
use crate::detection::samples::Samples;
use crate::mesh::CellKind;

/// Coordinates of the nodes of a face in the square [0, 1]².
fn node_places(kind: CellKind) -> Vec<[f64; 2]> {
    let square = [
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 1.0],
        [0.5, 0.0],
        [1.0, 0.5],
        [0.5, 1.0],
        [0.0, 0.5],
        [0.5, 0.5],
    ];
    let triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];
    match kind {
        CellKind::Line2 | CellKind::Line3 => [[0.0; 2], [1.0, 0.0], [0.5, 0.0]][..kind.num_nodes()].to_vec(),
        CellKind::Tri3 | CellKind::Tri6 => triangle[..kind.num_nodes()].to_vec(),
        _ => square[..kind.num_nodes()].to_vec(),
    }
}

/// Part of the paraboloid z = bend |r|² + top. r is the horizontal vector from the point `at`. The part lies over a
/// triangle or square with sides (legs) of length 2 around this point.
fn paraboloid(kind: CellKind, at: [f64; 2], bend: f64, top: f64, velocity: Vec3) -> RigidFace {
    let offset = if kind.linear() == CellKind::Tri3 { 2.0 / 3.0 } else { 1.0 };
    let nodes: Vec<Vec3> = node_places(kind)
        .into_iter()
        .map(|[u, v]| {
            let (x, y) = (2.0 * u - offset, 2.0 * v - offset);
            Vec3::new(at[0] + x, at[1] + y, top + bend * (x * x + y * y))
        })
        .collect();
    RigidFace::translating(kind, &nodes, velocity, Vec3::zeros())
}

const SURFACES: [CellKind; 3] = [CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];

/// Two paraboloids with the curvatures κ₁ and κ₂ and with parallel axes at the distance d. The gap is least at the
/// distance r from the first axis, with κ₁ r = κ₂ (d − r). This point is within both faces. The shape functions of an
/// eight-node face contain x² and y², so this face is an exact paraboloid as well.
#[test]
fn paraboloids_meet_where_calculated() {
    let samples = &mut Samples::new(3);
    for round in 0..120 {
        let kinds = [samples.pick(&SURFACES), samples.pick(&SURFACES)];
        let bends = [samples.uniform(0.05, 1.0), samples.uniform(0.05, 1.0)];
        let miss = [samples.uniform(-0.3, 0.3), samples.uniform(-0.3, 0.3)];
        let speed = samples.uniform(0.1, 10.0);
        let a = paraboloid(kinds[0], miss, bends[0], 1.0, Vec3::new(0.0, 0.0, -speed));
        let b = paraboloid(kinds[1], [0.0; 2], -bends[1], 0.0, Vec3::zeros());
        let least = bends[0] * bends[1] / (bends[0] + bends[1]) * (miss[0] * miss[0] + miss[1] * miss[1]);
        let exact = (1.0 + least) / speed;
        let impact = time_of_impact(&a, &b, 20.0).unwrap();
        let early = (exact - impact.time) * speed;
        assert!(early >= -1e-13, "{round}, {kinds:?}: late by {:e}", -early);
        assert!(early <= 8e-9, "{round}, {kinds:?}: early by {early:e}");
        let place = bends[0] / (bends[0] + bends[1]);
        let point = Vec3::new(miss[0] * place, miss[1] * place, 0.0);
        assert!((impact.point - point).xy().norm() < 1e-3, "{impact:?}, not at {point}");
        let slope = -2.0 * bends[1] * point;
        let normal = Vec3::new(-slope.x, -slope.y, 1.0).normalize();
        assert!((impact.normal - normal).norm() < 1e-3, "{impact:?}, not {normal}");
        assert_eq!(time_of_impact(&a, &b, exact * 0.999), None);
    }
}

/// If coplanar faces meet edge to edge, the normal is in the plane of the faces, parallel to the velocity.
#[test]
fn faces_in_one_plane_meet_with_their_edges() {
    for kind in SURFACES {
        for shift in [0.0, 0.3] {
            let low = if kind == CellKind::Tri6 { 2.0 / 3.0 } else { 1.0 };
            let high = 2.0 - low;
            let a = paraboloid(kind, [-high - 0.5, shift], 0.0, 0.0, Vec3::new(2.0, 0.0, 0.0));
            let b = paraboloid(kind, [low, 0.0], 0.0, 0.0, Vec3::zeros());
            let impact = time_of_impact(&a, &b, 1.0).unwrap();
            assert!((impact.time - 0.25).abs() < 1e-8, "{kind:?} {shift} {impact:?}");
            assert!((impact.normal + Vec3::x()).norm() < 1e-6, "{kind:?} {shift} {impact:?}");
        }
    }
}

/// A spoke of length R that rotates at the rate ω. The spoke never reaches a distant wall at rest. A wall that
/// approaches from the distance X at the speed v meets the spoke at the first t with R cos ωt = X − v t, after about
/// nineteen revolutions. Straight walls with two nodes and with three nodes give the same time.
#[test]
fn a_spoke_turns_many_times_before_it_touches() {
    let (length, spin, far, speed) = (1.8, 26.7, 3.1, 0.3);
    let spoke = RigidFace {
        spin: Vec3::z() * spin,
        ..RigidFace::translating(
            CellKind::Line2,
            &[Vec3::x(), Vec3::x() * length],
            Vec3::zeros(),
            Vec3::zeros(),
        )
    };
    let left = |s: f64| far - speed * s - length * (spin * s).cos();
    let step = 1e-4;
    let mut exact = 0.0;
    while left(exact + step) > 0.0 {
        exact += step;
    }
    let (mut low, mut high) = (exact, exact + step);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if left(middle) > 0.0 { low = middle } else { high = middle }
    }
    for (kind, ends) in [(CellKind::Line2, 2), (CellKind::Line3, 3)] {
        let nodes = [[far, 0.6, 0.0], [far, -0.6, 0.0], [far, 0.0, 0.0]].map(Vec3::from);
        let wall = |v: f64| RigidFace::translating(kind, &nodes[..ends], Vec3::x() * -v, Vec3::zeros());
        assert_eq!(time_of_impact(&spoke, &wall(0.0), 2.5), None, "{kind:?}");
        let impact = time_of_impact(&spoke, &wall(speed), 10.0).unwrap();
        let early = low - impact.time;
        assert!((-1e-12..1e-8).contains(&early), "{kind:?}: {} of {low}", impact.time);
    }
}
