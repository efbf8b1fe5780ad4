//! Scenes that are chosen to be difficult for the detectors.

use ictus::contact::detection::Configuration;
use ictus::math::{RigidMotion, Rotation, Vec3};
use ictus::mesh::CellKind;
use rayon::prelude::*;

use crate::contact::{Comparison, work};
use crate::flight::Flying;
use crate::scenes::{Scene, Shape};

/// A body translated along a path, step by step.
struct Course<'a> {
    scene: &'a Scene,
    comparison: Comparison,
    time: f64,
    positions: Vec<Vec3>,
    positions_before: Vec<Vec3>,
}

impl<'a> Course<'a> {
    fn new(label: &str, scene: &'a Scene) -> Self {
        Self {
            scene,
            comparison: Comparison::new(label.to_owned(), scene),
            time: 0.0,
            positions: scene.positions.clone(),
            positions_before: scene.positions.clone(),
        }
    }

    /// Translates body 0 by `way` in a step of this time, and compares the detectors. Returns the number of
    /// constraints.
    fn step(&mut self, way: Vec3, time_step: f64) -> usize {
        self.positions_before.clone_from(&self.positions);
        for node in self.scene.bodies[0].clone() {
            self.positions[node] += way;
        }
        self.time += time_step;
        let configuration = Configuration {
            time: self.time,
            time_step,
            positions: &self.positions,
            positions_before: &self.positions_before,
        };
        self.comparison.check(&configuration);
        self.comparison.expected.len()
    }
}

fn two_boxes(distance: f64) -> Scene {
    let upper = Shape::triangle_box().shifted(&Vec3::new(0.2, 0.1, 1.0 + distance));
    Scene::new(&[upper, Shape::quadrilateral_box()], false)
}

fn resting(scene: &Scene, velocities: &[Vec3]) -> Vec<RigidMotion> {
    let motion = |velocity: &Vec3| RigidMotion { velocity: *velocity, ..RigidMotion::at_rest(Vec3::zeros()) };
    assert_eq!(scene.bodies.len(), velocities.len());
    velocities.iter().map(motion).collect()
}

/// Steps shrink a thousandfold while bodies touch: candidates found in long steps remain candidates in short steps.
#[test]
fn contact_persists_when_steps_shrink() {
    let scene = two_boxes(0.01);
    let mut course = Course::new("shrinking steps", &scene);
    for _ in 0..5 {
        course.step(Vec3::new(0.0, 0.0, -0.01), 1e-3);
    }
    assert!((0..200).all(|_| course.step(Vec3::new(0.0, 1e-7, 0.0), 1e-6) > 0));
    assert!((0..20).all(|_| course.step(Vec3::new(0.0, 1e-3, 0.0), 1e-1) > 0));
}

/// A sheet of 8 × 8 unit cells of two triangles, normal to the x axis.
fn sheet(x: f64, faces_up: bool) -> Shape {
    let n = 9;
    let nodes = (0..n * n).map(|k| Vec3::new(x, f64::from(k / n), f64::from(k % n))).collect();
    let corners = (0..n * n).filter(|k| k / n + 1 < n && k % n + 1 < n).map(|k| k as u32);
    let n = n as u32;
    let cell = |a: u32| [[a, a + n, a + n + 1], [a, a + n + 1, a + 1]];
    let turned = |[a, b, c]: [u32; 3]| if faces_up { vec![a, b, c] } else { vec![a, c, b] };
    let faces = corners.flat_map(cell).map(|face| (CellKind::Tri3, turned(face))).collect();
    Shape { nodes, faces }
}

/// Number of contacts while the jaws move over 1.5 `behind` search depths, by `speed` depths per step.
fn close_jaws((speed, behind, thickness): (f64, f64, f64)) -> usize {
    // The search depth: half the median edge, plus both offsets.
    let depth = 0.5 + 2.0 * thickness;
    let (mut jaws, far) = (sheet(1.2 * depth, false), sheet(-behind * depth, false));
    let first = jaws.nodes.len() as u32;
    jaws.nodes.extend(far.nodes);
    let shifted = |(kind, nodes): &(CellKind, Vec<u32>)| {
        (*kind, nodes.iter().map(|node| node + first).collect::<Vec<u32>>())
    };
    jaws.faces.extend(far.faces.iter().map(shifted));
    let mut scene = Scene::new(&[jaws.shifted(&Vec3::new(0.0, 0.3, 0.2)), sheet(0.0, true)], false);
    scene.offsets.fill(thickness);
    let mut course = Course::new(&format!("jaws at {speed}, {behind} behind"), &scene);
    let steps = (1.5 * behind / speed) as usize;
    (0..steps).map(|_| course.step(Vec3::x() * (speed * depth), 1e-3)).sum()
}

