//! Gaps, normals and closest points of bodies of triangles, compared with an oracle that shares no code with the
//! detectors.
//!
//! The oracle is the reference of this file. The oracle distinguishes inside and outside by the winding number, a sum
//! of solid angles (van Oosterom & Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125–126). The oracle finds the closest
//! point of a triangle or an edge by enumeration. The candidates are the stationary points of the distance on the
//! interior and on each edge, and the ends. The nearest candidate in the triangle or edge is the closest point
//! (Karush–Kuhn–Tucker conditions). The detectors find the closest point by Voronoi regions instead.

use std::f64::consts::PI;

use ictus::contact::detection::{Configuration, Detector, EntryFaces};
use ictus::contact::{Constraint, Constraints, ContactKey, NodeOnSurface};
use ictus::math::Vec3;
use rayon::prelude::*;

use crate::samples::Samples;
use crate::scenes::{Scene, Shape, number_of_scenes};

/// Tolerance of the gaps of nodes \[m\], for bodies of size 1 m. Gaps of edges, closest points, and the depth times the
/// error of the unit normal have ten times this tolerance.
const ROUNDING: f64 = 1e-14;

/// Depth \[m\] below which rounding decides on the normal of a contact, and on whether the node is inside. Contacts of
/// nodes at a smaller depth are neither required nor checked.
const SHALLOW: f64 = 1e-4;

/// A contact is required if the cosine of the angle between the normals of node and target is below this value. The
/// detectors accept any negative cosine. If the cosine of a contact is larger than this value, only the side of the
/// node is checked.
const OPPOSED: f64 = -0.1;

/// A closed surface of triangles.
struct ClosedSurface {
    triangles: Vec<[Vec3; 3]>,
}

impl ClosedSurface {
    fn of(scene: &Scene, body: usize) -> Self {
        let surface = &scene.surfaces[body];
        let triangle = |face: usize| {
            let nodes = surface.face(face).1;
            [0, 1, 2].map(|k| scene.positions[nodes[k] as usize])
        };
        Self { triangles: (0..surface.num_faces()).map(triangle).collect() }
    }

    /// Winding number: 1 inside, 0 outside.
    fn winding_number(&self, point: &Vec3) -> f64 {
        let solid_angle = |triangle: &[Vec3; 3]| {
            let [a, b, c] = triangle.map(|corner| corner - point);
            let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
            let below = la * lb * lc + a.dot(&b) * lc + a.dot(&c) * lb + b.dot(&c) * la;
            2.0 * a.dot(&b.cross(&c)).atan2(below)
        };
        self.triangles.iter().map(solid_angle).sum::<f64>() / (4.0 * PI)
    }

    /// Closest point of the surface and its distance.
    fn closest(&self, point: &Vec3) -> (Vec3, f64) {
        let of_triangle = |triangle: &[Vec3; 3]| closest_of_simplex(triangle, point);
        let points = self.triangles.iter().map(of_triangle);
        points.map(|closest| (closest, (closest - point).norm())).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }
}

/// Closest point of a triangle: the best feasible stationary point on the triangle, its sides and its corners.
fn closest_of_simplex(corners: &[Vec3; 3], point: &Vec3) -> Vec3 {
    let mut candidates = corners.to_vec();
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let s = (point - a).dot(&(b - a)) / (b - a).norm_squared();
        if (0.0..=1.0).contains(&s) {
            candidates.push(a + (b - a) * s);
        }
    }
    // The stationary point in the plane, a + s (b − a) + t (c − a), solves AᵀA [s, t] = Aᵀ (x − a) with A = [b − a, c −
    // a].
    let [a, b, c] = corners;
    let (u, v, w) = (b - a, c - a, point - a);
    let [uu, uv, vv, uw, vw] = [u.dot(&u), u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w)];
    let determinant = uu * vv - uv * uv;
    let [s, t] = [(vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant];
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        candidates.push(a + u * s + v * t);
    }
    let distance = |candidate: &Vec3| (candidate - point).norm();
    candidates.into_iter().min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap()
}

