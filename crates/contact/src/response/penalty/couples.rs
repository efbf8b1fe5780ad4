//! Couples against the moments of two kinds of forces: contact forces with friction, and the balancing forces of
//! opening contacts (see `release`).
//!
//! The force on the contactor and the reaction on the target act at different points. Together, they have a moment. A
//! couple of nodal forces with zero sum removes this moment. By the trapezoidal rule, half of each nodal force acts
//! over the step at whose end it is computed, and half over the next step.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::Constraint;
use crate::math::Vec3;
use crate::response::groups::couple::Couple;
use crate::response::{Bodies, ContactAction};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Couples {
    /// Nodes and nodal forces \[N\], couple by couple.
    forces: Vec<(u32, Vec3)>,
    /// Bodies of each couple, and index in `forces` at which its forces end.
    owners: Vec<([u32; 2], usize)>,
}

clone_by_field!(Couples { forces, owners });

impl Couples {
    pub fn fit(&self, num_nodes: usize) -> bool {
        self.owners.is_sorted_by_key(|(_, end)| *end)
            && self.owners.last().map_or(0, |(_, end)| *end) == self.forces.len()
            && self.forces.iter().all(|(node, _)| (*node as usize) < num_nodes)
    }

    /// Clears the couples of the previous step. `report` receives the bodies of each couple, and the energy that the
    /// couple removes over this step with half of its forces \[J\].
    pub fn finish(&mut self, velocities: &[Vec3], time_step: f64, mut report: impl FnMut([u32; 2], f64)) {
        let mut first = 0;
        for &(bodies, end) in &self.owners {
            report(bodies, taken(&self.forces[first..end], velocities, time_step));
            first = end;
        }
        self.forces.clear();
        self.owners.clear();
    }

    /// Adds a couple that removes the moment of `force` on the contactor \[N\] and the reaction on the target. Returns
    /// the energy that the couple removes over the step with half of its forces \[J\]. No couple is added, and zero is
    /// returned, if the moment is within rounding or the target has a single node.
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

/// Energy that nodal forces of half the magnitude of `forces` remove over a step \[J\].
fn taken(forces: &[(u32, Vec3)], velocities: &[Vec3], time_step: f64) -> f64 {
    let power: f64 = forces.iter().map(|(node, force)| force.dot(&velocities[*node as usize])).sum();
    -0.5 * time_step * power
}