/// Two parallel sheets (jaws) of one body are on both sides of a fixed sheet. The near jaw moves away, so that no face
/// is near the fixed sheet. At the same time, the far jaw approaches; at first the far jaw is too far to be a
/// candidate.
#[test]
fn distant_faces_are_detected_in_time() {
    let cases: Vec<(f64, f64, f64)> = [0.02, 0.06, 0.11, 0.2]
        .into_iter()
        .flat_map(|speed| {
            let cases = move |behind| [(speed, behind, 0.0), (speed, behind, 1.5)];
            [2.005, 2.2, 2.5].into_iter().flat_map(cases)
        })
        .collect();
    let found: usize = cases.into_par_iter().map(close_jaws).sum();
    assert!(found > 10_000, "{found}");
}

/// A body that rests for 100 steps jumps into its neighbour in a single step.
#[test]
fn a_body_that_starts_suddenly_is_seen_in_the_same_step() {
    let scene = two_boxes(2.0);
    let mut course = Course::new("sudden start", &scene);
    for _ in 0..100 {
        assert_eq!(course.step(Vec3::zeros(), 1e-3), 0);
    }
    assert!(course.step(Vec3::new(0.0, 0.0, -2.1), 1e-3) > 0);
    assert_eq!(course.step(Vec3::new(0.0, 0.0, 2.1), 1e-3), 0);
    assert!(course.step(Vec3::new(0.0, 0.0, -2.1), 1e-3) > 0);
}

/// In each step a box moves by ten thousand times its size, into the neighbouring box or back.
#[test]
fn huge_speeds_lose_no_contact() {
    let scene = two_boxes(1e4);
    let mut course = Course::new("huge speed", &scene);
    for k in 0..40 {
        let down = k % 2 == 0;
        let count = course.step(Vec3::new(0.0, 0.0, if down { -1.0 } else { 1.0 } * (1e4 + 0.1)), 1e-9);
        assert_eq!(count > 0, down);
    }
}

/// A tiny tetrahedron slides over a face that is ten thousand times its size, and across an edge of this face.
#[test]
fn a_speck_on_a_large_face() {
    let speck = Shape::tetrahedron().scaled(1e-4).shifted(&Vec3::new(-0.4, 0.03, 0.5 + 0.9e-4));
    let scene = Scene::new(&[speck, Shape::triangle_box()], false);
    let mut course = Course::new("speck", &scene);
    let touching = (0..1200).filter(|_| course.step(Vec3::new(1e-3, 0.0, 0.0), 1e-6) > 0).count();
    assert!((899..=901).contains(&touching), "{touching}");
    let [rivals, oracle] = course.comparison.tally.primitives;
    assert!(rivals < oracle / 3, "{rivals} closest points against {oracle}");
}

/// Faces coincide at the start, then touch and separate repeatedly, and rest on each other.
#[test]
fn coincident_faces_touch_once() {
    let scene = two_boxes(0.0);
    let mut course = Course::new("coincident", &scene);
    for way in [0.0, -1e-3, 0.0, 1e-3, 1e-3, -1e-3, -1e-16, 1e-16] {
        course.step(Vec3::new(0.0, 0.0, way), 1e-3);
    }
}

/// While bodies oscillate far from each other, detectors do no work for hundreds of steps.
#[test]
fn detectors_are_idle_while_bodies_are_far_apart() {
    let scene = two_boxes(50.0);
    let mut course = Course::new("far apart", &scene);
    for k in 0..100 {
        course.step(Vec3::x() * (1e-3 * f64::from(k).sin()), 1e-3);
    }
    let before: Vec<_> =
        course.comparison.rivals[..4].iter().map(|(_, detector)| work(detector.as_ref())).collect();
    for k in 100..500 {
        course.step(Vec3::x() * (1e-3 * f64::from(k).sin()), 1e-3);
    }
    let after: Vec<_> =
        course.comparison.rivals[..4].iter().map(|(_, detector)| work(detector.as_ref())).collect();
    assert_eq!(before, after);
}

