//! Impact and friction impulses.
//!
//! The impulses of a group lie between two solutions, P_c and P_e. P_c is the solution without restitution; its
//! impulses alone never create energy. P_e gives at least the normal velocities of Newton's law with the coefficient of
//! restitution e:
//!
//! ```text
//! n · u⁺ + w = −e (n · u⁻ + w)
//! ```
//! Here n is the normal; u⁻ and u⁺ are the mid-step relative velocities before and after the impulses. The law holds at
//! the instant at which the contact begins; the forces change n · u by w (`lead`) from mid-step to this instant.
//!
//! P_e, the kick and the position corrections can create energy. The impulses are therefore P_c + α (P_e − P_c), with
//! the largest α ≤ 1 for which the step would create no energy if the forces kept their values at the beginning of the
//! step. For every α from 0 to 1, the impulses satisfy Coulomb's law and leave no contact closing. Changes of the
//! forces during the step can still create energy. The following steps remove this energy; each group removes a share
//! (`created`) in proportion to its impact energy.
//!
//! P_e does not always exist: friction can jam the contacts of a body that is wedged in a groove. The contacts whose
//! normal velocities are farthest below Newton's law then lose their restitution. If P_e still does not exist, α = 0.
//!
//! The sequential order (`Order::OneByOne`) passes over the contacts until no contact is closing, at most `MAX_PASSES`
//! times. A pass solves each closing contact in turn as a group of its own. An impact thus propagates along a row of
//! bodies.
//!
//! # Source
//! Newton's law with several contacts: Moreau, in: Nonsmooth Mechanics and Applications, CISM 302, 1988, §8. The
//! quadratic equation for α (`largest_share`) is derived from the energy change ΔT(α) = Σ ½ P · (u⁻ + u⁺), with P and
//! u⁺ linear in α.

use crate::Constraints;
use crate::math::Vec3;

use super::Decomposition;
use super::complementarity::{Problem, Workspace};
use super::contact::Contact;
use super::operator::Operator;
use super::unknown::Unknown;
use crate::response::UnsolvedProblems;
use crate::response::setup::Order;

/// Tolerance of the relative velocities, as a fraction of the largest relative velocity before the impulses. The
/// rounding error of the velocities is added.
const TOLERANCE: f64 = 1e-11;
/// Largest closing or slip speed that counts as zero, relative to the largest relative velocity before the impulses.
const CLOSING_TOLERANCE: f64 = 1e-9;
/// Largest energy change that counts as rounding, as a fraction of Σ |P · u⁻|; also the largest relative change of the
/// impulses in `conserve_energy`.
const ENERGY_TOLERANCE: f64 = 1e-9;
/// Largest ratio of the impulses guessed from the previous step to the impulses required by the velocities, divided by
/// the number of contacts of the group.
const MAX_GUESS_RATIO: f64 = 50.0;
/// Largest number of passes over the contacts of a group in the sequential order.
const MAX_PASSES: usize = 15;
/// Largest shortfall (target minus normal velocity) of a contact in a nearly solved problem, as a fraction of the
/// largest target.
const CONVERGENCE_SHORTFALL: f64 = 1e-6;
/// Smallest shortfall of a jammed contact, as a fraction of the largest shortfall in the group.
const JAMMED_RATIO: f64 = 0.1;
const MAX_JAM_SEARCHES: usize = 4;

struct Group<'a> {
    operator: &'a Operator,
    contacts: &'a mut [Contact],
    unknowns: &'a mut [Unknown],
    field: &'a mut [Vec3],
    members: &'a [u32],
    movers: std::ops::Range<usize>,
    tolerance: f64,
    /// Largest closing or slip speed that counts as zero \[m/s\].
    rest: f64,
    /// Share of the group in the energy that contact created in earlier steps, plus the work of the position
    /// corrections against the forces \[J\]. Zero for each contact that the sequential order solves alone.
    created: f64,
    unsolved: &'a mut UnsolvedProblems,
    workspace: &'a mut ImpactWorkspace,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ImpactWorkspace {
    pub(super) problem: Workspace,
    without_restitution: Solution,
}

#[derive(Clone, Debug, Default)]
struct Solution {
    field: Vec<Vec3>,
    /// Impulse \[N·s\] and relative velocity \[m/s\] of each contact.
    contacts: Vec<(Vec3, Vec3)>,
}

impl Decomposition {
    /// `created` is the energy that contact has created in earlier steps \[J\].
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

    /// Impact energy ½ m (n · u⁻)² of a closing contact, with m = `Unknown::mass` \[J\]; zero for other contacts.
    fn energy_of_impact(&self, k: usize) -> f64 {
        let contact = &self.contacts[k];
        0.5 * self.unknowns[k].mass * contact.normal.dot(&contact.before).min(0.0).powi(2)
    }

