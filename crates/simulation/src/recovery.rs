//! Recovery from a failed step: the state before the step is computed again from an earlier copy of the state.
//!
//! A step changes most of the state before it can fail. Instead of undoing each change, the simulation keeps a copy of
//! the state that is up to [`STEPS_PER_COPY`] steps old. When a step fails, the simulation returns to the copy and
//! repeats the steps since the copy. A repeated step gives the same bits, as after a restart. The resulting state
//! equals the state before the failed step in every bit, and the caches belong to this state.
//!
//! No copy is kept in flight and in the last step of dynamic relaxation. If the energy balance of a step without a copy
//! fails, the state remains the state after the failed step. The statistics of detection include the repeated steps.

use super::Simulation;
use super::error::NumericalFailure;

/// Number of steps between two copies of the state. A copy takes a tenth of the time of a step, so the copies lengthen
/// a run by 0.2 %.
const STEPS_PER_COPY: u64 = 64;

impl Simulation {
    /// Takes a step. If the step fails, restores the state before the step.
    pub(super) fn step_or_recover(&mut self) -> Result<(), NumericalFailure> {
        let begin = self.state.nodes.step;
        self.keep_copy();
        let outcome = self.step_and_check();
        if outcome.is_err() {
            self.return_to(begin);
        }
        outcome
    }

    /// Takes a step of the run, or of the dynamic relaxation, and checks its energy balance.
    fn step_and_check(&mut self) -> Result<(), NumericalFailure> {
        if self.is_relaxing() {
            self.relax()?;
        } else {
            self.step()?;
            self.count_step_limit();
        }
        self.check_energy()
    }

    /// Discards the copy. Call this function after every change of the state outside a step, because repeated steps
    /// would not reproduce the change.
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
        // The repeated steps have succeeded before, and succeed again.
        while self.state.nodes.step < step && self.step_and_check().is_ok() {}
    }
}
