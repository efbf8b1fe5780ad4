//! Projection of positions to where no contact is penetrated, and the angular momentum that it costs.

use super::Decomposition;
use crate::contact::response::couple::solve;
use crate::contact::response::row::sides;
use crate::contact::response::{Bodies, Mobility};
use crate::contact::{Constraint, Constraints};
use crate::math::{Mat3, Vec3};

/// Gaps are closed to this part of the deepest penetration.
const TOLERANCE: f64 = 1e-13;
/// Most sweeps; what is left is projected in the next step.
const MAX_SWEEPS: usize = 500;

impl Decomposition {
    /// Shifts Δx = M⁻¹ Gᵀ π with π ≥ 0 that take the wanted part out of all penetrations: the least in the norm of the
    /// masses, by projected Gauss–Seidel iteration.
    ///
    /// A contact with restitution comes to stand e |g| above its target: it has struck |g|/v_n before the end of the
    /// step, and parted with e v_n since. That is no more than it goes in a step.
    pub(super) fn project_positions(&mut self, constraints: &Constraints, mobility: &Mobility, dt: f64) {
        let part = self.options.projection;
        let deepest = constraints.iter().map(|constraint| -constraint.gap).fold(0.0, f64::max);
        if part == 0.0 || deepest == 0.0 {
            return;
        }
        for (constraint, contact) in constraints.iter().zip(&mut self.contacts) {
            let closing = -contact.normal.dot(&contact.row.jump(&constraint, &self.velocities));
            let gone = (-constraint.gap).min(closing * dt).max(0.0);
            contact.target = part * (-constraint.gap) + contact.laws.restitution * gone;
            contact.since = if closing > 0.0 { part * gone / closing } else { 0.0 };
        }
        for _ in 0..MAX_SWEEPS {
            let mut change: f64 = 0.0;
            for (constraint, contact) in constraints.iter().zip(&mut self.contacts) {
                let way = contact.normal.dot(&contact.row.jump(&constraint, &self.shifts));
                let gap = way - contact.target;
                let present = contact.part.0;
                let improved = (present - contact.mass * gap).max(0.0);
                let step = improved - present;
                if step != 0.0 {
                    contact.row.push(&constraint, mobility, &mut self.shifts, &(contact.normal * step));
                    contact.part.0 = improved;
                    contact.push_out += contact.normal * step;
                    change = change.max(step.abs() / contact.mass);
                }
            }
            if change <= TOLERANCE * deepest {
                return;
            }
        }
    }

    /// Takes back the way that slip has made over the part of the step since the contact began, for what friction has
    /// stopped of it: without this a contact that sticks would creep by the force across it times dt²/m a step.
    pub(super) fn project_slip(&mut self, constraints: &Constraints, mobility: &Mobility) {
        for (constraint, contact) in constraints.iter().zip(&mut self.contacts) {
            let friction = contact.impulse - contact.normal * contact.normal.dot(&contact.impulse);
            let push = friction * contact.since;
            if push != Vec3::zeros() {
                contact.row.push(&constraint, mobility, &mut self.shifts, &push);
                contact.push_out += push;
            }
        }
    }

    /// Gives back the angular momentum that the shifts have taken, Σ m_a Δx_a × v_a of each contact, and that of impulses
    /// where the contactor is not on its target after them, as with thickness, by a couple on what it pushes: on a
    /// rigid body, or as a rotation of its nodes. The kinetic energy this gives \[J\].
    pub(super) fn restore_angular_momentum(&mut self, constraints: &Constraints, bodies: &Bodies<'_>) -> f64 {
        let mut given = 0.0;
        for k in 0..self.contacts.len() {
            let push_out = self.contacts[k].push_out;
            let constraint = constraints.get(k);
            let apart =
                constraint.jump(bodies.positions) + self.contacts[k].row.jump(&constraint, &self.shifts);
            let impulse = self.contacts[k].impulse;
            let couple = -gained(&constraint, bodies, &push_out) - apart.cross(&impulse);
            if couple == Vec3::zeros() || constraint.nodes.len() < 3 {
                continue;
            }
            given += self.turn_body(&constraint, bodies.mobility, &couple).unwrap_or_else(|| {
                let shifts = &self.shifts.nodes;
                let position = |node: u32| bodies.positions[node as usize] + shifts[node as usize];
                turn_nodes(&constraint, bodies, position, &couple, &mut self.velocities.nodes)
            });
        }
        given
    }

    /// Turns a rigid body of a contact; the kinetic energy this gives \[J\], `None` where there is none that can turn.
    fn turn_body(&mut self, constraint: &Constraint<'_>, mobility: &Mobility, couple: &Vec3) -> Option<f64> {
        let turning = |body: &u32| mobility.rigid(*body).is_some_and(|r| r.inverse_inertia.amax() > 0.0);
        let body = constraint.bodies.into_iter().find(turning)?;
        let jump = mobility.rigid(body)?.inverse_inertia * couple;
        let rotation = &mut self.velocities.rotations[body as usize];
        let given = couple.dot(&(*rotation + 0.5 * jump));
        *rotation += jump;
        Some(given)
    }
}

/// Σ m_a Δx_a × v_a of a contact whose positions are shifted by this push \[kg·m\], over all that is free to move.
fn gained(constraint: &Constraint<'_>, bodies: &Bodies<'_>, push_out: &Vec3) -> Vec3 {
    let free = |inverse: &Vec3, push: Vec3| push.zip_map(inverse, |p, i| if i > 0.0 { p } else { 0.0 });
    let mut gained = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        if let Some(rigid) = bodies.mobility.rigid(body) {
            let total: f64 = weights.iter().sum();
            gained += free(&rigid.inverse_mass, push_out * total).cross(&rigid.velocity);
        } else {
            for (&node, weight) in nodes.iter().zip(weights) {
                let push = bodies.mobility.free_part(node, &(push_out * *weight));
                gained += push.cross(&bodies.velocities[node as usize]);
            }
        }
    }
    gained
}

/// Turns the free nodes of a contact about their centre of mass with this angular momentum \[N·m·s\], as far as they have
/// inertia; the kinetic energy this gives \[J\].
fn turn_nodes(
    constraint: &Constraint<'_>,
    bodies: &Bodies<'_>,
    position: impl Fn(u32) -> Vec3,
    couple: &Vec3,
    velocities: &mut [Vec3],
) -> f64 {
    let free = || {
        let deformable = sides(constraint).into_iter().filter(|side| bodies.mobility.rigid(side.0).is_none());
        let nodes = deformable.flat_map(|(_, nodes, _)| nodes.iter().copied());
        nodes.filter(|&node| bodies.mobility.node(node).min() > 0.0)
    };
    if free().count() < 2 {
        return 0.0;
    }
    let mass = |node: u32| 1.0 / bodies.mobility.node(node).x;
    let total: f64 = free().map(mass).sum();
    let centre = free().map(|node| position(node) * mass(node)).sum::<Vec3>() / total;
    let arm = |node: u32| position(node) - centre;
    let inertia: Mat3 = free()
        .map(|node| {
            let arm = arm(node);
            (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass(node)
        })
        .sum();
    let spin = solve(&inertia, couple);
    let mut given = 0.0;
    for node in free() {
        let jump = spin.cross(&arm(node));
        let velocity = &mut velocities[node as usize];
        given += mass(node) * jump.dot(&(*velocity + 0.5 * jump));
        *velocity += jump;
    }
    given
}
