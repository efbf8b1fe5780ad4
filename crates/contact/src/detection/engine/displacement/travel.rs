//! Upper bound on an accumulated relative displacement.

/// Sum of `step` over all steps since the last call of `restart` \[m\].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Travel {
    travelled: f64,
    /// Bound on the relative displacement in the latest step \[m\].
    pub step: f64,
}

impl Travel {
    pub fn advance(&mut self) {
        self.travelled += self.step;
    }

    pub fn restart(&mut self) {
        self.travelled = 0.0;
    }

    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Whether the sum exceeds a limit \[m\] or is not finite.
    pub fn is_past(&self, limit: f64) -> bool {
        !(self.travelled.is_finite() && self.travelled <= limit)
    }

    /// Number of steps until the sum reaches a limit \[m\], if every step adds the bound of the latest step.
    pub fn steps_to(&self, limit: f64) -> f64 {
        (limit - self.travelled) / self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn travel_exceeds_limits() {
        let mut travel = Travel { step: 0.5, ..Travel::default() };
        travel.advance();
        assert_eq!((travel.travelled(), travel.steps_to(2.0)), (0.5, 3.0));
        assert!(
            !travel.is_past(0.5) && travel.is_past(0.5_f64.next_down()) && !travel.is_past(f64::INFINITY)
        );
        for step in [f64::INFINITY, f64::NAN] {
            let mut travel = Travel { step, ..travel };
            travel.advance();
            assert!(travel.is_past(f64::INFINITY));
            travel.restart();
            assert!(!travel.is_past(0.0));
        }
    }
}
