//! Penalty response: normal springs against penetration and tangential springs for friction.

mod couples;
mod options;
mod release;
mod restitution;
mod spring;

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use super::assembled_stiffness::{AssembledStiffness, Bound};
use super::history::contact_history::ContactHistory;
use super::history::sticking::StickingPairs;
use super::history::transfer::ContactTransfers;
use super::laws::damping::Damping;
use super::laws::pairs::PairOptions;
use super::laws::stiffness::Stiffness;
use super::row::{compliance_along_normal, relative_acceleration};
use super::setup::{ResponseOptions, ResponseProperties, ResponseSetup, SelectableResponse};
use super::{Bodies, ContactAction, ContactResult, Response, Stage, Status, StepLength, UnlistedWork};
use crate::math::Vec3;
use crate::{Constraint, Constraints};

use couples::Couples;
use release::{Opening, Releases};
use restitution::damping_of_restitution;
use spring::Spring;

pub use options::PenaltyOptions;
pub(super) use spring::turned;

/// A contact that is no longer detected has opened if the gap increased in the step by more than this fraction of the
/// previous penetration \[-\]. Otherwise the contactor has moved sideways off the surface.
const OPENING_RATIO: f64 = 0.5;

/// Penalty response.
///
/// The normal force is p = max(0, κ δ + c dδ/dt) with the stiffness κ, the damping coefficient c and the effective
/// penetration δ. With the gap g, δ is −g minus a part of the initial penetration: the part that exceeds the approach
/// in the first step of the contact (see `spring`).
///
/// With the rule [`Stiffness::Mass`], each spring has only a share of its full stiffness: the fraction at which all
/// coupled springs are stable in steps that are not shortened (see `assembled_stiffness`). When the share changes, an
/// offset is added to δ so that the change creates no energy.
///
/// The trapezoidal work of the spring forces plus the change of the stored energy is numerical work. When the contact
/// opens, a balancing force removes the energy that this work has created (see `release`).
///
/// Springs continue over flush surfaces from one body to the next (see `transfer`).
///
/// Friction is a tangential spring of the same stiffness, whose force t is scaled back to |t| ≤ μ p with the
/// coefficient of friction μ. The sum of t and the tangential damping force has the same bound. The static coefficient
/// applies until a contact slides, and between two rigid bodies until all contacts of the pair slide. If friction acts,
/// a couple removes the moment of the contact force (see `couples`).
///
/// The friction and damping laws are those of the current faces; the stiffness is that of the faces at the beginning of
/// the contact.
///
/// # Source
/// Hallquist, LS-DYNA Theory Manual: "soft constraint penalty formulation" for the scaling with m/dt² (here with the
/// effective mass of both sides in place of the smaller nodal mass), and "segment based" for K A²/V. Return mapping:
/// Wriggers, Computational Contact Mechanics, 2006, §5.2.3 and §10.5.
#[derive(Clone, Debug)]
pub struct Penalty {
    stiffness: Stiffness,
    options: PairOptions<PenaltyOptions>,
    memory: PenaltyMemory,
    /// Constraints whose springs were compressed in the previous step, or dissipate energy in the current step.
    before: Constraints,
    transfers: ContactTransfers,
    assembled: AssembledStiffness,
}

/// Memory of the penalty response between steps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PenaltyMemory {
    springs: ContactHistory<Spring>,
    /// Constraints whose springs are compressed, or dissipate energy in the following step.
    pressed: Constraints,
    releases: Releases,
    /// Length of the previous step \[s\].
    time_step: f64,
    couples: Couples,
    sticking: StickingPairs,
}

clone_by_field!(PenaltyMemory { springs, pressed, releases, time_step, couples, sticking });

impl Penalty {
    /// A response for bodies of these masses \[kg\].
    pub fn new(stiffness: Stiffness, options: PairOptions<PenaltyOptions>, masses: Vec<f64>) -> Self {
        Self {
            stiffness,
            options,
            memory: PenaltyMemory::default(),
            before: Constraints::default(),
            transfers: ContactTransfers::default(),
            assembled: AssembledStiffness::new(masses),
        }
    }

