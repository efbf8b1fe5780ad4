//! Supports and prescribed motion of deformable bodies, and of walls, within a step.

use crate::dynamics::Wrench;
use crate::dynamics::{PrescribedStep, StepStart};
use crate::math::Vec3;

use super::Simulation;

/// A supported component of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SupportedComponent {
    /// Where it will be at the end of the step.
    pub end: PrescribedStep,
    /// Its velocity at the beginning \[m/s\].
    velocity_before: f64,
    /// Reaction at the end of the last step \[N\].
    reaction: f64,
    /// Reaction at its beginning \[N\].
    reaction_before: f64,
}

impl Simulation {
    /// Where the supported components will be at the end of the step; to be asked before velocities change.
    pub(super) fn plan_supports(&mut self, dt: f64) {
        for (support, components) in self.model.supports.iter().zip(&mut self.forces.supported) {
            let axis = support.axis;
            for (&node, component) in support.nodes.iter().zip(components) {
                let node = node as usize;
                component.velocity_before = self.state.velocities[node][axis];
                component.end = support.motion.step(&StepStart {
                    reference: self.model.reference_positions[node][axis],
                    position: self.state.positions[node][axis],
                    velocity: self.state.velocities[node][axis],
                    time: self.state.time,
                    time_step: dt,
                });
            }
        }
        self.plan_rigid_supports(dt);
    }

    /// Puts supported components in their place; their velocity becomes the mean one of the step.
    pub(super) fn place_supported(&mut self, dt: f64) {
        for (support, components) in self.model.supports.iter().zip(&self.forces.supported) {
            let axis = support.axis;
            for (&node, component) in support.nodes.iter().zip(components) {
                let node = node as usize;
                let travel = component.end.position - self.state.positions[node][axis];
                self.state.velocities[node][axis] = travel / dt;
                self.positions_next[node][axis] = component.end.position;
            }
        }
    }

    /// Gives supported components the velocity they had before the step.
    pub(super) fn restore_supported_velocities(&mut self) {
        for (support, components) in self.model.supports.iter().zip(&self.forces.supported) {
            for (&node, component) in support.nodes.iter().zip(components) {
                self.state.velocities[node as usize][support.axis] = component.velocity_before;
            }
        }
    }

    /// Notes what holds supported components against the forces on them.
    pub(super) fn note_reactions(&mut self) {
        let mut supported = std::mem::take(&mut self.forces.supported);
        for (support, components) in self.model.supports.iter().zip(&mut supported) {
            for (&node, component) in support.nodes.iter().zip(components) {
                let force = self.resultant_on(node as usize)[support.axis];
                component.reaction_before = component.reaction;
                component.reaction = self.model.mass[node as usize] * component.end.acceleration - force;
            }
        }
        self.forces.supported = supported;
    }

    /// Forces and moments about the origin of the reactions of deformable bodies.
    pub(super) fn reaction_wrench(&self) -> Wrench {
        let mut wrench = Wrench::zero();
        for (support, components) in self.model.supports.iter().zip(&self.forces.supported) {
            for (&node, component) in support.nodes.iter().zip(components) {
                let force = Vec3::ith(support.axis, component.reaction);
                wrench = wrench + Wrench::at(&self.state.positions[node as usize], force);
            }
        }
        wrench
    }

    /// Work of the reactions over the last step, from positions at its beginning and end \[J\].
    pub(super) fn reaction_work(&self, before: &[Vec3]) -> f64 {
        let mut work = 0.0;
        let moving = self.model.supports.iter().zip(&self.forces.supported);
        for (support, components) in moving.filter(|(support, _)| !support.motion.is_fixed()) {
            for (&node, component) in support.nodes.iter().zip(components) {
                let node = node as usize;
                let travel = (self.state.positions[node] - before[node])[support.axis];
                work += 0.5 * (component.reaction_before + component.reaction) * travel;
            }
        }
        work
    }
}
