//! Tests of rigid walls. Reference: the heights of all nodes at many instants.

use super::*;
use crate::detection::samples::Samples;
use crate::math::{RigidMotion, Rotation};
use crate::mesh::CellKind;
use crate::{Constraint, ContactKey, NodeOnSurface, Side};

/// A cloud of triangles and a wall. The node of the wall is numbered after the nodes of the triangles.
struct Scene {
    surface: Surface,
    positions: Vec<Vec3>,
    wall: Wall,
}

fn scene(samples: &mut Samples, num_faces: u32) -> Scene {
    let mut positions: Vec<Vec3> = (0..3 * num_faces).map(|_| samples.vector(1.0)).collect();
    let faces: Vec<[u32; 3]> = (0..num_faces).map(|face| [0, 1, 2].map(|k| 3 * face + k)).collect();
    let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())));
    let normal = samples.vector(1.0).normalize();
    positions.push(normal * -3.0 + samples.vector(1.0).cross(&normal));
    Scene { surface, wall: Wall { body: 1, node: 3 * num_faces, normal }, positions }
}

fn detector(wall: Wall, surface: &Surface, positions: &[Vec3]) -> WallDetector {
    WallDetector::new(vec![wall], std::slice::from_ref(surface), &ContactPolicy::default(), positions)
}

impl Scene {
    fn detector(&self) -> WallDetector {
        detector(self.wall, &self.surface, &self.positions)
    }

    /// Least height of all nodes at the time s after the beginning of the flight.
    fn least_height(&self, motions: &[RigidMotion; 2], s: f64) -> f64 {
        let origin = motions[1].point(&self.positions[self.wall.node as usize], s).0;
        let height = |&node: &u32| {
            let x = motions[0].point(&self.positions[node as usize], s).0;
            self.wall.normal.dot(&(x - origin))
        };
        self.surface.nodes().iter().map(height).fold(f64::INFINITY, f64::min)
    }

    fn flight<'a>(&'a self, motions: &'a [RigidMotion; 2], duration: f64) -> Flight<'a> {
        Flight { time: 5.0, duration, end: 5.0 + duration, reference_positions: &self.positions, motions }
    }
}

fn random_motions(samples: &mut Samples, spin: f64, normal: &Vec3) -> [RigidMotion; 2] {
    let angular_velocity = samples.vector(spin);
    let body = RigidMotion {
        centre: samples.vector(0.3),
        velocity: samples.vector(1.0) - normal,
        acceleration: samples.vector(1.0),
        rotation: Rotation::from_scaled_axis(samples.vector(3.0)),
        angular_velocity,
        spin_bound: angular_velocity.norm_squared(),
        ..RigidMotion::at_rest(samples.vector(0.3))
    };
    let wall = RigidMotion {
        velocity: samples.vector(0.3),
        acceleration: samples.vector(0.3),
        ..RigidMotion::at_rest(Vec3::zeros())
    };
    [body, wall]
}

/// Bodies that translate, rotate and accelerate against moving walls: before the impact no node is below the wall, and
/// at the impact a node is on the wall, to 1e-13. Without an impact no node is below the wall at any instant of the
/// flight.
#[test]
fn first_impacts_are_exact_and_never_late() {
    let samples = &mut Samples::new(7);
    let mut hits = 0;
    for case in 0..120 {
        let scene = scene(samples, 60);
        let spin = [0.0, 3.0, 40.0][case % 3];
        let motions = random_motions(samples, spin, &scene.wall.normal);
        let duration = 3.0;
        let flight = scene.flight(&motions, duration);
        let mut detector = scene.detector();
        let impact = detector.first_impact(&flight);
        let until = impact.map_or(duration, |impact| impact.time - 5.0);
        let instants = (0..=4000).map(|k| until * f64::from(k) / 4000.0);
        let least = instants.map(|s| scene.least_height(&motions, s)).fold(f64::INFINITY, f64::min);
        assert!(least > -1e-13, "case {case}: {least:e} below the wall before the impact");
        let predicted = detector.statistics().predictions.first().map(|prediction| prediction.time);
        assert_eq!(impact.is_some(), predicted.is_some());
        if let (Some(impact), Some(predicted)) = (impact, predicted) {
            hits += 1;
            assert!(scene.least_height(&motions, until) < 1e-13, "case {case} is early");
            assert!(predicted <= impact.time && predicted > impact.time - 1e-12);
            assert_eq!((impact.bodies, impact.normal), ([0, 1], -scene.wall.normal));
            // The truncation error of the difference is at most ½ Ω² r h² ≈ 5e-13, with Ω² ≤ 3 · 40², the arm r ≈ 2 and
            // h = 1e-8.
            let ahead = scene.least_height(&motions, until + 1e-8);
            assert!((ahead + impact.normal_speed * 1e-8).abs() < 1e-12, "case {case}: speed of impact");
        }
    }
    assert!(hits > 40 && hits < 120, "{hits} of 120 cases have an impact");
}

