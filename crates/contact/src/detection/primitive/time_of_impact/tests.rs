use super::direction::{Direction, Touch};
use super::*;
use crate::math::Rotation;
use crate::mesh::CellKind;
use proptest::prelude::*;

/// A face that moves with a rigid body. The body rotates about its centre x with constant angular velocity. In the time
/// s, the centre moves to x + v s + a s²/2, with the initial velocity v and the constant acceleration a.
#[derive(Clone, Debug)]
pub struct RigidFace {
    pub kind: CellKind,
    pub nodes: Vec<Vec3>,
    pub velocity: Vec3,
    pub acceleration: Vec3,
    pub centre: Vec3,
    pub spin: Vec3,
}

impl RigidFace {
    pub fn translating(kind: CellKind, nodes: &[Vec3], velocity: Vec3, acceleration: Vec3) -> Self {
        let (centre, spin) = (Vec3::zeros(), Vec3::zeros());
        Self { kind, nodes: nodes.to_vec(), velocity, acceleration, centre, spin }
    }

    fn moved(&self, shift: &Vec3, boost: &Vec3) -> Self {
        let nodes = self.nodes.iter().map(|x| x + shift).collect();
        let (velocity, centre) = (self.velocity + boost, self.centre + shift);
        Self { nodes, velocity, centre, ..self.clone() }
    }

    fn hull(&self, s: f64) -> Hull<4> {
        Hull::at(self, &BezierFace::of_corners(self.kind, |k| self.nodes[k]), s)
    }
}

impl FacePath for RigidFace {
    fn kind(&self) -> CellKind {
        self.kind
    }

    fn node(&self, k: usize) -> Vec3 {
        self.nodes[k]
    }

    fn point(&self, reference: &Vec3, s: f64) -> (Vec3, Vec3) {
        let arm = Rotation::from_scaled_axis(self.spin * s) * (reference - self.centre);
        let base = if self.spin == Vec3::zeros() { *reference } else { self.centre + arm };
        let position = base + self.velocity * s + self.acceleration * (0.5 * s * s);
        (position, self.velocity + self.acceleration * s + self.spin.cross(&arm))
    }

    fn common_acceleration(&self) -> Vec3 {
        self.acceleration
    }

    fn acceleration_deviation(&self, reference: &Vec3) -> f64 {
        self.spin.norm_squared() * (reference - self.centre).norm()
    }
}

/// Roots of g + p s + q s², in arbitrary order.
fn roots(g: f64, p: f64, q: f64) -> Vec<f64> {
    if q == 0.0 {
        return vec![-g / p];
    }
    let discriminant = p * p - 4.0 * q * g;
    if discriminant < 0.0 {
        return Vec::new();
    }
    let sum = -0.5 * (p + discriminant.sqrt().copysign(p));
    vec![sum / q, g / sum]
}

/// Time \[s\] and closing speed \[m/s\] of the first contact of two triangles in relative translation. The triangles
/// have 6 node–face pairs and 9 edge–edge pairs. The times at which the two features of a pair are coplanar are the
/// roots of a quadratic polynomial. The features touch at such a root if the point of contact lies inside both
/// features.
fn first_touch(a: &RigidFace, b: &RigidFace, duration: f64) -> Option<(f64, f64)> {
    let (velocity, acceleration) = (a.velocity - b.velocity, a.acceleration - b.acceleration);
    let mut first: Option<(f64, f64)> = None;
    // `offset` is the initial position of a point of a relative to a point of b. `inside` takes this offset at the time
    // of contact and tells whether the point of contact lies inside the features.
    let mut pair = |normal: Vec3, offset: Vec3, inside: &dyn Fn(Vec3) -> bool| {
        let coefficients = [normal.dot(&offset), normal.dot(&velocity), 0.5 * normal.dot(&acceleration)];
        for s in roots(coefficients[0], coefficients[1], coefficients[2]) {
            let shift = velocity * s + acceleration * (0.5 * s * s);
            if s >= 0.0 && s <= duration && inside(offset + shift) && first.is_none_or(|f| s < f.0) {
                let speed = normal.dot(&(velocity + acceleration * s)).abs() / normal.norm();
                first = Some((s, speed));
            }
        }
    };
    for (faces, nodes, sign) in [(b, a, 1.0), (a, b, -1.0)] {
        let [e1, e2] = [1, 2].map(|k| faces.nodes[k] - faces.nodes[0]);
        let normal = e1.cross(&e2);
        for node in &nodes.nodes {
            pair(normal, (node - faces.nodes[0]) * sign, &|offset| {
                let arm = offset * sign;
                let weights = [normal.dot(&arm.cross(&e2)), normal.dot(&e1.cross(&arm))];
                weights[0] >= 0.0 && weights[1] >= 0.0 && weights[0] + weights[1] <= normal.norm_squared()
            });
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let e = a.nodes[(i + 1) % 3] - a.nodes[i];
            let f = b.nodes[(j + 1) % 3] - b.nodes[j];
            let normal = e.cross(&f);
            pair(normal, a.nodes[i] - b.nodes[j], &|offset| {
                // offset + α e = β f
                let along = [f, e].map(|other| normal.dot(&other.cross(&offset)) / normal.norm_squared());
                along.iter().all(|parameter| (0.0..=1.0).contains(parameter))
            });
        }
    }
    first
}

