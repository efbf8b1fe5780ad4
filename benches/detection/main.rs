//! Detection by the engine, compared with detection by all pairs of faces in the same run.
//!
//! There are four kinds of cases. Contact: an icosphere is pressed into a rough sheet and drawn along the sheet. About
//! a tenth of the nodes of the sphere stay close to the sheet. Flight: the first impact of two icospheres. Input: the
//! overlap check of the initial state. Scaling: the growth of the times of a step and of the set-up with the number of
//! bodies and of faces, see [`scaling`].
//!
//! `cargo bench --bench detection -- scaling` measures scaling only. With further words, as in `-- scaling pack`, only
//! the cases whose titles contain all of these words are measured.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../common/mod.rs"]
mod common;
mod folded;
#[path = "../common/icosphere.rs"]
mod icosphere;
#[path = "../../tests/common/random.rs"]
mod random;
mod scaling;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::face::closest_point::Method;
use ictus::contact::detection::volume::VolumeKind;
use ictus::contact::detection::{
    AllPairs, Configuration, ContactModel, Detector, Engine, EngineOptions, Flight, NodeFaceOptions,
    StartFrom, penetrations,
};
use ictus::contact::{Constraints, Surface};
use ictus::math::{RigidMotion, Vec3};
use ictus::mesh::CellKind;
use random::Random;

/// Nodes and triangles of one body.
struct Body {
    nodes: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

/// Two bodies, the nodes of the first one first.
struct Pair {
    surfaces: Vec<Surface>,
    positions: Vec<Vec3>,
    num_first: usize,
}

const NODE_FACE: NodeFaceOptions = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };

impl Pair {
    fn new(bodies: [Body; 2]) -> Self {
        let num_first = bodies[0].nodes.len();
        let surfaces = [0, num_first as u32].into_iter().zip(&bodies).map(|(first, body)| {
            let faces: Vec<[u32; 3]> = body.faces.iter().map(|face| face.map(|node| node + first)).collect();
            Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())))
        });
        let surfaces = surfaces.collect();
        let positions = bodies.into_iter().flat_map(|body| body.nodes).collect();
        Self { surfaces, positions, num_first }
    }

    fn model(&self) -> ContactModel {
        ContactModel::new(self.surfaces.clone(), &[], &self.positions)
    }

    fn num_faces(&self) -> usize {
        self.surfaces.iter().map(Surface::num_faces).sum()
    }

    fn engine(&self) -> Engine {
        let ladder = vec![VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop14, VolumeKind::Obb];
        let options = EngineOptions { ladder, node_face: NODE_FACE, ..EngineOptions::default() };
        Engine::new(self.model(), options, &self.positions)
    }
}

