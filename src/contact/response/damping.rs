//! Damping of the springs of contact.

/// Viscous damping of a spring along one direction, as a fraction of critical: ζ of the force 2 ζ κ/ω per speed, ω the
/// frequency at which the contact swings with all others that press on the same bodies.
///
/// An undamped spring under a resting body swings between no load and twice the load, and friction lets go each time that
/// it has none. Damping that sets in when a contact has outlasted the half period of a free impact brings it to rest, and
/// impacts keep their energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// From the beginning of a contact on \[-\].
    pub always: f64,
    /// Beside that, in contacts that outlast an impact \[-\].
    pub at_rest: f64,
}

impl Damping {
    /// A conservative spring.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same ratio ζ as long as a contact lasts.
    pub fn always(ratio: f64) -> Self {
        Self { always: ratio, at_rest: 0.0 }
    }

    /// A ratio ζ that contacts come to which outlast an impact.
    pub fn at_rest(ratio: f64) -> Self {
        Self { always: 0.0, at_rest: ratio }
    }

    /// ζ of a contact of this age, in half periods of its swing: it grows in the second one.
    pub fn ratio(self, half_periods: f64) -> f64 {
        self.always + self.at_rest * (half_periods - 1.0).clamp(0.0, 1.0)
    }

    /// The largest ζ that it comes to.
    pub fn largest(self) -> f64 {
        self.always + self.at_rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_outlasts_an_impact_is_damped() {
        let damping = Damping { always: 0.1, at_rest: 0.4 };
        let ratios = [0.0, 1.0, 1.5, 2.0, 9.0].map(|age| damping.ratio(age));
        assert_eq!(ratios, [0.1, 0.1, 0.1 + 0.4 * 0.5, 0.5, 0.5]);
        assert_eq!(damping.largest(), 0.5);
    }
}
