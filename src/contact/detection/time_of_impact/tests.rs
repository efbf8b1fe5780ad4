//! Closed forms of every kind of first touch, and rotating faces against sampling.

use std::cell::Cell;

use super::*;
use crate::contact::detection::samples::Samples;
use crate::math::Rotation;

/// Nodes that turn about a centre on a parabola.
#[derive(Clone)]
struct Rigid {
    kind: CellKind,
    /// Nodes relative to the centre, at time 0.
    arms: Vec<Vec3>,
    centre: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    spin: Vec3,
    calls: Cell<usize>,
}

impl Rigid {
    fn new(kind: CellKind, nodes: &[[f64; 3]]) -> Self {
        let arms = nodes.iter().map(|&x| x.into()).collect();
        let zero = Vec3::zeros();
        Self { kind, arms, centre: zero, velocity: zero, acceleration: zero, spin: zero, calls: Cell::new(0) }
    }

    fn transform(&mut self, rotation: &Rotation, shift: &Vec3) {
        self.arms.iter_mut().for_each(|x| *x = rotation * *x);
        self.centre = rotation * self.centre + shift;
        self.velocity = rotation * self.velocity;
        self.acceleration = rotation * self.acceleration;
    }

    fn nodes(&self, time: f64) -> Vec<Vec3> {
        let mut positions = vec![Vec3::zeros(); self.arms.len()];
        self.at(time, &mut positions, &mut vec![Vec3::zeros(); self.arms.len()]);
        positions
    }
}

impl FacePath for Rigid {
    fn kind(&self) -> CellKind {
        self.kind
    }

    fn at(&self, time: f64, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        self.calls.set(self.calls.get() + 1);
        let rotation = Rotation::from_scaled_axis(self.spin * time);
        let velocity = self.velocity + self.acceleration * time;
        let centre = self.centre + (self.velocity + velocity) * (0.5 * time);
        for (i, arm) in self.arms.iter().enumerate() {
            let arm = rotation * arm;
            (positions[i], velocities[i]) = (centre + arm, velocity + self.spin.cross(&arm));
        }
    }

    fn acceleration(&self) -> Vec3 {
        self.acceleration
    }

    fn deviation(&self) -> f64 {
        self.spin.norm_squared() * self.arms.iter().map(Vec3::norm).fold(0.0, f64::max)
    }
}