    /// Work −π · a of the position corrections against the forces \[J\]; π is `push_out`, and a is the relative
    /// acceleration that the forces cause.
    fn work_of_corrections(&self, k: usize, time_step: f64) -> f64 {
        let Contact { push_out, kick, .. } = &self.contacts[k];
        -push_out.dot(kick) * (2.0 / time_step)
    }

    /// Largest relative velocity before the impulses, and largest rounding error of a relative velocity \[m/s\].
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

    /// A contact whose friction is at its bound slides only if the slip speed exceeds `rest`.
    fn mark_sliding(&mut self) {
        for &k in self.members {
            let velocity = self.velocity(k);
            let unknown = &self.unknowns[k as usize];
            let slip = velocity - unknown.normal * unknown.normal.dot(&velocity);
            self.contacts[k as usize].slips = unknown.slips && slip.norm() > self.rest;
        }
    }

    /// False if the guesses are much larger than the impulses that the velocities require. Guesses can grow without
    /// limit on a wedged body, where opposed impulses cancel.
    fn guess_is_plausible(&self) -> bool {
        let (mut guessed, mut required) = (0.0, 0.0);
        for &k in self.members {
            guessed += self.contacts[k as usize].guess.norm();
            required += self.unknowns[k as usize].mass * self.contacts[k as usize].start.norm();
        }
        // In a stack, the impulse that the top contact requires is also part of the guess of each contact below. The
        // factor `len` allows for this.
        guessed <= MAX_GUESS_RATIO * self.members.len() as f64 * required
    }

    fn solve_sequentially(&mut self) {
        if !(0..MAX_PASSES).any(|_| self.solve_closing_contacts() == 0) {
            self.unsolved.impulses += 1;
        }
        self.mark_sliding();
    }

    /// Solves each closing contact in turn; returns the number of contacts solved.
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

    fn is_nearly_solved(&self) -> bool {
        let targets = self.members.iter().map(|&k| self.unknowns[k as usize].target);
        let little = CONVERGENCE_SHORTFALL * targets.fold(0.0, f64::max);
        self.members.iter().all(|&k| self.shortfall(k) <= little)
    }

    /// Marks the contacts with the largest shortfalls as jammed. Returns whether at least one contact becomes jammed
    /// and at least one contact keeps its restitution.
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

    /// Lower bound `target` of the normal velocity, minus the normal velocity \[m/s\].
    fn shortfall(&self, k: u32) -> f64 {
        let unknown = &self.unknowns[k as usize];
        unknown.target - unknown.normal.dot(&self.velocity(k))
    }

    /// Solves with the lower bound `target(contact, closing speed)` of each normal velocity \[m/s\]. Returns whether a
    /// solution was found.
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

    /// Largest α in \[0, 1\] for which the created energy E(α) is not positive:
    ///
    /// ```text
    /// E(α) = created + Σ P · (½ (u⁻ + u⁺) + kick),   P = P_c + α (P_e − P_c)
    /// ```
    /// Returns 0 if E(0) ≥ 0 and E(1) > 0, and 1 if P_e and P_c cause the same motion.
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

    /// Replaces P_e by P_c + α (P_e − P_c), with α = `share`.
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

    /// Multiplies unconverged impulses P by the largest factor s ≤ 1 for which the energy change ΔT(s P) is not
    /// positive.
    fn limit_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let longest = if square > 0.0 { (-2.0 * work / square).max(0.0) } else { 0.0 };
        if longest < 1.0 {
            self.scale_impulses(longest - 1.0);
        }
    }

    fn is_elastic(&self) -> bool {
        self.members.iter().all(|&k| {
            let contact = &self.contacts[k as usize];
            let Contact { laws, is_jammed, .. } = contact;
            let closing = -contact.normal.dot(&contact.start);
            let rests = closing > 0.0 && contact.impact_fraction(closing) < 1.0;
            laws.restitution == 1.0 && !rests && !laws.friction.acts() && !is_jammed
        })
    }

    /// Scales the impulses so that they conserve energy. This removes the energy error due to `tolerance`.
    fn conserve_energy(&mut self) {
        let (work, square) = self.work_of_impulses();
        let change = -2.0 * work / square - 1.0;
        // If impulses act on contacts that were separating, P_e itself does not conserve energy, and `change` exceeds
        // `ENERGY_TOLERANCE`.
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

    /// Multiplies all impulses by 1 + `part`.
    fn scale_impulses(&mut self, part: f64) {
        for &k in self.members {
            let change = self.unknowns[k as usize].impulse * part;
            self.unknowns[k as usize].impulse += change;
            self.operator.push(k, &change, self.field);
        }
    }
}
