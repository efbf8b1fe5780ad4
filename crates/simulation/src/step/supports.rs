//! Supports and prescribed motion of deformable bodies and walls within a step.

use std::ops::Add;

use rayon::prelude::*;

use crate::dynamics::{StepStart, Support, VelocityJumps, Wrench};
use crate::math::Vec3;
use crate::math::reduction::{fixed_order_sum, nodes_per_task};

use crate::Simulation;
use crate::account::resultants::Resultants;
use crate::forces::SupportedComponent;

impl Simulation {
    /// Evaluates the prescribed motion at the end of a step of length `dt` \[s\]. Call before velocities change.
    pub(crate) fn plan_supports(&mut self, dt: f64) {
        let (references, phase) = (&self.model.reference_positions, self.state.phase);
        let (positions, velocities) = (&self.state.nodes.positions, &self.state.nodes.velocities);
        for (support, components) in self.model.supports.iter().zip(&mut self.state.forces.supported) {
            let axis = support.axis;
            let motion = phase.motion(&support.motion).over_step(self.state.nodes.time, dt);
            of_nodes(support, components).for_each(|(&node, component)| {
                let node = node as usize;
                component.velocity_before = velocities[node][axis];
                let start = StepStart {
                    reference: references[node],
                    position: positions[node],
                    velocity: velocities[node],
                };
                component.end = motion.end(&start, axis);
            });
        }
        self.plan_rigid_supports(dt);
    }

    /// Sets the supported components of positions at the end of the step, and of mean velocities over the step.
    pub(crate) fn place_supported(&mut self, dt: f64) {
        for (support, components) in self.model.supports.iter().zip(&self.state.forces.supported) {
            let axis = support.axis;
            for (&node, component) in support.nodes.iter().zip(components) {
                let node = node as usize;
                let travel = component.end.position - self.state.nodes.positions[node][axis];
                self.state.nodes.velocities[node][axis] = travel / dt;
                self.scratch.positions_next[node][axis] = component.end.position;
            }
        }
    }

    /// Computes support reactions and velocity jumps. Requires that `state.nodes.positions` are still the positions at
    /// the beginning of the step.
    pub(crate) fn note_reactions(&mut self, dt: f64) {
        let mut supported = std::mem::take(&mut self.state.forces.supported);
        let resultants =
            Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action);
        let (masses, positions) = (&self.model.mass, &self.state.nodes.positions);
        for (support, components) in self.model.supports.iter().zip(&mut supported) {
            of_nodes(support, components).for_each(|(&node, component)| {
                let node = node as usize;
                let force = resultants.on(node)[support.axis];
                component.force_before = std::mem::replace(&mut component.force, force);
                component.reaction = masses[node] * component.end.acceleration - force;
                let before = [component.velocity_before, component.acceleration];
                let travel = component.end.position - positions[node][support.axis];
                component.jumps = VelocityJumps::of(before, travel, &component.end, dt);
                component.acceleration = component.end.acceleration;
            });
        }
        self.state.forces.supported = supported;
    }

    /// Changes the support reactions by the opposite of the force jumps at the beginning of a step, so that prescribed
    /// accelerations remain.
    pub(crate) fn balance_force_jumps(&mut self) {
        let accelerations = &mut self.state.nodes.accelerations;
        let mut supported = std::mem::take(&mut self.state.forces.supported);
        let resultants =
            Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action);
        for (support, components) in self.model.supports.iter().zip(&mut supported) {
            for (&node, component) in support.nodes.iter().zip(components) {
                let force = resultants.on(node as usize)[support.axis];
                component.balance_jump(force - component.force);
                accelerations[node as usize][support.axis] = component.acceleration;
            }
        }
        self.state.forces.supported = supported;
    }

    /// Sum of the nodal reactions \[N\], with their moment about the origin \[N·m\].
    pub(crate) fn reaction_wrench(&self, support: usize) -> Wrench {
        let (positions, axis) = (&self.state.nodes.positions, self.model.supports[support].axis);
        self.sum_over_support(support, Wrench::zero(), |node, component| {
            Wrench::at(&positions[node], Vec3::ith(axis, component.reaction))
        })
    }

    /// Impulse of the velocity jumps \[N·s\], with its moment about the origin. `positions` are the nodal positions at
    /// the jumps \[m\]. The jumps are at the beginning (`end` = 0) or end (`end` = 1) of the last step.
    pub(crate) fn jump_wrench(&self, support: usize, end: usize, positions: &[Vec3]) -> Wrench {
        let (axis, masses) = (self.model.supports[support].axis, &self.model.mass);
        self.sum_over_support(support, Wrench::zero(), |node, component| {
            Wrench::at(&positions[node], Vec3::ith(axis, masses[node] * component.jumps.at_ends()[end]))
        })
    }

    /// Work of the reactions of a support over the last step, including velocity jumps \[J\]: the change of the kinetic
    /// energy minus the work of all other forces. `before` are the nodal positions at the beginning of the step \[m\].
    pub(crate) fn reaction_work(&self, support: usize, before: &[Vec3]) -> f64 {
        let (axis, after, masses) =
            (self.model.supports[support].axis, &self.state.nodes.positions, &self.model.mass);
        self.sum_over_support(support, 0.0, |node, component| {
            let travel = after[node][axis] - before[node][axis];
            masses[node] * component.jumps.energy_gained()
                - 0.5 * (component.force_before + component.force) * travel
        })
    }

    /// Sums over the nodes of a support in a fixed order.
    pub(crate) fn sum_over_support<T>(
        &self,
        support: usize,
        zero: T,
        of_node: impl Fn(usize, &SupportedComponent) -> T + Sync,
    ) -> T
    where
        T: Copy + Send + Sync + Add<Output = T>,
    {
        let (nodes, components) =
            (&self.model.supports[support].nodes, &self.state.forces.supported[support]);
        fixed_order_sum(components.len(), &|range| {
            let of_range = nodes[range.clone()].iter().zip(&components[range]);
            of_range.fold(zero, |sum, (&node, component)| sum + of_node(node as usize, component))
        })
    }
}

fn of_nodes<'a>(
    support: &'a Support,
    components: &'a mut [SupportedComponent],
) -> impl ParallelIterator<Item = (&'a u32, &'a mut SupportedComponent)> {
    let nodes = support.nodes.par_iter().zip(components);
    nodes.with_min_len(nodes_per_task(support.nodes.len()))
}
