//! Supports and prescribed motion of deformable bodies, and of walls, within a step.

use rayon::prelude::*;

use crate::dynamics::{PrescribedStep, StepStart, Support, VelocityJumps, Wrench};
use crate::math::Vec3;
use crate::math::reduction::{fixed_order_sum, nodes_per_task};

use super::Simulation;
use super::resultants::Resultants;

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
    /// Acceleration at the end of the last step \[m/s²\].
    acceleration: f64,
    /// What the reactions do not say of the last step.
    jumps: VelocityJumps,
}

impl Simulation {
    /// Where the supported components will be at the end of the step; to be asked before velocities change.
    pub(super) fn plan_supports(&mut self, dt: f64) {
        let references = &self.model.reference_positions;
        let (positions, velocities) = (&self.state.positions, &self.state.velocities);
        for (support, components) in self.model.supports.iter().zip(&mut self.forces.supported) {
            let axis = support.axis;
            let motion = support.motion.over_step(self.state.time, dt);
            of_nodes(support, components).for_each(|(&node, component)| {
                let node = node as usize;
                component.velocity_before = velocities[node][axis];
                component.end = motion.end(&StepStart {
                    reference: references[node][axis],
                    position: positions[node][axis],
                    velocity: velocities[node][axis],
                });
            });
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

    /// Notes what holds supported components against the forces on them, and what makes them jump; positions are still those
    /// before the step.
    pub(super) fn note_reactions(&mut self, dt: f64) {
        let mut supported = std::mem::take(&mut self.forces.supported);
        let resultants = Resultants::new(&self.forces, &self.internal, &self.action);
        let (masses, positions) = (&self.model.mass, &self.state.positions);
        for (support, components) in self.model.supports.iter().zip(&mut supported) {
            of_nodes(support, components).for_each(|(&node, component)| {
                let node = node as usize;
                let force = resultants.on(node)[support.axis];
                component.reaction_before = component.reaction;
                component.reaction = masses[node] * component.end.acceleration - force;
                let before = [component.velocity_before, component.acceleration];
                let travel = component.end.position - positions[node][support.axis];
                component.jumps = VelocityJumps::of(before, travel, &component.end, dt);
                component.acceleration = component.end.acceleration;
            });
        }
        self.forces.supported = supported;
    }

    /// Forces and moments about the origin of the reactions of deformable bodies.
    pub(super) fn reaction_wrench(&self) -> Wrench {
        let positions = &self.state.positions;
        let supports = self.model.supports.iter().zip(&self.forces.supported);
        let of_support = |(support, components): (&Support, &Vec<SupportedComponent>)| {
            fixed_order_sum(components.len(), &|range| {
                let nodes = support.nodes[range.clone()].iter().zip(&components[range]);
                nodes.fold(Wrench::zero(), |sum, (&node, component)| {
                    let force = Vec3::ith(support.axis, component.reaction);
                    sum + Wrench::at(&positions[node as usize], force)
                })
            })
        };
        supports.map(of_support).fold(Wrench::zero(), |sum, wrench| sum + wrench)
    }

    /// Impulse, and its moment about the origin, of what makes prescribed motions of deformable bodies jump in the last step,
    /// from positions at its beginning and end \[m\].
    pub(super) fn jump_wrench(&self, before: &[Vec3]) -> Wrench {
        let (places, masses) = ([before, &self.state.positions], &self.model.mass);
        self.moving_supports()
            .map(|(support, components)| {
                fixed_order_sum(components.len(), &|range| {
                    let nodes = support.nodes[range.clone()].iter().zip(&components[range]);
                    nodes.fold(Wrench::zero(), |sum, (&node, component)| {
                        let mass = masses[node as usize];
                        let ends = places.iter().zip(component.jumps.at_ends());
                        ends.fold(sum, |sum, (positions, jump)| {
                            sum + Wrench::at(&positions[node as usize], Vec3::ith(support.axis, mass * jump))
                        })
                    })
                })
            })
            .fold(Wrench::zero(), |sum, wrench| sum + wrench)
    }

    /// Work over the last step of the reactions, and of what makes prescribed motions jump, from positions at its beginning
    /// \[m\] \[J\].
    pub(super) fn reaction_work(&self, before: &[Vec3]) -> f64 {
        let (positions, masses) = (&self.state.positions, &self.model.mass);
        let of_support = |(support, components): (&Support, &Vec<SupportedComponent>)| -> f64 {
            fixed_order_sum(components.len(), &|range| {
                let nodes = support.nodes[range.clone()].iter().zip(&components[range]);
                let of_node = |(&node, component): (&u32, &SupportedComponent)| {
                    let (axis, node) = (support.axis, node as usize);
                    let travel = positions[node][axis] - before[node][axis];
                    0.5 * (component.reaction_before + component.reaction) * travel
                        + masses[node] * component.jumps.work()
                };
                nodes.map(of_node).sum()
            })
        };
        self.moving_supports().map(of_support).sum()
    }

    /// Supports that may move what they hold, and what they do to each node.
    fn moving_supports(&self) -> impl Iterator<Item = (&Support, &Vec<SupportedComponent>)> {
        let supports = self.model.supports.iter().zip(&self.forces.supported);
        supports.filter(|(support, _)| !support.motion.is_fixed())
    }
}

/// The nodes of a support with what is supported of them, in parallel.
fn of_nodes<'a>(
    support: &'a Support,
    components: &'a mut [SupportedComponent],
) -> impl ParallelIterator<Item = (&'a u32, &'a mut SupportedComponent)> {
    let nodes = support.nodes.par_iter().zip(components);
    nodes.with_min_len(nodes_per_task(support.nodes.len()))
}
