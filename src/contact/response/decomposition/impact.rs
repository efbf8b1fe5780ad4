//! Impulses of impact and friction.
//!
//! One contact, or any without restitution, is answered by its own law: projected Gauss–Seidel iteration on the impulses,
//! which keeps the momentum at every sweep. With restitution in several contacts that share nodes Newton's law at each
//! can make energy. There the *global mirror law* holds: the impulses without restitution are found and the whole jump of
//! the velocities is taken 1 + e times, which changes the kinetic energy by −(1 − e²)|Δv|²/2 in the norm of the masses;
//! then friction minimises the kinetic energy within its bounds. Contacts that this makes close are answered in further
//! rounds, in the end without restitution. Contacts with different restitution that share nodes have the least.
//!
//! # Source
//! Moreau, in: Nonsmooth Mechanics and Applications, CISM 302, 1988, §8; projected Gauss–Seidel: Jourdan, Alart & Jean,
//! CMAME 155 (1998) 31–47.

use super::{Contact, Decomposition, Order};
use crate::contact::Constraints;
use crate::contact::response::Mobility;
use crate::contact::response::row::Motion;
use crate::math::Vec3;

/// Relative velocities are found to this part of the largest one before, and to the rounding of the velocities.
const TOLERANCE: f64 = 1e-13;
/// Closing slower than this part of the largest relative velocity before is rest.
const CLOSING: f64 = 1e-9;
/// Most sweeps; momentum and the decrease of energy do not depend on convergence.
const MAX_SWEEPS: usize = 500;
/// Most rounds of restitution, and most passes one by one.
const MAX_ROUNDS: usize = 15;

/// The contacts of a group and what they push.
struct Group<'a> {
    constraints: &'a Constraints,
    mobility: &'a Mobility,
    contacts: &'a mut [Contact],
    velocities: &'a mut Motion,
    members: &'a [u32],
    /// Largest relative velocity before \[m/s\].
    speed: f64,
    /// What rounding may make of relative velocities where all moves fast together \[m/s\].
    rounding: f64,
}

impl Decomposition {
    /// Finds the impulses of all contacts and the velocities after them.
    pub(super) fn answer_impacts(&mut self, constraints: &Constraints, mobility: &Mobility) {
        for (constraint, contact) in constraints.iter().zip(&mut self.contacts) {
            contact.row.turn(&constraint, mobility, &self.shifts);
            contact.weigh();
            contact.before = contact.row.jump(&constraint, &self.velocities);
        }
        self.groups.find(constraints, mobility);
        for group in 0..self.groups.ends.len() {
            self.by_depth.clear();
            self.by_depth.extend_from_slice(&self.groups.contacts[self.groups.range(group)]);
            if self.options.order == Order::OneByOne {
                let gap = |contact: u32| constraints.get(contact as usize).gap;
                self.by_depth.sort_unstable_by(|&a, &b| gap(a).total_cmp(&gap(b)).then(a.cmp(&b)));
            }
            let speed = |&k: &u32| self.contacts[k as usize].before.norm();
            let speed = self.by_depth.iter().map(speed).fold(0.0, f64::max);
            let rounding = |&k: &u32| {
                let row = &self.contacts[k as usize].row;
                row.rounding(&constraints.get(k as usize), &self.velocities)
            };
            let rounding = self.by_depth.iter().map(rounding).fold(0.0, f64::max);
            let (contacts, velocities) = (&mut self.contacts, &mut self.velocities);
            let members = &self.by_depth;
            let mut group = Group { constraints, mobility, contacts, velocities, members, speed, rounding };
            match self.options.order {
                Order::Together => group.answer_together(),
                Order::OneByOne => group.answer_one_by_one(),
            }
        }
    }
}

