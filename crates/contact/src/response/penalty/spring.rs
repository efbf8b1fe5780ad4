//! Normal and tangential spring of one contact.

use serde::{Deserialize, Serialize};

use super::options::PenaltyOptions;
use super::release::Opening;
use crate::Constraint;
use crate::math::Vec3;
use crate::response::StepLength;
use crate::response::laws::damping::Damping;

/// Largest relative change of `Spring::share` that counts as rounding \[-\].
const SAME_SHARE: f64 = 1e-9;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Spring {
    pub options: PenaltyOptions,
    /// Stiffness after the soft start, without a reduction for the springs coupled to this one \[N/m\].
    pub full_stiffness: f64,
    /// Fraction of `full_stiffness` to which the stiffness is reduced for stability with the coupled springs \[-\];
    /// `None` until the first call of `adapt`.
    pub share: Option<f64>,
    /// Current stiffness \[N/m\].
    pub stiffness: f64,
    /// Frequency ω of the contact together with all contacts on the same nodes or rigid bodies \[rad/s\].
    pub frequency: f64,
    /// Compliance ω²/κ of the contact, with the frequency ω and the stiffness κ after the soft start; at least the
    /// compliance of the contact without the other contacts \[1/kg\].
    pub compliance: f64,
    /// Whether only rigid bodies move in the contact.
    pub is_of_rigid_bodies: bool,
    /// Time since the beginning of the contact \[s\].
    pub age: f64,
    /// Effective penetration δ in the previous step \[m\]: the normal spring of stiffness κ stores the energy ½ κ δ².
    pub penetration: f64,
    /// Force of the normal spring in the previous step, without damping \[N\].
    pub elastic: f64,
    /// Energy created since the beginning of the contact \[J\]: trapezoidal work of `elastic` plus change of the energy
    /// stored in the normal spring.
    pub created: f64,
    /// Total force on the contactor in the previous step \[N\].
    pub acted: Vec3,
    /// Stored energy of both springs in the previous step \[J\].
    pub stored: f64,
    /// Effective penetration minus geometric penetration (the negative gap) \[m\].
    pub offset: f64,
    /// Damping part of the normal force \[N\].
    pub damped: f64,
    /// Force of the tangential spring on the contactor \[N\].
    pub traction: Vec3,
    /// Damping part of the friction force \[N\].
    pub dragged: Vec3,
    /// Whether friction was at its bound in the previous step.
    pub slips: bool,
    /// Whether a contact of the same pair of rigid bodies was sticking in the previous step.
    pub is_held: bool,
}

impl Spring {
    /// Advances the age and the stiffness. The normal spring keeps its penetration, and the tangential spring its
    /// stretch.
    pub fn grow(&mut self, time_step: f64) {
        let before = self.stiffness;
        self.age += time_step;
        let grown = if self.age < self.options.soft_start { self.age / self.options.soft_start } else { 1.0 };
        self.stiffness = self.full_stiffness * self.share.unwrap_or(1.0) * grown;
        if before > 0.0 {
            self.traction *= self.stiffness / before;
        }
    }

    /// Sets the share of the full stiffness; returns the energy that the change adds to the normal spring \[J\].
    /// `closing` is the decrease −Δg of the gap g over the step \[m\].
    ///
    /// The stiffness changes from κ to κ', and the effective penetration at the beginning of the step from δ to δ'. At
    /// the end of the step, the penetration is δ'' = δ' + closing. The energy of the spring must change by the
    /// trapezoidal work of its force, which is p at the beginning and κ' δ'' at the end. This condition gives δ':
    ///
    /// ```text
    /// ½ κ' δ''² − ½ κ δ² = ½ (p + κ' δ'') closing
    /// ```
    /// A tangential spring keeps its force if it stiffens, and its energy if it softens.
    pub fn adapt(&mut self, share: f64, closing: f64) -> f64 {
        if self.share.is_some_and(|before| (share - before).abs() <= SAME_SHARE * before) {
            return 0.0;
        }
        let before = self.share.replace(share);
        let Some(before) = before.filter(|_| self.penetration > 0.0) else { return 0.0 };
        let ratio = share / before;
        let stored = self.normal_energy();
        let (stiffness, half) = (self.stiffness * ratio, 0.5 * closing);
        let square = half * half + (2.0 * stored + self.elastic * closing) / stiffness;
        // A contact that opens in this step keeps its share.
        if square <= half * half {
            self.share = Some(before);
            return 0.0;
        }
        self.stiffness = stiffness;
        self.traction *= ratio.sqrt().min(1.0);
        let penetration = square.sqrt() - half;
        self.offset += penetration - self.penetration;
        self.penetration = penetration;
        self.normal_energy() - stored
    }