/// Whether an edge of one triangle crosses the other triangle.
fn cross(a: &Hull<4>, b: &Hull<4>) -> bool {
    let pierces = |edges: &Hull<4>, face: &Hull<4>| {
        let [x0, x1, x2] = [0, 1, 2].map(|k| face.positions()[k]);
        edges.edges().iter().any(|&[from, to]| {
            let [p, q] = [from, to].map(|k| edges.positions()[k]);
            let volume = |u: Vec3, v: Vec3, w: Vec3| (u - p).dot(&(v - p).cross(&(w - p)));
            let sides = [volume(q, x0, x1), volume(q, x1, x2), volume(q, x2, x0)];
            let normal = (x1 - x0).cross(&(x2 - x0));
            let opposite = normal.dot(&(p - x0)) * normal.dot(&(q - x0)) < 0.0;
            opposite && (sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0))
        })
    };
    pierces(a, b) || pierces(b, a)
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn triangle() -> impl Strategy<Value = [Vec3; 3]> {
    [vector(1.0), vector(1.0), vector(1.0)]
        .prop_filter("collapsed", |[x, y, z]| (y - x).cross(&(z - x)).norm() > 0.05)
}

/// Two triangles a and b, each with its corners in a cube of edge 2 m. Triangle b is at rest. At the start the centres
/// of the cubes are 4.5 m apart. At a time between 0.2 s and 1 s, each Cartesian component of the vector between the
/// centres is at most 0.8 m, so that the triangles may touch. Each component of the acceleration of a is at most 5 m/s²
/// times `acceleration`.
fn approaching_pair(acceleration: f64) -> impl Strategy<Value = (RigidFace, RigidFace)> {
    let motion = (vector(1.0), vector(1.0), vector(5.0), 0.2..1.0_f64);
    (triangle(), triangle(), motion).prop_filter_map(
        "near",
        move |(x, y, (displacement, aim, pull, time))| {
            let apart = displacement.normalize() * 4.5;
            let pull = pull * acceleration;
            let velocity = (aim * 0.8 - apart) / time - pull * (0.5 * time);
            let a = RigidFace::translating(CellKind::Tri3, &x.map(|node| node + apart), velocity, pull);
            let b = RigidFace::translating(CellKind::Tri3, &y, Vec3::zeros(), Vec3::zeros());
            apart.iter().all(|c| c.is_finite()).then_some((a, b))
        },
    )
}

/// Bound \[m\] on the magnitudes of the nodal coordinates of two faces up to a time. The bound ignores the rotation of
/// the faces.
fn size(a: &RigidFace, b: &RigidFace, time: f64) -> f64 {
    let of_face = |face: &RigidFace| {
        let moved = face.velocity.amax() * time + face.acceleration.amax() * (0.5 * time * time);
        face.nodes.iter().map(Vec3::amax).fold(0.0, f64::max) + moved
    };
    of_face(a).max(of_face(b))
}