/// If the axis of rotation of a body may move, the bounding ball of the body predicts the impact. This prediction is
/// early, but the impact found within the step is exact.
#[test]
fn tumbling_bodies_are_predicted_early() {
    let samples = &mut Samples::new(8);
    for _ in 0..20 {
        let scene = scene(samples, 30);
        let mut motions = random_motions(samples, 5.0, &scene.wall.normal);
        motions[0].velocity = scene.wall.normal * -4.0;
        let steady = scene.detector().first_impact(&scene.flight(&motions, 2.0)).unwrap();
        motions[0].spin_bound *= 3.0;
        let mut detector = scene.detector();
        let tumbling = detector.first_impact(&scene.flight(&motions, 2.0)).unwrap();
        assert_eq!(steady, tumbling);
        assert!(detector.statistics().predictions[0].time < tumbling.time);
    }
}

/// A point that begins on the wall impacts only when it descends: at once, or after it has risen.
#[test]
fn touching_at_the_beginning_is_no_impact_by_itself() {
    let nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [4.0, 4.0, 0.0]].map(Vec3::from);
    let surface = Surface::new([(CellKind::Tri3, [0, 1, 2].as_slice())]);
    let wall = Wall { body: 1, node: 3, normal: Vec3::z() };
    let time_of = |velocity: f64, acceleration: f64| {
        let body = RigidMotion {
            velocity: Vec3::new(2.0, 0.0, velocity),
            acceleration: Vec3::z() * acceleration,
            ..RigidMotion::at_rest(Vec3::zeros())
        };
        let motions = [body, RigidMotion::at_rest(Vec3::zeros())];
        let flight =
            Flight { time: 1.0, duration: 4.0, end: 5.0, reference_positions: &nodes, motions: &motions };
        let mut detector = detector(wall, &surface, &nodes);
        detector.first_impact(&flight).map(|impact| impact.time)
    };
    assert_eq!(time_of(-1e-3, 0.0), Some(1.0));
    assert_eq!(time_of(0.0, -10.0), Some(1.0));
    assert_eq!((time_of(0.0, 0.0), time_of(0.0, 10.0), time_of(1.0, 0.0)), (None, None, None));
    let falls_back = time_of(5.0, -10.0).unwrap();
    assert!((falls_back - 2.0).abs() < 1e-12, "{falls_back}");
}

/// The middle nodes of a six-node triangle bulge below its corners. The triangle touches at the lowest point of the
/// face, between the nodes.
#[test]
fn curved_faces_touch_where_they_bulge() {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from);
    let middle = |a: usize, b: usize| (corners[a] + corners[b]) * 0.5 - Vec3::z() * 0.3;
    let mut nodes = corners.to_vec();
    nodes.extend([middle(0, 1), middle(1, 2), middle(2, 0), Vec3::new(0.0, 0.0, -5.0)]);
    let surface = Surface::new([(CellKind::Tri6, [0, 1, 2, 3, 4, 5].as_slice())]);
    let wall = Wall { body: 1, node: 6, normal: Vec3::z() };
    let body = RigidMotion { velocity: Vec3::z() * -2.0, ..RigidMotion::at_rest(Vec3::zeros()) };
    let motions = [body, RigidMotion::at_rest(Vec3::zeros())];
    let flight =
        Flight { time: 0.0, duration: 9.0, end: 9.0, reference_positions: &nodes, motions: &motions };
    let mut detector = detector(wall, &surface, &nodes);
    let impact = detector.first_impact(&flight).unwrap();
    // In barycentric coordinates λ_i, z = −0.3 · 4 (λ₁λ₂ + λ₂λ₃ + λ₃λ₁). The least z, −0.4, is at the centroid.
    let expected = (5.0 - 0.4) / 2.0;
    assert!(impact.time <= expected && impact.time > expected - 4e-9, "{}", impact.time);
    assert!((impact.point - Vec3::new(2.0 / 3.0, 2.0 / 3.0, -5.0)).norm() < 1e-3);
    assert!((impact.normal_speed - 2.0).abs() < 1e-12);
}

