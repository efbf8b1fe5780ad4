//! Self-contact of plates and strips that roll up and fold over; bodies that must not have self-contact.

use ictus::contact::detection::{Configuration, Detector, EdgeSelection};
use ictus::contact::{Constraints, Surface};
use ictus::math::{Rotation, Vec3};
use rayon::prelude::*;

use crate::contact::{Comparison, Tally};
use crate::samples::Samples;
use crate::scenes::{FOLDING_RIVALS, Scene, Shape, number_of_scenes};

/// A plate or strip along x that is bent into a spiral. Its curvature grows, each node vibrates, and the body moves and
/// rotates.
struct Rolling {
    scene: Scene,
    /// Curvature \[1/m\] and its growth with x \[1/m²\], of the completely rolled-up plate.
    curvature: [f64; 2],
    shiver: Vec<(Vec3, f64)>,
    velocity: Vec3,
    spin: Vec3,
}

impl Rolling {
    /// A random plate or strip; `fineness` multiplies its number of faces along each side.
    fn random(samples: &mut Samples, fineness: usize) -> Self {
        let plane = samples.chance(0.3);
        let thickness = samples.scale(0.002, 0.1);
        let counts = [samples.integer(4, 12), samples.integer(1, 2)].map(|count| count * fineness);
        let (shape, rotation) = if plane {
            (Shape::strip(counts[0] * 2, thickness), Rotation::identity())
        } else {
            // The spiral is in the plane of x and y, so the plate is rotated to stand on its side.
            let upright = Rotation::from_scaled_axis(Vec3::x() * std::f64::consts::FRAC_PI_2);
            (Shape::plate(counts, thickness, samples.chance(0.7)), upright)
        };
        let mut shape = shape;
        shape.nodes.iter_mut().for_each(|node| *node = rotation * *node);
        if !plane && samples.chance(0.1) {
            shape = shape.quadratic(|_, _| Vec3::zeros());
        }
        let shapes = match samples.chance(0.3) {
            true => vec![shape.clone(), shape.shifted(&Vec3::new(0.1, 0.4, 0.0))],
            false => vec![shape],
        };
        let mut scene = Scene::new(&shapes, plane);
        scene.crossing = samples.pick(&[EdgeSelection::Feature, EdgeSelection::All]);
        scene.foldable = (0..shapes.len() as u32).filter(|_| samples.chance(0.9)).collect();
        let roughness = samples.pick(&[0.0, 0.2, 1.0]) * thickness;
        let shiver = |_| (samples.vector(roughness, plane), samples.uniform(0.0, 6.0));
        let shiver = (0..scene.positions.len()).map(shiver).collect();
        let curvature = [samples.uniform(3.0, 9.0), samples.uniform(-6.0, 6.0)];
        let (velocity, spin) = (samples.vector(1.0, plane), samples.axis(plane) * samples.uniform(-3.0, 3.0));
        Self { scene, curvature, shiver, velocity, spin }
    }

    /// Positions of the nodes when `part` of the full curvature is reached. The phase of the vibration depends on
    /// `part`.
    fn positions(&self, part: f64) -> Vec<Vec3> {
        let turn = Rotation::from_scaled_axis(self.spin * part);
        let place = |(x, (shiver, phase)): (&Vec3, &(Vec3, f64))| {
            let (mut at, mut angle) = (Vec3::zeros(), 0.0_f64);
            let (count, length) = (64, x.x);
            for k in 0..count {
                let step = length / f64::from(count);
                let middle = (f64::from(k) + 0.5) * step;
                angle += (self.curvature[0] + self.curvature[1] * middle) * part * step;
                at += Vec3::new(angle.cos(), angle.sin(), 0.0) * step;
            }
            let across = Vec3::new(-angle.sin(), angle.cos(), 0.0);
            let bent = at + across * x.y + Vec3::z() * x.z + shiver * (20.0 * part + phase).sin();
            turn * bent + self.velocity * part
        };
        self.scene.positions.iter().zip(&self.shiver).map(place).collect()
    }
}