impl Group<'_> {
    fn answer_together(&mut self) {
        let restitution = |&k: &u32| self.contacts[k as usize].laws.restitution;
        let least = self.members.iter().map(restitution).fold(1.0, f64::min);
        if self.members.len() > 1 && least > 0.0 {
            for _ in 0..MAX_ROUNDS {
                if !self.is_closing() {
                    return;
                }
                self.mirror(least);
            }
            self.iterate(0.0);
        } else {
            let kinetic = self.iterate(least);
            // Where compliance couples the normal with the slip even one contact can gain energy by Newton's law.
            if kinetic > 0.0 && least > 0.0 {
                self.take_back();
                self.iterate(0.0);
            }
        }
    }

    /// Contacts one after another, each with its own restitution, until none is closing.
    fn answer_one_by_one(&mut self) {
        for _ in 0..MAX_ROUNDS {
            if !self.is_closing() {
                return;
            }
            for &k in self.members {
                let (members, speed, rounding) = (&[k][..], self.speed, self.rounding);
                let (constraints, mobility) = (self.constraints, self.mobility);
                let (contacts, velocities) = (&mut *self.contacts, &mut *self.velocities);
                let mut alone =
                    Group { constraints, mobility, contacts, velocities, members, speed, rounding };
                if alone.is_closing() {
                    alone.answer_together();
                }
            }
        }
    }

    fn jump(&self, k: u32) -> Vec3 {
        let contact = &self.contacts[k as usize];
        contact.row.jump(&self.constraints.get(k as usize), self.velocities)
    }

    fn push(&mut self, k: u32, impulse: Vec3) {
        let contact = &mut self.contacts[k as usize];
        contact.impulse += impulse;
        contact.row.push(&self.constraints.get(k as usize), self.mobility, self.velocities, &impulse);
    }

    /// Whether a contact that can be answered is closing.
    fn is_closing(&self) -> bool {
        let closing = |&k: &u32| {
            let contact = &self.contacts[k as usize];
            contact.mass > 0.0 && contact.normal.dot(&self.jump(k)) < -CLOSING * self.speed - self.rounding
        };
        self.members.iter().any(closing)
    }

    fn begin_part(&mut self) {
        for &k in self.members {
            let start = self.jump(k);
            let contact = &mut self.contacts[k as usize];
            (contact.start, contact.part) = (start, (0.0, Vec3::zeros()));
        }
    }

    /// Takes the impulses back.
    fn take_back(&mut self) {
        for &k in self.members {
            let impulse = self.contacts[k as usize].impulse;
            self.push(k, -impulse);
        }
    }

    /// Projected Gauss–Seidel iteration for impulses with this restitution and friction, from the present velocities;
    /// the change of the kinetic energy \[J\].
    fn iterate(&mut self, restitution: f64) -> f64 {
        self.begin_part();
        self.sweep(|group, k| {
            let Contact { start, normal, .. } = group.contacts[k as usize];
            let target = -restitution * normal.dot(&start).min(0.0);
            let change = group.improve_normal(k, target);
            let bound = group.contacts[k as usize].part.0;
            change.max(group.improve_friction(k, bound))
        });
        let work = |&k: &u32| {
            let contact = &self.contacts[k as usize];
            let impulse = contact.normal * contact.part.0 + contact.part.1;
            0.5 * impulse.dot(&(contact.start + self.jump(k)))
        };
        self.members.iter().map(work).sum()
    }

    /// One round of the global mirror law: the impulses without restitution and friction, 1 + e times; then friction
    /// within the bounds that they set.
    fn mirror(&mut self, restitution: f64) {
        self.begin_part();
        self.sweep(|group, k| group.improve_normal(k, 0.0));
        for &k in self.members {
            let contact = &self.contacts[k as usize];
            self.push(k, contact.normal * (restitution * contact.part.0));
        }
        self.sweep(|group, k| {
            let bound = (1.0 + restitution) * group.contacts[k as usize].part.0;
            group.improve_friction(k, bound)
        });
    }

    /// Sweeps over the contacts until the velocities stand still.
    fn sweep(&mut self, mut improve: impl FnMut(&mut Self, u32) -> f64) {
        for _ in 0..MAX_SWEEPS {
            let change = self.members.iter().map(|&k| improve(self, k)).fold(0.0, f64::max);
            if change <= TOLERANCE * self.speed + self.rounding {
                return;
            }
        }
    }

    /// Brings the normal velocity of a contact to no less than `target` \[m/s\]; by how much it changes.
    fn improve_normal(&mut self, k: u32, target: f64) -> f64 {
        let jump = self.jump(k);
        let contact = &mut self.contacts[k as usize];
        let present = contact.part.0;
        let improved = (present + contact.mass * (target - contact.normal.dot(&jump))).max(0.0);
        contact.part.0 = improved;
        let (impulse, mass) = (contact.normal * (improved - present), contact.mass);
        if improved == present {
            return 0.0;
        }
        self.push(k, impulse);
        (improved - present).abs() / mass
    }

    /// Brings the slip of a contact to rest as far as friction under the impulse `normal` \[N·s\] can; by how much it
    /// changes.
    fn improve_friction(&mut self, k: u32, normal: f64) -> f64 {
        let jump = self.jump(k);
        let contact = &mut self.contacts[k as usize];
        let law = contact.laws.friction;
        if !law.acts() || contact.mass_across == 0.0 {
            return 0.0;
        }
        let across = jump - contact.normal * contact.normal.dot(&jump);
        let present = contact.part.1;
        let trial = present - across * contact.mass_across;
        let size = trial.norm();
        contact.slips = size > law.at_rest * normal;
        let slip = contact.start - contact.normal * contact.normal.dot(&contact.start);
        let bound = law.sliding(slip.norm()) * normal;
        let improved = if contact.slips { trial * (bound / size) } else { trial };
        contact.part.1 = improved;
        let change = improved - present;
        let mass = contact.mass_across;
        if change != Vec3::zeros() {
            self.push(k, change);
        }
        change.norm() / mass
    }
}