    /// Records the energy that springs create when the time step dt changes. A step conserves the potential energy plus
    /// T − ⅛ dt² Σ a · f, with the kinetic energy T and the accelerations a and forces f of the nodes. When dt changes,
    /// the last term changes. The created energy is removed when the contacts open.
    fn change_step(&mut self, bodies: &Bodies<'_>, time_step: f64) {
        let before = std::mem::replace(&mut self.memory.time_step, time_step);
        if before == time_step {
            return;
        }
        let factor = 0.125 * (before * before - time_step * time_step);
        for (constraint, spring) in self.memory.springs.beside(&self.before) {
            let acceleration = constraint.normal.dot(&relative_acceleration(&constraint, bodies));
            spring.created += factor * spring.elastic * acceleration;
        }
    }

    fn transfer_springs(&mut self, constraints: &Constraints, velocities: &[Vec3], time_step: f64) {
        if self.transfers.find(
            &self.before,
            constraints,
            |key| self.memory.springs.holds(key),
            velocities,
            time_step,
        ) {
            let options = &self.options;
            self.transfers.apply(constraints, &mut self.memory.springs, |constraint, spring| {
                let way = constraint.normal.dot(&constraint.jump(velocities)) * time_step;
                spring.take_over(constraint, options.of(constraint), way);
            });
        }
    }

    /// Creates the springs of new contacts, and removes those of ended contacts. Reports the dissipation and numerical
    /// work of the ended contacts. Adds the balancing forces of the ended contacts that opened.
    fn update_springs(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let (stiffness, options) = (&self.stiffness, &self.options);
        let velocities = bodies.velocities;
        let begin = |constraint: &Constraint<'_>| {
            let options = options.of(constraint);
            let mass = effective_mass(constraint, bodies);
            let full_stiffness = stiffness.of(constraint, options.factor, mass, step.regular);
            Spring {
                options,
                full_stiffness,
                share: None,
                stiffness: 0.0,
                frequency: 0.0,
                compliance: 0.0,
                is_of_rigid_bodies: false,
                age: 0.0,
                penetration: 0.0,
                elastic: 0.0,
                created: 0.0,
                acted: Vec3::zeros(),
                stored: 0.0,
                offset: 0.0,
                damped: 0.0,
                traction: Vec3::zeros(),
                dragged: Vec3::zeros(),
                slips: false,
                is_held: false,
            }
        };
        let releases = &mut self.memory.releases;
        let mut before = self.before.iter().peekable();
        self.memory.springs.update(constraints, begin, |key, spring| {
            while before.next_if(|constraint| constraint.key < key).is_some() {}
            let found = before.next_if(|constraint| constraint.key == key);
            let Some(constraint) = found else { return };
            // By the trapezoidal rule, half of the force of the previous step acts over this step.
            let jump = constraint.jump(velocities);
            let (travel, rate) = (jump * step.actual, constraint.normal.dot(&jump));
            let friction_work = spring.tangential_energy() - 0.5 * spring.traction.dot(&travel);
            // `offset` is δ + g. If it is positive, the spring still stores energy at zero gap. This energy counts as
            // dissipated by damping.
            let left = 0.5 * spring.stiffness * spring.offset.max(0.0).powi(2);
            let damping_work =
                left - 0.5 * (spring.damped * rate * step.actual + spring.dragged.dot(&travel));
            let created = left + 0.5 * spring.elastic * rate * step.actual - spring.normal_energy();
            action.work.numerical += created;
            if rate * step.actual > OPENING_RATIO * spring.penetration {
                let opening = spring.opening(rate);
                let opening = Opening { created: opening.created + created, ..opening };
                releases.balance(&constraint, opening, bodies, step, action);
            }
            action.work.friction += friction_work;
            action.work.damping += damping_work;
            action.unlisted.push(UnlistedWork {
                bodies: constraint.bodies,
                friction_work,
                damping_work,
                ..UnlistedWork::default()
            });
        });
    }

    /// Sets the share of each spring: the stable share with the rule `Stiffness::Mass`, otherwise 1. Returns an upper
    /// bound on the squared frequency of the springs \[rad²/s²\]; damping increases the bound.
    fn share_stiffness(&mut self, constraints: &Constraints, bodies: &Bodies<'_>, step: StepLength) -> f64 {
        self.assembled.clear(bodies.mobility);
        for (constraint, spring) in constraints.iter().zip(self.memory.springs.iter()) {
            let friction = spring.options.friction.acts();
            self.assembled.add(&constraint, bodies, spring.full_stiffness, friction);
        }
        self.assembled.bound(bodies.mobility);
        let mut largest = Bound::default();
        for (constraint, spring) in constraints.iter().zip(self.memory.springs.iter_mut()) {
            let bound = self.assembled.of(&constraint, bodies);
            let share = match self.stiffness {
                Stiffness::Mass => bound.share(step.regular),
                _ => 1.0,
            };
            let closing = -constraint.normal.dot(&constraint.jump(bodies.velocities)) * step.actual;
            spring.created += spring.adapt(share, closing);
            // A contact that opens in this step keeps its previous share.
            let share = spring.share.unwrap_or(share);
            largest = largest.max(bound.shared(share));
            let contact_frequency =
                self.assembled.contact_frequency(&constraint, bodies, spring.full_stiffness, bound);
            spring.is_of_rigid_bodies = contact_frequency.is_of_rigid_bodies;
            spring.frequency = (share * contact_frequency.square).sqrt();
            let is_stiff = spring.full_stiffness > 0.0;
            // `square` is the squared frequency with all coupled contacts, and `alone` that without them. Contacts on
            // the opposite side of a body reduce `square`, but must not reduce the compliance of an opening contact.
            spring.compliance = if is_stiff {
                contact_frequency.square.max(contact_frequency.alone) / spring.full_stiffness
            } else {
                0.0
            };
        }
        let lowering = self.lowering();
        match self.stiffness {
            Stiffness::Mass => largest.frequency_squared(lowering),
            _ => (largest.nodes + largest.rigid) / (lowering * lowering),
        }
    }

    /// Lower bound √(1 + ζ²) − ζ on the ratio of the stable time step with damping to the stable time step without
    /// damping. ζ is the largest damping ratio of all pairs. The bound is exact for damping by mid-step velocities.
    fn lowering(&self) -> f64 {
        let of_pair =
            |options: &PenaltyOptions| options.damping.largest().max(options.tangential_damping.largest());
        let zeta = self.options.all().map(of_pair).fold(0.0, f64::max);
        zeta.hypot(1.0) - zeta
    }
}

