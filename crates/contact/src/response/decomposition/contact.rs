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
    /// Relative velocity before all impulses of the step \[m/s\].
    pub before: Vec3,
    /// Relative velocity at the start of the current solution \[m/s\]; in the sequential order, after other contacts
    /// are solved.
    pub start: Vec3,
    /// Change of the relative velocity over half a step by the forces at the beginning of the step \[m/s\].
    pub kick: Vec3,
    /// Initial guess of the impulse \[N·s\].
    pub guess: Vec3,
    /// Initial guess of the normal projection impulse \[kg·m\].
    pub push_out_guess: f64,
    /// Impulse on the contactor \[N·s\].
    pub impulse: Vec3,
    /// Whether the contact slides, with friction at its bound.
    pub slips: bool,
    /// Whether the contact was sliding in the previous step.
    pub has_slid: bool,
    /// Whether a contact of the same pair of rigid bodies was sticking in the previous step.
    pub is_held: bool,
    /// Closing speed that the contact gains between two contact solutions by forces and prescribed motion, if the
    /// contact rests \[m/s\].
    pub resting: f64,
    /// Whether friction jams the contact, so that it has no restitution.
    pub is_jammed: bool,
    /// Time from the beginning of the contact to the end of the step, but at most the time step \[s\]. The time is
    /// multiplied by the fraction of the penetration that the projection removes.
    pub since: f64,
    /// Change of the normal velocity by the forces between the middle of the step and the beginning of the contact
    /// \[m/s\]; zero without projection of positions.
    pub lead: f64,
    /// Least normal displacement of the contact by the projection \[m\].
    pub lift: f64,
    /// Projection impulse, which changes positions as an impulse changes velocities \[kg·m\].
    pub push_out: Vec3,
}

impl Contact {
    /// Initialises the problem for the relative velocity `start` \[m/s\], and selects the coefficients of friction. The
    /// static coefficient applies if a contact of the same pair of rigid bodies was sticking and static friction can
    /// stop the slip. Otherwise the dynamic coefficient applies to a contact that was sliding; both coefficients apply
    /// to any other contact.
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

    /// Fraction of the restitution that acts at this closing speed: 0 up to twice the speed `resting`, 1 from three
    /// times this speed on, and linear in between. The reason is that rounding, or a rebound slower than `resting`, may
    /// lift a resting contact. The contact then returns at a closing speed of up to twice `resting`, and still counts
    /// as resting.
    pub fn impact_fraction(&self, closing: f64) -> f64 {
        let Self { resting, .. } = *self;
        if closing > 2.0 * resting { (closing / resting - 2.0).min(1.0) } else { 0.0 }
    }

    /// Coefficient of restitution at this closing speed \[-\].
    pub fn restitution(&self, closing: f64) -> f64 {
        self.laws.restitution * self.impact_fraction(closing)
    }
}
