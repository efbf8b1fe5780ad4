//! Projection of positions out of penetration, and restoration of the angular momentum.

use super::complementarity::Problem;
use super::unknown::Unknown;
use super::{Contact, Decomposition};
use crate::flush::rounding_of_gap_at;
use crate::math::{Mat3, Vec3};
use crate::response::Bodies;
use crate::response::groups::couple::solve;
use crate::response::row::sides;
use crate::response::setup::AngularMomentum;
use crate::{Constraint, Constraints};

/// Tolerance of the gaps, relative to the deepest penetration.
const TOLERANCE: f64 = 1e-11;
/// Largest negligible rotational mobility about an axis, relative to the largest rotational mobility.
const NEGLIGIBLE_ROTATION: f64 = 1e-12;

fn deepest(constraints: &Constraints) -> f64 {
    constraints.iter().map(|constraint| -constraint.gap).fold(0.0, f64::max)
}

/// Largest |coordinate| of the nodes in contact \[m\].
fn size_of(constraints: &Constraints, positions: &[Vec3]) -> f64 {
    let nodes = constraints.iter().flat_map(|constraint| constraint.nodes);
    nodes.map(|&node| positions[node as usize].amax()).fold(0.0, f64::max)
}

fn rounding(constraints: &Constraints, positions: &[Vec3]) -> f64 {
    f64::EPSILON * size_of(constraints, positions)
}

impl Decomposition {
    /// Computes the smallest position corrections, in the mass norm, that remove the fraction `projection` of all
    /// penetrations: Δx = M⁻¹ Gᵀ π, with the normal projection impulses π ≥ 0.
    ///
    /// A contact with restitution e also rises by e times the penetration that arose in this step: from the impact to
    /// the end of the step, the contactor separates at e times its closing speed.
    pub(super) fn project_positions(&mut self, constraints: &Constraints, positions: &[Vec3], dt: f64) {
        let part = self.options.projection;
        if part == 0.0 {
            return;
        }
        let flush = rounding_of_gap_at(size_of(constraints, positions));
        for (constraint, contact) in constraints.iter().zip(&mut self.contacts) {
            let closing = -contact.normal.dot(&contact.before);
            let way = closing * dt;
            // Fraction of the step after the beginning of the contact; 1 without normal motion.
            let fraction = match way {
                way if way > flush => way.min(-constraint.gap).max(0.0) / way,
                way if way >= -flush => 1.0,
                _ => 0.0,
            };
            // A contact with an impulse in the previous step (`guess`) lasts the whole step, even if it opens slightly.
            let sliding_fraction = if contact.guess == Vec3::zeros() { fraction } else { 1.0 };
            contact.since = part * dt * sliding_fraction;
            // `impact_fraction` is 0 for a resting contact, which does not begin within the step.
            let kick = contact.normal.dot(&contact.kick);
            contact.lead = contact.impact_fraction(closing) * kick * (1.0 - 2.0 * fraction);
            let gone = way.min(-constraint.gap).max(0.0);
            contact.lift = part * (-constraint.gap) + contact.restitution(closing) * gone;
        }
        if deepest(constraints) <= rounding(constraints, positions) {
            return;
        }
        for (k, contact) in (0..).zip(&mut self.contacts) {
            contact.push_out = contact.normal * contact.push_out_guess;
            self.operator.push(k, &contact.push_out, &mut self.corrections);
        }
        self.project(constraints, positions);
    }

    /// Solves for the impulses `push_out`. `corrections` must contain the effect of their initial values.
    fn project(&mut self, constraints: &Constraints, positions: &[Vec3]) {
        let tolerance = TOLERANCE * deepest(constraints) + rounding(constraints, positions);
        let begin = self.unknowns.len();
        for (k, contact) in (0..).zip(&self.contacts) {
            let compliance = self.operator.shared_compliance(k);
            let mut unknown = Unknown::new(contact.normal, &compliance, Vec3::zeros(), 0.0);
            unknown.target = contact.lift;
            unknown.impulse = contact.push_out;
            self.unknowns.push(unknown);
        }
        let unknowns = &mut self.unknowns[begin..];
        for group in 0..self.groups.ends.len() {
            let mut problem = Problem {
                operator: &self.operator,
                members: &self.groups.contacts[self.groups.range(group)],
                movers: self.operator.movers_of_group(group),
                unknowns,
                field: &mut self.corrections,
                tolerance,
            };
            if !problem.solve(&mut self.workspace.problem) {
                self.unsolved.projections += 1;
            }
        }
        for (contact, unknown) in self.contacts.iter_mut().zip(unknowns) {
            contact.push_out = unknown.impulse;
        }
        self.unknowns.truncate(begin);
    }

