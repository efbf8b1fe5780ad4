//! The midpoint scheme: contact forces are constant over a step and use the geometry at the middle of the step.
//!
//! A step of length dt leads from the positions x_n and velocities v_n to x_{n+1} and v_{n+1}. M is the mass matrix,
//! f_c are the contact forces, and f all other forces. The contact force on node a is p w_a ν, with the pressure p, the
//! weight w_a and the normal ν. The step is split: between two half kicks by f, f_c changes the velocities from v⁻ to
//! v⁺.
//!
//! ```text
//! v⁻ = v_n + ½ dt M⁻¹ f_n
//! M (v⁺ − v⁻) = dt f_c,   x_{n+1} = x_n + ½ dt (v⁻ + v⁺),   f_c with ν, w_a at x_{n+½} = ½ (x_n + x_{n+1})
//! v_{n+1} = v⁺ + ½ dt M⁻¹ f_{n+1}
//! ```
//!
//! The spring has the gap g and the energy U. An uncompressed spring takes as g_n the gap of its constraint, or zero if
//! this gap is negative. Then
//!
//! ```text
//! g_{n+1} = g_n + ν · Σ w_a (x_{n+1,a} − x_{n,a}),   p = −ΔU/Δg
//! ```
//! The contact forces change the kinetic energy by p Δg = −ΔU. They have no moment, because contactor and closest point
//! lie on a line along ν. The splitting causes the numerical work ¼ dt² f_c · M⁻¹ (f_{n+1} − f_n).
//!
//! # Source
//! Petőcz & Armero, report UCB/SEMM-98/06, 1998, eqs. (3)–(5), where f is implicit. The splitting is derived here.

use super::gradient::Gradient;
use super::{EnergyMomentum, Solution};
use crate::math::Vec3;
use crate::response::row::sides;
use crate::response::{Bodies, ContactAction, MidpointGeometry, NodeCorrection, RigidCorrection, StepLength};
use crate::{Constraint, Constraints};

/// Largest number of iterations of the geometry. The scheme conserves energy even without convergence.
const MAX_GEOMETRIES: usize = 30;
/// Largest change of a position correction between two iterations at convergence \[-\]: for nodes relative to the
/// largest correction of all nodes, for a rigid body relative to the correction of this body.
const TOLERANCE: f64 = 1e-13;

impl EnergyMomentum {
    /// Computes the contact corrections of a step, with the geometry at the middle of the step.
    pub(super) fn respond_with_midpoints(
        &mut self,
        constraints: &Constraints,
        geometry: &mut impl MidpointGeometry,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let step = StepLength { following: step.actual, ..step };
        let dt = step.actual;
        action.begin(dt);
        let velocities = geometry.bodies().velocities;
        self.transfer_springs(constraints, velocities, dt);
        self.gather(constraints, velocities, dt, action);
        if self.memory.contacts.is_empty() {
            self.memory.sticking.clear();
            return;
        }
        geometry.begin(&self.memory.contacts);
        let mut has_converged = false;
        for iteration in 0..=MAX_GEOMETRIES {
            geometry.renew(&mut self.memory.contacts, action);
            let bodies = geometry.bodies();
            self.load(&bodies, 0.0);
            self.begin(&bodies, step);
            if iteration == 0 {
                self.damp(&bodies, step);
            }
            self.solve(&bodies, dt);
            if has_converged || iteration == MAX_GEOMETRIES {
                break;
            }
            let turns = self.push_against_moments(&bodies, dt);
            self.correct(&bodies, dt, action);
            has_converged = self.has_converged(&bodies, dt, action);
            if has_converged && !turns {
                break;
            }
        }
        action.unsolved.geometries = u64::from(!has_converged);
        let bodies = geometry.bodies();
        self.finish(&bodies, step, action);
        self.remove_moments(&bodies, step, action);
        self.correct(&bodies, dt, action);
        self.list_held_bodies(&bodies, action);
        action.support_moment += self.moment_of_supports(bodies.positions) * dt;
        act_by_impulses(action, dt);
        let [friction, damping] = std::mem::take(&mut self.memory.pending);
        action.work.friction += friction;
        action.work.damping += damping;
        self.report(bodies.positions, action);
        self.memory.sticking.note(constraints, &action.results, bodies.mobility);
    }

    /// Adds the velocity changes by the couples that remove the moments of friction. Only the position corrections for
    /// the next geometry use these changes. Returns whether there is a couple.
    fn push_against_moments(&mut self, bodies: &Bodies<'_>, dt: f64) -> bool {
        let (nodes, mobility) = (&mut self.couple_nodes, bodies.mobility);
        let mut any = false;
        for (constraint, solution) in self.memory.contacts.iter().zip(&self.solutions) {
            nodes.clear();
            let couple = Gradient::against_moment(&solution.traction, &constraint, bodies, nodes);
            if let Some(couple) = couple {
                couple.push(&constraint, nodes, mobility, &mut self.kicked, dt);
                any = true;
            }
        }
        any
    }