/// A random cloud against a moving wall: in every step the detector finds all nodes behind the wall. While all nodes
/// are farther than 1 from the wall, the detector tests on average fewer than one node in 20 in a step.
#[test]
fn every_node_behind_a_wall_is_found() {
    let samples = &mut Samples::new(9);
    let Scene { surface, mut positions, wall } = scene(samples, 200);
    let mut detector = detector(wall, &surface, &positions);
    let (mut time, dt) = (0.0, 1e-2);
    let mut velocities: Vec<Vec3> = positions.iter().map(|_| samples.vector(0.2)).collect();
    let (mut steps_far, mut num_tested_far) = (0, 0);
    let mut behind = 0;
    for step in 0..1500 {
        let drift = -wall.normal * (2.0 * (f64::from(step) * 5e-3).sin());
        velocities.iter_mut().for_each(|v| *v = *v * 0.98 + samples.vector(0.3) + drift * 0.02);
        velocities[wall.node as usize] = wall.normal * 0.1;
        let earlier = positions.clone();
        positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * dt);
        time += dt;
        let configuration =
            Configuration { time, time_step: dt, positions: &positions, positions_before: &earlier };
        let mut constraints = Constraints::default();
        let before = detector.statistics().counts.primitive;
        detector.detect(&configuration, &mut constraints);
        let num_tested = detector.statistics().counts.primitive - before;
        let height =
            |&node: &u32| wall.normal.dot(&(positions[node as usize] - positions[wall.node as usize]));
        let expected: Vec<(u32, f64)> = surface
            .nodes()
            .iter()
            .map(|node| (*node, height(node)))
            .filter(|(_, height)| *height < 0.0)
            .collect();
        let found: Vec<(u32, f64)> = constraints.iter().map(|c| (c.nodes[0], c.gap)).collect();
        assert_eq!(found, expected, "step {step}");
        behind += found.len();
        let least = surface.nodes().iter().map(height).fold(f64::INFINITY, f64::min);
        if least > 1.0 {
            (steps_far, num_tested_far) = (steps_far + 1, num_tested_far + num_tested);
        }
    }
    assert!(behind > 10_000, "{behind} nodes were behind the wall in all steps");
    let every_node = 1500 * surface.nodes().len() as u64;
    let num_tested = detector.statistics().counts.primitive;
    assert!(num_tested < every_node, "{num_tested} of {every_node}");
    assert!(steps_far > 50, "{steps_far}");
    let every_node = steps_far * surface.nodes().len() as u64;
    assert!(num_tested_far * 20 < every_node, "{num_tested_far} of {every_node}, far from the wall");
}

/// A cloud moves into a wall and out again without deforming. The detector finds all nodes behind the wall, also while
/// the cloud recedes.
#[test]
fn nodes_are_found_until_they_are_out() {
    let samples = &mut Samples::new(11);
    let Scene { surface, positions: start, wall } = scene(samples, 60);
    let mut detector = detector(wall, &surface, &start);
    let (dt, mut behind) = (1e-2, 0);
    let mut earlier = start.clone();
    for step in 1..=1000 {
        let time = dt * f64::from(step);
        let displacement = 4.0 * (0.7 * time).sin();
        let mut positions: Vec<Vec3> = start.iter().map(|x| x - wall.normal * displacement).collect();
        positions[wall.node as usize] = start[wall.node as usize];
        let configuration =
            Configuration { time, time_step: dt, positions: &positions, positions_before: &earlier };
        let mut constraints = Constraints::default();
        detector.detect(&configuration, &mut constraints);
        earlier.clone_from(&positions);
        let origin = positions[wall.node as usize];
        let is_behind = |node: &&u32| wall.normal.dot(&(positions[**node as usize] - origin)) < 0.0;
        let expected = surface.nodes().iter().filter(is_behind).count();
        assert_eq!(constraints.len(), expected, "step {step}");
        behind += expected;
    }
    assert!(behind > 10_000, "{behind} nodes were behind the wall in all steps");
    let every_node = 1000 * surface.nodes().len() as u64;
    let num_tested = detector.statistics().counts.primitive;
    assert!(num_tested < every_node, "{num_tested} of {every_node}");
}

/// Constraints of a wall are merged with the other constraints, in the order of contactor node and target.
#[test]
fn contacts_are_merged_in_order() {
    let mut constraints = Constraints::default();
    let key = |contactor, target| ContactKey::Node(NodeOnSurface { contactor, target });
    let mut push = |node: u32, body: u32, nodes: &[u32], shape_values: &[f64]| {
        let contactor = Side { body: 1, nodes: &[node], shape_values: &[1.0] };
        constraints.push(key(node, body), -1.0, Vec3::x(), contactor, Side { body, nodes, shape_values });
    };
    push(2, 0, &[7, 8], &[0.5, 0.5]);
    push(5, 9, &[7], &[1.0]);
    let others = [(key(1, 4), [1, 9]), (key(2, 4), [2, 9]), (key(5, 4), [5, 9]), (key(6, 4), [6, 9])];
    let others = others.iter().map(|(key, nodes)| Constraint {
        key: *key,
        bodies: [1, 4],
        gap: -3.0,
        normal: Vec3::z(),
        nodes,
        weights: &[1.0, -1.0],
        num_contactor_nodes: 1,
    });
    constraints.merge(others, &mut Constraints::default());
    let keys: Vec<ContactKey> = constraints.iter().map(|c| c.key).collect();
    assert_eq!(keys, [key(1, 4), key(2, 0), key(2, 4), key(5, 4), key(5, 9), key(6, 4)]);
    let second = constraints.get(1);
    assert_eq!((second.nodes, second.weights), (&[2, 7, 8][..], &[1.0, -0.5, -0.5][..]));
    assert_eq!((second.bodies, second.num_contactor_nodes), ([1, 0], 1));
    assert_eq!((constraints.get(5).nodes, constraints.get(5).gap), (&[6, 9][..], -3.0));
}