/// Rolls a plate up and unrolls it, at times with large steps.
pub fn roll(seed: u64) -> Tally {
    let samples = &mut Samples::new(seed ^ 0x5E1F_0000);
    let rolling = Rolling::random(samples, 1);
    compare(seed, samples, &rolling)
}

fn compare(seed: u64, samples: &mut Samples, rolling: &Rolling) -> Tally {
    let mut comparison = Comparison::new(format!("self-contact, seed {seed}"), &rolling.scene);
    let steps = samples.integer(30, 80);
    let (mut time_step, mut time) = (samples.scale(1e-6, 1e-2), 0.0);
    let pace = samples.pick(&[1.0, 1.0, 0.1, 4.0]) / steps as f64;
    let (mut part, mut heading) = (samples.pick(&[0.0, 0.5]), 1.0);
    let mut positions = rolling.positions(part);
    for _ in 0..steps {
        if samples.chance(0.03) {
            heading *= samples.pick(&[-1.0, 0.1, 10.0]);
            time_step *= samples.pick(&[0.3, 1.0, 3.0]);
        }
        part = (part + heading * pace).clamp(-0.2, 1.5);
        time += time_step;
        let before = std::mem::replace(&mut positions, rolling.positions(part));
        comparison.check(&Configuration {
            time,
            time_step,
            positions: &positions,
            positions_before: &before,
        });
    }
    comparison.tally
}

#[test]
fn self_contacts_are_those_of_all_pairs() {
    let scenes = number_of_scenes(24);
    let tally = (0..scenes).into_par_iter().map(roll).reduce(Tally::default, Tally::sum);
    println!("{scenes} scenes in self-contact: {tally:?}");
    assert!(tally.touching > tally.steps / 20, "too little contact to tell: {tally:?}");
}

/// As `self_contacts_are_those_of_all_pairs`, for fine plates: with 1100 to 1500 faces, several threads share one
/// plate.
#[test]
fn self_contacts_of_fine_plates_are_those_of_all_pairs() {
    let fine = |seed: u64| {
        let mut samples = Samples::new(seed);
        let rolling = Rolling::random(&mut samples, 6);
        let faces = rolling.scene.model().surfaces.iter().map(Surface::num_faces).max()?;
        (1100..1500).contains(&faces).then_some((seed, samples, rolling))
    };
    let plates: Vec<_> = (0..40).filter_map(fine).take(2).collect();
    let compare = |(seed, mut samples, rolling)| compare(seed, &mut samples, &rolling);
    let tallies: Vec<Tally> = plates.into_par_iter().map(compare).collect();
    println!("{tallies:?}");
    assert!(tallies.iter().any(|tally| tally.touching > tally.steps / 20), "too little contact to tell");
}

/// Constraints that each detector finds at these positions in its first step, without motion.
fn constraints_of(scene: &Scene, positions: &[Vec3]) -> Vec<Constraints> {
    let mut detectors: Vec<Box<dyn Detector>> = FOLDING_RIVALS.map(|rival| scene.rival(rival)).into();
    detectors.push(Box::new(scene.oracle()));
    let find = |detector: &mut Box<dyn Detector>| {
        let mut constraints = Constraints::default();
        let configuration =
            Configuration { time: 0.0, time_step: 1.0, positions, positions_before: positions };
        detector.detect(&configuration, &mut constraints);
        constraints
    };
    detectors.iter_mut().map(find).collect()
}

fn foldable(shape: &Shape, plane: bool) -> Scene {
    Scene { foldable: vec![0], ..Scene::new(std::slice::from_ref(shape), plane) }
}

