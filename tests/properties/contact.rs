//! Constraints between deforming bodies that pass into, through and out of each other.

use ictus::contact::detection::{AllPairs, Configuration, Detector, EdgeSelection, StageCounts};
use ictus::contact::{Constraints, ContactKey};
use ictus::math::Vec3;
use rayon::prelude::*;

use crate::deformation::Deformation;
use crate::samples::Samples;
use crate::scenes::{Rival, Scene, Shape, number_of_scenes, rivals_of};

/// Counts over the steps that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub steps: usize,
    pub constraints: usize,
    /// Constraints between two edges.
    pub of_edges: usize,
    /// Steps with a constraint.
    pub touching: usize,
    /// Steps in which a rival (a detector under test) did no work.
    pub idle: usize,
    /// Numbers of closest points computed by the rivals and by the oracle. The oracle tests all pairs.
    pub primitives: [u64; 2],
}

impl Tally {
    pub fn sum(a: Self, b: Self) -> Self {
        Self {
            steps: a.steps + b.steps,
            constraints: a.constraints + b.constraints,
            of_edges: a.of_edges + b.of_edges,
            touching: a.touching + b.touching,
            idle: a.idle + b.idle,
            primitives: [a.primitives[0] + b.primitives[0], a.primitives[1] + b.primitives[1]],
        }
    }
}

/// Work of a detector, not counting the travel monitors. With the travel monitors a detector finds out that no search
/// is due.
pub fn work(detector: &dyn Detector) -> StageCounts {
    StageCounts { monitor: 0, ..detector.statistics().counts }
}

/// A comparison of all rivals (the detectors under test) with the oracle (tests of all pairs of nodes and faces).
pub struct Comparison {
    pub label: String,
    pub rivals: Vec<(Rival, Box<dyn Detector>)>,
    oracle: AllPairs,
    pub expected: Constraints,
    found: Constraints,
    pub tally: Tally,
}

impl Comparison {
    pub fn new(label: String, scene: &Scene) -> Self {
        Self {
            label,
            rivals: rivals_of(scene).iter().map(|&rival| (rival, scene.rival(rival))).collect(),
            oracle: scene.oracle(),
            expected: Constraints::default(),
            found: Constraints::default(),
            tally: Tally::default(),
        }
    }

    /// Fails unless all detectors find the same constraints.
    pub fn check(&mut self, configuration: &Configuration<'_>) {
        self.oracle.detect(configuration, &mut self.expected);
        for (rival, detector) in &mut self.rivals {
            let before = work(detector.as_ref());
            detector.detect(configuration, &mut self.found);
            let counts = work(detector.as_ref());
            // The sorting detector is not counted: it works at fixed intervals, even if nothing moves.
            if !matches!(rival, Rival::Sorting(_)) {
                self.tally.steps += 1;
                self.tally.idle += usize::from(counts == before);
                self.tally.primitives[0] += counts.primitive - before.primitive;
            }
            let difference = first_difference(&self.expected, &self.found);
            let (label, time) = (&self.label, configuration.time);
            assert!(difference.is_none(), "{label}, {rival:?}, t = {time:e}: {}", difference.unwrap());
        }
        let counted = self.rivals.iter().filter(|(rival, _)| !matches!(rival, Rival::Sorting(_))).count();
        self.tally.primitives[1] = self.oracle.statistics().counts.primitive * counted as u64;
        self.tally.constraints += self.expected.len();
        self.tally.of_edges += self.expected.iter().filter(|c| matches!(c.key, ContactKey::Edges(_))).count();
        self.tally.touching += usize::from(!self.expected.is_empty());
    }
}

