//! Impact and friction impulses.
//!
//! The normal and friction impulses of a group combine two solutions of one problem. The impulses P_c have no
//! restitution and never create energy. The impulses P_e give at least the normal velocities of Newton's law with the
//! coefficient of restitution e. (If friction sticks throughout, the laws of Poisson and Stronge agree with Newton's
//! law.) Newton's law is
//!
//! ```text
//! n · u⁺ + w = −e (n · u⁻ + w)
//! ```
//! Here n is the normal, and u⁻ and u⁺ are the relative velocities before and after the impulses, in the middle of the
//! step. Newton's law holds at the instant at which the contact begins. The forces make the normal velocity at this
//! instant larger than in the middle of the step, by w (`lead`).
//!
//! Newton's law at several contacts, or with friction, can create energy. Secondary effects of the impulses can create
//! energy as well: the second half of the kick acts on velocities that have jumped in the middle of the step, and
//! projections move nodes against forces. The impulses are therefore P_c + α (P_e − P_c). Here α ≤ 1 is the largest
//! value for which impulses, kick and projection together create no energy under the forces at the beginning of the
//! step; α is a root of a convex quadratic. If the forces change during the step, energy may still be created. The
//! following steps dissipate this energy: each group dissipates the same fraction of its impact energy. Both solutions
//! and their convex combinations lie in Coulomb's cones and leave no contact closing. In the sequential order, α is
//! computed for each contact alone, without regard to other contacts and earlier steps.
//!
//! If friction jams contacts, for example of a body wedged in a groove, P_e need not exist. The contacts that miss
//! their target velocity by most then lose their restitution, and the problem is solved again. After at most four such
//! searches without a solution, α = 0.
//!
//! In the sequential order, each contact in turn is a group of its own, until no contact is closing. An impact thus
//! propagates along a row of bodies.
//!
//! # Source
//! Newton's law with several contacts: Moreau, in: Nonsmooth Mechanics and Applications, CISM 302, 1988, §8. The
//! quadratic of α is derived here: the energy change is ΔT(α) = Σ ½ P (u⁻ + u⁺), with P and u⁺ linear in α.

use crate::Constraints;
use crate::math::Vec3;

use super::Decomposition;
use super::complementarity::{Problem, Workspace};
use super::contact::Contact;
use super::operator::Operator;
use super::options::Order;
use super::unknown::Unknown;
use crate::response::UnsolvedProblems;

/// Tolerance of relative velocities, relative to the largest relative velocity before the impulses. The rounding error
/// of the velocities is added to this tolerance.
const TOLERANCE: f64 = 1e-11;
/// Closing speed below which a contact is at rest, relative to the largest relative velocity before the impulses.
const CLOSING_TOLERANCE: f64 = 1e-9;
/// Largest energy change that counts as rounding error, relative to Σ |P · u⁻|. The same value is the largest relative
/// change of the impulses by which the energy of a conservative impact is corrected.
const ENERGY_TOLERANCE: f64 = 1e-9;
/// Largest ratio, per contact of a group, of the sum of the guessed impulses to the sum of the impulses that the
/// velocities require.
const MAX_GUESS_RATIO: f64 = 50.0;
/// Largest number of passes over the contacts in the sequential order.
const MAX_PASSES: usize = 15;
/// Largest shortfall from the target velocity that incomplete convergence explains, relative to the largest target
/// velocity.
const CONVERGENCE_SHORTFALL: f64 = 1e-6;
/// Least ratio of the shortfall of a jammed contact to the largest shortfall.
const JAMMED_RATIO: f64 = 0.1;
/// Largest number of searches for jammed contacts.
const MAX_JAM_SEARCHES: usize = 4;

/// Contacts and movers of a group.
struct Group<'a> {
    operator: &'a Operator,
    contacts: &'a mut [Contact],
    unknowns: &'a mut [Unknown],
    field: &'a mut [Vec3],
    members: &'a [u32],
    movers: std::ops::Range<usize>,
    /// Tolerance of relative velocities \[m/s\].
    tolerance: f64,
    /// Closing speed below which a contact is at rest \[m/s\].
    rest: f64,
    /// Share of the group in the energy created by contact in earlier steps, plus the work of the position corrections
    /// of this step against the forces at the beginning of the step \[J\].
    created: f64,
    unsolved: &'a mut UnsolvedProblems,
    workspace: &'a mut ImpactWorkspace,
}

/// Workspace of the solution of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpactWorkspace {
    pub(super) problem: Workspace,
    without_restitution: Solution,
}

/// Motion of the movers, impulses and relative velocities of a group.
#[derive(Clone, Debug, Default)]
struct Solution {
    field: Vec<Vec3>,
    /// Impulse \[N·s\] and relative velocity \[m/s\] of each contact of the group.
    contacts: Vec<(Vec3, Vec3)>,
}

