//! Times per face to build and to refit hierarchies of bounding spheres, for numbers of faces that differ by a factor
//! of ten.
//!
//! The rough sheet has irregular, graded quadrilaterals that are split into triangles. The icosphere is regular, so
//! that many costs of the build are equal.
//!
//! Best times of other libraries for 41k and 400k triangles, on another machine: to build a tree 58 and 97 ns per face
//! (obvhs, PLOC, single precision); to refit from nodes 10.4 and 12.3 ns (parry, single precision) or 13.2 and 18.6 ns
//! (double precision). None of these libraries builds bottom-up.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]
mod common;
#[path = "common/icosphere.rs"]
mod icosphere;
#[path = "../tests/common/random.rs"]
mod random;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::Surface;
use ictus::contact::detection::tree::hierarchy::{Builder, Hierarchy, LeafFit};
use ictus::contact::detection::volume::Sphere;
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use random::Random;

struct Body {
    label: String,
    surface: Surface,
    positions: Vec<Vec3>,
}

impl Body {
    fn new(name: &str, faces: &[[u32; 3]], positions: Vec<Vec3>) -> Self {
        let surface = Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
        Self { label: format!("{name}, {} faces", faces.len()), surface, positions }
    }

    fn num_faces(&self) -> usize {
        self.surface.num_faces()
    }
}

fn rough_sheet(cells: u32) -> Body {
    let mut generator = Random(1);
    let mut random = || generator.unit() - 0.5;
    let n = cells + 1;
    let size = 1.0 / f64::from(cells);
    let mut positions = Vec::new();
    for node in 0..n * n {
        let (s, t) = (f64::from(node % n) * size, f64::from(node / n) * size);
        let x = 0.3 * s + 0.7 * s * s;
        let waves = 0.05 * (11.0 * x).sin() * (9.0 * t).cos();
        positions.push(Vec3::new(x, t, waves) + Vec3::new(random(), random(), random()) * (0.5 * size));
    }
    let mut faces = Vec::new();
    for cell in 0..cells * cells {
        let a = cell / cells * n + cell % cells;
        faces.extend([[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]);
    }
    Body::new("rough sheet", &faces, positions)
}

fn icosphere(subdivisions: usize) -> Body {
    let (positions, faces) = icosphere::icosphere(subdivisions);
    Body::new("icosphere", &faces, positions)
}

/// Times the build and, separately, the fit of the spheres. Only flight needs this fit.
fn bench_build(body: &Body) {
    let num_faces = body.num_faces();
    let samples = repetitions(if num_faces > 100_000 { 5 } else { 15 });
    let build = |builder| Hierarchy::build(builder, &body.surface, &body.positions, 0.0);
    let fast = measure(num_faces, samples, || drop(black_box(build(Builder::Fast))));
    report(&format!("{}: fast", body.label), "face", fast);
    if let Some(mut hierarchy) = build(Builder::Fast) {
        let fit = measure(num_faces, samples, || hierarchy.fit_reference_spheres(&body.positions));
        report(&format!("{}: fit of the reference spheres", body.label), "face", fit);
    }
    if num_faces < 100_000 {
        let bottom_up = measure(num_faces, repetitions(5), || drop(black_box(build(Builder::BottomUp))));
        report(&format!("{}: bottom-up", body.label), "face", bottom_up);
    }
    if num_faces < 10_000 {
        let insertion = measure(num_faces, repetitions(3), || drop(black_box(build(Builder::Insertion))));
        report(&format!("{}: bottom-up by insertion", body.label), "face", insertion);
    }
}

/// Compares Ritter's two passes with the minimum ball: radii of leaves and root, and time.
fn bench_fits(body: &Body) {
    for (name, fit) in [("minimum balls", LeafFit::MinimumBall), ("Ritter", LeafFit::Ritter)] {
        let build = || Hierarchy::build_with(Builder::Fast, fit, &body.surface, &body.positions, 0.0);
        let Some(mut tree) = build() else { return };
        let timing = measure(body.num_faces(), repetitions(5), || {
            if let Some(tree) = &mut black_box(build()) {
                tree.fit_reference_spheres(&body.positions);
            }
        });
        tree.fit_reference_spheres(&body.positions);
        let leaves = (0..=tree.root()).filter(|&v| tree.face(v).is_some());
        let sum: f64 = leaves.map(|v| tree.reference_sphere(v).radius).sum();
        let (leaf, root) = (sum / body.num_faces() as f64, tree.reference_sphere(tree.root()).radius);
        report(&format!("{}: {name}, leaf {leaf:.5}, root {root:.4}", body.label), "face", timing);
    }
}

/// Times the refit. The reference is a copy of as many bytes as a refit writes. Neither the copy nor the refit finds
/// its data in the cache.
fn bench_refit(body: &Body) {
    let Some(hierarchy) = Hierarchy::build(Builder::Fast, &body.surface, &body.positions, 0.0) else {
        return;
    };
    let mut spheres: Vec<Sphere> = Vec::new();
    let samples = repetitions(100);
    let refit = measure(body.num_faces(), samples, || {
        hierarchy.refit(black_box(&body.positions), &mut spheres);
    });
    report(&format!("{}: refit", body.label), "face", refit);
    let source = spheres.clone();
    let copy = measure(body.num_faces(), samples, || spheres.copy_from_slice(black_box(&source)));
    report(&format!("{}: copy of the spheres", body.label), "face", copy);
}

/// Times the refit of the hierarchy of a sheet with one and with two threads.
fn bench_threads(body: &Body) {
    let Some(hierarchy) = Hierarchy::build(Builder::Fast, &body.surface, &body.positions, 0.0) else {
        return;
    };
    let mut spheres = Vec::new();
    let mut minima = [f64::INFINITY; 2];
    for (num_threads, minimum) in (1..).zip(&mut minima) {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build() else { return };
        let timing = pool.install(|| {
            measure(body.num_faces(), repetitions(30), || {
                hierarchy.refit(black_box(&body.positions), &mut spheres);
            })
        });
        report(&format!("{}: threads: {num_threads}", body.label), "face", timing);
        *minimum = timing.minimum;
    }
    println!("parallel efficiency {:.0} %", 100.0 * minima[0] / (2.0 * minima[1]));
}

fn main() {
    const FINEST: u32 = 447;
    let bodies = [rough_sheet(45), icosphere(4), rough_sheet(141), icosphere(5), rough_sheet(FINEST)];
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| {
            heading("Build, one thread");
            bodies.iter().for_each(bench_build);
            heading("Fits of spheres, mean radius of the leaves, radius of the root");
            bodies[..4].iter().for_each(bench_fits);
            heading("Refit, one thread");
            bodies.iter().for_each(bench_refit);
        }),
        Err(error) => println!("no thread: {error}"),
    }
    heading("Refit");
    bench_threads(&bodies[4]);
}