/// Two faces at rest whose first touch, if a moves down by `gap`, is of a known kind.
fn touching_pair(case: usize, gap: f64, s: &mut Samples) -> (Rigid, Rigid) {
    let tri = |nodes: [[f64; 3]; 3]| Rigid::new(CellKind::Tri3, &nodes);
    let quad = |nodes: [[f64; 3]; 4]| Rigid::new(CellKind::Quad4, &nodes);
    let mut up = || s.uniform(0.1, 1.0);
    let floor = tri([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    let (mut a, mut b) = match case {
        0 => (tri([[0.0; 3], [1.0, 0.2, up()], [-0.3, 1.0, up()]]), floor),
        1 => (floor, tri([[0.0; 3], [1.0, 0.2, -up()], [-0.3, 1.0, -up()]])),
        2 => (
            tri([[-9.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, up(), up()]]),
            tri([[0.0, -9.0, 0.0], [0.0, 9.0, 0.0], [up(), 0.0, -up()]]),
        ),
        3 => (tri([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), floor),
        4 => (quad(square), quad(square.map(|[x, y, z]| [4.0 * x, 4.0 * y, z]))),
        5 => (quad(square), quad(square)),
        // A warped quadrilateral standing on a corner; its diagonal across an edge.
        6 => (quad([[0.0; 3], [1.0, 0.0, up()], [1.0, 1.0, up()], [0.0, 1.0, up()]]), floor),
        7 => (
            quad([[-9.0, 0.0, 0.0], [0.0, -9.0, up()], [9.0, 0.0, 0.0], [0.0, 9.0, up()]]),
            tri([[0.0, -9.0, 0.0], [0.0, 9.0, 0.0], [up(), 0.0, -up()]]),
        ),
        // An edge flat on a face.
        _ => (tri([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, up()]]), floor),
    };
    a.centre.z = gap;
    b.centre.z = 0.0;
    (a, b)
}

/// Turns and shifts both faces alike.
fn place(a: &mut Rigid, b: &mut Rigid, s: &mut Samples) -> Rotation {
    let rotation = Rotation::from_scaled_axis(s.direction() * s.uniform(0.0, 3.0));
    let shift = s.vector(2.0);
    a.transform(&rotation, &shift);
    b.transform(&rotation, &shift);
    rotation
}

/// What to expect of a touch.
struct Expected<'a> {
    time: f64,
    /// Closing speed.
    speed: f64,
    normal: Vec3,
    case: usize,
    pair: [&'a Rigid; 2],
}

/// Early by no more than the rounding of the coordinates at the closing speed.
fn assert_touch(expected: &Expected<'_>) {
    let Expected { time, speed, normal, case, pair: [a, b] } = *expected;
    let found = time_of_impact(a, b, 2.0 * time);
    let largest = |x: &Rigid| x.nodes(time).iter().map(Vec3::norm).fold(0.0, f64::max);
    let rounding = 5e-15 * (largest(a) + largest(b));
    let found = found.unwrap_or_else(|| panic!("case {case}: missed the touch at {time}"));
    assert!(found.time <= time * (1.0 + 4.0 * f64::EPSILON), "case {case}: {found:?} is later than {time}");
    assert!(
        time - found.time <= 1e-14 * time + rounding / speed,
        "case {case}: {found:?} is early for {time}"
    );
    assert!((found.normal - normal).norm() < 1e-7, "case {case}: {found:?}, normal {normal:?}");
    assert!(found.distance < 2.0 * rounding, "case {case}: {found:?}");
}

#[test]
fn touches_under_constant_velocity() {
    let mut s = Samples::new(1);
    for case in 0..5400 {
        let gap = 10f64.powf(s.uniform(-3.0, 0.5));
        let (mut a, mut b) = touching_pair(case % 9, gap, &mut s);
        let speed = s.uniform(0.3, 3.0);
        let time = gap / speed;
        let slide = s.vector(0.3 / time.max(1.0));
        a.velocity = Vec3::new(slide.x, slide.y, -speed);
        // What both share changes nothing.
        let common = s.vector(1.0);
        (a.velocity, b.velocity) = (a.velocity + common, b.velocity + common);
        let gravity = s.vector(5.0) * s.pick(&[0.0, 1.0]);
        (a.acceleration, b.acceleration) = (gravity, gravity);
        let rotation = place(&mut a, &mut b, &mut s);
        let advances = (time_of_impact(&a, &b, 2.0 * time), a.calls.get());
        assert!(advances.1 <= 5, "case {case}: {advances:?}");
        assert_touch(&Expected { time, speed, normal: rotation * Vec3::z(), case, pair: [&a, &b] });
        assert_eq!(time_of_impact(&a, &b, 0.999_999 * time), None);
    }
}

#[test]
fn touches_under_constant_relative_acceleration() {
    let mut s = Samples::new(2);
    for case in 0..5400 {
        let gap = 10f64.powf(s.uniform(-3.0, 0.5));
        let (mut a, mut b) = touching_pair(case % 9, gap, &mut s);
        // Thrown up or down, pulled down: gap + v t − p t²/2 = 0.
        let (throw, pull) = (s.uniform(-1.0, 1.0), s.uniform(1.0, 10.0));
        let root = (throw * throw + 2.0 * pull * gap).sqrt();
        let time = if throw > 0.0 { (throw + root) / pull } else { 2.0 * gap / (root - throw) };
        let slide = s.vector(0.1 / time.max(1.0));
        a.velocity = Vec3::new(slide.x, slide.y, throw);
        a.acceleration = Vec3::new(slide.y, slide.x, -pull);
        b.acceleration = s.vector(3.0);
        a.acceleration += b.acceleration;
        let rotation = place(&mut a, &mut b, &mut s);
        let advances = (time_of_impact(&a, &b, 2.0 * time), a.calls.get());
        assert!(advances.1 <= 6, "case {case}: {advances:?}");
        assert_touch(&Expected { time, speed: root, normal: rotation * Vec3::z(), case, pair: [&a, &b] });
    }
}

/// A segment's corner onto another segment, in the plane.
#[test]
fn plane_segments() {
    let mut s = Samples::new(3);
    for case in 0..2000 {
        let (gap, speed) = (s.uniform(0.01, 2.0), s.uniform(0.5, 2.0));
        let mut a =
            Rigid::new(CellKind::Line2, &[[0.0; 3], [s.uniform(-1.0, 1.0), s.uniform(0.0, 1.0), 0.0]]);
        let mut b = Rigid::new(CellKind::Line2, &[[-9.0, 0.0, 0.0], [9.0, 0.0, 0.0]]);
        a.centre.y = gap;
        a.velocity = Vec3::new(s.uniform(-1.0, 1.0), -speed, 0.0);
        let rotation = Rotation::from_scaled_axis(Vec3::z() * s.uniform(0.0, 6.0));
        let shift = Vec3::new(s.uniform(-1.0, 1.0), s.uniform(-1.0, 1.0), 0.0);
        a.transform(&rotation, &shift);
        b.transform(&rotation, &shift);
        let normal = rotation * Vec3::y();
        assert_touch(&Expected { time: gap / speed, speed, normal, case, pair: [&a, &b] });
    }
}

/// Whether the hulls overlap by more than `depth`: no direction normal to a face, to two edges, or to an edge
/// within a flat face, separates them.
fn overlap(a: &[Vec3], b: &[Vec3], depth: f64) -> bool {
    let edges = |x: &[Vec3]| -> Vec<Vec3> {
        (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| x[i] - x[j]).collect()
    };
    let (first, second) = (edges(a), edges(b));
    let cross = |p: &[Vec3], q: &[Vec3]| -> Vec<Vec3> {
        p.iter().flat_map(|e| q.iter().map(move |f| e.cross(f))).collect()
    };
    let mut axes = cross(&first, &second);
    for own in [&first, &second] {
        let normals = cross(own, own);
        axes.extend(cross(own, &normals));
        axes.extend(normals);
    }
    let gap = |n: &Vec3| {
        let range = |x: &[Vec3]| {
            x.iter().map(|p| n.dot(p)).fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p), h.max(p)))
        };
        let ((al, ah), (bl, bh)) = (range(a), range(b));
        (al - bh).max(bl - ah)
    };
    axes.iter().filter_map(|n| n.try_normalize(1e-9)).all(|n| gap(&n) < -depth)
}