impl Decomposition {
    /// Solves for the impulses of all contacts and the final velocities. `created` is the energy that contact has
    /// created in earlier steps \[J\].
    pub(super) fn solve_impacts(&mut self, constraints: &Constraints, created: f64, time_step: f64) {
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
                made_part * self.energy_of_impact(k) + self.work_of_corrections(k, time_step)
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
                rest: CLOSING_TOLERANCE * speed + rounding,
                created,
                unsolved: &mut self.unsolved,
                workspace: &mut self.workspace,
            };
            match order {
                Order::Together => group.solve_from_history(),
                Order::OneByOne => group.solve_sequentially(),
            }
        }
    }

    /// Impact energy ½ m (n · u⁻)² of a closing contact on its own \[J\]; zero if the contact is not closing.
    fn energy_of_impact(&self, k: usize) -> f64 {
        let contact = &self.contacts[k];
        0.5 * self.unknowns[k].mass * contact.normal.dot(&contact.before).min(0.0).powi(2)
    }

    /// Work −Δx · f of the position corrections of a contact against the forces at the beginning of the step \[J\].
    fn work_of_corrections(&self, k: usize, time_step: f64) -> f64 {
        let Contact { push_out, kick, .. } = &self.contacts[k];
        -push_out.dot(kick) * (2.0 / time_step)
    }

    /// Largest relative velocity of the members before the impulses, and the rounding error of relative velocities
    /// \[m/s\].
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
    /// Solves all contacts simultaneously, with the impulses of the previous step as initial guess.
    fn solve_from_history(&mut self) {
        let guess_is_plausible = self.guess_is_plausible();
        for &k in self.members {
            let guess = self.contacts[k as usize].guess;
            if guess_is_plausible && guess != Vec3::zeros() {
                self.unknowns[k as usize].impulse = guess;
                self.operator.push(k, &guess, self.field);
            }
        }
        self.solve_group();
        for &k in self.members {
            let unknown = &self.unknowns[k as usize];
            let contact = &mut self.contacts[k as usize];
            contact.impulse = unknown.impulse;
        }
        self.mark_sliding();
    }

    /// Marks sliding contacts. A contact at the friction bound without slip does not slide.
    fn mark_sliding(&mut self) {
        for &k in self.members {
            let velocity = self.velocity(k);
            let unknown = &self.unknowns[k as usize];
            let slip = velocity - unknown.normal * unknown.normal.dot(&velocity);
            self.contacts[k as usize].slips = unknown.slips && slip.norm() > self.rest;
        }
    }

    /// Whether the initial guess is not much larger than the impulses that the velocities require. On a body wedged by
    /// friction, opposed impulses of any magnitude can remain after an impact. A much larger guess is therefore
    /// discarded.
    fn guess_is_plausible(&self) -> bool {
        let (mut guessed, mut required) = (0.0, 0.0);
        for &k in self.members {
            guessed += self.contacts[k as usize].guess.norm();
            required += self.unknowns[k as usize].mass * self.contacts[k as usize].start.norm();
        }
        // The factor `len` allows for stacks: an impulse on the top is part of the guesses of all contacts below.
        guessed <= MAX_GUESS_RATIO * self.members.len() as f64 * required
    }

    /// Solves the contacts sequentially, until no contact is closing.
    fn solve_sequentially(&mut self) {
        if !(0..MAX_PASSES).any(|_| self.solve_closing_contacts() == 0) {
            self.unsolved.impulses += 1;
        }
        self.mark_sliding();
    }

    /// Solves each closing contact; returns the number of closing contacts.
    fn solve_closing_contacts(&mut self) -> usize {
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
            self.solve_single(place);
            self.contacts[k as usize].impulse += self.unknowns[k as usize].impulse;
        }
        closing
    }

    fn solve_single(&mut self, place: usize) {
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
        alone.solve_group();
    }

    /// Solves for P_c and, if a contact has restitution, for P_c + α (P_e − P_c).
    fn solve_group(&mut self) {
        if !self.solve(|_, _| 0.0) {
            self.unsolved.impulses += 1;
            self.limit_energy();
        }
        let closes = |&k: &u32| {
            let contact = &self.contacts[k as usize];
            contact.restitution(-contact.normal.dot(&contact.start)) > 0.0
        };
        if !self.members.iter().any(closes) {
            return;
        }
        self.store_plastic_solution();
        let share = if self.solve_with_restitution() { self.largest_share() } else { 0.0 };
        if share < 1.0 {
            self.blend(share);
        } else if self.is_elastic() {
            self.conserve_energy();
        }
    }

    /// Solves for P_e, without restitution in jammed contacts; returns whether a solution was found.
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
        if self.is_nearly_solved() {
            self.unsolved.impulses += 1;
            return true;
        }
        self.unsolved.restitutions += 1;
        for _ in 0..MAX_JAM_SEARCHES {
            if !self.mark_jammed() {
                return false;
            }
            self.blend(0.0);
            if self.solve(target) || self.is_nearly_solved() {
                return true;
            }
        }
        false
    }

    /// Whether the shortfall of every contact is at most a small fraction of the largest target velocity.
    fn is_nearly_solved(&self) -> bool {
        let targets = self.members.iter().map(|&k| self.unknowns[k as usize].target);
        let little = CONVERGENCE_SHORTFALL * targets.fold(0.0, f64::max);
        self.members.iter().all(|&k| self.shortfall(k) <= little)
    }

    /// Marks those contacts with restitution as jammed whose shortfall is at least `JAMMED_RATIO` times the largest
    /// shortfall. Returns whether some contacts with restitution are jammed and others are not.
    fn mark_jammed(&mut self) -> bool {
        let farthest = self.members.iter().map(|&k| self.shortfall(k)).fold(0.0, f64::max);
        let (mut any_jams, mut any_is_left) = (false, false);
        for &k in self.members {
            if self.unknowns[k as usize].target > 0.0 {
                let is_jammed = self.shortfall(k) >= JAMMED_RATIO * farthest;
                self.contacts[k as usize].is_jammed = is_jammed;
                any_jams |= is_jammed;
                any_is_left |= !is_jammed;
            }
        }
        any_jams && any_is_left
    }

    /// Amount by which the normal velocity of a contact is below its target velocity \[m/s\].
    fn shortfall(&self, k: u32) -> f64 {
        let unknown = &self.unknowns[k as usize];
        unknown.target - unknown.normal.dot(&self.velocity(k))
    }

    /// Solves the problem with a lower bound on each normal velocity; `target` gives this bound for a contact and its
    /// closing speed \[m/s\]. Returns whether a solution was found. If friction jams contacts, there may be no solution
    /// with restitution.
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

    /// Stores the current solution as P_c.
    fn store_plastic_solution(&mut self) {
        let mut kept = std::mem::take(&mut self.workspace.without_restitution);
        kept.field.clear();
        kept.field.extend_from_slice(&self.field[self.movers.clone()]);
        kept.contacts.clear();
        kept.contacts
            .extend(self.members.iter().map(|&k| (self.unknowns[k as usize].impulse, self.velocity(k))));
        self.workspace.without_restitution = kept;
    }

    /// Largest α in \[0, 1\] for which the created energy, up to rounding, is not positive; 0 if both P_e and P_c
    /// create energy. The created energy is a quadratic in α:
    ///
    /// ```text
    /// created + Σ P · (½ (u⁻ + u⁺) + kick),   P = P_c + α (P_e − P_c)
    /// ```
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
        if with <= ENERGY_TOLERANCE * scale || curvature <= 0.0 {
            return 1.0;
        }
        if without >= 0.0 {
            return 0.0;
        }
        let slope = with - without - curvature;
        let discriminant = (slope * slope - 4.0 * curvature * without).max(0.0);
        ((discriminant.sqrt() - slope) / (2.0 * curvature)).clamp(0.0, 1.0)
    }

    /// Replaces the solution P_e by P_c + α (P_e − P_c), with α = `share`.
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

    /// Scales unconverged impulses P by a factor s ≤ 1 so that they create no kinetic energy: ΔT(s P) ≤ 0.
    fn limit_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let longest = if square > 0.0 { (-2.0 * work / square).max(0.0) } else { 0.0 };
        if longest < 1.0 {
            self.scale_impulses(longest - 1.0);
        }
    }

    /// Whether no contact of the group dissipates energy.
    fn is_elastic(&self) -> bool {
        self.members.iter().all(|&k| {
            let contact = &self.contacts[k as usize];
            let Contact { laws, is_jammed, .. } = contact;
            let closing = -contact.normal.dot(&contact.start);
            let rests = closing > 0.0 && contact.impact_fraction(closing) < 1.0;
            laws.restitution == 1.0 && !rests && !laws.friction.acts() && !is_jammed
        })
    }

    /// Scales all impulses P of a conservative impact by one factor s so that ΔT(s P) = 0. This removes the energy
    /// error due to the tolerance of the solution.
    fn conserve_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let change = -2.0 * work / square - 1.0;
        // The relative change is larger if impulses act on contacts that were already separating. Such an impact does
        // not conserve energy.
        if change.abs() <= ENERGY_TOLERANCE {
            self.scale_impulses(change);
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

    /// Scales all impulses by 1 + `part`.
    fn scale_impulses(&mut self, part: f64) {
        for &k in self.members {
            let change = self.unknowns[k as usize].impulse * part;
            self.unknowns[k as usize].impulse += change;
            self.operator.push(k, &change, self.field);
        }
    }
}
