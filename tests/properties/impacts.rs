//! First impacts within a step of bodies whose nodes move on individual parabolas.

use ictus::contact::Constraints;
use ictus::contact::detection::face::closest_point::{Method, Start, closest_point};
use ictus::contact::detection::{EdgeSelection, StepImpact, StepImpactSearch, StepPaths, penetrations};
use ictus::math::{Mat3, Vec3};
use ictus::mesh::CellKind;
use rayon::prelude::*;

use crate::samples::Samples;
use crate::scenes::{Scene, number_of_scenes};

/// Counts for the step of one scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub steps: usize,
    pub impacts: usize,
    /// Impacts between two bodies with only flat faces.
    pub flat: usize,
    /// Largest distance between the point of an impact and its bodies, relative to their edges.
    pub farthest: f64,
}

impl Tally {
    pub fn sum(a: Self, b: Self) -> Self {
        Self {
            steps: a.steps + b.steps,
            impacts: a.impacts + b.impacts,
            flat: a.flat + b.flat,
            farthest: a.farthest.max(b.farthest),
        }
    }
}

/// Instants at which bodies are checked for overlap: fractions of the time of the impact or, without an impact, of the
/// step. There are several, since an overlap may have ended before the last instant.
const INSTANTS: [f64; 12] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 0.9999, 1.0 - 1e-9];

/// Tolerance of the distance between the point of an impact and a body, relative to the edges of the body: the
/// tolerance of touching, and rounding.
const MET: f64 = 1e-9;

/// Separate bodies translate, rotate, stretch and vibrate towards each other in one long step. No two bodies overlap
/// before the first impact, and at the impact its bodies touch.
pub fn meet(seed: u64) -> Tally {
    let samples = &mut Samples::new(seed);
    let (scene, half) = scene_of_bodies_apart(samples);
    let model = scene.model();
    let (begin, mut tally) = (&scene.positions, Tally::default());
    let (plane, wildness) = (scene.plane, samples.pick(&[0.0, 0.1, 0.5]));
    let (mut velocities, mut end) = (Vec::new(), Vec::new());
    for (nodes, edge) in scene.bodies.iter().zip(&scene.edges) {
        let centre = begin[nodes.clone()].iter().sum::<Vec3>() / nodes.len() as f64;
        let shiver = 0.1 * wildness * edge;
        let heading = (samples.vector(0.3, plane) - centre) * samples.uniform(0.0, 2.0);
        let fall = samples.vector(half, plane) * samples.pick(&[0.0, 0.3]);
        let spin = samples.axis(plane) * samples.uniform(-2.0, 2.0) * wildness;
        let strain = Mat3::from_fn(|i, j| {
            if plane && (i == 2 || j == 2) { 0.0 } else { samples.uniform(-0.5, 0.5) * wildness }
        });
        for x in &begin[nodes.clone()] {
            let arm = x - centre;
            let velocity = heading + spin.cross(&arm) + samples.vector(shiver, plane);
            velocities.push(velocity);
            end.push(x + velocity + fall + strain * arm + samples.vector(shiver, plane));
        }
    }
    let mut paths = StepPaths::default();
    paths.set(begin, &velocities, &end, 1.0);
    let found = StepImpactSearch::new(model.clone()).first(&paths, &Constraints::default());
    let at = |tau: f64| -> Vec<Vec3> { (0..begin.len() as u32).map(|node| paths.at(node, tau)).collect() };
    let until = found.map_or(1.0, |impact| impact.fraction);
    tally.steps = 1;
    let are_flat = |bodies: &[u32; 2]| {
        let kinds = bodies.iter().flat_map(|&body| {
            let surface = &scene.surfaces[body as usize];
            (0..surface.num_faces()).map(|face| surface.face(face).0)
        });
        kinds.into_iter().all(|kind| matches!(kind, CellKind::Line2 | CellKind::Tri3))
    };
    // The search finds impacts of nodes and edges only. Curved and warped faces may first meet elsewhere, so only
    // bodies with flat faces are checked for overlap.
    let count = scene.surfaces.len() as u32;
    let mut pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
    let instants: &[f64] = if pairs.any(|pair| are_flat(&pair)) { &INSTANTS } else { &[] };
    for tau in instants.iter().map(|tau| tau * until) {
        let late = penetrations(&model, &at(tau)).into_iter().find(|found| are_flat(&found.bodies));
        assert!(late.is_none(), "seed {seed}: {found:?} is late for {late:?} at {tau}");
    }
    if let Some(impact) = found {
        let distance = distance(&scene, &at(impact.fraction), &impact);
        assert!(distance <= MET, "seed {seed}: {impact:?} at a distance of {distance:e}");
        tally.impacts = 1;
        tally.flat = usize::from(are_flat(&impact.bodies));
        tally.farthest = distance;
    }
    tally
}

/// A random scene in which no two bodies overlap, and half the size of its box \[m\].
fn scene_of_bodies_apart(samples: &mut Samples) -> (Scene, f64) {
    loop {
        let half = samples.uniform(1.0, 4.0);
        let scene = Scene { crossing: EdgeSelection::All, ..Scene::random(samples, 4, half) };
        if penetrations(&scene.model(), &scene.positions).is_empty() {
            return (scene, half);
        }
    }
}

/// The larger of the distances of the point of an impact from its two bodies, each divided by the median edge of the
/// body.
fn distance(scene: &Scene, positions: &[Vec3], impact: &StepImpact) -> f64 {
    let from_body = |&body: &u32| {
        let surface = &scene.surfaces[body as usize];
        let from_face = |face: usize| {
            let (kind, nodes) = surface.face(face);
            let nodes: Vec<Vec3> = nodes.iter().map(|&node| positions[node as usize]).collect();
            closest_point(Method::Auto, Start::Nearest, kind, &nodes, &impact.point).distance_squared.sqrt()
        };
        let nearest = (0..surface.num_faces()).map(from_face).fold(f64::INFINITY, f64::min);
        nearest / scene.edges[body as usize]
    };
    let [one, other] = impact.bodies.each_ref().map(from_body);
    if one.is_nan() || one > other { one } else { other }
}

#[test]
fn no_impact_within_a_step_is_late() {
    let scenes = (0..number_of_scenes(200)).into_par_iter().map(meet);
    let tally = scenes.reduce(Tally::default, Tally::sum);
    assert!(3 * tally.impacts > tally.steps && 10 * tally.flat > tally.steps, "{tally:?}");
}