fn rough_sheet(cells: u32) -> Body {
    let mut generator = Random(1);
    let mut random = || generator.unit() - 0.5;
    let n = cells + 1;
    let size = 3.0 / f64::from(cells);
    let place = |k: u32| size * f64::from(k) - 1.5;
    let nodes = (0..n * n)
        .map(|node| {
            Vec3::new(place(node % n), place(node / n), 0.0)
                + Vec3::new(random(), random(), random()) * (0.3 * size)
        })
        .collect();
    let cell_faces = |cell: u32| {
        let a = cell / cells * n + cell % cells;
        [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
    };
    Body { nodes, faces: (0..cells * cells).flat_map(cell_faces).collect() }
}

/// A sphere of radius 1 with its lowest point at z = `bottom`.
fn sphere(subdivisions: usize, bottom: f64) -> Body {
    let (mut nodes, faces) = icosphere::icosphere(subdivisions);
    nodes.iter_mut().for_each(|node| node.z += 1.0 + bottom);
    Body { nodes, faces }
}

/// Position of a node of the sphere after `step` steps.
fn place(pair: &Pair, edge: f64, step: usize, node: usize) -> Vec3 {
    let shiver = 1e-3 * edge * (0.05 * step as f64 + node as f64).sin();
    let mut position = pair.positions[node] + Vec3::new(0.01 * edge * step as f64, 0.0, shiver);
    position.z = position.z.max(-0.1 * edge + shiver);
    position
}

/// Runs a detector through steps of a pressed contact. The lower side of the sphere is flattened on the sheet, slides
/// along the sheet at a hundredth of an edge per step, and vibrates.
fn press(
    pair: &Pair,
    edge: f64,
    positions: &mut [Vec3],
    detector: &mut dyn Detector,
    steps: std::ops::Range<usize>,
) -> usize {
    let mut constraints = Constraints::default();
    let mut before = positions.to_vec();
    let mut found = 0;
    for step in steps {
        before.copy_from_slice(positions);
        for (node, position) in positions.iter_mut().enumerate().take(pair.num_first) {
            *position = place(pair, edge, step, node);
        }
        let configuration =
            Configuration { time: 1e-6 * step as f64, time_step: 1e-6, positions, positions_before: &before };
        detector.detect(&configuration, &mut constraints);
        found += constraints.len();
    }
    found
}

fn bench_contact(subdivisions: usize, cells: u32, steps: usize, oracle_steps: usize) {
    let sphere = sphere(subdivisions, -0.05);
    let pair = Pair::new([sphere, rough_sheet(cells)]);
    let edge = 3.0 / f64::from(cells);
    let label = format!("{} faces", pair.num_faces());
    let mut engine = pair.engine();
    let mut positions = pair.positions.clone();
    for (node, position) in positions.iter_mut().enumerate().take(pair.num_first) {
        *position = place(&pair, edge, 0, node);
    }
    let found = press(&pair, edge, &mut positions, &mut engine, 1..100);
    let mut next = 100;
    let timing = measure(steps, repetitions(5), || {
        press(&pair, edge, &mut positions, &mut engine, next..next + steps);
        next += steps;
    });
    report(&format!("{label}: engine, with the motion"), "step", timing);
    let per_node = common::Timing {
        minimum: timing.minimum * 99.0 / found as f64,
        median: timing.median * 99.0 / found as f64,
        mean: timing.mean.map(|time| time * 99.0 / found as f64),
    };
    report(&format!("{label}: engine, {} penetrated", found / 99), "penetrated node", per_node);
    let counts = engine.statistics().counts;
    println!("    {counts:?} in {} steps", next - 1);
    if oracle_steps > 0 {
        let mut oracle = AllPairs::new(pair.model(), NODE_FACE);
        let timing = measure(oracle_steps, repetitions(2), || {
            press(&pair, edge, &mut positions, &mut oracle, next..next + oracle_steps);
        });
        report(&format!("{label}: all pairs"), "step", timing);
    }
}

fn bench_flight(subdivisions: usize, with_oracle: bool) {
    let pair = Pair::new([sphere(subdivisions, 0.0), sphere(subdivisions, 0.0)]);
    let away = Vec3::new(12.0, 0.4, 0.3);
    let falling = |centre: Vec3, speed: f64| RigidMotion {
        centre,
        velocity: Vec3::new(speed, 0.1, 0.0),
        angular_velocity: Vec3::new(0.1, 0.2, 0.0),
        spin_bound: 0.05,
        ..RigidMotion::at_rest(Vec3::z())
    };
    let motions = [falling(Vec3::zeros(), 5.0), falling(away, -5.0)];
    let flight = Flight {
        time: 0.0,
        duration: 2.0,
        end: 2.0,
        reference_positions: &pair.positions,
        motions: &motions,
    };
    let label = format!("{} faces", pair.num_faces());
    let mut engine = pair.engine();
    let timing = measure(1, repetitions(20), || {
        black_box(engine.first_impact(black_box(&flight)));
    });
    report(&format!("{label}: engine"), "first impact", timing);
    if with_oracle {
        let mut oracle = AllPairs::new(pair.model(), NODE_FACE);
        let timing = measure(1, 1, || {
            black_box(oracle.first_impact(black_box(&flight)));
        });
        report(&format!("{label}: all pairs"), "first impact", timing);
    }
}

fn bench_overlap(subdivisions: usize) {
    let pair = Pair::new([sphere(subdivisions, 0.0), sphere(subdivisions, 1.9)]);
    let model = pair.model();
    let timing =
        measure(pair.num_faces(), repetitions(3), || drop(black_box(penetrations(&model, &pair.positions))));
    report(&format!("{} faces: penetrations", pair.num_faces()), "face", timing);
}

fn main() {
    if std::env::args().any(|argument| argument == "scaling") {
        scaling::run();
        return;
    }
    heading("Contact");
    bench_contact(3, 20, 50, 1);
    bench_contact(5, 70, 50, 0);
    heading("Flight");
    bench_flight(2, true);
    bench_flight(5, false);
    heading("Input");
    bench_overlap(3);
    scaling::run();
}
