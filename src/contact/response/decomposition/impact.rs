//! Impulses of impact and friction.
//!
//! The impulses of a group, normals and friction together, are two solutions of one problem: P_c without restitution, which
//! never makes energy, and P_e whose normal velocities are at least those of Newton's law (where friction sticks
//! throughout, those of Poisson and Stronge agree with it). The law holds where the contact begins, in the middle of the step
//! or before or after it, and forces act until then: with the `lead` w that they make of the normal velocity, n · u⁺ + w =
//! −e (n · u⁻ + w).
//!
//! Newton's law at several contacts, or with friction, can make energy. So can what impulses do besides: velocities that
//! jump in the middle of a step meet the second half of the kick, and projections move nodes against forces. Of P_c +
//! α (P_e − P_c) the largest α ≤ 1 is taken for which all this makes none with the forces at the beginning of the step, a
//! root of a convex quadratic. What forces that change have created after all is taken in the steps to come, of all groups by
//! the same part of the energy of their impacts. Both solutions lie in Coulomb's cones and leave nothing closing, and so does
//! what is between them. One by one, nothing of other contacts and steps counts.
//!
//! P_e may have no solution where friction jams contacts, as those of a body wedged in a groove. Then the contacts that are
//! farthest from theirs have no restitution, and the others are tried again, until there is one.
//!
//! One by one, each contact is a group of its own, in turn, until none is closing: a blow runs along a row of bodies.
//!
//! # Source
//! Newton's law with several contacts: Moreau, in: Nonsmooth Mechanics and Applications, CISM 302, 1988, §8; α: derived, as
//! ΔT(α) = Σ ½ P (u⁻ + u⁺) with P and u⁺ linear in α.

use crate::contact::Constraints;
use crate::math::Vec3;

use super::complementarity::{Problem, Workspace};
use super::operator::Operator;
use super::unknown::Unknown;
use super::{Contact, Decomposition, Order};
use crate::contact::response::UnsolvedProblems;

/// Relative velocities are found to this part of the largest one before, and to the rounding of the velocities.
const TOLERANCE: f64 = 1e-11;
/// Closing slower than this part of the largest relative velocity before is rest.
const CLOSING: f64 = 1e-9;
/// Energy created by restitution, relative to the work of the impulses on the velocities before, that is rounding.
const MADE: f64 = 1e-9;
/// First guesses that are on average so many times all that the velocities ask for are none.
const MOST_GUESSED: f64 = 50.0;
/// Most passes one by one.
const MAX_PASSES: usize = 15;
/// Velocities lack this part of the largest that restitution wants where only the iteration has not come to its end.
const NEAR: f64 = 1e-6;
/// Contacts that lack this part of what the one lacks that is farthest from its restitution are jammed as well.
const JAMMED: f64 = 0.1;
/// How often contacts that are jammed are looked for.
const MAX_JAMS: usize = 4;

/// The contacts of a group and what they push.
struct Group<'a> {
    operator: &'a Operator,
    contacts: &'a mut [Contact],
    unknowns: &'a mut [Unknown],
    field: &'a mut [Vec3],
    members: &'a [u32],
    movers: std::ops::Range<usize>,
    /// Relative velocities are found to this \[m/s\].
    tolerance: f64,
    /// Slower is rest \[m/s\].
    rest: f64,
    /// Energy that contact has created before, and makes by shifts in this step as far as its first forces tell \[J\].
    created: f64,
    unsolved: &'a mut UnsolvedProblems,
    workspace: &'a mut ImpactWorkspace,
}

/// Memory of the answer to a group, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpactWorkspace {
    pub(super) problem: Workspace,
    without_restitution: Solution,
}

/// Motion of the movers, impulses and relative velocities of a group.
#[derive(Clone, Debug, Default)]
struct Solution {
    field: Vec<Vec3>,
    contacts: Vec<(Vec3, Vec3)>,
}