/// Distance of two segments. The result is the smallest of five values: the four distances of an end from the other
/// segment, and the distance of the two lines. The lines count only if their closest points lie within both segments.
fn distance_of_segments([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let to_segment = |point: Vec3, from: Vec3, to: Vec3| {
        let s = (point - from).dot(&(to - from)) / (to - from).norm_squared();
        (from + (to - from) * s.clamp(0.0, 1.0) - point).norm()
    };
    let mut least = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)]
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let (u, v, w) = (b - a, d - c, c - a);
    let normal = u.cross(&v);
    let s = w.cross(&v).dot(&normal) / normal.norm_squared();
    let t = w.cross(&u).dot(&normal) / normal.norm_squared();
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        least = least.min((a + u * s - c - v * t).norm());
    }
    least
}

/// Unit normal at a node: the mean of the normals of its triangles, weighted by their angles at the node.
fn nodal_normal(scene: &Scene, body: usize, node: u32) -> Vec3 {
    let surface = &scene.surfaces[body];
    let of_face = |face: usize| {
        let nodes = surface.face(face).1;
        let k = nodes.iter().position(|&other| other == node)?;
        let at = |k: usize| scene.positions[nodes[k % 3] as usize];
        let (u, v) = (at(k + 1) - at(k), at(k + 2) - at(k));
        Some(u.cross(&v).normalize() * u.angle(&v))
    };
    (0..surface.num_faces()).filter_map(of_face).sum::<Vec3>().normalize()
}

/// Three numbers: checked nodes, checked edges, and nodes that must be in contact (`certain`).
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    nodes: usize,
    edges: usize,
    certain: usize,
}

impl Tally {
    fn sum(a: Self, b: Self) -> Self {
        Self { nodes: a.nodes + b.nodes, edges: a.edges + b.edges, certain: a.certain + b.certain }
    }
}

/// Two bodies, each a box, a tetrahedron or a ball in a random orientation. Each node is moved in or out by up to 15 %.
/// Along a random direction, the extents of the bodies overlap by a random depth between `least` and `most`; a negative
/// depth is a distance.
fn overlapping_bodies(samples: &mut Samples, [least, most]: [f64; 2]) -> Scene {
    let body = |samples: &mut Samples| {
        let mut shape = match samples.integer(0, 3) {
            0 => Shape::triangle_box(),
            1 => Shape::tetrahedron().scaled(0.6),
            k => Shape::icosphere(k - 1).scaled(0.8),
        };
        let rotation = samples.rotation(false);
        shape.nodes.iter_mut().for_each(|node| *node = rotation * *node * samples.uniform(0.85, 1.15));
        shape
    };
    let (first, second) = (body(samples), body(samples));
    let along = samples.direction(false);
    let extent = |shape: &Shape, sign: f64| {
        shape.nodes.iter().map(|node| sign * along.dot(node)).fold(f64::NEG_INFINITY, f64::max)
    };
    let apart = extent(&first, 1.0) + extent(&second, -1.0);
    let depth = samples.uniform(least, most);
    Scene::new(&[first, second.shifted(&(along * (apart - depth)))], false)
}

/// Contacts of two bodies at rest in the first step, from the all-pairs detector. The nearest face of each contact is
/// replaced by the entry face.
fn contacts(scene: &Scene) -> Constraints {
    let mut constraints = Constraints::default();
    let positions = &scene.positions;
    let configuration = Configuration { time: 0.0, time_step: 1.0, positions, positions_before: positions };
    scene.oracle().detect(&configuration, &mut constraints);
    let mut entry_faces = EntryFaces::new(&scene.model());
    entry_faces.choose(&scene.surfaces, &configuration, &Constraints::default(), &mut constraints);
    constraints
}

/// Compares the contacts of two bodies with the oracle.
fn compare(seed: u64) -> Tally {
    let samples = &mut Samples::new(seed ^ 0x6A95_0000);
    let scene = overlapping_bodies(samples, [0.0, 0.3]);
    let constraints = contacts(&scene);
    let mut tally = Tally::default();
    for constraint in constraints.iter().filter(|constraint| matches!(constraint.key, ContactKey::Edges(_))) {
        check_edges(seed, &constraint, &scene.positions);
        tally.edges += 1;
    }
    for target in [0, 1] {
        let nodes = check_nodes(seed, &scene, target, &constraints);
        tally = Tally::sum(tally, nodes);
    }
    tally
}