/// Whether two numbers agree within 4 ε times `size`, with the machine precision ε.
fn agree(found: f64, expected: f64, size: f64) -> bool {
    (found - expected).abs() <= 4.0 * f64::EPSILON * size
}

/// Checks the time of impact, and that the normal has unit length. The allowed error of the time is 1e-14 of the time,
/// plus `roundings` rounding errors of the coordinates divided by the closing speed. `expected` holds the time and the
/// closing speed. The allowed error of the length is 1e-14.
fn check(a: &RigidFace, b: &RigidFace, duration: f64, expected: Option<(f64, f64)>, roundings: f64) {
    let found = time_of_impact(a, b, duration);
    match (found, expected) {
        (Some(impact), Some((time, speed))) => {
            let rounding = roundings * f64::EPSILON * size(a, b, time);
            let allowed = 1e-14 * time + rounding / speed;
            assert!(impact.time <= time + allowed, "late by {:e} at {speed:e}", impact.time - time);
            assert!(impact.time >= time - allowed, "early by {:e} at {speed:e}", time - impact.time);
            assert!((impact.normal.norm() - 1.0).abs() < 1e-14);
        }
        (None, None) => {}
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn constant_velocity_matches_the_closed_form((a, b) in approaching_pair(0.0)) {
        check(&a, &b, 2.0, first_touch(&a, &b, 2.0), 24.0);
    }

    #[test]
    fn constant_acceleration_matches_the_closed_form((a, b) in approaching_pair(1.0)) {
        check(&a, &b, 2.0, first_touch(&a, &b, 2.0), 80.0);
    }

    #[test]
    fn a_distant_moving_origin_costs_only_the_rounding_of_the_coordinates((a, b) in approaching_pair(0.0)) {
        let (shift, boost) = (Vec3::new(750.0, -400.0, 100.0), Vec3::new(-100.0, 30.0, 0.0));
        let expected = first_touch(&a, &b, 2.0);
        prop_assume!(expected.is_none_or(|(time, _)| time < 1.9));
        check(&a.moved(&shift, &boost), &b.moved(&shift, &boost), 2.0, expected, 24.0);
    }

    #[test]
    fn exchanging_the_faces_reverses_the_normal((a, b) in approaching_pair(1.0)) {
        let (found, exchanged) = (time_of_impact(&a, &b, 2.0), time_of_impact(&b, &a, 2.0));
        prop_assert_eq!(found.is_some(), exchanged.is_some());
        if let (Some(found), Some(exchanged)) = (found, exchanged) {
            prop_assert!((found.time - exchanged.time).abs() < 1e-9 * found.time);
            prop_assert!((found.normal + exchanged.normal).norm() < 1e-4, "{found:?} {exchanged:?}");
        }
    }

    #[test]
    fn the_normal_opposes_the_approach((a, b) in approaching_pair(0.0)) {
        if let Some(impact) = time_of_impact(&a, &b, 2.0) {
            prop_assert!(impact.normal.dot(&a.velocity) < 0.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn rotating_faces_are_caught_before_they_cross(
        (a, b) in approaching_pair(1.0), spins in [vector(6.0), vector(6.0)], centres in [vector(1.0), vector(1.0)],
    ) {
        let centre = centres[0] + a.nodes[0];
        let a = RigidFace { spin: spins[0], centre, ..a };
        let b = RigidFace { spin: spins[1], centre: centres[1], ..b };
        prop_assume!(first_touch_free(&a, &b));
        let found = time_of_impact(&a, &b, 2.0);
        let end = found.map_or(2.0, |impact| impact.time);
        for k in 0..1000 {
            let s = end * (1.0 - 0.985_f64.powi(k)) ;
            prop_assert!(!cross(&a.hull(s), &b.hull(s)), "crossed at {} before {}", s, end);
            let s = end * f64::from(k) / 1000.0;
            prop_assert!(!cross(&a.hull(s), &b.hull(s)), "crossed at {} before {}", s, end);
        }
        if let Some(impact) = found {
            let closest = closest_features(&a.hull(impact.time), &b.hull(impact.time));
            // The gap at the impact must be less than 2e-13 of the bound on the coordinates (`size`). The faces count
            // as touching up to a gap of 16 ε, or 3.6e-15, of their largest coordinate.
            let within = 2e-13 * size(&a, &b, impact.time);
            prop_assert!(closest.distance < within, "early: gap {:e}", closest.distance);
            prop_assert!((closest.points[0] - impact.point).norm() < within);
        }
    }
}

fn first_touch_free(a: &RigidFace, b: &RigidFace) -> bool {
    let (a, b) = (a.hull(0.0), b.hull(0.0));
    closest_features(&a, &b).distance > 1e-3 && !cross(&a, &b)
}

const SQUARE: [Vec3; 4] =
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

fn ground() -> RigidFace {
    RigidFace::translating(CellKind::Quad4, &SQUARE, Vec3::zeros(), Vec3::zeros())
}

/// The square of [`ground`], moved by `shift` and reversed, so that its outward normal points downwards.
fn square(shift: Vec3, velocity: Vec3, acceleration: Vec3) -> RigidFace {
    let mut nodes = SQUARE.map(|x| x + shift);
    nodes.reverse();
    RigidFace::translating(CellKind::Quad4, &nodes, velocity, acceleration)
}

#[test]
fn parallel_quadrilaterals_meet_in_one_advance() {
    let a = square(Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.0, 0.0, -2.0), Vec3::zeros());
    let b = ground();
    let impact = time_of_impact(&a, &b, 10.0).unwrap();
    assert_eq!((impact.time, impact.normal), (1.5, Vec3::z()));
}

#[test]
fn aligned_quadrilaterals_meet_and_then_part_or_rest() {
    let b = ground();
    let down = square(Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 0.0, -2.0), Vec3::zeros());
    assert_eq!(time_of_impact(&down, &b, 10.0).unwrap().time, 1.5);
    let touching = |speed, pull| square(Vec3::zeros(), Vec3::z() * speed, Vec3::z() * pull);
    assert_eq!(time_of_impact(&touching(1.0, 0.0), &b, 10.0), None);
    assert_eq!(time_of_impact(&touching(0.0, 0.0), &b, 10.0), None);
    assert_eq!(time_of_impact(&touching(1e-300, 0.0), &b, 10.0), None);
    assert_eq!(time_of_impact(&touching(0.0, 1.0), &b, 10.0), None);
    assert_eq!(time_of_impact(&touching(-1.0, 0.0), &b, 10.0).unwrap().time, 0.0);
    assert_eq!(time_of_impact(&touching(-1.0, 0.0), &b, 10.0).unwrap().normal, Vec3::z());
    assert_eq!(time_of_impact(&touching(0.0, -1.0), &b, 10.0).unwrap().time, 0.0);
    let thrown = time_of_impact(&touching(5.0, -10.0), &b, 10.0).unwrap();
    assert!(agree(thrown.time, 1.0, 1.0), "{thrown:?}");
}

#[test]
fn a_corner_that_leaves_a_rotating_face_does_not_impact_again() {
    let b = RigidFace {
        spin: Vec3::new(0.0, 2.0, 0.0),
        ..RigidFace::translating(CellKind::Tri3, &SQUARE[..3], Vec3::zeros(), Vec3::zeros())
    };
    let tip = Vec3::new(0.5, 0.25, 0.0);
    let nodes = [tip, tip + Vec3::new(0.1, 0.0, 1.0), tip + Vec3::new(0.0, 0.1, 1.0)];
    // The point of the face below the tip recedes from the tip at 1 m/s. The node of the face on the axis of rotation
    // is at rest.
    let leaving = RigidFace::translating(CellKind::Tri3, &nodes, Vec3::zeros(), Vec3::zeros());
    assert_eq!(time_of_impact(&leaving, &b, 0.2), None);
    let rising = RigidFace { spin: Vec3::new(0.0, -2.0, 0.0), ..b };
    assert_eq!(time_of_impact(&leaving, &rising, 0.2).unwrap().time, 0.0);
    // The tip rises faster than the point of the face below the tip. They separate, although the far nodes of the face
    // rise faster than the tip.
    let faster = RigidFace { velocity: Vec3::new(0.0, 0.0, 1.5), ..leaving };
    assert_eq!(time_of_impact(&faster, &rising, 0.1), None);
}

#[test]
fn a_warped_quadrilateral_is_met_where_it_is() {
    let mut nodes = SQUARE;
    nodes[2].z = 0.2;
    let warped = RigidFace::translating(CellKind::Quad4, &nodes, Vec3::zeros(), Vec3::zeros());
    let tip = [Vec3::new(0.5, 0.5, 2.0), Vec3::new(0.6, 0.5, 3.0), Vec3::new(0.5, 0.6, 3.0)];
    let a = RigidFace::translating(CellKind::Tri3, &tip, Vec3::new(0.0, 0.0, -1.0), Vec3::zeros());
    // Below the tip, the height of the bilinear face is 0.05 m. There, the tetrahedron of the four nodes reaches a
    // height of 0.1 m, and the highest node is at 0.2 m. The tip touches the bilinear face.
    let impact = time_of_impact(&a, &warped, 10.0).unwrap();
    assert!(impact.time <= 1.95 && impact.time > 1.95 * (1.0 - 1.6e-9), "{impact:?}");
}

#[test]
fn segments_meet_in_the_plane() {
    let line = |x: Vec3, y: Vec3, v: Vec3| RigidFace::translating(CellKind::Line2, &[x, y], v, Vec3::zeros());
    let ground = line(Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0), Vec3::zeros());
    let falling =
        |x: f64| line(Vec3::new(x, 1.0, 0.0), Vec3::new(x + 0.5, 2.0, 0.0), Vec3::new(0.3, -2.0, 0.0));
    let impact = time_of_impact(&falling(0.5), &ground, 5.0).unwrap();
    assert!(
        agree(impact.time, 0.5, 0.5) && agree((impact.normal - Vec3::y()).norm(), 0.0, 1.0),
        "{impact:?}"
    );
    assert!(agree((impact.point - Vec3::new(0.65, 0.0, 0.0)).norm(), 0.0, 0.65));
    assert_eq!(time_of_impact(&falling(2.5), &ground, 5.0), None);
    assert_eq!(time_of_impact(&falling(0.5), &ground, 0.49), None);
    assert_eq!(time_of_impact(&falling(0.5), &ground, 0.5).unwrap().time, 0.5);
    let end_to_end = line(Vec3::new(3.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0), Vec3::new(-2.0, 0.0, 0.0));
    assert!(agree(time_of_impact(&end_to_end, &ground, 5.0).unwrap().time, 0.5, 0.5));
    let resting = line(Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
    assert_eq!(time_of_impact(&resting, &ground, 5.0), None);
}

#[test]
fn overlapping_faces_impact_only_when_they_approach() {
    let b = RigidFace::translating(CellKind::Tri3, &SQUARE[..3], Vec3::zeros(), Vec3::zeros());
    let tip = Vec3::new(0.6, 0.3, -0.01);
    let nodes = [tip, tip + Vec3::new(0.1, 0.0, 1.0), tip + Vec3::new(0.0, 0.1, 1.0)];
    let moving = |v: f64| RigidFace::translating(CellKind::Tri3, &nodes, Vec3::z() * v, Vec3::zeros());
    let impact = time_of_impact(&moving(-1.0), &b, 1.0).unwrap();
    assert_eq!((impact.time, impact.normal), (0.0, Vec3::z()));
    assert_eq!(time_of_impact(&moving(1.0), &b, 1.0), None);
}

#[test]
fn a_graze_ends() {
    let b = ground();
    let miss = |gap: f64| {
        square(Vec3::new(0.1, 0.2, 1.0 + gap), Vec3::new(0.0, 0.0, -2.0), Vec3::new(0.0, 0.0, 2.0))
    };
    assert_eq!(time_of_impact(&miss(1e-9), &b, 10.0), None);
    let graze = time_of_impact(&miss(-1e-9), &b, 10.0).unwrap();
    // The closing speed is 2 √|gap|. The allowed error of the time is 4 ε times the height of 1 m, divided by half the
    // closing speed.
    let (early, size) = (1e-9_f64.sqrt(), 1.0);
    assert!(agree(graze.time, 1.0 - early, size / early), "{graze:?}");
    // A graze at zero gap may be reported as a contact. The time of this contact is then within 64 √ε of 1 s, with the
    // machine precision ε.
    let exact = time_of_impact(&miss(0.0), &b, 10.0);
    let within = 64.0 * f64::EPSILON.sqrt();
    assert!(exact.is_none_or(|impact| (impact.time - 1.0).abs() < within), "{exact:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn collapsed_faces_meet_as_the_segments_and_points_they_are(
        (a, b) in approaching_pair(1.0), fold in 0..4_usize,
    ) {
        let collapse = |face: &RigidFace, to_point: bool| {
            let [x, y] = [face.nodes[0], face.nodes[1]];
            let nodes = if to_point { vec![x; 3] } else { vec![x, y, x + (y - x) * 0.3] };
            RigidFace { nodes, ..face.clone() }
        };
        let point = collapse(&a, fold % 2 == 0);
        let found = time_of_impact(&point, &b, 2.0);
        let exact = first_touch(&a, &b, 2.0);
        if let Some(impact) = found {
            prop_assert!(exact.is_some_and(|e| impact.time > e.0 * (1.0 - 5e-9)));
            let gap = closest_features(&point.hull(impact.time), &b.hull(impact.time)).distance;
            prop_assert!(gap < 2e-13 * size(&point, &b, impact.time));
        }
        let both = time_of_impact(&point, &collapse(&b, fold < 2), 2.0);
        prop_assert!(both.is_none_or(|impact| found.is_some_and(|f| f.time < impact.time * (1.0 + 5e-9))));
    }
}

#[test]
fn paths_that_are_not_finite_impact_at_once() {
    let b = ground();
    for (shift, velocity) in [(f64::NAN, 0.0), (1.0, f64::NAN), (f64::INFINITY, 0.0)] {
        let a = square(Vec3::z() * shift, Vec3::z() * velocity, Vec3::zeros());
        assert_eq!(time_of_impact(&a, &b, 1.0).unwrap().time, 0.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_turning_direction_parts_the_nodes_during_its_step(
        (a, b) in approaching_pair(0.0), normal in vector(1.0), rate in vector(2.0),
        acceleration in vector(20.0), deviation in 0.0..20.0_f64, remaining in 0.1..2.0_f64,
    ) {
        let (hull_a, hull_b) = (a.hull(0.0), b.hull(0.0));
        let offset = a.nodes[0] - b.nodes[0];
        let direction = Direction { normal: (normal * 0.3 + offset.normalize()).normalize(), rate };
        let motion = Motion {
            a: &hull_a, b: &hull_b, distance: 0.0, acceleration, deviation, remaining, rounding: 1e-15, speed_rounding: 1e-15,
        };
        prop_assume!(motion.separation(&direction.normal) > 0.0);
        let end = motion.step(&direction, Touch::Apart).min(remaining);
        let at_rest = Direction { rate: Vec3::zeros(), ..direction };
        // Least separation along the direction after the time h, over all pairs of a node of a and a node of b. The
        // deviation of the acceleration is taken at its bound and against the direction.
        let apart = |direction: &Direction, h: f64| {
            let turned = direction.normal + direction.rate * h;
            let pull = 0.5 * h * h * deviation * (1.0 + direction.rate.norm() * h);
            let shift = (a.velocity - b.velocity) * h + acceleration * (0.5 * h * h);
            let pairs = a.nodes.iter().flat_map(|x| b.nodes.iter().map(move |y| x - y));
            pairs.map(|arm| turned.dot(&(arm + shift)) - pull).fold(f64::INFINITY, f64::min)
        };
        let rounding = 4e-13 * size(&a, &b, end);
        let holds = |direction: &Direction| (0..=200).all(|k| apart(direction, end * f64::from(k) / 200.0) > -rounding);
        prop_assert!(holds(&direction) || holds(&at_rest), "{end}");
    }
}