impl Decomposition {
    /// Finds the impulses of all contacts and the velocities after them; contact has created so much energy before \[J\].
    pub(super) fn answer_impacts(&mut self, constraints: &Constraints, created: f64, time_step: f64) {
        let energies: f64 = (0..self.contacts.len()).map(|k| self.energy_of_impact(k)).sum();
        let made_part = if energies > 0.0 { created.max(0.0) / energies } else { 0.0 };
        for group in 0..self.groups.ends.len() {
            self.members.clear();
            self.members.extend_from_slice(&self.groups.contacts[self.groups.range(group)]);
            let order = self.options.order;
            if order == Order::OneByOne {
                let gap = |contact: u32| constraints.get(contact as usize).gap;
                self.members.sort_unstable_by(|&a, &b| gap(a).total_cmp(&gap(b)).then(a.cmp(&b)));
            }
            let (speed, rounding) = self.scale_of_velocities();
            let created = self.members.iter().map(|&k| {
                let k = k as usize;
                made_part * self.energy_of_impact(k) + self.energy_of_shift(k, time_step)
            });
            let created = created.sum::<f64>();
            let mut group = Group {
                operator: &self.operator,
                contacts: &mut self.contacts,
                unknowns: &mut self.unknowns,
                field: &mut self.velocities,
                members: &self.members,
                movers: self.operator.movers_of_group(group),
                tolerance: TOLERANCE * speed + rounding,
                rest: CLOSING * speed + rounding,
                created,
                unsolved: &mut self.unsolved,
                workspace: &mut self.workspace,
            };
            match order {
                Order::Together => group.answer_from_the_step_before(),
                Order::OneByOne => group.answer_one_by_one(),
            }
        }
    }

    /// Energy ½ m (n · u⁻)² of a contact that closes, alone \[J\].
    fn energy_of_impact(&self, k: usize) -> f64 {
        let contact = &self.contacts[k];
        0.5 * self.unknowns[k].mass * contact.normal.dot(&contact.before).min(0.0).powi(2)
    }

    /// Energy −Δx · f that the shifts of a contact give against the forces at the beginning of the step \[J\].
    fn energy_of_shift(&self, k: usize, time_step: f64) -> f64 {
        let Contact { push_out, kick, .. } = &self.contacts[k];
        -push_out.dot(kick) * (2.0 / time_step)
    }

    /// Largest relative velocity of the members before, and the rounding of those \[m/s\].
    fn scale_of_velocities(&self) -> (f64, f64) {
        let (mut speed, mut rounding) = (0.0_f64, 0.0_f64);
        for &k in &self.members {
            let before = self.contacts[k as usize].before;
            let drift = self.unknowns[k as usize].drift.norm();
            speed = speed.max(before.norm());
            let moved = self.operator.rounding(k, &self.velocities);
            rounding = rounding.max(moved + 4.0 * f64::EPSILON * drift);
        }
        (speed, rounding)
    }
}