/// Spinning faces thrown at each other: disjoint at all times before the one returned, in touch at it.
#[test]
fn rotating_faces_against_sampling() {
    let mut s = Samples::new(4);
    let (mut touches, mut misses, mut most_calls) = (0, 0, 0);
    for case in 0..1500 {
        let face = |s: &mut Samples| {
            let count = s.pick(&[3, 3, 4]);
            let nodes: Vec<[f64; 3]> = (0..count).map(|_| s.vector(1.0).into()).collect();
            let mut face = Rigid::new(if count == 3 { CellKind::Tri3 } else { CellKind::Quad4 }, &nodes);
            face.spin = s.vector(3.0);
            face.acceleration = s.vector(2.0);
            face
        };
        let (mut a, b) = (face(&mut s), face(&mut s));
        a.centre = s.direction() * 4.0;
        a.velocity = -a.centre * s.uniform(0.5, 1.5) + s.vector(1.0);
        let duration = 2.0;
        let found = time_of_impact(&a, &b, duration);
        most_calls = most_calls.max(a.calls.get());
        let end = found.map_or(duration, |impact| impact.time);
        for k in 0..400 {
            let time = end * f64::from(k) / 400.0;
            assert!(
                !overlap(&a.nodes(time), &b.nodes(time), 1e-12),
                "case {case}: overlap at {time} before {found:?}"
            );
        }
        let Some(impact) = found else {
            misses += 1;
            continue;
        };
        touches += 1;
        assert!(impact.distance < 1e-9, "case {case}: {impact:?} is not a touch");
        assert!((impact.normal.norm() - 1.0).abs() < 1e-12);
    }
    assert!(touches > 300 && misses > 300, "{touches} touches, {misses} misses");
    assert!(most_calls <= 30, "{most_calls} advances");
}

#[test]
fn overlap_and_touch_at_the_start() {
    // An edge through the inside of a triangle, far from all nodes and edges.
    let needle = Rigid::new(CellKind::Line2, &[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]);
    let floor = Rigid::new(CellKind::Tri3, &[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    assert_eq!(time_of_impact(&needle, &floor, 1.0).map(|impact| impact.time), Some(0.0));
    let mut resting = Rigid::new(CellKind::Tri3, &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    resting.velocity = Vec3::x();
    let touch = time_of_impact(&resting, &floor, 1.0).unwrap();
    assert_eq!((touch.time, touch.normal.z.abs()), (0.0, 1.0));
    resting.centre.z = 0.1;
    assert_eq!(time_of_impact(&resting, &floor, 1.0), None);
}

#[test]
fn not_a_number_counts_as_contact() {
    let floor = Rigid::new(CellKind::Tri3, &[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    for k in 0..3 {
        let mut moving = Rigid::new(CellKind::Tri3, &[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]);
        match k {
            0 => moving.velocity.y = f64::NAN,
            1 => moving.acceleration.z = f64::NAN,
            _ => moving.arms[1].z = f64::NAN,
        }
        assert_eq!(time_of_impact(&moving, &floor, 1.0).map(|impact| impact.time), Some(0.0), "{k}");
    }
}
