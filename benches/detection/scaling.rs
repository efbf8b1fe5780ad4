//! Growth of the cost of detection with the number of bodies and of faces.
//!
//! The bodies are octahedra. In the first case they are sparse and in free motion, like the molecules of a gas. In the
//! second case they are densely packed, vibrate, and each overlaps its six neighbours. Growth with the number of faces
//! is measured in two cases: for two sheets in contact that slide along each other, and for a plate folded onto itself.
//! For N bodies or faces, the exponent of N is fitted to the logarithms of the times by least squares. The times are
//! processor times of one thread, independent of other programs. Of fewer bodies, a larger fraction is at the border
//! and has fewer neighbours. The growth of the number of contacts is therefore reported too. The sheets are also timed
//! with one and with two threads, in wall time.

use std::sync::LazyLock;
use std::time::Instant;

use ictus::contact::detection::volume::VolumeKind;
use ictus::contact::detection::{
    AllPairs, Configuration, ContactModel, Detector, Engine, EngineOptions, Flight, penetrations,
};
use ictus::contact::{Constraints, Surface};
use ictus::math::{RigidMotion, Rotation, Vec3};
use ictus::mesh::CellKind;

use crate::NODE_FACE;
use crate::common::{repetitions, time_on_processor};
use crate::folded::folded_plate;
use crate::random::Random;

/// Largest exponent that counts as linear.
const LINEAR: f64 = 1.1;

/// Number of bodies or faces whose processing takes long enough to be timed: the system updates processor times only
/// every few milliseconds. A smaller case is set up several times, and the copies are processed one after the other.
const LONG: usize = 30_000;

/// Faces of an octahedron by its corners −x, +x, −y, +y, −z, +z.
const OCTAHEDRON: [[u32; 3]; 8] =
    [[1, 3, 5], [3, 0, 5], [0, 2, 5], [2, 1, 5], [3, 1, 4], [0, 3, 4], [2, 0, 4], [1, 2, 4]];

impl Random {
    /// Uniform in \[−½, ½).
    pub fn number(&mut self) -> f64 {
        self.unit() - 0.5
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// Bodies with consecutive node numbers.
pub struct Crowd {
    pub surfaces: Vec<Surface>,
    /// Bodies with self-contact.
    pub foldable: Vec<u32>,
    /// Stress-free positions.
    pub reference: Vec<Vec3>,
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    /// Number of consecutive nodes that vibrate together: those of a body, or of a layer.
    pub nodes_moved_alike: usize,
}

/// Length of a step \[s\].
const TIME_STEP: f64 = 0.01;

/// Returns the time \[s\].
type Clock = fn() -> f64;

/// Processor time of this thread; wall time if the system does not report it.
fn on_processor() -> f64 {
    let time = 1e-9 * time_on_processor();
    if time > 0.0 { time } else { on_the_wall() }
}

/// Wall time.
fn on_the_wall() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Times of one size \[s\].
struct Times {
    set_up: f64,
    first: f64,
    step: f64,
}

impl Crowd {
    /// Stress-free bodies without self-contact.
    fn new(surfaces: Vec<Surface>, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        let nodes_moved_alike = positions.len() / surfaces.len();
        Self {
            surfaces,
            foldable: vec![],
            reference: positions.clone(),
            positions,
            velocities,
            nodes_moved_alike,
        }
    }

    fn model(&self) -> ContactModel {
        ContactModel::new(self.surfaces.clone(), &[], &self.reference).with_self_contact(&self.foldable)
    }

    fn engine(&self) -> Engine {
        let ladder = vec![VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop14, VolumeKind::Obb];
        let options = EngineOptions { ladder, node_face: NODE_FACE, ..EngineOptions::default() };
        Engine::new(self.model(), options, &self.reference)
    }

    /// Octahedra of unit radius on a perturbed cubic lattice, each with its own orientation and velocity.
    fn of_octahedra(count: usize, spacing: f64, shake: f64, speed: f64) -> Self {
        let side = (count as f64).cbrt().ceil() as usize;
        let random = &mut Random(7);
        let (mut surfaces, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..count {
            let lattice = Vec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
            let centre = (lattice + random.vector() * shake) * spacing;
            let rotation = Rotation::from_scaled_axis(random.vector() * 6.0);
            let velocity = random.vector() * speed;
            let first = positions.len() as u32;
            for corner in 0..6 {
                let mut arm = Vec3::zeros();
                arm[corner / 2] = if corner % 2 == 0 { -1.0 } else { 1.0 };
                positions.push(centre + rotation * arm);
                velocities.push(velocity);
            }
            let faces = OCTAHEDRON.map(|face| face.map(|node| node + first));
            surfaces.push(Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice()))));
        }
        Self::new(surfaces, positions, velocities)
    }