    /// The friction impulses change the velocities only after the predictor has moved the nodes. With friction from the
    /// beginning of the contact on, part of the slip would not have occurred; this function reverses this part, because
    /// sticking contacts would otherwise creep. The reversal rotates rigid bodies and thus changes gaps, so the
    /// projection is repeated.
    pub(super) fn project_slip(&mut self, constraints: &Constraints, positions: &[Vec3]) {
        let friction_of = |contact: &Contact| {
            let friction = contact.impulse - contact.normal * contact.normal.dot(&contact.impulse);
            friction * contact.since
        };
        let mut is_reversed = false;
        for (k, contact) in (0..).zip(&self.contacts) {
            let push = friction_of(contact);
            if push != Vec3::zeros() {
                self.operator.push(k, &push, &mut self.corrections);
                is_reversed = true;
            }
        }
        if is_reversed {
            self.project(constraints, positions);
            for contact in &mut self.contacts {
                contact.push_out += friction_of(contact);
            }
        }
    }

    /// Removes the angular momentum that each contact has added to its bodies: position corrections Δx_a add
    /// Σ m_a Δx_a × v_a; an impulse and its reaction at two different points add a moment. If a side of the contact is
    /// a fixed body or a wall, its support takes up this angular momentum. Two movable bodies keep it in two cases:
    /// with `AngularMomentum::Change`, or if no body can rotate and fewer than two nodes are free. Returns the added
    /// kinetic energy \[J\] and the angular impulse of the supports \[N·m·s\].
    pub(super) fn restore_angular_momentum(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
    ) -> (f64, Vec3) {
        let (mut given, mut of_supports) = (0.0, Vec3::zeros());
        for k in 0..self.contacts.len() {
            let constraint = constraints.get(k);
            let Contact { impulse, push_out, .. } = self.contacts[k];
            let mut gained = gained(&constraint, bodies, &push_out)
                + self.operator.gained_by_tied(k as u32, bodies, &push_out);
            if constraint.can_take_couple() {
                // Vector from the point of the reaction to the point of the impulse. For rigid bodies, the levers are
                // those with which the impulse acted.
                let apart = constraint.jump(bodies.positions)
                    + self.operator.translational_part(k as u32, &self.corrections)
                    + self.operator.change_of_levers(k as u32, &constraint, bodies);
                gained += apart.cross(&impulse);
            } else {
                // A wall reacts at the final position of the contactor. `off` is the sum of the levers to this
                // position minus the sum of the levers with which the impulse acted.
                let off = self.operator.off_levers(k as u32, &constraint, bodies, &self.corrections);
                gained -= off.cross(&impulse);
            }
            if gained == Vec3::zeros() {
                continue;
            }
            if !constraint.can_take_couple() || !both_sides_move(&constraint, bodies) {
                of_supports += gained;
                continue;
            }
            if self.options.angular_momentum == AngularMomentum::Change {
                continue;
            }
            if let Some((energy, taken)) = self.rotate_bodies(&constraint, bodies, &-gained) {
                given += energy;
                of_supports += gained + taken;
            } else {
                given += self.rotate_nodes(&constraint, bodies, &-gained);
            }
        }
        (given, of_supports)
    }

