//! How far things can have gone towards each other.

/// The sum of the ways of steps \[m\], and that of the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    travelled: f64,
    /// Way of the last step \[m\].
    pub step: f64,
}

impl Travel {
    /// Goes the way of the last step.
    pub fn advance(&mut self) {
        self.travelled += self.step;
    }

    /// Begins anew.
    pub fn restart(&mut self) {
        self.travelled = 0.0;
    }

    /// How far that is by now \[m\].
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Whether it has passed a mark; also where it is no finite number.
    pub fn is_past(&self, limit: f64) -> bool {
        !(self.travelled.is_finite() && self.travelled <= limit)
    }

    /// Steps of the size of the last one to a mark.
    pub fn steps_to(&self, limit: f64) -> f64 {
        (limit - self.travelled) / self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has gone nowhere in particular is past any mark.
    #[test]
    fn ways_end_at_their_marks() {
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
