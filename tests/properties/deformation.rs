//! Motions of bodies that translate, rotate, oscillate and vibrate: each node has a smooth path with occasional jumps
//! of velocity.

use std::ops::Range;

use ictus::math::{Mat3, Rotation, Vec3};

use crate::samples::Samples;
use crate::scenes::Scene;

/// Motion of one body: a rigid motion, an oscillating homogeneous strain, and a small oscillation of each node.
struct Deforming {
    nodes: Range<usize>,
    reference_centre: Vec3,
    centre: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    spin: Vec3,
    strain: Mat3,
    frequency: f64,
    shiver: Vec<(Vec3, f64)>,
}

/// The motions of all bodies of a scene, computed step by step.
pub struct Deformation {
    bodies: Vec<Deforming>,
    plane: bool,
    /// Typical speed \[m/s\].
    speed: f64,
    /// Probability of a jump of the velocity of a body in each step.
    jerkiness: f64,
    pub time: f64,
    pub time_step: f64,
    pub positions: Vec<Vec3>,
    pub positions_before: Vec<Vec3>,
}

impl Deformation {
    /// Random motions towards the middle of the scene. The typical distance travelled in a step is 0.003 to 0.2 of the
    /// mean edge, in some scenes up to 4 or 40 edges.
    pub fn random(samples: &mut Samples, scene: &Scene, steps: usize) -> Self {
        let edge = scene.edges.iter().sum::<f64>() / scene.edges.len() as f64;
        let fastest = samples.pick(&[0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 4.0, 40.0]);
        let travel = edge * samples.scale(0.003, fastest);
        let time_step = samples.scale(1e-8, 1e-2);
        let speed = travel / time_step;
        let (plane, duration) = (scene.plane, time_step * steps as f64);
        let wildness = samples.pick(&[0.0, 0.1, 1.0]);
        let body = |nodes: &Range<usize>| {
            let centre = scene.positions[nodes.clone()].iter().sum::<Vec3>() / nodes.len() as f64;
            let size = scene.positions[nodes.clone()].iter().map(|x| (x - centre).norm()).fold(0.0, f64::max);
            let heading = samples.vector(0.3, plane) - centre;
            let heading = heading.try_normalize(0.0).unwrap_or_else(Vec3::x) * samples.uniform(0.0, 1.5);
            let strain = Mat3::from_fn(|i, j| {
                let out_of_plane = plane && (i == 2 || j == 2);
                if out_of_plane { 0.0 } else { samples.uniform(-0.2, 0.2) }
            });
            let wave = |samples: &mut Samples| {
                (samples.vector(0.03 * size * wildness, plane), samples.uniform(0.0, 6.0))
            };
            Deforming {
                nodes: nodes.clone(),
                reference_centre: centre,
                centre,
                velocity: heading * speed * samples.pick(&[0.0, 1.0, 1.0, 1.0]),
                acceleration: samples.vector(speed / duration, plane) * samples.pick(&[0.0, 1.0]),
                spin: samples.axis(plane) * samples.uniform(-1.0, 1.0) * (wildness * speed / size),
                strain: strain * wildness,
                frequency: samples.scale(0.3, 10.0) * speed / size,
                shiver: nodes.clone().map(|_| wave(samples)).collect(),
            }
        };
        let bodies = scene.bodies.iter().map(body).collect();
        let jerkiness = samples.pick(&[0.0, 0.01, 0.05]);
        let [positions, positions_before] = [scene.positions.clone(), scene.positions.clone()];
        let time = samples.pick(&[0.0, 1.0]);
        let mut deformation =
            Self { bodies, plane, speed, jerkiness, time, time_step, positions, positions_before };
        deformation.place(scene);
        deformation.positions_before.clone_from(&deformation.positions);
        deformation
    }

    /// Takes one step. At random the step size changes, or a body stops, starts or is hit.
    pub fn step(&mut self, samples: &mut Samples, scene: &Scene) {
        if samples.chance(self.jerkiness) {
            self.time_step *= samples.pick(&[0.01, 0.3, 3.0, 10.0]);
        }
        for body in &mut self.bodies {
            body.velocity += body.acceleration * self.time_step;
            if samples.chance(self.jerkiness) {
                body.velocity = samples.vector(self.speed, self.plane) * samples.pick(&[0.0, 1.0, 5.0]);
            }
            if samples.chance(self.jerkiness) {
                body.acceleration = samples.vector(0.03 * self.speed / self.time_step, self.plane);
            }
            body.centre += body.velocity * self.time_step;
        }
        self.time += self.time_step;
        self.place(scene);
    }

    /// Computes the positions of all nodes at the current time.
    fn place(&mut self, scene: &Scene) {
        self.positions_before.clone_from(&self.positions);
        for body in &self.bodies {
            let swing = (body.frequency * self.time).sin();
            let rotation = Rotation::from_scaled_axis(body.spin * self.time);
            let deformation = rotation.to_rotation_matrix() * (Mat3::identity() + body.strain * swing);
            for (node, (shiver, phase)) in body.nodes.clone().zip(&body.shiver) {
                let arm = scene.positions[node] - body.reference_centre;
                let wave = shiver * (3.0 * body.frequency * self.time + phase).sin();
                self.positions[node] = body.centre + deformation * arm + wave;
            }
        }
    }
}