    /// Effective penetration \[m\] at this gap; never negative. `closing` is the decrease of the gap over the step
    /// \[m\]. A contact begins with a penetration of at most `closing`: a deeper contactor has entered from the side
    /// or replaces another contact, and its full penetration would store energy without work.
    pub fn penetration(&mut self, gap: f64, closing: f64) -> f64 {
        self.offset = self.offset.max(gap.min(0.0));
        if self.penetration == 0.0 {
            self.offset = self.offset.min(gap + closing.max(0.0));
        }
        (self.offset - gap).max(0.0)
    }

    /// Fraction of the spring force κ δ that acts at the end of the current step. The fraction differs from 1 if the
    /// contact closes in this step, or is expected to open in the following step. `closing` is −dg/dt of the gap g
    /// \[m/s\].
    ///
    /// If the contact is closed for a fraction τ of the step in which it closes or opens, the force fraction ½ (1 + τ)
    /// conserves T + ½ κ δ_n δ_{n+1} to O((ω dt)⁴). Here T is the kinetic energy, δ_n and δ_{n+1} are the penetrations
    /// at both ends of the step, ω is the frequency and dt the time step. The full force would have a relative energy
    /// error of up to ¼ (ω dt)².
    pub fn contact_fraction(&self, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = |way: f64| 0.5 * (1.0 + (penetration / way).clamp(0.0, 1.0));
        if self.penetration == 0.0 {
            return if closing > 0.0 { part(closing * step.actual) } else { 1.0 };
        }
        let kick = self.frequency * self.frequency * penetration * step.kick();
        // Estimate of the force fraction, with the gap rate after half the kick.
        let guess = part((0.5 * kick - closing).max(0.0) * step.following);
        let opening = kick * guess - closing;
        if opening > 0.0 { part(opening * step.following) } else { 1.0 }
    }

    /// Damping force c dδ/dt \[N\] with c = 2 ζ κ/ω and the damping ratio ζ. `closing` is dδ/dt at the middle of the
    /// step \[m/s\].
    ///
    /// The force uses the mean of the rates before and after the kick. With the rate before the kick alone, strong
    /// damping would be unstable. If the contact begins in the step and is closed for the fraction τ of the step,
    /// damping acts for ½ + τ times the duration of the kick.
    pub fn damping(&self, elastic: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let factor = self.viscosity(self.options.damping);
        if factor == 0.0 {
            return 0.0;
        }
        let part = self.fraction_in_contact(penetration, closing, step).map_or(1.0, |part| 0.5 + part);
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        // Between rigid bodies, the rate after the kick includes the kick by the spring force. Deformable bodies omit
        // this kick: in a body at rest, element forces that are unknown here balance the spring force.
        let pushed = if self.is_of_rigid_bodies { half * elastic } else { 0.0 };
        part * factor * (closing - pushed) / (1.0 + half * part * factor)
    }

    /// Fraction of the step in contact, for a contact that begins in the step; `None` for other contacts.
    fn fraction_in_contact(&self, penetration: f64, closing: f64, step: StepLength) -> Option<f64> {
        let begins = self.penetration == 0.0 && closing > 0.0;
        begins.then(|| (penetration / (closing * step.actual)).min(1.0))
    }

    /// Reduction of the penetration when a damped contact between rigid bodies begins \[m\]: ½ (τ − ½) dt² d/m with the
    /// damping force d = `damped`, the effective mass m and the fraction τ of the step in contact. A negative value
    /// increases the penetration. Without the reduction, the coefficient of restitution would depend on the instant at
    /// which the contact begins.
    pub fn pushed_back(&self, damped: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = self.fraction_in_contact(penetration, closing, step);
        let Some(part) = part.filter(|_| self.is_of_rigid_bodies && damped != 0.0) else { return 0.0 };
        let compliance = self.frequency * self.frequency / self.stiffness;
        let way = 0.5 * (part - 0.5) * damped * compliance * step.kick() * step.following;
        way.min(penetration)
    }

    /// Reduces the effective penetration by `way` \[m\]; returns the removed energy \[J\].
    pub fn reduce_penetration(&mut self, way: f64) -> f64 {
        let stored = self.normal_energy();
        self.penetration -= way;
        self.offset -= way;
        stored - self.normal_energy()
    }

    /// Damping coefficient c = 2 ζ κ/ω \[N·s/m\], with the damping ratio ζ at the present age of the contact.
    fn viscosity(&self, damping: Damping) -> f64 {
        if self.frequency == 0.0 {
            return 0.0;
        }
        let half_periods = self.age * self.frequency / std::f64::consts::PI;
        2.0 * damping.ratio(half_periods) * self.stiffness / self.frequency
    }