    /// Adds the angular momentum `couple` \[N·m·s\] by a common change of the angular velocities of the rigid bodies.
    /// Returns the added kinetic energy \[J\] and the part of `couple` that the bodies can take up \[N·m·s\]; `None` if
    /// no body can rotate.
    fn rotate_bodies(
        &mut self,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        couple: &Vec3,
    ) -> Option<(f64, Vec3)> {
        let mobility = bodies.mobility;
        let rotating = constraint.bodies.map(|body| {
            let rigid = mobility.rigid(body).filter(|rigid| rigid.inverse_inertia.amax() > 0.0)?;
            Some((inertia(&rigid.inverse_inertia), self.operator.rotation_of(body, mobility)?))
        });
        let all = || rotating.iter().flatten();
        let inertia: Mat3 = all().map(|(inertia, _)| inertia).sum();
        all().next()?;
        let jump = solve(&inertia, couple);
        let (mut given, mut taken) = (0.0, Vec3::zeros());
        for (inertia, mover) in all() {
            let rotation = &mut self.velocities[*mover];
            let part = inertia * jump;
            given += part.dot(&(*rotation + 0.5 * jump));
            taken += part;
            *rotation += jump;
        }
        Some((given, taken))
    }

    /// Adds the angular momentum `couple` \[N·m·s\] by a rotation of the nodes that are free in all directions, about
    /// their centre of mass. Adds nothing if fewer than two nodes are free. Returns the added kinetic energy \[J\].
    fn rotate_nodes(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>, couple: &Vec3) -> f64 {
        let (operator, corrections, mobility) = (&self.operator, &self.corrections, bodies.mobility);
        let free = || {
            let movers =
                constraint.nodes.iter().filter_map(|&node| Some((node, operator.mover_of_node(node)?)));
            movers.filter(|&(node, _)| mobility.node(node).min() > 0.0)
        };
        if free().count() < 2 {
            return 0.0;
        }
        let mass = |node: u32| 1.0 / mobility.node(node).x;
        let position = |node: u32, mover: usize| bodies.positions[node as usize] + corrections[mover];
        let total: f64 = free().map(|(node, _)| mass(node)).sum();
        let centre = free().map(|(node, mover)| position(node, mover) * mass(node)).sum::<Vec3>() / total;
        let inertia: Mat3 = free()
            .map(|(node, mover)| {
                let arm = position(node, mover) - centre;
                (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass(node)
            })
            .sum();
        let spin = solve(&inertia, couple);
        let impulse = |node: u32, mover: usize| match mobility.node(node).min() > 0.0 {
            true => spin.cross(&(position(node, mover) - centre)) * mass(node),
            false => Vec3::zeros(),
        };
        let mut given = 0.0;
        for (node, mover) in free().filter(|(node, _)| mobility.tied().group(*node).is_none()) {
            let jump = spin.cross(&(position(node, mover) - centre));
            let velocity = &mut self.velocities[mover];
            given += mass(node) * jump.dot(&(*velocity + 0.5 * jump));
            *velocity += jump;
        }
        let Self { operator, velocities, tie_impulses, .. } = self;
        given + operator.push_tied(constraint, bodies, impulse, velocities, tie_impulses)
    }
}

/// Inertia tensor about the axes about which the body can rotate.
fn inertia(inverse: &Mat3) -> Mat3 {
    inverse
        .try_inverse()
        .or_else(|| inverse.pseudo_inverse(NEGLIGIBLE_ROTATION * inverse.amax()).ok())
        .unwrap_or_default()
}

fn both_sides_move(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> bool {
    sides(constraint).into_iter().all(|(body, nodes, _)| match bodies.mobility.rigid(body) {
        Some(rigid) => rigid.can_move(),
        None => nodes.iter().any(|&node| bodies.mobility.is_movable(node)),
    })
}

/// Change Σ m_a Δx_a × v_a of the angular momentum that the projection impulse `push_out` \[kg·m\] causes, over all
/// nodes a except tied nodes.
fn gained(constraint: &Constraint<'_>, bodies: &Bodies<'_>, push_out: &Vec3) -> Vec3 {
    let free = |inverse: &Vec3, push: Vec3| push.zip_map(inverse, |p, i| if i > 0.0 { p } else { 0.0 });
    let mut gained = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        if let Some(rigid) = bodies.mobility.rigid(body) {
            let total: f64 = weights.iter().sum();
            gained += free(&rigid.inverse_mass, push_out * total).cross(&rigid.velocity);
        } else {
            let untied = |(node, _): &(&u32, &f64)| bodies.mobility.tied().group(**node).is_none();
            for (&node, weight) in nodes.iter().zip(weights).filter(untied) {
                let push = bodies.mobility.free_part(node, &(push_out * *weight));
                gained += push.cross(&bodies.velocities[node as usize]);
            }
        }
    }
    gained
}
