//! Data and solution of the contacts of a step.

use super::options::ImpactOptions;
use super::unknown::Unknown;
use crate::math::Vec3;

/// Data and solution of one contact.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub laws: ImpactOptions,
    pub normal: Vec3,
    /// Part of the relative velocity due to fixed or prescribed nodes \[m/s\].
    pub drift: Vec3,
    /// Relative velocity before the impulses \[m/s\].
    pub before: Vec3,
    /// Relative velocity before the current solution \[m/s\].
    pub start: Vec3,
    /// Change of the relative velocity over half a step by the forces at the beginning of the step \[m/s\].
    pub kick: Vec3,
    /// Initial guesses of the impulse \[N·s\] and of the normal projection impulse \[kg·m\].
    pub guess: Vec3,
    pub push_out_guess: f64,
    /// Impulse on the contactor \[N·s\].
    pub impulse: Vec3,
    /// Whether the contact slides, with friction at its bound.
    pub slips: bool,
    /// Whether the contact was sliding in the previous step.
    pub has_slid: bool,
    /// Whether a contact of the same pair of rigid bodies was sticking in the previous step.
    pub is_held: bool,
    /// Closing speed that a resting contact gains between two contact solutions, by forces and prescribed motion
    /// \[m/s\].
    pub resting: f64,
    /// Whether friction jams the contact, so that it has no restitution.
    pub is_jammed: bool,
    /// Time from the beginning of the contact to the end of the step, but at most the time step, multiplied by the
    /// fraction of the penetration that the projection removes \[s\].
    pub since: f64,
    /// Change of the normal velocity by the forces between the middle of the step and the beginning of the contact
    /// \[m/s\]; zero without projection of positions.
    pub lead: f64,
    /// Normal displacement that the projection gives at least to the contact \[m\].
    pub lift: f64,
    /// Projection impulse, which changes positions as an impulse changes velocities \[kg·m\].
    pub push_out: Vec3,
}

impl Contact {
    /// Initialises the problem for the relative velocity `start` \[m/s\]. If a contact of the same pair of rigid bodies
    /// was sticking and static friction can stop the slip, the static coefficient of friction applies.
    pub fn begin(&mut self, unknown: &mut Unknown, start: Vec3) {
        self.start = start;
        let slip = start - self.normal * self.normal.dot(&start);
        let law = &self.laws.friction;
        let sliding = law.sliding(slip.norm());
        let is_stopped = slip.norm() * unknown.mass_across <= law.at_rest * self.normal.dot(&self.guess);
        unknown.friction = if self.is_held && is_stopped {
            [law.at_rest; 2]
        } else if self.has_slid {
            [sliding; 2]
        } else {
            [law.at_rest, sliding]
        };
    }

    /// Fraction of the restitution that acts at this closing speed. Rounding, or a rebound slower than the closing
    /// speed `resting`, may lift a resting contact. The contact then returns at a closing speed of up to twice
    /// `resting`, and still counts as resting.
    pub fn impact_fraction(&self, closing: f64) -> f64 {
        let Self { resting, .. } = *self;
        if closing > 2.0 * resting { (closing / resting - 2.0).min(1.0) } else { 0.0 }
    }

    /// Coefficient of restitution at this closing speed \[-\].
    pub fn restitution(&self, closing: f64) -> f64 {
        self.laws.restitution * self.impact_fraction(closing)
    }
}
