//! The springs of one contact.

use super::PenaltyOptions;
use super::release::Opening;
use crate::contact::Constraint;
use crate::contact::response::StepLength;
use crate::contact::response::damping::Damping;
use crate::math::Vec3;

/// The springs of one contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spring {
    pub options: PenaltyOptions,
    /// When grown up, and alone \[N/m\].
    pub full_stiffness: f64,
    /// The part of it that it may have beside the others \[-\]; `None` before the first force.
    pub share: Option<f64>,
    /// At present \[N/m\].
    pub stiffness: f64,
    /// ω of the contact with all others that press on the same nodes, or rigid bodies \[rad/s\].
    pub frequency: f64,
    /// How far what the contact pushes gives way, with those \[1/kg\].
    pub compliance: f64,
    /// Whether it swings with rigid bodies alone.
    pub is_of_rigid_bodies: bool,
    /// Since it began \[s\].
    pub age: f64,
    /// Penetration that counts, in the step before \[m\].
    pub penetration: f64,
    /// Force of the spring across that \[N\].
    pub elastic: f64,
    /// Trapezoidal work of the elastic force and change of the energy stored, since the contact began \[J\].
    pub created: f64,
    /// All of the force on the contactor at the end of the step before \[N\], and what was stored then \[J\].
    pub acted: Vec3,
    pub stored: f64,
    /// How much deeper than it is the penetration counts \[m\].
    pub offset: f64,
    /// The part of damping in the normal force \[N\].
    pub damped: f64,
    /// Force of the spring across the normal on the contactor \[N\].
    pub traction: Vec3,
    /// The part of damping in the force of friction \[N\].
    pub dragged: Vec3,
    pub slips: bool,
    /// Whether another contact of the same rigid bodies sticks.
    pub is_held: bool,
}

impl Spring {
    /// Grows for a step with the penetration it had.
    pub fn grow(&mut self, time_step: f64) {
        let before = self.stiffness;
        self.age += time_step;
        let grown = if self.age < self.options.soft_start { self.age / self.options.soft_start } else { 1.0 };
        self.stiffness = self.full_stiffness * self.share.unwrap_or(1.0) * grown;
        if before > 0.0 {
            self.traction *= self.stiffness / before;
        }
    }

