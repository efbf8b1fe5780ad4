//! Recovery from a failed step: the state before the step is computed again from an earlier copy of the state.
//!
//! A step changes most of the state before it can fail. The simulation therefore keeps a copy of the state, at most
//! [`STEPS_PER_COPY`] steps old. After a failure, the simulation returns to the copy and repeats the steps since then.
//! The repeated steps give the same bits.
//!
//! No copy is kept in flight and in the last step of dynamic relaxation. If the energy check fails there, the state
//! remains that after the failed step. The statistics of detection include the repeated steps.

use super::Simulation;
use super::error::NumericalFailure;

/// Number of steps between two copies of the state. The copies lengthen a run by 0.2 %.
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

    /// Takes a step of the run or of the dynamic relaxation, and checks its energy balance.
    fn step_and_check(&mut self) -> Result<(), NumericalFailure> {
        if self.is_relaxing() {
            self.relax()?;
        } else {
            self.step()?;
            self.count_step_limit();
        }
        self.check_energy()
    }

    /// Discards the copy. Required after every change of the state outside a step: repeated steps would not reproduce
    /// it.
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