    /// A sheet of `cells` × `cells` cells on [0, 1]², and on top a slightly wavy second sheet that slides along the
    /// first.
    fn of_sheets(cells: u32) -> Self {
        let n = cells + 1;
        let size = 1.0 / f64::from(cells);
        let random = &mut Random(3);
        let (mut surfaces, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for (body, side) in [1.0, -1.0].into_iter().enumerate() {
            let first = positions.len() as u32;
            for node in 0..n * n {
                let wave = 0.2 * size * random.number() - side * 0.02 * size;
                let (i, j) = (node % n, node / n);
                let place = Vec3::new(f64::from(i) + 0.3 * side, f64::from(j) + 0.2 * side, 0.0) * size;
                positions.push(place + Vec3::z() * wave);
                velocities.push(Vec3::new(size, 0.3 * size, 0.0) * body as f64);
            }
            let cell = |cell: u32| {
                let a = first + cell / cells * n + cell % cells;
                let up = [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]];
                up.map(|[a, b, c]| if side > 0.0 { [a, b, c] } else { [a, c, b] })
            };
            let faces: Vec<[u32; 3]> = (0..cells * cells).flat_map(cell).collect();
            // The outward normal of the lower sheet is up.
            surfaces.push(Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice()))));
        }
        Self::new(surfaces, positions, velocities)
    }

    /// Times of the set-up and of a step, as means over copies, and the number of contacts. In a step, bodies move by a
    /// hundredth of their velocities and vibrate.
    fn step(&self, steps: usize, copies: usize, clock: Clock) -> (Times, usize) {
        let mut detectors: Vec<Engine> = Vec::with_capacity(copies);
        let start = clock();
        detectors.extend((0..copies).map(|_| self.engine()));
        let set_up = clock() - start;
        let mut constraints = Constraints::default();
        let mut moving = Moving::from(self);
        let start = clock();
        detectors.iter_mut().for_each(|detector| detector.detect(&moving.configuration(), &mut constraints));
        let first = clock() - start;
        let mut total = 0.0;
        for detector in &mut detectors {
            moving = Moving::from(self);
            for _ in 1..steps {
                moving.go_on();
                let configuration = moving.configuration();
                let start = clock();
                detector.detect(&configuration, &mut constraints);
                total += clock() - start;
            }
        }
        let mean = |seconds: f64| seconds / copies as f64;
        let times =
            Times { set_up: mean(set_up), first: mean(first), step: mean(total) / (steps - 1) as f64 };
        (times, constraints.len())
    }

    /// Times of the set-up and of the search for the first impact of the bodies in flight.
    fn fly(&self, end: f64, copies: usize, clock: Clock) -> Times {
        let start = clock();
        let mut detectors: Vec<Engine> = (0..copies).map(|_| self.engine()).collect();
        let set_up = clock() - start;
        let motion = |first: usize| {
            let nodes = &self.positions[first..first + self.nodes_moved_alike];
            let centre = nodes.iter().sum::<Vec3>() / nodes.len() as f64;
            RigidMotion { velocity: self.velocities[first], ..RigidMotion::at_rest(centre) }
        };
        let motions: Vec<RigidMotion> =
            (0..self.positions.len()).step_by(self.nodes_moved_alike).map(motion).collect();
        let flight =
            Flight { time: 0.0, duration: end, end, reference_positions: &self.positions, motions: &motions };
        let start = clock();
        for detector in &mut detectors {
            std::hint::black_box(detector.first_impact(&flight));
        }
        let first = clock() - start;
        Times { set_up: set_up / copies as f64, first: first / copies as f64, step: 0.0 }
    }
}

