//! Damping of contact springs.

use serde::{Deserialize, Serialize};

/// Viscous damping of a contact spring with the damping coefficient 2 ζ κ/ω. ζ is the damping ratio and κ the
/// stiffness. ω is the frequency of the contact together with all contacts on the same nodes or rigid bodies.
///
/// The damping ratio `at_rest` acts after the half period π/ω, the duration of an impact. It brings bodies to rest, and
/// dissipates no energy in impacts. Without damping, the spring force under a resting body would oscillate between zero
/// and twice the load, and friction would vanish at zero force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Damping {
    /// Damping ratio from the beginning of a contact \[-\].
    pub always: f64,
    /// Additional damping ratio in contacts that outlast an impact \[-\].
    pub at_rest: f64,
}

impl Damping {
    /// No damping.
    pub fn none() -> Self {
        Self::default()
    }

    /// Constant damping ratio.
    pub fn always(ratio: f64) -> Self {
        Self { always: ratio, at_rest: 0.0 }
    }

    /// Damping only in contacts that outlast an impact, with this damping ratio.
    pub fn at_rest(ratio: f64) -> Self {
        Self { always: 0.0, at_rest: ratio }
    }

    /// Damping ratio ζ of a contact whose age is `half_periods`, in units of π/ω. The share of `at_rest` that acts
    /// grows linearly from 0 to 1 during the second half period.
    pub fn ratio(self, half_periods: f64) -> f64 {
        self.always + self.at_rest * (half_periods - 1.0).clamp(0.0, 1.0)
    }

    /// Largest damping ratio of a contact.
    pub fn largest(self) -> f64 {
        self.always + self.at_rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resting_contacts_are_damped() {
        let damping = Damping { always: 0.1, at_rest: 0.4 };
        let ratios = [0.0, 1.0, 1.5, 2.0, 9.0].map(|age| damping.ratio(age));
        assert_eq!(ratios, [0.1, 0.1, 0.1 + 0.4 * 0.5, 0.5, 0.5]);
        assert_eq!(damping.largest(), 0.5);
    }
}