/// Plates from a foil to a block, and bodies with sharp and obtuse edges, have no self-contact at rest, pressed,
/// sheared and bent. Bodies are pressed to a twentieth of their thickness; bodies thicker than four edges are pressed
/// to a half.
#[test]
fn flush_walls_and_corners_are_not_in_contact() {
    let mut shapes = vec![(Shape::strip(10, 1e-4), true), (Shape::strip(7, 0.3), true)];
    for thickness in [1e-6, 1e-3, 0.05, 0.2, 1.0] {
        for triangles in [false, true] {
            shapes.push((Shape::plate([6, 4], thickness, triangles), false));
        }
    }
    let spatial =
        [Shape::tetrahedron(), Shape::triangle_box(), Shape::quadrilateral_box(), Shape::icosphere(2)];
    shapes.extend(spatial.map(|shape| (shape, false)));
    shapes.push((Shape::quadratic_sphere(1), false));
    for (number, (shape, plane)) in shapes.iter().enumerate() {
        let scene = foldable(shape, *plane);
        let thin = if *plane { 1 } else { 2 };
        let thickness = scene.positions.iter().map(|x| 2.0 * x[thin]).fold(0.0, f64::max);
        let part = if thickness < 4.0 * scene.edges[0] { 0.05 } else { 0.5 };
        let pressed = |x: &Vec3| {
            let mut x = *x;
            x[thin] *= part;
            x
        };
        let sheared = |x: &Vec3| x + Vec3::x() * (0.8 * x[thin]);
        let bent = |x: &Vec3| {
            let (sin, cos) = (0.8 * x.x).sin_cos();
            Vec3::x() * sin / 0.8 + Vec3::ith(thin, (1.0 - cos) / 0.8) + x - Vec3::x() * x.x
        };
        let still = |x: &Vec3| *x;
        let motions: [&dyn Fn(&Vec3) -> Vec3; 4] = [&still, &pressed, &sheared, &bent];
        for (k, motion) in motions.iter().enumerate() {
            let positions: Vec<Vec3> = scene.positions.iter().map(motion).collect();
            let found = constraints_of(&scene, &positions);
            let count: Vec<usize> = found.iter().map(Constraints::len).collect();
            assert_eq!(
                count,
                [0; FOLDING_RIVALS.len() + 1],
                "shape {number}, motion {k}: {:?}",
                found[3].iter().next()
            );
        }
    }
}

/// A plate is folded in the middle until one half penetrates the other by `depth`. Each node of the folded half in
/// contact has as its target the side through which the node entered. The normal points out of this side. No node is in
/// contact with the far side.
#[test]
fn a_folded_plate_touches_the_side_it_came_upon() {
    for (thickness, triangles) in [(0.02, false), (0.02, true), (1e-3, false), (0.1, true)] {
        let scene = foldable(&Shape::plate([16, 3], thickness, triangles), false);
        let depth = 0.2 * thickness;
        let radius = 0.5 * (thickness - depth);
        // The folded half turns by 180° about a line above the middle of the plate, continues back above the other
        // half, and descends onto the other half.
        let centre = (0.75 * thickness).max(0.04);
        let arc = std::f64::consts::PI * centre;
        let fold = |x: &Vec3| {
            let along = x.x - 0.5;
            if along <= 0.0 {
                return *x;
            }
            let angle = (along / arc).min(1.0) * std::f64::consts::PI;
            let turned =
                Vec3::new(0.5, x.y, centre) + Vec3::new(angle.sin(), 0.0, -angle.cos()) * (centre - x.z);
            let beyond = (along - arc).max(0.0);
            let sinking = 2.0 * (centre - radius) * (beyond / 0.1).min(1.0);
            turned - Vec3::x() * beyond - Vec3::z() * sinking
        };
        let positions: Vec<Vec3> = scene.positions.iter().map(fold).collect();
        let found = constraints_of(&scene, &positions);
        for constraints in &found {
            assert!(constraints.len() > 20, "thickness {thickness}: {}", constraints.len());
            assert_eq!(constraints.len(), found[3].len());
            for constraint in constraints.iter() {
                let x = scene.positions[constraint.nodes[0] as usize].x;
                let expected = if x > 0.5 { 1.0 } else { -1.0 };
                assert!((constraint.normal.z - expected).abs() < 0.1, "{constraint:?}");
                // Away from the bend the gap is exactly −depth.
                let exact = (constraint.gap + depth).abs() < 1e-12;
                assert!(exact || x < 0.9, "{constraint:?}");
            }
        }
    }
}
