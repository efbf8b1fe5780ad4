//! Recovery from a failed step: the state before it is computed again from an earlier copy.
//!
//! A step changes most of the state before it can fail. Instead of undoing each change, the simulation keeps a copy of the
//! state that is up to [`STEPS_PER_COPY`] steps old, returns to it when a step fails, and repeats the steps since. As a
//! restart continues to the same bits, so does this: the state after a failed step is that before it, in every bit, with
//! caches that belong to it. Exceptions are the last step of dynamic relaxation and steps of a flight, of which no copy is
//! kept: their failure leaves the state after them. Detection counts the repeated steps in its statistics.

use super::Simulation;
use super::error::NumericalFailure;

/// Steps between two copies of the state: a copy takes a tenth of the time of a step.
const STEPS_PER_COPY: u64 = 64;

impl Simulation {
    /// Takes a step. One that fails leaves the state before it.
    pub(super) fn step_or_recover(&mut self) -> Result<(), NumericalFailure> {
        let begin = self.state.nodes.step;
        self.keep_copy();
        let outcome = self.step_and_check();
        if outcome.is_err() {
            self.return_to(begin);
        }
        outcome
    }

    /// A step of the run, or of the relaxation before it, with the check of its balance.
    fn step_and_check(&mut self) -> Result<(), NumericalFailure> {
        if self.is_relaxing() {
            self.relax()?;
        } else {
            self.step()?;
            self.count_step_limit();
        }
        self.check_energy()
    }

    /// Discards the copy after a change of the state from outside, which steps do not repeat.
    pub(crate) fn forget_copy(&mut self) {
        self.earlier = None;
    }

    fn keep_copy(&mut self) {
        let age = self.earlier.as_ref().map(|earlier| self.state.nodes.step - earlier.nodes.step);
        match &mut self.earlier {
            Some(_) if age.is_some_and(|age| age < STEPS_PER_COPY) => {}
            Some(earlier) => {
                earlier.clone_from(&self.state);
                earlier.contact.detection = self.caches.detector.memory();
            }
            None => self.earlier = Some(self.checkpoint()),
        }
    }

    /// Returns to the state before the step after number `step`.
    fn return_to(&mut self, step: u64) {
        let Some(earlier) = self.earlier.take() else { return };
        self.restart_from(earlier);
        // None of these steps has failed before.
        while self.state.nodes.step < step && self.step_and_check().is_ok() {}
    }
}
