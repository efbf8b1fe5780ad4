//! Forces that balance the energy which the steps have created, or lost, in a contact that opens.
//!
//! A spring that is pressed for a part of a step acts at its ends all the same: by the trapezoidal rule, in which the steps
//! conserve energy, it takes too much on the way in and gives too much on the way out. A force p against the normal at the
//! end of the step in which the contact has opened brings the balance E of its life back to zero:
//!
//! ```text
//! ½ p u Δt_n + ½ p (u − p w Δt_k) Δt_{n+1} = E        u rate of opening, w compliance, Δt_k = ½ (Δt_n + Δt_{n+1})
//! ```
//! It leaves no gap smaller than it is, and pushes no more than the spring has pushed last.
//!
//! # Source
//! Derived; the passivity controller of Hannaford and Ryu, IEEE Trans. Robotics and Automation 18, 2002, in one step.

use super::couples::Couples;
use crate::contact::response::{Bodies, ContactAction, StepLength, UnlistedWork};
use crate::contact::{Constraint, Constraints};
use crate::math::Vec3;

/// A contact that has opened in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Energy that its life has created \[J\].
    pub created: f64,
    /// Last force of its spring \[N\].
    pub force: f64,
    /// Rate of its gap \[m/s\].
    pub rate: f64,
    /// Compliance, of what opens with it too \[1/kg\].
    pub compliance: f64,
}

impl Opening {
    /// The force p that holds the bodies together at the end of the step \[N\].
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
        force.min(stops).max(-self.force)
    }
}

/// Forces on contacts that have opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases {
    /// Contacts that have opened in this step; those that are not found any more, as they were in the one before.
    constraints: Constraints,
    /// Force on each contactor against the normal \[N\].
    forces: Vec<f64>,
    couples: Couples,
}

impl Releases {
    /// Forgets the forces of the step before; what their second half has given over this step \[J\].
    pub fn finish(&mut self, velocities: &[Vec3], time_step: f64) -> f64 {
        let rates = self.constraints.iter().map(|opened| opened.normal.dot(&opened.jump(velocities)));
        let forces = self.forces.iter().zip(rates);
        let mut given: f64 = forces.map(|(force, rate)| -0.5 * force * rate * time_step).sum();
        self.couples.finish(velocities, time_step, |_, taken| given -= taken);
        self.constraints.clear();
        self.forces.clear();
        given
    }

    /// Balances the energy of a contact that has opened.
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