/// The first difference, even of a single bit, between two sets of constraints.
pub fn first_difference(expected: &Constraints, found: &Constraints) -> Option<String> {
    let bits = |x: &f64| x.to_bits();
    for (a, b) in expected.iter().zip(found.iter()) {
        let same = a.key == b.key
            && a.bodies == b.bodies
            && a.gap.to_bits() == b.gap.to_bits()
            && a.normal.iter().map(bits).eq(b.normal.iter().map(bits))
            && a.nodes == b.nodes
            && a.weights.iter().map(bits).eq(b.weights.iter().map(bits));
        if !same {
            return Some(format!("{a:?}, not {b:?}"));
        }
    }
    let (expected, found) = (expected.len(), found.len());
    (expected != found).then(|| format!("{expected} constraints, not {found}"))
}

pub fn deform(seed: u64) -> Tally {
    let samples = &mut Samples::new(seed ^ 0x00C0_FFEE_0000);
    let half = samples.scale(0.5, 6.0);
    let most = if samples.chance(0.1) { 8 } else { 4 };
    let scene = Scene::random(samples, most, half);
    compare(seed, samples, scene)
}

fn compare(seed: u64, samples: &mut Samples, mut scene: Scene) -> Tally {
    let thickness = &mut Samples::new(seed ^ 0x7111_C4E5_0000);
    if thickness.chance(1.0 / 3.0) {
        scene.thicken(thickness);
    }
    let steps = samples.integer(60, 160);
    let mut deformation = Deformation::random(samples, &scene, steps);
    let mut comparison = Comparison::new(format!("contact, seed {seed}"), &scene);
    for _ in 0..steps {
        deformation.step(samples, &scene);
        let Deformation { time, time_step, ref positions, ref positions_before, .. } = deformation;
        assert!(positions.iter().all(|x: &Vec3| x.norm().is_finite()));
        comparison.check(&Configuration { time, time_step, positions, positions_before });
    }
    comparison.tally
}

/// Two balls of many faces, most of which are far from the contact, with a small ball between them in some scenes.
/// Faces are flat or curved. In some scenes the first ball can touch itself.
fn deform_fine(seed: u64) -> Tally {
    let samples = &mut Samples::new(seed ^ 0xF17E_0000);
    let ball = |samples: &mut Samples, refinements: usize| {
        let mut ball = Shape::icosphere(refinements).shifted(&samples.vector(0.8, false));
        ball.nodes.iter_mut().for_each(|node| *node += samples.vector(0.03, false));
        let bulge = samples.pick(&[0.0, 0.1]);
        let is_curved = samples.chance(0.2);
        if is_curved { ball.quadratic(|_, length| samples.vector(bulge * length, false)) } else { ball }
    };
    let refinements = samples.pick(&[&[2, 2][..], &[2, 0, 2]]);
    let shapes: Vec<Shape> = refinements.iter().map(|&refinements| ball(samples, refinements)).collect();
    let mut scene = Scene::new(&shapes, false);
    scene.crossing = samples.pick(&[EdgeSelection::Feature, EdgeSelection::All]);
    scene.foldable = samples.pick(&[&[][..], &[0]]).to_vec();
    compare(seed, samples, scene)
}

#[test]
fn constraints_of_many_faces_are_those_of_all_pairs() {
    let scenes = number_of_scenes(4);
    let tally = (0..scenes).into_par_iter().map(deform_fine).reduce(Tally::default, Tally::sum);
    println!("{scenes} scenes of many faces in contact: {tally:?}");
    assert!(tally.touching > tally.steps / 20, "too little contact to tell: {tally:?}");
    assert!(tally.primitives[0] < tally.primitives[1] / 100, "looks at too much: {tally:?}");
}

#[test]
fn constraints_are_those_of_all_pairs() {
    let scenes = number_of_scenes(220);
    let tally = (0..scenes).into_par_iter().map(deform).reduce(Tally::default, Tally::sum);
    println!("{scenes} scenes in contact: {tally:?}");
    assert!(tally.touching > tally.steps / 20, "too little contact to tell: {tally:?}");
    assert!(tally.of_edges > tally.constraints / 200, "too few edges to tell: {tally:?}");
    assert!(tally.idle > tally.steps / 10, "never idle: {tally:?}");
    assert!(tally.primitives[0] < tally.primitives[1] / 4, "looks at too much: {tally:?}");
}