/// Effective mass along the normal \[kg\]; zero if neither side can move along the normal.
fn effective_mass(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> f64 {
    let compliance = compliance_along_normal(constraint, bodies);
    if compliance > 0.0 { 1.0 / compliance } else { 0.0 }
}

/// Smallest coefficient of restitution that damped springs realise \[-\]. A smaller coefficient needs more than 1.2
/// times the critical damping.
const LEAST_RESTITUTION: f64 = 0.1;

impl SelectableResponse for Penalty {
    type Memory = PenaltyMemory;

    const PROPERTIES: ResponseProperties = ResponseProperties {
        keys: &["stiffness", "penalty", "damping", "soft_start"],
        default_restitution: 1.0,
        least_restitution: LEAST_RESTITUTION,
        is_stable_for_any_stiffness: false,
        has_explicit_springs: true,
        needs_mobility: false,
    };

    fn build(setup: ResponseSetup) -> Self {
        let options = setup.laws.map(|laws| {
            let [damping, tangential_damping] = laws.damping_of_springs();
            let of_restitution = Damping::always(damping_of_restitution(laws.restitution));
            PenaltyOptions {
                factor: laws.penalty,
                damping: if laws.restitution < 1.0 { of_restitution } else { damping },
                tangential_damping,
                friction: laws.friction,
                soft_start: setup.options.soft_start,
            }
        });
        Self::new(setup.stiffness, options, setup.masses)
    }

    fn acts_by_impulses(_: &ResponseOptions) -> bool {
        false
    }

    /// Penalty springs can be too stiff for a fixed step; the automatic step remains stable with the same springs.
    fn energy_remedy(options: &ResponseOptions, step_is_fixed: bool) -> &'static str {
        if options.soft_start > 0.0 {
            "springs that stiffen under compression release more energy than they absorb, so remove \
             `contact.soft_start`"
        } else if step_is_fixed {
            "set `time.step` to \"auto\", or `contact.response` to \"energy-momentum\""
        } else {
            "set `contact.response` to \"energy-momentum\", or lower `contact.penalty`"
        }
    }

    fn exchange(&mut self, memory: &mut PenaltyMemory) {
        std::mem::swap(&mut self.memory, memory);
    }

    fn fits(memory: &PenaltyMemory, num_nodes: usize, num_bodies: usize) -> bool {
        memory.pressed.fit(num_nodes, num_bodies)
            && memory.releases.fit(num_nodes, num_bodies)
            && memory.couples.fit(num_nodes)
            && memory.springs.is_consistent()
    }
}

