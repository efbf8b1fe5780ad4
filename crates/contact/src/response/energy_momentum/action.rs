//! Action of the contact springs: forces, energies and results of a solved step.

use super::gradient::Gradient;
use super::{EnergyMomentum, Motion};
use crate::math::Vec3;
use crate::response::setup::Scheme;
use crate::response::{Bodies, ContactAction, ContactResult, Status, StepLength, UnlistedWork};

/// Largest increase of a gap that counts as rounding, relative to the gap.
const RELEASE: f64 = 1e-9;

impl EnergyMomentum {
    /// Writes forces and energies, and advances the spring gaps by one kick.
    pub(super) fn finish(&mut self, bodies: &Bodies<'_>, step: StepLength, action: &mut ContactAction) {
        let (dt, half) = (step.kick(), self.scheme.lead(step));
        let mut first = 0;
        self.energies.clear();
        let contacts = self.memory.contacts.iter().zip(self.memory.springs.iter_mut()).zip(&self.solutions);
        for ((constraint, spring), solution) in contacts {
            let nodes = &self.gradient_nodes;
            let gap = spring.gap.unwrap_or(0.0);
            let kicked_rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            let way = 0.5 * dt * (solution.rate + kicked_rate);
            let next = match solution.reversal {
                Some(reversal) => reversal.gap,
                None => spring.gap_after(gap, way, solution.pressure),
            };
            // Energies refer to the end of the step. In the staggered scheme, gaps refer to the middle of the step, and
            // the work of the forces over the second half is subtracted.
            let half_work = half * solution.pressure * solution.rate;
            let mut stored = spring.stored_energy() - half_work;
            let mut damping_work = if spring.is_lossy() {
                spring.energy(gap) - spring.energy(next) - solution.pressure * way
            } else {
                0.0
            };
            (spring.gap, spring.releases) = (Some(next), next - gap > RELEASE * gap.abs());
            let friction_work = if spring.has_friction() {
                let travel = solution.travel(&constraint, &self.kicked, dt);
                stored -= half * solution.traction.dot(&solution.slip_rate);
                let [friction_work, drag_work] = spring.slide(solution, &travel);
                damping_work += drag_work;
                friction_work
            } else {
                0.0
            };
            if self.scheme == Scheme::Midpoint {
                stored = spring.stored_energy();
            }
            action.stored_energy += stored;
            self.memory.pending[0] += friction_work;
            self.memory.pending[1] += damping_work;
            self.energies.push([stored, friction_work, damping_work]);
            let count = constraint.nodes.len();
            for (k, &node) in constraint.nodes.iter().enumerate() {
                let friction = solution.traction * constraint.weights[k];
                action.forces[node as usize] += nodes[first + k] * solution.pressure + friction;
                action.friction_forces[node as usize] += friction;
            }
            first += count;
            action.list(constraint.nodes);
        }
        action.sort_nodes();
    }

    /// Removes the moments of the friction forces by couples. The solution for the forces does not include these
    /// couples; the energy that they remove counts as friction. In a kick of duration dt, an additional force F adds
    /// the work
    ///
    /// ```text
    /// dt F · (v' − ½ dt a + ½ dt M⁻¹ F)
    /// ```
    /// Here M is the mass matrix, v' are the velocities after the kick by all other forces, and a is the acceleration
    /// without contact. F also increases the work of the forces M a by ½ dt² F · a, hence the negative term.
    pub(super) fn remove_moments(
        &mut self,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let (dt, half) = (step.kick(), self.scheme.lead(step));
        let (nodes, mobility) = (&mut self.gradient_nodes, bodies.mobility);
        for (k, (constraint, solution)) in self.memory.contacts.iter().zip(&self.solutions).enumerate() {
            nodes.clear();
            let Some(couple) = Gradient::against_moment(&solution.traction, &constraint, bodies, nodes)
            else {
                continue;
            };
            let rate = |motion: &Motion| couple.rate(&constraint, nodes, mobility, motion);
            let free = rate(&self.half_kicked) - rate(&self.velocities);
            let tied = self.tied.append(&constraint, nodes, mobility);
            let by_ties = self.tied.compliance(&tied, &constraint, nodes);
            let own = 0.5 * dt * (couple.compliance(&constraint, nodes, mobility) + by_ties);
            let taken = -dt * (rate(&self.kicked) - free + own);
            couple.push(&constraint, nodes, mobility, &mut self.kicked, dt);
            self.tied.push_along(&tied, dt, &mut self.kicked);
            self.memory.pending[0] += taken;
            // As in `finish`, the stored energy refers to the end of the step.
            let half_work = half * rate(&self.velocities);
            action.stored_energy -= half_work;
            self.energies[k][0] -= half_work;
            self.energies[k][1] += taken;
            for (&node, force) in constraint.nodes.iter().zip(nodes.iter()) {
                action.forces[node as usize] += force;
            }
        }
    }

    /// Writes the results of detected contacts, and the forces and work of lost contacts.
    pub(super) fn report(&self, positions: &[Vec3], action: &mut ContactAction) {
        let springs = self.memory.springs.iter().zip(&self.energies);
        for ((constraint, (spring, energies)), solution) in
            self.memory.contacts.iter().zip(springs).zip(&self.solutions)
        {
            let [stored_energy, friction_work, damping_work] = *energies;
            if spring.lost.is_some() {
                let bodies = constraint.bodies;
                let force = constraint.normal * solution.pressure + solution.traction;
                let moment = constraint.jump(positions).cross(&force);
                action.unlisted.push(UnlistedWork {
                    bodies,
                    force,
                    stored_energy,
                    friction_work,
                    damping_work,
                    moment,
                });
                continue;
            }
            action.results.push(ContactResult {
                normal_force: solution.pressure,
                friction_force: solution.traction,
                status: Status::of(solution.pressure, &spring.options.friction, spring.slides),
                stored_energy,
                friction_work,
                damping_work,
            });
        }
    }
}