    /// Tangential damping force \[N\]. `slip_rate` is the slip rate at the middle of the step \[m/s\]. The force is
    /// proportional to the slip rate after half the kick by this force, and therefore stable for any damping.
    fn drag(&self, slip_rate: &Vec3, step: StepLength) -> Vec3 {
        let viscosity = self.viscosity(self.options.tangential_damping);
        if viscosity == 0.0 {
            return Vec3::zeros();
        }
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        slip_rate * (-viscosity / (1.0 + half * viscosity))
    }

    pub fn normal_energy(&self) -> f64 {
        0.5 * self.stiffness * self.penetration * self.penetration
    }

    /// `rate` is the gap rate \[m/s\].
    pub fn opening(&self, rate: f64) -> Opening {
        Opening { created: self.created, force: self.elastic, rate, compliance: self.compliance }
    }

    /// Transfers the spring to another constraint. `way` is the motion along the normal in the step, positive in
    /// opening \[m\]. The effective penetration changes by −`way`; `offset` absorbs the height difference of the
    /// surfaces.
    pub fn take_over(&mut self, constraint: &Constraint<'_>, options: PenaltyOptions, way: f64) {
        self.options = options;
        if self.penetration > 0.0 {
            self.offset = constraint.gap + (self.penetration - way);
        }
    }

    /// Whether the spring dissipates energy in the following step even if the contact ends.
    pub fn takes_energy(&self) -> bool {
        self.damped != 0.0 || self.has_tangential_spring() || self.offset > 0.0
    }

    pub fn has_friction(&self) -> bool {
        self.options.friction.acts() || self.has_tangential_spring()
    }

    fn has_tangential_spring(&self) -> bool {
        self.traction != Vec3::zeros() || self.dragged != Vec3::zeros()
    }

    pub fn tangential_energy(&self) -> f64 {
        if self.stiffness > 0.0 { 0.5 * self.traction.norm_squared() / self.stiffness } else { 0.0 }
    }

    /// Moves the tangential spring with `slip_rate` \[m/s\] under the normal force `pressure` \[N\]; returns the
    /// dissipation by friction and by damping \[J\].
    ///
    /// The sum of spring force and damping force is scaled back to the friction circle. The dissipation by friction is
    /// −(t_n + t_{n+1})/2 · `travel` minus the energy change of the spring. Here t_n and t_{n+1} are the spring forces
    /// before and after the step, and `travel` is the slip in the step.
    pub fn slide(
        &mut self,
        constraint: &Constraint<'_>,
        slip_rate: &Vec3,
        pressure: f64,
        step: StepLength,
    ) -> [f64; 2] {
        let travel = slip_rate * step.actual;
        let before = turned(&self.traction, &constraint.normal);
        let (stored, dragged) = (self.tangential_energy(), turned(&self.dragged, &constraint.normal));
        let trial = before - travel * self.stiffness;
        let law = &self.options.friction;
        let at_rest = pressure * law.at_rest;
        // The static coefficient also applies to a sliding contact if a contact of the two rigid bodies was sticking
        // in the previous step, and the slip in this step is at most the stretch of the spring at the static bound.
        // With a larger slip, the bodies rotate about the sticking contact.
        let is_held = self.is_held && travel.norm() * self.stiffness <= at_rest;
        let sliding = if is_held { at_rest } else { pressure * law.sliding(slip_rate.norm()) };
        let bound = if self.slips { sliding } else { at_rest };
        let size = trial.norm();
        self.slips = size > bound;
        let (bound, part) = if self.slips { (sliding, sliding / size) } else { (bound, 1.0) };
        self.traction = trial * part;
        self.dragged = self.drag(slip_rate, step);
        let whole = self.traction + self.dragged;
        let size = whole.norm();
        if self.dragged != Vec3::zeros() && size > bound {
            self.dragged = whole * (bound / size) - self.traction;
        }
        let taken = |sum: Vec3| -0.5 * sum.dot(&travel);
        [taken(before + self.traction) - (self.tangential_energy() - stored), taken(dragged + self.dragged)]
    }
}

/// Projects a tangential force on the tangent plane of `normal`, and restores the magnitude of the force.
pub fn turned(traction: &Vec3, normal: &Vec3) -> Vec3 {
    let across = traction - normal * normal.dot(traction);
    let size = across.norm();
    if size > 0.0 { across * (traction.norm() / size) } else { Vec3::zeros() }
}