/// Bodies that rest on each other or separate have no impact. Bodies pressed against each other have an impact at once.
#[test]
fn resting_contact_does_not_stall_a_flight() {
    let scene = two_boxes(0.0);
    for speed in [0.0, 1e-9, 1.0] {
        let velocities = [Vec3::z() * speed, Vec3::zeros()];
        let mut flying =
            Flying::new(format!("parting at {speed}"), &scene, resting(&scene, &velocities), 1.0);
        assert!((0..10).all(|_| flying.step(0.1).is_none()));
    }
    let velocities = [-Vec3::z(), Vec3::zeros()];
    let mut flying = Flying::new("pressed on".to_owned(), &scene, resting(&scene, &velocities), 1.0);
    let impact = flying.step(0.1).unwrap();
    assert_eq!((impact.time, impact.normal_speed), (0.0, 1.0));
    flying.bounce(&impact);
    assert!((0..10).all(|_| flying.step(0.1).is_none()));
}

/// A ball bounces repeatedly on a table under gravity; every impact is at the time of the closed form.
#[test]
fn a_bouncing_body_comes_back() {
    let ball = Shape::icosphere(1).scaled(0.1).shifted(&Vec3::new(0.05, 0.07, 1.5));
    let scene = Scene::new(&[ball, Shape::triangle_box()], false);
    let mut motions = resting(&scene, &[Vec3::zeros(); 2]);
    motions[0].acceleration = Vec3::z() * -10.0;
    let mut flying = Flying::new("bouncing".to_owned(), &scene, motions, 10.0);
    let mut impacts = Vec::new();
    for _ in 0..80 {
        if let Some(impact) = flying.step(0.05) {
            impacts.push(impact.time);
            let up = flying.motions[0].velocity.z.abs();
            flying.motions[0].velocity.z = up;
        }
    }
    assert!(impacts.len() >= 3, "{impacts:?}");
    let fall = impacts[0];
    for (k, time) in impacts.iter().enumerate() {
        let expected = fall * (2 * k + 1) as f64;
        assert!((time - expected).abs() < 1e-9, "{time}, not {expected}");
    }
}

/// A ball with the middle of a face at its lowest point falls on a table. With curved faces the ball touches at the
/// same time as a sphere. With flat faces the impact is later, because the middle of a flat face lies inside the
/// sphere.
#[test]
fn a_curved_ball_meets_the_table_at_its_surface() {
    let down = Rotation::rotation_between(&Vec3::repeat(1.0), &-Vec3::z()).unwrap();
    let ball = |mut shape: Shape| {
        shape.nodes.iter_mut().for_each(|node| *node = down * *node);
        shape.scaled(0.1).shifted(&Vec3::new(0.05, 0.07, 1.5))
    };
    let mut times = Vec::new();
    for shape in [Shape::icosphere(1), Shape::quadratic_sphere(1)] {
        let scene =
            Scene::new(&[ball(shape), Shape::quadrilateral_box().quadratic(|_, _| Vec3::zeros())], false);
        let mut flying =
            Flying::new("curved ball".to_owned(), &scene, resting(&scene, &[-Vec3::z(), Vec3::zeros()]), 2.0);
        let impact = (0..20).find_map(|_| flying.step(0.1)).unwrap();
        times.push(impact.time);
        assert!((impact.normal.z + 1.0).abs() < 1e-6, "{impact:?}");
        flying.bounce(&impact);
        assert!((0..5).all(|_| flying.step(0.1).is_none()));
    }
    // The lowest point of the sphere is 0.9 above the table; the middle of a curved face is 2e-3 of the radius inside
    // the sphere.
    assert!((times[1] - 0.9).abs() < 2e-4, "{times:?}");
    assert!(times[0] > times[1] + 1e-3, "{times:?}");
}