impl Group<'_> {
    /// All contacts together, with the impulses of the step before as a first guess.
    fn answer_from_the_step_before(&mut self) {
        let guess_is_fit = self.guess_is_fit();
        for &k in self.members {
            let guess = self.contacts[k as usize].guess;
            if guess_is_fit && guess != Vec3::zeros() {
                self.unknowns[k as usize].impulse = guess;
                self.operator.push(k, &guess, self.field);
            }
        }
        self.answer();
        for &k in self.members {
            let unknown = &self.unknowns[k as usize];
            let contact = &mut self.contacts[k as usize];
            contact.impulse = unknown.impulse;
        }
        self.note_slips();
    }

    /// Notes what slides: friction at its bound has not moved what others hold.
    fn note_slips(&mut self) {
        for &k in self.members {
            let velocity = self.velocity(k);
            let unknown = &self.unknowns[k as usize];
            let slip = velocity - unknown.normal * unknown.normal.dot(&velocity);
            self.contacts[k as usize].slips = unknown.slips && slip.norm() > self.rest;
        }
    }

    /// Whether the first guess is of the size of what the velocities ask for. A body that friction wedges may be pressed from
    /// both sides by what an impact has left, however much that is: it is let go.
    fn guess_is_fit(&self) -> bool {
        let (mut guessed, mut asked) = (0.0, 0.0);
        for &k in self.members {
            guessed += self.contacts[k as usize].guess.norm();
            asked += self.unknowns[k as usize].mass * self.contacts[k as usize].start.norm();
        }
        // A load on top of a stack is asked for at its foot, and is in the guesses of all contacts below it.
        guessed <= MOST_GUESSED * self.members.len() as f64 * asked
    }

    /// Contacts one after another, until none is closing.
    fn answer_one_by_one(&mut self) {
        if !(0..MAX_PASSES).any(|_| self.answer_each() == 0) {
            self.unsolved.impulses += 1;
        }
        self.note_slips();
    }

    /// Answers each contact that is closing; how many there were.
    fn answer_each(&mut self) -> usize {
        let mut closing = 0;
        for place in 0..self.members.len() {
            let k = self.members[place];
            let start = self.unknowns[k as usize].drift + self.operator.jump(k, self.field);
            let unknown = &mut self.unknowns[k as usize];
            if unknown.mass == 0.0 || unknown.normal.dot(&start) >= -self.rest {
                continue;
            }
            closing += 1;
            unknown.impulse = Vec3::zeros();
            self.contacts[k as usize].begin(unknown, start);
            self.answer_alone(place);
            self.contacts[k as usize].impulse += self.unknowns[k as usize].impulse;
        }
        closing
    }

    fn answer_alone(&mut self, place: usize) {
        let mut alone = Group {
            operator: self.operator,
            contacts: &mut *self.contacts,
            unknowns: &mut *self.unknowns,
            field: &mut *self.field,
            members: &self.members[place..=place],
            movers: self.movers.clone(),
            tolerance: self.tolerance,
            rest: self.rest,
            created: 0.0,
            unsolved: &mut *self.unsolved,
            workspace: &mut *self.workspace,
        };
        alone.answer();
    }

    /// P_c, and P_c + α (P_e − P_c) where there is restitution.
    fn answer(&mut self) {
        if !self.solve(|_, _| 0.0) {
            self.unsolved.impulses += 1;
            self.make_no_energy();
        }
        let closes = |&k: &u32| {
            let contact = &self.contacts[k as usize];
            contact.restitution(-contact.normal.dot(&contact.start)) > 0.0
        };
        if !self.members.iter().any(closes) {
            return;
        }
        self.keep();
        let share = if self.solve_with_restitution() { self.largest_share() } else { 0.0 };
        if share < 1.0 {
            self.blend(share);
        } else if self.is_elastic() {
            self.keep_the_energy();
        }
    }

    /// P_e, in which contacts that jam have no restitution; whether there is a solution.
    fn solve_with_restitution(&mut self) -> bool {
        for &k in self.members {
            self.contacts[k as usize].is_jammed = false;
        }
        let target = |contact: &Contact, closing: f64| {
            let Contact { is_jammed, lead, .. } = *contact;
            let restitution = contact.restitution(closing);
            let rebounds = restitution > 0.0 && !is_jammed;
            if rebounds { (restitution * closing - (1.0 + restitution) * lead).max(0.0) } else { 0.0 }
        };
        if self.solve(target) {
            return true;
        }
        if self.is_near() {
            self.unsolved.impulses += 1;
            return true;
        }
        self.unsolved.restitutions += 1;
        for _ in 0..MAX_JAMS {
            if !self.note_jammed() {
                return false;
            }
            self.blend(0.0);
            if self.solve(target) || self.is_near() {
                return true;
            }
        }
        false
    }

    /// Whether no contact lacks more of its target velocity than a small part of the largest one.
    fn is_near(&self) -> bool {
        let targets = self.members.iter().map(|&k| self.unknowns[k as usize].target);
        let little = NEAR * targets.fold(0.0, f64::max);
        self.members.iter().all(|&k| self.lack(k) <= little)
    }

    /// Notes which contacts are jammed, of those that have a restitution, by how far they are from their solution; whether
    /// there are any, and others are left.
    fn note_jammed(&mut self) -> bool {
        let farthest = self.members.iter().map(|&k| self.lack(k)).fold(0.0, f64::max);
        let (mut any_jams, mut any_is_left) = (false, false);
        for &k in self.members {
            if self.unknowns[k as usize].target > 0.0 {
                let is_jammed = self.lack(k) >= JAMMED * farthest;
                self.contacts[k as usize].is_jammed = is_jammed;
                any_jams |= is_jammed;
                any_is_left |= !is_jammed;
            }
        }
        any_jams && any_is_left
    }

    /// By how much a contact is slower than its target velocity \[m/s\].
    fn lack(&self, k: u32) -> f64 {
        let unknown = &self.unknowns[k as usize];
        unknown.target - unknown.normal.dot(&self.velocity(k))
    }

    /// Solves with the normal velocities that `target` makes of a contact and the speed at which it was closing \[m/s\];
    /// whether there is a solution. Restitution of contacts that friction jams, as of a body wedged in a groove, may have
    /// none.
    fn solve(&mut self, target: impl Fn(&Contact, f64) -> f64) -> bool {
        for &k in self.members {
            let contact = &self.contacts[k as usize];
            let closing = (-contact.normal.dot(&contact.start)).max(0.0);
            self.unknowns[k as usize].target = target(contact, closing);
        }
        let mut problem = Problem {
            operator: self.operator,
            members: self.members,
            movers: self.movers.clone(),
            unknowns: &mut *self.unknowns,
            field: &mut *self.field,
            tolerance: self.tolerance,
        };
        problem.solve(&mut self.workspace.problem)
    }

    fn velocity(&self, k: u32) -> Vec3 {
        self.unknowns[k as usize].drift + self.operator.jump(k, self.field)
    }

    /// Keeps P_c.
    fn keep(&mut self) {
        let mut kept = std::mem::take(&mut self.workspace.without_restitution);
        kept.field.clear();
        kept.field.extend_from_slice(&self.field[self.movers.clone()]);
        kept.contacts.clear();
        kept.contacts
            .extend(self.members.iter().map(|&k| (self.unknowns[k as usize].impulse, self.velocity(k))));
        self.workspace.without_restitution = kept;
    }

    /// The largest α in \[0, 1\] for which `created` + Σ P · (½ (u⁻ + u⁺) + kick) = a α² + b α + c is not positive.
    fn largest_share(&self) -> f64 {
        let (mut with, mut without, mut curvature, mut scale) = (self.created, self.created, 0.0, 0.0);
        for (&k, (impulse, velocity)) in self.members.iter().zip(&self.workspace.without_restitution.contacts)
        {
            let Contact { start, kick, .. } = self.contacts[k as usize];
            let (with_impulse, with_velocity) = (self.unknowns[k as usize].impulse, self.velocity(k));
            with += with_impulse.dot(&(0.5 * (start + with_velocity) + kick));
            without += impulse.dot(&(0.5 * (start + velocity) + kick));
            curvature += 0.5 * (with_impulse - impulse).dot(&(with_velocity - velocity));
            scale += with_impulse.dot(&start).abs();
        }
        if with <= MADE * scale || curvature <= 0.0 {
            return 1.0;
        }
        if without >= 0.0 {
            return 0.0;
        }
        let slope = with - without - curvature;
        let discriminant = (slope * slope - 4.0 * curvature * without).max(0.0);
        ((discriminant.sqrt() - slope) / (2.0 * curvature)).clamp(0.0, 1.0)
    }

    /// P_c + α (P_e − P_c).
    fn blend(&mut self, share: f64) {
        let Solution { field, contacts } = &self.workspace.without_restitution;
        let between = |without: &Vec3, with: &Vec3| {
            if share > 0.0 { without + (with - without) * share } else { *without }
        };
        for (&k, (impulse, _)) in self.members.iter().zip(contacts) {
            let mixed = &mut self.unknowns[k as usize].impulse;
            *mixed = between(impulse, mixed);
        }
        for (mixed, without) in self.field[self.movers.clone()].iter_mut().zip(field) {
            *mixed = between(without, mixed);
        }
    }

    /// Shortens impulses that are not those of a solution to where they make no energy: ΔT(s P) ≤ 0.
    fn make_no_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let longest = if square > 0.0 { (-2.0 * work / square).max(0.0) } else { 0.0 };
        if longest < 1.0 {
            self.lengthen(longest - 1.0);
        }
    }

    /// Whether nothing takes energy.
    fn is_elastic(&self) -> bool {
        self.members.iter().all(|&k| {
            let contact = &self.contacts[k as usize];
            let Contact { laws, is_jammed, .. } = contact;
            let closing = -contact.normal.dot(&contact.start);
            let rests = closing > 0.0 && contact.striking(closing) < 1.0;
            laws.restitution == 1.0 && !rests && !laws.friction.acts() && !is_jammed
        })
    }

    /// Lengthens or shortens the impulses, all alike, by what the tolerance of the solution has left of an energy that
    /// must not change: ΔT(s P) = 0.
    fn keep_the_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let change = -2.0 * work / square - 1.0;
        // Contacts that separated before may have been pushed: these do not keep it.
        if change.abs() <= MADE {
            self.lengthen(change);
        }
    }

    /// Σ P · u⁻ and Σ P · (u⁺ − u⁻) \[J\].
    fn work_of_impulses(&self) -> (f64, f64) {
        let (mut work, mut square) = (0.0, 0.0);
        for &k in self.members {
            let (impulse, start) = (self.unknowns[k as usize].impulse, self.contacts[k as usize].start);
            work += impulse.dot(&start);
            square += impulse.dot(&(self.velocity(k) - start));
        }
        (work, square)
    }

    /// Adds a part of themselves to all impulses.
    fn lengthen(&mut self, part: f64) {
        for &k in self.members {
            let change = self.unknowns[k as usize].impulse * part;
            self.unknowns[k as usize].impulse += change;
            self.operator.push(k, &change, self.field);
        }
    }
}