/// Times one detection of a crowd by the engine and by all pairs of nodes and faces. The two detectors must find
/// equally many contacts.
fn against_all_pairs(title: &str, crowd: &Crowd) {
    if !wanted(title) {
        return;
    }
    let moving = Moving::from(crowd);
    let find = |detector: &mut dyn Detector| {
        let mut constraints = Constraints::default();
        let start = on_the_wall();
        detector.detect(&moving.configuration(), &mut constraints);
        (on_the_wall() - start, constraints.len())
    };
    let (first, contacts) = find(&mut crowd.engine());
    let (all, expected) = find(&mut AllPairs::new(crowd.model(), NODE_FACE));
    assert_eq!(contacts, expected);
    let [first, all] = [first, all].map(|seconds| 1e3 * seconds);
    println!("    {title}: first look {first:.3} ms, all pairs {all:.1} ms, {contacts} contacts");
}

/// A crowd in motion.
struct Moving<'a> {
    crowd: &'a Crowd,
    step: usize,
    positions: Vec<Vec3>,
    positions_before: Vec<Vec3>,
}

impl<'a> Moving<'a> {
    /// The crowd after the first step.
    fn from(crowd: &'a Crowd) -> Self {
        let [positions, positions_before] = [crowd.positions.clone(), crowd.positions.clone()];
        let mut moving = Self { crowd, step: 0, positions, positions_before };
        moving.move_nodes();
        moving
    }

    fn go_on(&mut self) {
        self.step += 1;
        self.move_nodes();
    }

    fn move_nodes(&mut self) {
        self.positions_before.clone_from(&self.positions);
        for (node, position) in self.positions.iter_mut().enumerate() {
            let shiver = 0.05 * (0.3 * self.step as f64 + (node / self.crowd.nodes_moved_alike) as f64).sin();
            *position += self.crowd.velocities[node] * (1.0 + shiver) * TIME_STEP;
        }
    }

    fn configuration(&self) -> Configuration<'_> {
        Configuration {
            time: TIME_STEP * self.step as f64,
            time_step: TIME_STEP,
            positions: &self.positions,
            positions_before: &self.positions_before,
        }
    }
}

/// Exponent of the power law fitted to the times.
fn exponent(sizes: &[f64], times: &[f64]) -> f64 {
    let logarithms: Vec<(f64, f64)> = sizes.iter().zip(times).map(|(n, t)| (n.ln(), t.ln())).collect();
    let count = logarithms.len() as f64;
    let (x, y) = logarithms.iter().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let sums = logarithms
        .iter()
        .fold((0.0, 0.0), |sum, (a, b)| (sum.0 + (a - x) * (b - y), sum.1 + (a - x) * (a - x)));
    sums.0 / sums.1
}

fn print_exponents(sizes: &[f64], columns: &[(&str, Vec<f64>)]) {
    for (name, times) in columns {
        let exponent = exponent(sizes, times);
        let verdict = if exponent <= LINEAR { "" } else { "  NOT LINEAR" };
        println!("    {name:<36} grows as N^{exponent:.2}{verdict}");
    }
}

/// Number of copies of a crowd that together take a measurable time.
fn copies(size: usize) -> usize {
    repetitions((LONG / size).max(1))
}

/// Whether the title contains all words after the name of the bench, except `scaling`.
fn wanted(title: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-') && word != "scaling");
    words.all(|word| title.contains(&word))
}

fn stepping(title: &str, sizes: &[usize], steps: usize, crowd: impl Fn(usize) -> Crowd) {
    if !wanted(title) {
        return;
    }
    println!(
        "\n{title}\n{:>9} {:>12} {:>12} {:>12} {:>12}",
        "N", "contacts", "set-up [s]", "first [s]", "step [ms]"
    );
    let (mut numbers, mut set_ups, mut firsts, mut times) = (vec![], vec![], vec![], vec![]);
    let mut all_contacts = vec![];
    for &size in sizes {
        let (Times { set_up, first, step }, contacts) = crowd(size).step(steps, copies(size), on_processor);
        println!("{size:>9} {contacts:>12} {set_up:>12.4} {first:>12.4} {:>12.4}", 1e3 * step);
        numbers.push(size as f64);
        set_ups.push(set_up);
        firsts.push(first);
        times.push(step);
        all_contacts.push(contacts as f64);
    }
    if sizes.len() > 1 {
        print_exponents(&numbers, &[("set-up", set_ups), ("first look", firsts), ("a step", times)]);
        if all_contacts.iter().all(|&contacts| contacts > 0.0) {
            println!("    contacts grow as N^{:.2}", exponent(&numbers, &all_contacts));
        }
    }
}