    /// Writes the velocity jumps Δv and the position corrections ½ dt Δv.
    fn correct(&mut self, bodies: &Bodies<'_>, dt: f64, action: &mut ContactAction) {
        std::mem::swap(&mut action.node_corrections, &mut self.earlier_nodes);
        std::mem::swap(&mut action.rigid_corrections, &mut self.earlier_rigid);
        action.node_corrections.clear();
        action.rigid_corrections.clear();
        for (body, nodes, _) in self.memory.contacts.iter().flat_map(|constraint| sides(&constraint)) {
            if let Some(rigid) = bodies.mobility.rigid(body) {
                if rigid.can_move() {
                    let velocity = self.kicked.translations[body as usize] - rigid.velocity;
                    let angular_velocity = self.kicked.rotations[body as usize] - rigid.angular_velocity;
                    let [position, rotation] = [velocity, angular_velocity].map(|jump| jump * (0.5 * dt));
                    let correction = RigidCorrection { body, velocity, angular_velocity, position, rotation };
                    action.rigid_corrections.push(correction);
                }
                continue;
            }
            action.node_corrections.extend(nodes.iter().map(|&node| {
                let velocity = self.kicked.nodes[node as usize] - bodies.velocities[node as usize];
                NodeCorrection { node, velocity, position: velocity * (0.5 * dt) }
            }));
        }
        action.node_corrections.sort_unstable_by_key(|correction| correction.node);
        action.node_corrections.dedup_by_key(|correction| correction.node);
        action.rigid_corrections.sort_unstable_by_key(|correction| correction.body);
        action.rigid_corrections.dedup_by_key(|correction| correction.body);
    }

    /// Whether the corrections equal those of the previous iteration, within the tolerance and the rounding error.
    fn has_converged(&self, bodies: &Bodies<'_>, dt: f64, action: &ContactAction) -> bool {
        if action.node_corrections.len() != self.earlier_nodes.len()
            || action.rigid_corrections.len() != self.earlier_rigid.len()
        {
            return false;
        }
        let ([mut change, mut size], mut travel) = ([0.0_f64; 2], 0.0_f64);
        for (now, earlier) in action.node_corrections.iter().zip(&self.earlier_nodes) {
            change = change.max((now.position - earlier.position).norm());
            size = size.max(now.position.norm());
            travel = travel.max(dt * bodies.velocities[now.node as usize].norm());
        }
        let is_alike =
            |change: f64, size: f64, travel: f64| change <= TOLERANCE * size + 8.0 * f64::EPSILON * travel;
        let mut rigid = action.rigid_corrections.iter().zip(&self.earlier_rigid);
        is_alike(change, size, travel)
            && rigid.all(|(now, earlier)| {
                let Some(motion) = bodies.mobility.rigid(now.body) else { return true };
                let (moved, turned) = (now.position - earlier.position, now.rotation - earlier.rotation);
                is_alike(moved.norm(), now.position.norm(), dt * motion.velocity.norm())
                    && is_alike(turned.norm(), now.rotation.norm(), dt * motion.angular_velocity.norm())
            })
    }

    /// Sum of the moments of the contacts on targets with a single node, such as walls \[N·m\]. No couple can balance
    /// these moments; the supports take them up.
    fn moment_of_supports(&self, positions: &[Vec3]) -> Vec3 {
        let contacts = self.memory.contacts.iter().zip(&self.solutions);
        let unbalanced = contacts.filter(|(constraint, _)| !constraint.can_take_couple());
        let moment = |(constraint, solution): (Constraint<'_>, &Solution)| {
            let force = constraint.normal * solution.pressure + solution.traction;
            constraint.jump(positions).cross(&force)
        };
        unbalanced.map(moment).sum()
    }

    /// Adds a zero correction for each fixed rigid body in contact: the supports of a body react to the impulses only
    /// if the body has a correction.
    fn list_held_bodies(&self, bodies: &Bodies<'_>, action: &mut ContactAction) {
        let is_held = |body: &u32| bodies.mobility.rigid(*body).is_some_and(|rigid| !rigid.can_move());
        let in_contact = self.memory.contacts.iter().flat_map(|constraint| constraint.bodies);
        action.rigid_corrections.extend(in_contact.filter(is_held).map(RigidCorrection::none));
        action.rigid_corrections.sort_unstable_by_key(|correction| correction.body);
        action.rigid_corrections.dedup_by_key(|correction| correction.body);
    }
}

fn act_by_impulses(action: &mut ContactAction, dt: f64) {
    for &node in &action.nodes {
        action.impulses[node as usize] = std::mem::take(&mut action.forces[node as usize]) * dt;
    }
}
