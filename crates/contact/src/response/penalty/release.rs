//! Forces that balance the energy created or lost by the time discretisation in a contact that opens.
//!
//! The trapezoidal rule ignores that a contact is closed only for a part of its first and its last step. Over its life,
//! the contact thus creates an energy E of either sign. When the contact opens with the gap rate u, a force p on the
//! contactor, against the normal, removes E. With the compliance w of the contact, the current step Δt_n, the following
//! step Δt_{n+1} and the duration of the kick Δt_k = ½ (Δt_n + Δt_{n+1}):
//!
//! ```text
//! ½ p u Δt_n + ½ p (u − p w Δt_k) Δt_{n+1} = E
//! ```
//! The force never reverses the opening; if it cannot remove E, it removes as much as possible. For E < 0, the force is
//! repulsive and returns the lost energy; it is at most the last spring force, and at most doubles the gap rate.
//!
//! # Source
//! Derived. The method is the passivity controller of Hannaford and Ryu, IEEE Trans. Robotics and Automation 18, 2002,
//! applied in a single step.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use super::couples::Couples;
use crate::math::Vec3;
use crate::response::{Bodies, ContactAction, StepLength, UnlistedWork};
use crate::{Constraint, Constraints};

#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Energy E created over the life of the contact \[J\].
    pub created: f64,
    /// Last force of the normal spring \[N\].
    pub force: f64,
    /// Gap rate u \[m/s\]; positive if the contact opens.
    pub rate: f64,
    /// Compliance w \[1/kg\]: change of the gap rate per impulse of the contact, estimated for equal compression of
    /// all contacts on the same nodes or rigid bodies; at least the compliance of the contact alone.
    pub compliance: f64,
}

impl Opening {
    /// Force p \[N\]; positive if it attracts the bodies.
    fn balance(&self, step: StepLength) -> f64 {
        if self.rate <= 0.0 || self.created == 0.0 {
            return 0.0;
        }
        let quadratic = 0.5 * self.compliance * step.kick() * step.following;
        let linear = 0.5 * self.rate * (step.actual + step.following);
        let square = linear * linear - 4.0 * quadratic * self.created;
        let force = if square > 0.0 {
            2.0 * self.created / (linear + square.sqrt())
        } else {
            linear / (2.0 * quadratic)
        };
        let stops = self.rate / (self.compliance * step.kick());
        force.min(stops).max(-stops.min(self.force))
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Releases {
    /// Constraints of the opened contacts; for a contact that is no longer detected, that of the previous step.
    constraints: Constraints,
    /// Force on each contactor, against the normal \[N\].
    forces: Vec<f64>,
    couples: Couples,
}

clone_by_field!(Releases { constraints, forces, couples });

impl Releases {
    pub fn fit(&self, num_nodes: usize, num_bodies: usize) -> bool {
        self.constraints.fit(num_nodes, num_bodies)
            && self.forces.len() == self.constraints.len()
            && self.couples.fit(num_nodes)
    }

    /// Clears the forces and couples of the previous step. Returns the work that half of each force and couple does
    /// over this step \[J\].
    pub fn finish(&mut self, velocities: &[Vec3], time_step: f64) -> f64 {
        let rates = self.constraints.iter().map(|opened| opened.normal.dot(&opened.jump(velocities)));
        let forces = self.forces.iter().zip(rates);
        let mut given: f64 = forces.map(|(force, rate)| -0.5 * force * rate * time_step).sum();
        self.couples.finish(velocities, time_step, |_, taken| given -= taken);
        self.constraints.clear();
        self.forces.clear();
        given
    }

    /// Adds the balancing force of an opened contact, and the couple against the moment of this force.
    pub fn balance(
        &mut self,
        constraint: &Constraint<'_>,
        opening: Opening,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let size = opening.balance(step);
        if size == 0.0 {
            return;
        }
        let force = constraint.normal * -size;
        action.add_forces(constraint, force, Vec3::zeros());
        let taken = 0.5 * size * opening.rate * step.actual;
        action.work.numerical -= taken + self.couples.oppose(constraint, bodies, &force, step.actual, action);
        action.unlisted.push(UnlistedWork {
            bodies: constraint.bodies,
            force,
            moment: constraint.jump(bodies.positions).cross(&force),
            ..UnlistedWork::default()
        });
        self.constraints.push_copy(constraint);
        self.forces.push(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap rate within rounding of zero causes no force beyond 1e-9 N.
    #[test]
    fn a_contact_that_opens_at_rest_has_no_balance() {
        let force = |created, rate| {
            Opening { created, force: 5.0, rate, compliance: 2.0 }.balance(StepLength::regular(1e-3))
        };
        for created in [-1e-3, 1e-3] {
            for rate in [-1e-12, 0.0, 1e-12] {
                assert!(force(created, rate).abs() < 1e-9, "{created} at {rate}: {}", force(created, rate));
            }
        }
        assert!((force(-1e-6, 0.5) + 2e-3).abs() < 1e-5 && force(-1.0, 0.5) == -5.0);
    }
}
