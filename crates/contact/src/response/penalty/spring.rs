//! Springs of one contact.

use serde::{Deserialize, Serialize};

use super::options::PenaltyOptions;
use super::release::Opening;
use crate::Constraint;
use crate::math::Vec3;
use crate::response::StepLength;
use crate::response::laws::damping::Damping;

/// Springs of one contact.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Spring {
    pub options: PenaltyOptions,
    /// Stiffness of the single spring after the soft start \[N/m\].
    pub full_stiffness: f64,
    /// Share of the full stiffness among coupled springs \[-\]; `None` before the first force.
    pub share: Option<f64>,
    /// Current stiffness \[N/m\].
    pub stiffness: f64,
    /// ω of the contact coupled to all other contacts on its nodes or rigid bodies \[rad/s\].
    pub frequency: f64,
    /// Coupled compliance of the contact \[1/kg\].
    pub compliance: f64,
    /// Whether only rigid bodies move.
    pub is_of_rigid_bodies: bool,
    /// Time since the beginning of the contact \[s\].
    pub age: f64,
    /// Effective penetration in the previous step \[m\].
    pub penetration: f64,
    /// Spring force at that penetration \[N\].
    pub elastic: f64,
    /// Trapezoidal work of the elastic force plus change of the stored energy, since the beginning of the contact
    /// \[J\].
    pub created: f64,
    /// Total force on the contactor at the end of the previous step \[N\], and the stored energy there \[J\].
    pub acted: Vec3,
    pub stored: f64,
    /// Offset of the effective penetration from the geometric penetration \[m\].
    pub offset: f64,
    /// Damping part of the normal force \[N\].
    pub damped: f64,
    /// Force of the tangential spring on the contactor \[N\].
    pub traction: Vec3,
    /// Damping part of the friction force \[N\].
    pub dragged: Vec3,
    pub slips: bool,
    /// Whether another contact of the same rigid bodies sticks.
    pub is_held: bool,
}

impl Spring {
    /// Soft start: stiffens over a step at the previous penetration.
    pub fn grow(&mut self, time_step: f64) {
        let before = self.stiffness;
        self.age += time_step;
        let grown = if self.age < self.options.soft_start { self.age / self.options.soft_start } else { 1.0 };
        self.stiffness = self.full_stiffness * self.share.unwrap_or(1.0) * grown;
        if before > 0.0 {
            self.traction *= self.stiffness / before;
        }
    }

    /// Sets the share of the stable total stiffness; returns the energy that the change adds to the normal spring
    /// \[J\]. `closing` is the decrease of the gap over the step, −Δg \[m\].
    ///
    /// The offset changes such that the energy change of the spring less the trapezoidal work over the step is that of
    /// the spring without the change: ½ κ' δ' (δ' − closing) = ½ κ (δ + closing) δ, with the previous penetration δ and
    /// the penetration δ' at the end. A small change of the share thus changes the offset little, also where a force
    /// acts in a part of the step only. The tangential spring keeps its force when it stiffens, and its energy when it
    /// softens.
    pub fn adapt(&mut self, share: f64, closing: f64) -> f64 {
        let before = self.share.replace(share);
        let Some(before) = before.filter(|&before| before != share && self.penetration > 0.0) else {
            return 0.0;
        };
        let ratio = share / before;
        let stored = self.normal_energy();
        let end = self.penetration + closing;
        // A contact that opens in this step is unchanged.
        if end <= 0.0 {
            self.share = Some(before);
            return 0.0;
        }
        self.stiffness *= ratio;
        self.traction *= ratio.sqrt().min(1.0);
        let half = 0.5 * closing;
        let penetration = (half * half + end * self.penetration / ratio).sqrt() - half;
        self.offset += penetration - self.penetration;
        self.penetration = penetration;
        self.normal_energy() - stored
    }

    /// Effective penetration at this gap \[m\]; a negative offset decreases with the penetration. `closing` is the
    /// decrease of the gap over the step, −Δg \[m\].
    ///
    /// A new contact has entered by at most `closing`. A new contact that is deeper entered laterally, or replaces
    /// another contact whose spring stored the energy. At full penetration, its spring would store energy without
    /// work.
    pub fn penetration(&mut self, gap: f64, closing: f64) -> f64 {
        self.offset = self.offset.max(gap.min(0.0));
        if self.penetration == 0.0 {
            self.offset = self.offset.min(gap + closing.max(0.0));
        }
        (self.offset - gap).max(0.0)
    }

    /// Fraction of the spring force that acts in a step of partial contact, at closing or opening; 1 otherwise.
    /// `closing` is −dg/dt \[m/s\].
    ///
    /// A force at the end of a step acts from the middle of the step to the middle of the next step. In a step at
    /// closing or opening, with a fraction τ in contact, ½ (1 + τ) of κ δ conserves the energy T + ½ κ δ_n δ_{n+1} of
    /// the leapfrog to O((ω dt)⁴), while the full force has an error of up to ¼ (ω dt)². For deformable nodes, which
    /// oscillate with their elements, ω is an estimate, and the remaining error is balanced at the opening.
    pub fn contact_fraction(&self, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = |way: f64| 0.5 * (1.0 + (penetration / way).clamp(0.0, 1.0));
        if self.penetration == 0.0 {
            return if closing > 0.0 { part(closing * step.actual) } else { 1.0 };
        }
        let kick = self.frequency * self.frequency * penetration * step.kick();
        // Velocity after the kick, estimated with half of it.
        let guess = part((0.5 * kick - closing).max(0.0) * step.following);
        let opening = kick * guess - closing;
        if opening > 0.0 { part(opening * step.following) } else { 1.0 }
    }