    /// Takes over its share of the stiffness that all springs may have together; the energy that this gives the spring along
    /// the normal \[J\]. `closing` is the way in over the step, −Δg \[m\].
    ///
    /// The penetration counts from elsewhere, so that the trapezoidal work of the force p before and that after is what
    /// the spring takes over the step: ½ κ' δ'² − ½ κ δ² = ½ (p + κ' δ') closing with the penetration δ' at its end. The
    /// spring across the normal keeps its force where it becomes stiffer, and its energy where it becomes softer.
    pub fn adapt(&mut self, share: f64, closing: f64) -> f64 {
        let before = self.share.replace(share);
        let Some(before) = before.filter(|&before| before != share && self.penetration > 0.0) else {
            return 0.0;
        };
        let ratio = share / before;
        let stored = self.normal_energy();
        let (stiffness, half) = (self.stiffness * ratio, 0.5 * closing);
        let square = half * half + (2.0 * stored + self.elastic * closing) / stiffness;
        // What opens in this step is left as it is.
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

    /// The penetration that counts at this gap \[m\]; the offset of one that counts less follows it out. `closing` is the
    /// way in over the step, −Δg \[m\].
    ///
    /// A contact that begins has come in by no more than that. One that is deeper came from beside, or is where another one
    /// has been, whose spring has taken the energy: this one would store what nothing has put into it.
    pub fn penetration(&mut self, gap: f64, closing: f64) -> f64 {
        self.offset = self.offset.max(gap.min(0.0));
        if self.penetration == 0.0 {
            self.offset = self.offset.min(gap + closing.max(0.0));
        }
        (self.offset - gap).max(0.0)
    }

    /// The part of the spring's force that acts where it is pressed for a part of a step only, on the way in or out; 1
    /// otherwise. `closing` is −dg/dt \[m/s\].
    ///
    /// A force at the end of a step acts from its middle to that of the next. In a step in which the gap closes, or after
    /// which it opens, of which a part τ is in contact, ½ (1 + τ) of κ δ keeps the energy T + ½ κ δ_n δ_{n+1} of
    /// the leapfrog to O((ω dt)⁴), where all of it is off by up to ¼ (ω dt)². Of nodes of
    /// deformable bodies, which swing with their elements, ω is an estimate: what is left is balanced at the opening.
    pub fn pressed_part(&self, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = |way: f64| 0.5 * (1.0 + (penetration / way).clamp(0.0, 1.0));
        if self.penetration == 0.0 {
            return if closing > 0.0 { part(closing * step.actual) } else { 1.0 };
        }
        let kick = self.frequency * self.frequency * penetration * step.kick();
        // Velocity after the kick, from that with the part that its half would make.
        let guess = part((0.5 * kick - closing).max(0.0) * step.following);
        let opening = kick * guess - closing;
        if opening > 0.0 { part(opening * step.following) } else { 1.0 }
    }

    /// Force c dδ/dt of the damping \[N\] with c = 2 ζ κ/ω, beside that of the spring; `closing` is dδ/dt at the middle of
    /// the step \[m/s\].
    ///
    /// The rate is that at the end of the step, the mean of those before and after the kick by both forces: with that
    /// before, restitution is off by ½ ζ ω dt, and strong damping is unstable. A contact that began in the last part τ of
    /// the step has been damped for (½ + τ) of the time of a kick.
    pub fn damping(&self, elastic: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let factor = self.viscosity(self.options.damping);
        if factor == 0.0 {
            return 0.0;
        }
        let part = self.part_begun(penetration, closing, step).map_or(1.0, |part| 0.5 + part);
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        // Forces of the elements are not known here: those of a body at rest balance that of the spring.
        let pushed = if self.is_of_rigid_bodies { half * elastic } else { 0.0 };
        part * factor * (closing - pushed) / (1.0 + half * part * factor)
    }

    /// The part of a step in which it has been in contact, of one that begins in the step.
    fn part_begun(&self, penetration: f64, closing: f64, step: StepLength) -> Option<f64> {
        let begins = self.penetration == 0.0 && closing > 0.0;
        begins.then(|| (penetration / (closing * step.actual)).min(1.0))
    }

    /// How much less deep a contact that begins is, as the damping d has pushed back since it began, not since the end of
    /// the step: in its last part τ and half of the next, by ½ (τ − ½) dt² d/m \[m\]. Without, restitution depends on
    /// where in a step the contact begins, by up to half of ζ ω dt.
    pub fn pushed_back(&self, damped: f64, penetration: f64, closing: f64, step: StepLength) -> f64 {
        let part = self.part_begun(penetration, closing, step);
        let Some(part) = part.filter(|_| self.is_of_rigid_bodies && damped != 0.0) else { return 0.0 };
        let compliance = self.frequency * self.frequency / self.stiffness;
        let way = 0.5 * (part - 0.5) * damped * compliance * step.kick() * step.following;
        way.min(penetration)
    }

    /// Comes out of contact by a way \[m\]; the energy that this takes \[J\].
    pub fn come_out(&mut self, way: f64) -> f64 {
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

    /// Force of the damping across the normal \[N\], from the rate of slip at the middle of the step \[m/s\]: what it does
    /// over half a kick is in it, so that no damping is too strong.
    fn drag(&self, slip_rate: &Vec3, step: StepLength) -> Vec3 {
        let viscosity = self.viscosity(self.options.tangential_damping);
        if viscosity == 0.0 {
            return Vec3::zeros();
        }
        let half = 0.5 * step.kick() * self.frequency * self.frequency / self.stiffness;
        slip_rate * (-viscosity / (1.0 + half * viscosity))
    }

    /// Energy of the spring along the normal \[J\].
    pub fn normal_energy(&self) -> f64 {
        0.5 * self.stiffness * self.penetration * self.penetration
    }

    /// As the contact opens with this rate of its gap \[m/s\].
    pub fn opening(&self, rate: f64) -> Opening {
        Opening { created: self.created, force: self.elastic, rate, compliance: self.compliance }
    }

    /// Goes on in another constraint, over a step. It is as far in as it has come in it: where the surface that it goes on
    /// is higher or lower, the penetration counts from elsewhere.
    pub fn take_over(&mut self, constraint: &Constraint<'_>, options: PenaltyOptions, way: f64) {
        self.options = options;
        if self.penetration > 0.0 {
            self.offset = constraint.gap + (self.penetration - way);
        }
    }

    /// Whether it takes energy in the step to come even if its contact is over.
    pub fn takes_energy(&self) -> bool {
        self.damped != 0.0 || self.holds_across() || self.offset > 0.0
    }

    /// Whether there is friction, or a force left of where there was.
    pub fn rubs(&self) -> bool {
        self.options.friction.acts() || self.holds_across()
    }

    fn holds_across(&self) -> bool {
        self.traction != Vec3::zeros() || self.dragged != Vec3::zeros()
    }

    /// Energy of the spring across the normal \[J\].
    pub fn tangential_energy(&self) -> f64 {
        if self.stiffness > 0.0 { 0.5 * self.traction.norm_squared() / self.stiffness } else { 0.0 }
    }

    /// Slides with a rate of slip \[m/s\] over a step under a normal force \[N\]; the energies that friction and damping take
    /// \[J\].
    ///
    /// Spring and damping together stay in the circle: a damping that is returned to it with a spring inside takes energy at
    /// any slip, as c |v|² ≥ |d|²/c of what is left of it, d. Where the spring slides along, none is left.
    ///
    /// Forces act by the trapezoidal rule, as in the balance of energy of the steps: what is taken is −(t_n + t_{n+1})/2
    /// · travel less the change of the energy of the spring.
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
        // What slips by more in a step than springs are stretched turns about those that stick.
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

/// A force across the normal after the normal has turned: its part across the new one, as large as before.
pub fn turned(traction: &Vec3, normal: &Vec3) -> Vec3 {
    let across = traction - normal * normal.dot(traction);
    let size = across.norm();
    if size > 0.0 { across * (traction.norm() / size) } else { Vec3::zeros() }
}
