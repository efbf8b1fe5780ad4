//! How far things can have gone towards each other.

/// The sum of the ways of steps \[m\], and that of the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    gone: f64,
    /// Way of the last step \[m\].
    pub step: f64,
}

impl Way {
    /// Goes the way of the last step.
    pub fn go(&mut self) {
        self.gone += self.step;
    }

    /// Begins anew.
    pub fn restart(&mut self) {
        self.gone = 0.0;
    }

    /// How far that is by now \[m\].
    pub fn gone(&self) -> f64 {
        self.gone
    }

    /// Whether it has passed a mark; also where it is no finite number.
    pub fn is_past(&self, mark: f64) -> bool {
        !(self.gone.is_finite() && self.gone <= mark)
    }

    /// Steps of the size of the last one to a mark.
    pub fn steps_to(&self, mark: f64) -> f64 {
        (mark - self.gone) / self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has gone nowhere in particular is past any mark.
    #[test]
    fn ways_end_at_their_marks() {
        let mut way = Way { step: 0.5, ..Way::default() };
        way.go();
        assert_eq!((way.gone(), way.steps_to(2.0)), (0.5, 3.0));
        assert!(!way.is_past(0.5) && way.is_past(0.5_f64.next_down()) && !way.is_past(f64::INFINITY));
        for step in [f64::INFINITY, f64::NAN] {
            let mut way = Way { step, ..way };
            way.go();
            assert!(way.is_past(f64::INFINITY));
            way.restart();
            assert!(!way.is_past(0.0));
        }
    }
}