    /// Damping force c dδ/dt \[N\] with c = 2 ζ κ/ω, in addition to the spring force; `closing` is dδ/dt at the
    /// middle of the step \[m/s\].
    ///
    /// The rate at the end of the step is the mean of the rates before and after the kick by both forces. With the rate
    /// before the kick, restitution would have an error of ½ ζ ω dt, and strong damping would be unstable. A contact
    /// that began in the last fraction τ of the step is damped for (½ + τ) of the kick.
    pub fn damping(&self, elastic: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let factor = self.viscosity(self.options.damping);
        if factor == 0.0 {
            return 0.0;
        }
        let part = self.fraction_in_contact(penetration, closing, step).map_or(1.0, |part| 0.5 + part);
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        // Element forces, which balance the spring force in a body at rest, are unknown here.
        let pushed = if self.is_of_rigid_bodies { half * elastic } else { 0.0 };
        part * factor * (closing - pushed) / (1.0 + half * part * factor)
    }

    /// Fraction of the step in contact, for a contact that begins in the step.
    fn fraction_in_contact(&self, penetration: f64, closing: f64, step: StepLength) -> Option<f64> {
        let begins = self.penetration == 0.0 && closing > 0.0;
        begins.then(|| (penetration / (closing * step.actual)).min(1.0))
    }

    /// Reduction of the penetration of a new contact by its damping force d: ½ (τ − ½) dt² d/m \[m\]. The force acts
    /// from the beginning of the contact, not from the end of the step: over the last fraction τ of the step and half
    /// of the next step. Without this reduction, restitution varies by up to ½ ζ ω dt with the instant in the step at
    /// which the contact begins.
    pub fn pushed_back(&self, damped: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = self.fraction_in_contact(penetration, closing, step);
        let Some(part) = part.filter(|_| self.is_of_rigid_bodies && damped != 0.0) else { return 0.0 };
        let compliance = self.frequency * self.frequency / self.stiffness;
        let way = 0.5 * (part - 0.5) * damped * compliance * step.kick() * step.following;
        way.min(penetration)
    }

    /// Reduces the penetration by `way` \[m\]; returns the energy removed \[J\].
    pub fn reduce_penetration(&mut self, way: f64) -> f64 {
        let stored = self.normal_energy();
        self.penetration -= way;
        self.offset -= way;
        stored - self.normal_energy()
    }

    /// c = 2 ζ κ/ω at the age of the contact \[N·s/m\].
    fn viscosity(&self, damping: Damping) -> f64 {
        if self.frequency == 0.0 {
            return 0.0;
        }
        let half_periods = self.age * self.frequency / std::f64::consts::PI;
        2.0 * damping.ratio(half_periods) * self.stiffness / self.frequency
    }

    /// Tangential damping force \[N\] from the slip rate at the middle of the step \[m/s\]. The force is implicit
    /// over half a kick, and thus stable for any damping.
    fn drag(&self, slip_rate: &Vec3, step: StepLength) -> Vec3 {
        let viscosity = self.viscosity(self.options.tangential_damping);
        if viscosity == 0.0 {
            return Vec3::zeros();
        }
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        slip_rate * (-viscosity / (1.0 + half * viscosity))
    }

    /// Energy of the normal spring \[J\].
    pub fn normal_energy(&self) -> f64 {
        0.5 * self.stiffness * self.penetration * self.penetration
    }

    /// Opening of the contact with this gap rate \[m/s\].
    pub fn opening(&self, rate: f64) -> Opening {
        Opening { created: self.created, force: self.elastic, rate, compliance: self.compliance }
    }

    /// Transfers the spring to another constraint over a step with the change `way` of the gap \[m\]. The
    /// penetration is integrated over the step; an offset compensates the height difference of the surfaces.
    pub fn take_over(&mut self, constraint: &Constraint<'_>, options: PenaltyOptions, way: f64) {
        self.options = options;
        if self.penetration > 0.0 {
            self.offset = constraint.gap + (self.penetration - way);
        }
    }

    /// Whether the spring dissipates energy in the following step even if its contact has ended.
    pub fn takes_energy(&self) -> bool {
        self.damped != 0.0 || self.has_tangential_spring() || self.offset > 0.0
    }

    /// Whether friction acts, or a force of earlier friction remains.
    pub fn has_friction(&self) -> bool {
        self.options.friction.acts() || self.has_tangential_spring()
    }

    fn has_tangential_spring(&self) -> bool {
        self.traction != Vec3::zeros() || self.dragged != Vec3::zeros()
    }

    /// Energy of the tangential spring \[J\].
    pub fn tangential_energy(&self) -> f64 {
        if self.stiffness > 0.0 { 0.5 * self.traction.norm_squared() / self.stiffness } else { 0.0 }
    }

    /// Slides with a slip rate \[m/s\] over a step under a normal force \[N\]; returns the dissipation by friction
    /// and damping \[J\].
    ///
    /// The sum of spring and damping force stays in the friction circle. If the spring force is inside the circle, the
    /// returned damping force d dissipates energy for any slip, as c |v|² ≥ |d|²/c. For a sliding spring the damping
    /// force is zero.
    ///
    /// By the trapezoidal rule of the energy balance, the dissipation is −(t_n + t_{n+1})/2 · travel minus the energy
    /// change of the spring.
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
        // A slip in one step greater than the spring stretch is a rotation about the sticking contacts.
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

/// Tangential force after a rotation of the normal: its projection on the new tangent plane, with the same magnitude.
pub fn turned(traction: &Vec3, normal: &Vec3) -> Vec3 {
    let across = traction - normal * normal.dot(traction);
    let size = across.norm();
    if size > 0.0 { across * (traction.norm() / size) } else { Vec3::zeros() }
}