fn flying(title: &str, sizes: &[usize], end: f64, crowd: impl Fn(usize) -> Crowd) {
    if !wanted(title) {
        return;
    }
    println!("\n{title}\n{:>9} {:>12} {:>12}", "N", "set-up [s]", "flight [s]");
    let (mut numbers, mut set_ups, mut firsts) = (vec![], vec![], vec![]);
    for &size in sizes {
        let Times { set_up, first, .. } = crowd(size).fly(end, copies(size), on_processor);
        println!("{size:>9} {set_up:>12.4} {first:>12.4}");
        numbers.push(size as f64);
        set_ups.push(set_up);
        firsts.push(first);
    }
    if sizes.len() > 1 {
        print_exponents(&numbers, &[("set-up", set_ups), ("to the first impact", firsts)]);
    }
}

fn check_of_input(title: &str, sizes: &[usize], crowd: impl Fn(usize) -> Crowd) {
    if !wanted(title) {
        return;
    }
    println!("\n{title}\n{:>9} {:>12}", "N", "time [s]");
    let mut times = vec![];
    for &size in sizes {
        let Crowd { surfaces, positions, .. } = crowd(size);
        let model = ContactModel::new(surfaces, &[], &positions);
        let start = on_processor();
        for _ in 0..copies(size) {
            assert!(penetrations(&model, &positions).is_empty());
        }
        let seconds = (on_processor() - start) / copies(size) as f64;
        println!("{size:>9} {seconds:>12.4}");
        times.push(seconds);
    }
    let numbers: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
    if sizes.len() > 1 {
        print_exponents(&numbers, &[("all bodies", times)]);
    }
}

/// Times the same steps with one thread and with two threads.
fn threads(title: &str, size: usize, steps: usize, crowd: impl Fn(usize) -> Crowd) {
    if !wanted(title) {
        return;
    }
    println!("\n{title}");
    let mut times = Vec::new();
    for count in [1, 2] {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(count).build() else { return };
        let crowd = crowd(size);
        let (Times { set_up, first, step }, _) = pool.install(|| crowd.step(steps, 1, on_the_wall));
        println!(
            "    {count} threads: set-up {set_up:.3} s, first look {first:.3} s, a step {:.3} ms",
            1e3 * step
        );
        times.push([set_up, first, step]);
    }
    let efficiency = |k: usize| 50.0 * times[0][k] / times[1][k];
    let [set_up, first, step] = [0, 1, 2].map(efficiency);
    println!("    efficiency: set-up {set_up:.0} %, first look {first:.0} %, steps {step:.0} %");
}

/// Prints all tables.
pub fn run() {
    let is_test = repetitions(2) == 1;
    let sizes = |usual: &'static [usize], in_test: &'static [usize]| if is_test { in_test } else { usual };
    let many = sizes(&[100, 1000, 10_000, 100_000], &[50]);
    let faces = sizes(&[1000, 10_000, 100_000, 1_000_000], &[300]);
    let steps = |usual: usize| if is_test { 3 } else { usual };
    let gas = |count| Crowd::of_octahedra(count, 10.0, 0.5, 2.0);
    let pack = |count| Crowd::of_octahedra(count, 1.5, 0.1, 0.5);
    let sheets = |faces: usize| Crowd::of_sheets((0.5 * faces as f64).sqrt().round() as u32);
    let on_one_thread = || {
        stepping("Steps of a dilute gas of N octahedra", many, steps(100), gas);
        stepping("Steps of a dense pack of N octahedra", many, steps(20), pack);
        flying("Flight of a dilute gas of N octahedra to their first impact", many, 20.0, gas);
        check_of_input("Check that bodies do not overlap", many, gas);
        stepping("Steps of two sheets of N faces each, in touch all over", faces, steps(50), sheets);
        stepping("Steps of a plate of N faces folded onto itself", faces, steps(50), folded_plate);
        against_all_pairs("a folded plate of 1000 faces", &folded_plate(1000));
    };
    if let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        pool.install(on_one_thread);
    }
    let half = if is_test { 300 } else { 200_000 };
    threads("Two sheets of 400 000 faces in all, with one thread and with two", half, steps(50), sheets);
}
