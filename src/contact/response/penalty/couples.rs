//! Couples that take out the moments of contact forces about their points.
//!
//! A contact's force acts on the contactor and on a point of the target that is the penetration away: across the normal it
//! has a moment. Forces without a sum on the nodes of the contact take it out. They do work like all forces, by the trapezoidal
//! rule: a half of it in the step at whose end they act, and the other in the next.

use crate::contact::Constraint;
use crate::contact::response::couple::Couple;
use crate::contact::response::{Bodies, ContactAction};
use crate::math::Vec3;

/// The couples of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Couples {
    /// Nodes, and the forces on them \[N\].
    forces: Vec<(u32, Vec3)>,
    /// Bodies of a couple, and the end of its forces.
    owners: Vec<([u32; 2], usize)>,
}

impl Couples {
    /// Forgets the couples of the step before; `tell` hears what their second half takes from each pair of bodies over a step
    /// \[J\].
    pub fn finish(&mut self, velocities: &[Vec3], time_step: f64, mut tell: impl FnMut([u32; 2], f64)) {
        let mut first = 0;
        for &(bodies, end) in &self.owners {
            tell(bodies, taken(&self.forces[first..end], velocities, time_step));
            first = end;
        }
        self.forces.clear();
        self.owners.clear();
    }

    /// Adds the couple against a force on a contactor; what its first half takes over the step \[J\].
    pub fn oppose(
        &mut self,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        force: &Vec3,
        time_step: f64,
        action: &mut ContactAction,
    ) -> f64 {
        let position = |&node: &u32| bodies.positions[node as usize];
        let moment = force.cross(&constraint.jump(bodies.positions));
        let size = constraint.nodes.iter().map(|node| position(node).amax()).fold(0.0, f64::max);
        let rounding = 4.0 * f64::EPSILON * size;
        if !constraint.can_take_couple() || moment.norm() <= force.norm() * rounding {
            return 0.0;
        }
        let couple = Couple::new(constraint.nodes.iter().map(position), &moment);
        let first = self.forces.len();
        for node in constraint.nodes {
            let force = couple.at(&position(node));
            action.forces[*node as usize] += force;
            self.forces.push((*node, force));
        }
        self.owners.push((constraint.bodies, self.forces.len()));
        taken(&self.forces[first..], bodies.velocities, time_step)
    }
}

/// Half of the work that is done against forces over a step \[J\].
fn taken(forces: &[(u32, Vec3)], velocities: &[Vec3], time_step: f64) -> f64 {
    let power: f64 = forces.iter().map(|(node, force)| force.dot(&velocities[*node as usize])).sum();
    -0.5 * time_step * power
}
