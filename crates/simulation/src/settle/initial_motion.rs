//! The motion with which a run begins after dynamic relaxation.

use crate::dynamics::RigidBody;
use crate::math::Vec3;
use crate::scenario::BodySpec;

use crate::Simulation;

pub(crate) struct InitialVelocity {
    /// Global numbers.
    pub nodes: Vec<u32>,
    /// Velocity of the centre of mass of the nodes \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity about the centre of mass of the nodes \[rad/s\].
    pub angular_velocity: Vec3,
}

impl InitialVelocity {
    pub fn apply(&self, masses: &[f64], positions: &[Vec3], velocities: &mut [Vec3]) {
        let nodes = || self.nodes.iter().map(|&node| node as usize);
        let mass: f64 = nodes().map(|node| masses[node]).sum();
        let centre = nodes().map(|node| positions[node] * masses[node]).sum::<Vec3>() / mass;
        for node in nodes() {
            velocities[node] = self.velocity + self.angular_velocity.cross(&(positions[node] - centre));
        }
    }
}

pub(crate) struct InitialMotion {
    /// Velocity \[m/s\] and angular velocity \[rad/s\] of each body and wall.
    of_bodies: Vec<[Vec3; 2]>,
    of_groups: Vec<InitialVelocity>,
}

impl InitialMotion {
    /// In `rigid_bodies`, the entries of the walls follow those of the bodies.
    pub fn new(
        specs: &[BodySpec],
        rigid_bodies: &[Option<RigidBody>],
        of_groups: Vec<InitialVelocity>,
    ) -> Self {
        let bodies = specs.iter().map(|spec| [spec.velocity, spec.angular_velocity]);
        let walls = rigid_bodies.iter().skip(specs.len());
        let walls =
            walls.map(|wall| [wall.as_ref().map_or_else(Vec3::zeros, RigidBody::velocity), Vec3::zeros()]);
        Self { of_bodies: bodies.chain(walls).collect(), of_groups }
    }
}

impl Simulation {
    /// Each body rotates about its current centre of mass.
    pub(super) fn set_in_motion(&mut self) {
        let Some((_, motion)) = &self.settings.relaxation else { return };
        let nodes = &mut self.state.nodes;
        for (index, [velocity, angular_velocity]) in motion.of_bodies.iter().enumerate() {
            let centre = self.state.ledger.balances[index].centre;
            if let Some(rigid_state) = &mut self.state.rigid_bodies[index] {
                rigid_state.set_velocity(*velocity, *angular_velocity);
            }
            for node in self.model.bodies[index].nodes.clone() {
                nodes.velocities[node] = velocity + angular_velocity.cross(&(nodes.positions[node] - centre));
            }
        }
        for of_group in &motion.of_groups {
            of_group.apply(&self.model.mass, &nodes.positions, &mut nodes.velocities);
        }
    }
}
