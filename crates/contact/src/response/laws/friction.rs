//! Friction laws.

use serde::{Deserialize, Serialize};

/// Coulomb friction with a coefficient μ that falls from μ_s to μ_d with increasing sliding speed v:
/// μ(v) = μ_d + (μ_s − μ_d) exp(−β v).
///
/// # Source
/// Benson & Hallquist 1990, in: Hallquist, LS-DYNA Theory Manual, "Contact-impact algorithm, friction"; also in most
/// explicit codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrictionLaw {
    /// Coefficient at rest μ_s \[-\].
    pub at_rest: f64,
    /// Coefficient in fast motion μ_d ≤ μ_s \[-\].
    pub in_motion: f64,
    /// Decay coefficient β \[s/m\]. If β is infinite, the coefficient is μ_d at any speed above zero.
    pub decay: f64,
}

impl FrictionLaw {
    /// No friction.
    pub fn none() -> Self {
        Self::constant(0.0)
    }

    /// The same coefficient at rest and in motion.
    pub fn constant(coefficient: f64) -> Self {
        Self { at_rest: coefficient, in_motion: coefficient, decay: f64::INFINITY }
    }

    /// Whether μ_s > 0.
    pub fn acts(&self) -> bool {
        self.at_rest > 0.0
    }

    /// Coefficient of friction at a sliding speed \[m/s\].
    pub fn sliding(&self, speed: f64) -> f64 {
        let rest = if speed > 0.0 { (-self.decay * speed).exp() } else { 1.0 };
        self.in_motion + (self.at_rest - self.in_motion) * rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficient_falls_from_rest_to_motion() {
        let law = FrictionLaw { at_rest: 0.5, in_motion: 0.3, decay: 2.0 };
        assert_eq!(law.sliding(0.0), 0.5);
        assert!((law.sliding(0.5) - (0.3 + 0.2 * (-1.0_f64).exp())).abs() < 1e-15);
        assert!((law.sliding(1e3) - 0.3).abs() < 1e-15);
        let at_once = FrictionLaw { decay: f64::INFINITY, ..law };
        assert_eq!((at_once.sliding(0.0), at_once.sliding(1e-9)), (0.5, 0.3));
        assert_eq!(FrictionLaw::constant(0.4).sliding(0.0), 0.4);
        assert!(!FrictionLaw::none().acts());
    }
}
