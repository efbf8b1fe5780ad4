//! Data and solution of the contacts of a step.

use super::options::ImpactOptions;
use super::unknown::Unknown;
use crate::math::Vec3;

#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub laws: ImpactOptions,
    pub normal: Vec3,
    /// Part of the relative velocity that is not due to movers \[m/s\]: velocities of fixed or prescribed nodes, and
    /// the rounding by which the velocity of a tied node differs from that given by its movers.
    pub drift: Vec3,
    /// Relative velocity before all impulses of the step \[m/s\].
    pub before: Vec3,
    /// Relative velocity before the current solution \[m/s\]. In the sequential order (`Order::OneByOne`), it includes
    /// the effect of earlier impulses of the step; otherwise it is equal to `before`.
    pub start: Vec3,
    /// Change of the relative velocity that the forces cause in half a step \[m/s\].
    pub kick: Vec3,
    /// Initial guess of `impulse`.
    pub guess: Vec3,
    /// Initial guess of the normal projection impulse (`push_out`).
    pub push_out_guess: f64,
    /// Impulse on the contactor \[N·s\].
    pub impulse: Vec3,
    pub slips: bool,
    /// Whether the contact was sliding in the previous step.
    pub has_slid: bool,
    /// Whether a contact of the same pair of rigid bodies was sticking in the previous step.
    pub is_held: bool,
    /// Closing speed that a resting contact gains from one contact solution to the next \[m/s\].
    pub resting: f64,
    /// Whether friction jams the contact, which then has no restitution.
    pub is_jammed: bool,
    /// Time from the beginning of the contact to the end of the step \[s\], times the option `projection`.
    pub since: f64,
    /// Change of the normal velocity that the forces cause from the middle of the step to the beginning of the contact
    /// \[m/s\]; zero for a resting contact, and without projection.
    pub lead: f64,
    /// Lower bound of the normal displacement by the projection \[m\].
    pub lift: f64,
    /// Projection impulse \[kg·m\]: changes the positions as `impulse` changes the velocities.
    pub push_out: Vec3,
}

impl Contact {
    /// Starts a solution at the relative velocity `start` \[m/s\]. The slip speed and the state in the previous step
    /// determine the coefficients of friction.
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

    /// Fraction of the coefficient of restitution that applies at the closing speed `closing` \[m/s\].
    pub fn impact_fraction(&self, closing: f64) -> f64 {
        impact_fraction(closing, self.resting)
    }

    /// Coefficient of restitution at the closing speed `closing` \[-\].
    pub fn restitution(&self, closing: f64) -> f64 {
        self.laws.restitution * self.impact_fraction(closing)
    }
}

/// 0 for `closing` ≤ 2 |`resting`|, 1 for `closing` ≥ 3 |`resting`|, linear in between. The reason for the factor 2:
/// rounding can open a resting contact, and this contact closes again at a speed of up to 2 `resting`.
fn impact_fraction(closing: f64, resting: f64) -> f64 {
    // `resting` can be −0: it is the result of `f64::max`, which leaves the sign of a zero unspecified.
    let resting = resting.abs();
    if closing > 2.0 * resting { (closing / resting - 2.0).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_applies_in_full_without_accelerations() {
        for resting in [0.0, -0.0] {
            assert_eq!(impact_fraction(1.0, resting), 1.0);
            assert_eq!(impact_fraction(0.0, resting), 0.0);
        }
    }
}