impl Response for Penalty {
    fn stage(&self) -> Stage {
        Stage::Moved
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let time_step = step.actual;
        action.begin(time_step);
        action.work.numerical += self.memory.releases.finish(bodies.velocities, time_step);
        self.memory.couples.finish(bodies.velocities, time_step, |bodies, friction_work| {
            action.work.friction += friction_work;
            action.unlisted.push(UnlistedWork { bodies, friction_work, ..UnlistedWork::default() });
        });
        std::mem::swap(&mut self.memory.pressed, &mut self.before);
        self.memory.pressed.clear();
        self.change_step(bodies, time_step);
        self.transfer_springs(constraints, bodies.velocities, time_step);
        self.update_springs(constraints, bodies, step, action);
        let frequency_squared = self.share_stiffness(constraints, bodies, step);
        let vary = self.options.vary_over_surfaces();
        let mut before = self.before.iter().peekable();
        for (constraint, spring) in constraints.iter().zip(self.memory.springs.iter_mut()) {
            if vary {
                spring.options = self.options.of(&constraint);
            }
            spring.grow(time_step);
            let stored = spring.normal_energy();
            let jump = constraint.jump(bodies.velocities);
            let closing = -constraint.normal.dot(&jump);
            let penetration = spring.penetration(constraint.gap, closing * time_step);
            let elastic =
                spring.stiffness * penetration * spring.contact_fraction(penetration, closing, step);
            let force = (elastic + spring.damping(elastic, penetration, closing, step)).max(0.0);
            let damped = force - elastic;
            let pushed_back = spring.pushed_back(damped, penetration, closing, step);
            let [friction_work, drag_work] = if spring.has_friction() {
                spring.is_held = self.memory.sticking.hold(constraint.bodies);
                spring.slide(&constraint, &(jump + constraint.normal * closing), force, step)
            } else {
                [0.0; 2]
            };
            spring.penetration = penetration;
            while before.next_if(|old| old.key < constraint.key).is_some() {}
            let old = before.next_if(|old| old.key == constraint.key);
            let old = old.or_else(|| self.before.of(self.transfers.original_key(constraint.key)));
            let old_jump = old.map_or(Vec3::zeros(), |old| old.jump(bodies.velocities));
            let old_rate = old.map_or(0.0, |old| old.normal.dot(&old_jump));
            let work = 0.5 * time_step * (spring.elastic * old_rate - elastic * closing);
            spring.created += work + spring.normal_energy() - stored;
            if penetration == 0.0 && stored > 0.0 {
                self.memory.releases.balance(&constraint, spring.opening(-closing), bodies, step, action);
                spring.created = 0.0;
            }
            let begin_work = spring.reduce_penetration(pushed_back);
            spring.elastic = elastic;
            let normal = constraint.normal * force;
            let friction = spring.traction + spring.dragged;
            action.add_forces(&constraint, normal, friction);
            let stored_energy = spring.normal_energy() + spring.tangential_energy();
            let damping_work = begin_work + 0.5 * (spring.damped + damped) * closing * time_step + drag_work;
            spring.damped = damped;
            let acts = normal + friction;
            let work = 0.5 * time_step * (spring.acted.dot(&old_jump) + acts.dot(&jump));
            let taken = friction_work + damping_work;
            action.work.numerical += work + stored_energy - spring.stored + taken;
            (spring.acted, spring.stored) = (acts, stored_energy);
            let friction_work = if friction == Vec3::zeros() {
                friction_work
            } else {
                friction_work + self.memory.couples.oppose(&constraint, bodies, &acts, time_step, action)
            };
            action.stored_energy += stored_energy;
            action.work.friction += friction_work;
            action.work.damping += damping_work;
            if spring.penetration > 0.0 || spring.takes_energy() {
                self.memory.pressed.push_copy(&constraint);
            }
            action.results.push(ContactResult {
                normal_force: force,
                friction_force: friction,
                status: Status::of(force, &spring.options.friction, spring.slips),
                stored_energy,
                friction_work,
                damping_work,
            });
        }
        self.memory.sticking.note(constraints, &action.results, bodies.mobility);
        action.sort_nodes();
        action.frequency_squared = frequency_squared;
    }
}

#[cfg(test)]
mod tests;