/// The depth of an edge–edge contact is the distance between the edges. The vector between the closest points of the
/// edges is the gap times the normal.
fn check_edges(seed: u64, constraint: &Constraint<'_>, positions: &[Vec3]) {
    let at = |k: usize| positions[constraint.nodes[k] as usize];
    let distance = distance_of_segments([at(0), at(1)], [at(2), at(3)]);
    let gap = constraint.gap;
    assert!((gap.abs() - distance).abs() < ROUNDING * 10.0, "seed {seed}: {gap:e}, distance {distance:e}");
    let apart = (constraint.jump(positions) - constraint.normal * gap).norm();
    assert!(apart < ROUNDING * 10.0, "seed {seed}: points are {apart:e} off");
}

/// Each node in contact is inside the target. Its depth, normal and closest point agree with the oracle. Conversely,
/// each node that is certainly inside, within the search depth and opposed to the target is in contact.
fn check_nodes(seed: u64, scene: &Scene, target: usize, constraints: &Constraints) -> Tally {
    let surface = ClosedSurface::of(scene, target);
    let depth = scene.model().search_distance([0, 1]);
    let mut tally = Tally::default();
    for node in scene.bodies[1 - target].clone() {
        let point = scene.positions[node];
        let (closest, distance) = surface.closest(&point);
        let key = ContactKey::Node(NodeOnSurface { contactor: node as u32, target: target as u32 });
        let found = constraints.iter().find(|constraint| constraint.key == key);
        let is_inside = surface.winding_number(&point) > 0.5;
        let opposed = nodal_normal(scene, 1 - target, node as u32).dot(&(closest - point).normalize());
        let is_certain = is_inside && (SHALLOW..0.99 * depth).contains(&distance) && opposed < OPPOSED;
        tally.certain += usize::from(is_certain);
        assert!(found.is_some() || !is_certain, "seed {seed}: node {node}, {distance:e} deep, is not found");
        let Some(constraint) = found.filter(|_| distance > SHALLOW) else { continue };
        assert!(is_inside, "seed {seed}: node {node} is {distance:e} outside");
        if opposed > OPPOSED {
            continue;
        }
        tally.nodes += 1;
        let gap = constraint.gap;
        assert!(
            (gap + distance).abs() < ROUNDING,
            "seed {seed}: node {node}: {gap:e}, distance {distance:e}"
        );
        let off = (constraint.normal - (closest - point) / distance).norm();
        assert!(off * distance < 10.0 * ROUNDING, "seed {seed}: node {node}: normal {off:e} off");
        let apart = (constraint.jump(&scene.positions) - (point - closest)).norm();
        assert!(apart < 10.0 * ROUNDING, "seed {seed}: node {node}: closest point {apart:e} off");
    }
    tally
}

/// Source: geometry. Reference: the oracle of this file. Tolerance: rounding.
#[test]
fn gaps_are_those_of_an_independent_oracle() {
    let scenes = number_of_scenes(1000);
    let tally = (0..scenes).into_par_iter().map(compare).reduce(Tally::default, Tally::sum);
    println!("{scenes} scenes: {tally:?}");
    assert!(tally.nodes > 1000 && tally.certain > 1000 && tally.edges > 100, "too little contact: {tally:?}");
}

/// Two bodies that a plane separates have no contact.
#[test]
fn separated_bodies_have_no_contact() {
    let apart = |seed: u64| {
        let samples = &mut Samples::new(seed ^ 0x5E9A_0000);
        let scene = overlapping_bodies(samples, [-0.2, -1e-3]);
        contacts(&scene).len()
    };
    let scenes = number_of_scenes(1000);
    let contacts: usize = (0..scenes).into_par_iter().map(apart).sum();
    assert_eq!(contacts, 0);
}
