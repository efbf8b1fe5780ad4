//! Recovery from a failed step: the state before the step is computed again from an earlier copy of the state.
//!
//! A step changes most of the state before it can fail. Instead of undoing each change, the simulation returns to a
//! copy at most [`STEPS_PER_COPY`] steps old, and repeats the steps from the copy on with the same bits.
//!
//! No copy exists in flight, or after the last step of dynamic relaxation. If the energy check of a flight step or of
//! this last step fails, the state after the failed step remains. The statistics of detection include the repeated
//! steps.

use super::Simulation;
use super::error::NumericalFailure;

/// Number of steps between copies. A copy takes a tenth of the time of a step; the copies therefore lengthen a run by
/// 0.2 %.
const STEPS_PER_COPY: u64 = 64;

impl Simulation {
    pub(super) fn step_or_recover(&mut self) -> Result<(), NumericalFailure> {
        let begin = self.state.nodes.step;
        self.keep_copy();
        let outcome = self.step_and_check();
        if outcome.is_err() {
            self.return_to(begin);
        }
        outcome
    }

    fn step_and_check(&mut self) -> Result<(), NumericalFailure> {
        if self.is_relaxing() {
            self.relax()?;
        } else {
            self.step()?;
            self.count_step_limit();
        }
        self.check_energy()
    }

    /// Discards the copy. Call this after every change of the state outside a step: the repeated steps would lack the
    /// change.
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

    /// Returns to the state after the step number `step`.
    fn return_to(&mut self, step: u64) {
        let Some(earlier) = self.earlier.take() else { return };
        self.restart_from(earlier);
        // The repeated steps succeeded before.
        while self.state.nodes.step < step && self.step_and_check().is_ok() {}
    }
}
