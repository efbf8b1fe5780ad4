//! The simulation: a model and its state. `step/free_flight` defines the order of operations in a step of flight, and
//! `step/predictor_corrector` the order in all other steps.

use ictus_contact as contact;
use ictus_core::{element, material, math, mesh, signal};
use ictus_dynamics as dynamics;
use ictus_io as io;
use ictus_scenario as scenario;

mod account;
mod contact_selection;
mod error;
mod forces;
mod model;
mod parts;
mod progress;
mod record;
mod recovery;
mod settle;
mod setup;
mod state;
mod step;
mod timings;

#[cfg(test)]
#[cfg(feature = "test-law")]
mod history_tests;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::contact::Constraints;
use crate::contact::detection::{DetectionMemory, DetectionStatistics};
use crate::contact::response::{SelectedResponse, Ties};
use crate::dynamics::{Audit, Energies, NodalState};
use crate::math::Vec3;

pub use account::contact_audit::PairBalance;
pub use account::energy_audit::BodyBalance;
pub use account::support_account::SupportAccount;
use contact_selection::ContactSelection;
pub use error::{
    Conflict, FailureCause, NumericalFailure, Overlap, PartingTie, Passage, RunError, SetupError,
};
pub use model::{Behaviour, Block, Body, CellAddress, Model, RigidSupport, Slider, WallMotion};
use parts::{Caches, Scratch, Settings};
pub(crate) use progress::Phase;
pub use progress::{FirstContact, Outcome, Progress, RelaxationProgress};
pub use record::checkpoints::Checkpoint;
pub use record::recorder::Recorder;
pub use state::{OtherModel, State};
use step::contact::response::tied_mobility;
pub use timings::Timings;

/// A simulation between two steps.
pub struct Simulation {
    model: Model,
    settings: Settings,
    state: State,
    /// Copy of an earlier state. After a failed step, the simulation computes the state before this step again from the
    /// copy. `None` before the first step that is not a flight. A change of the state between two steps discards the
    /// copy, because steps computed again from it would lack the change.
    earlier: Option<State>,
    response: SelectedResponse,
    ties: Option<Ties>,
    selection: ContactSelection,
    caches: Caches,
    scratch: Scratch,
    timings: Timings,
}

/// Number of consecutive steps with an excessive energy imbalance after which a run stops.
///
/// A suddenly applied load excites the shortest waves. At the ends of steps, the kinetic energy of these waves has a
/// relative error of (ω dt)²/4, with frequency ω and step dt. In the first steps, this error is a large fraction of
/// the total energy; some steps later, it is negligible. In an unstable run, the imbalance persists.
const MAX_STEPS_OVER_TOLERANCE: u32 = 20;

impl Simulation {
    /// Runs to the end time, and calls `report` after every step. If `stop` becomes true, the run completes the current
    /// step, writes a checkpoint and a last frame, and ends.
    ///
    /// Call this function inside a thread pool (`rayon::ThreadPool::install`). From outside, each of the many small
    /// tasks of a step would wait for a thread of the pool.
    ///
    /// # Errors
    /// [`RunError::Numerical`] on a numerical failure; a last frame is then written. [`RunError::Output`] if the
    /// results cannot be written.
    pub fn run(
        &mut self,
        recorder: &mut Recorder,
        report: &mut dyn FnMut(&Progress),
        stop: &AtomicBool,
    ) -> Result<Outcome, RunError> {
        if let Outcome::Interrupted = self.run_relaxation(recorder, report, stop)? {
            recorder.record_last(self)?;
            return Ok(Outcome::Interrupted);
        }
        recorder.begin(self)?;
        let outcome = loop {
            if self.is_finished() {
                break Outcome::Finished;
            }
            if stop.load(Ordering::Relaxed) {
                recorder.write_checkpoint(self)?;
                break Outcome::Interrupted;
            }
            if let Err(failure) = self.advance(recorder.next_frame_time()) {
                recorder.record_last(self)?;
                return Err(failure.into());
            }
            recorder.record(self)?;
            report(&self.progress());
        };
        recorder.record_last(self)?;
        Ok(outcome)
    }

    /// Runs the dynamic relaxation, if any. Writes only checkpoints and, after a failure, the last state.
    fn run_relaxation(
        &mut self,
        recorder: &mut Recorder,
        report: &mut dyn FnMut(&Progress),
        stop: &AtomicBool,
    ) -> Result<Outcome, RunError> {
        while self.is_relaxing() {
            if stop.load(Ordering::Relaxed) {
                recorder.write_checkpoint(self)?;
                return Ok(Outcome::Interrupted);
            }
            if let Err(failure) = self.advance(0.0) {
                recorder.record_last(self)?;
                return Err(failure.into());
            }
            recorder.record_relaxation(self)?;
            report(&self.progress());
        }
        Ok(Outcome::Finished)
    }

    /// Advances by one step. A step of flight ends no later than `until` \[s\].
    ///
    /// # Errors
    /// [`NumericalFailure`]. The state is then equal in every bit to the state before the step. After an energy failure
    /// in flight or in the last step of dynamic relaxation, however, the state is that after the step.
    pub fn advance(&mut self, until: f64) -> Result<(), NumericalFailure> {
        match self.state.phase {
            Phase::Flight => {
                self.fly_timed(until);
                self.check_energy()
            }
            Phase::Stepping | Phase::Relaxing => self.step_or_recover(),
        }
    }

    /// Time until the end of the run \[s\].
    fn remaining_time(&self) -> f64 {
        self.settings.time.end - self.state.nodes.time - self.state.nodes.time_remainder
    }

    /// Whether the end time is reached.
    pub fn is_finished(&self) -> bool {
        self.state.nodes.time >= self.settings.time.end
    }

    /// A copy of the state between two steps, for [`Simulation::restore`].
    pub fn checkpoint(&self) -> State {
        let mut state = self.state.clone();
        state.contact.detection = self.caches.detector.memory();
        state
    }

    /// Continues from a state of a simulation of the same model.
    ///
    /// # Errors
    /// [`OtherModel`] if the state belongs to another model; the simulation is then unchanged.
    pub fn restore(&mut self, state: State) -> Result<(), OtherModel> {
        if !(state.fits(&self.model) && self.caches.internal.fits(&state.history)) {
            return Err(OtherModel);
        }
        self.forget_copy();
        self.restart_from(state);
        Ok(())
    }

    fn restart_from(&mut self, state: State) {
        self.state = state;
        let memory = std::mem::take(&mut self.state.contact.detection);
        self.renew_caches(&memory);
    }

    /// Computes the caches again from the state. This changes no result.
    pub fn discard_caches(&mut self) {
        let memory = self.caches.detector.memory();
        self.renew_caches(&memory);
    }

    fn renew_caches(&mut self, memory: &DetectionMemory) {
        self.caches.detector.start_from(memory);
        self.caches.wall_detector.forget();
        self.caches.mobility = tied_mobility(&self.model, self.ties.as_ref());
        self.scratch = Scratch::new(&self.model, self.settings.chunks.len());
        let has_stepped = self.state.nodes.step > self.state.steps_in_flight;
        if has_stepped || self.state.relaxation.steps > 0 {
            // This evaluation cannot fail: the last step has evaluated the same positions with the same history.
            let State { nodes, history, control, .. } = &mut self.state;
            let _ = self.caches.internal.evaluate(&nodes.positions, history, control.time_step());
        } else {
            self.caches.internal.reset();
        }
    }

    /// Fails after [`MAX_STEPS_OVER_TOLERANCE`] consecutive steps with an excessive energy imbalance, or if the
    /// imbalance is not finite.
    fn check_energy(&mut self) -> Result<(), NumericalFailure> {
        let (error, tolerance) =
            (self.state.ledger.audit.relative_imbalance(), self.settings.time.energy_tolerance);
        self.state.ledger.steps_past_tolerance = if self.state.ledger.audit.is_past(tolerance) {
            self.state.ledger.steps_past_tolerance + 1
        } else {
            0
        };
        if self.state.ledger.steps_past_tolerance < MAX_STEPS_OVER_TOLERANCE && error.is_finite() {
            return Ok(());
        }
        let cause = FailureCause::EnergyImbalance { error, tolerance };
        Err(self.failure(cause, None))
    }

    /// `element` contains the index of a block among all blocks with internal forces, and the index of an element in
    /// this block.
    fn failure(&self, cause: FailureCause, element: Option<(usize, usize)>) -> NumericalFailure {
        let named = element.and_then(|(block, element)| self.model.element(block, element));
        NumericalFailure {
            cause,
            step: self.state.nodes.step,
            time: self.state.nodes.time,
            time_step: self.state.control.time_step(),
            body: named.map(|(body, _)| body.to_owned()),
            element: named.map(|(_, tag)| tag),
            critical_step: self.state.control.critical_step(),
        }
    }

    /// Current progress.
    pub fn progress(&self) -> Progress {
        Progress {
            time: self.state.nodes.time,
            end: self.settings.time.end,
            step: self.state.nodes.step,
            stable_steps: self.state.nodes.step - self.state.steps_in_flight,
            remaining_steps: self.remaining_time() / self.state.control.regular_step(),
            time_step: self.state.control.time_step(),
            contacts: self.state.contact.constraints.len(),
            energy_error: self.state.ledger.audit.energy_error().last,
            in_flight: self.state.phase == Phase::Flight,
            relaxation: self.relaxation_progress(),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Positions, velocities and accelerations of the nodes. In flight, they are those at the last call of
    /// [`Simulation::update_nodal_state`].
    pub fn state(&self) -> &NodalState {
        &self.state.nodes
    }

    /// Contact constraints of the last step, one per contact.
    pub fn constraints(&self) -> &Constraints {
        &self.state.contact.constraints
    }

    /// Contact forces on the nodes at the end of the last step \[N\]. Zero if contact acts by impulses.
    pub fn contact_forces(&self) -> &[Vec3] {
        &self.state.contact.action.forces
    }

    /// Contact impulses on the nodes in the last step \[N·s\].
    pub fn contact_impulses(&self) -> &[Vec3] {
        &self.state.contact.action.impulses
    }

    /// Current energies.
    pub fn energies(&self) -> &Energies {
        &self.state.ledger.energies
    }

    /// Audit of energy and momentum.
    pub fn audit(&self) -> &Audit {
        &self.state.ledger.audit
    }

    /// Balance of each body: momentum, kinetic energy and centre of mass.
    pub fn balances(&self) -> &[BodyBalance] {
        &self.state.ledger.balances
    }

    /// Critical step of a body in the reference configuration \[s\], and the number in the mesh file of the element
    /// that limits this step. `None` for a rigid body or a wall.
    pub fn critical_step(&self, body: usize) -> Option<(f64, u64)> {
        let blocks = &self.model.bodies[body].blocks;
        let critical = blocks.iter().filter_map(|block| {
            let critical = self.model.block_critical_steps[block.internal?]?;
            Some((critical.time_step, *block.tags.get(critical.element)?))
        });
        critical.reduce(|a, b| if b.0 < a.0 { b } else { a })
    }

    /// Largest admissible displacement of a node of a rigid body in a step \[m\], and the body that sets this limit;
    /// `None` without a limit.
    pub fn rigid_travel(&self) -> Option<(f64, &Body)> {
        self.settings.rigid_travel.map(|(travel, body)| (travel, &self.model.bodies[body]))
    }

    /// First contact of each pair of bodies, in chronological order.
    pub fn first_contacts(&self) -> &[FirstContact] {
        &self.state.ledger.first_contacts
    }

    /// Statistics of contact detection, both between bodies and with walls.
    pub fn detection(&self) -> DetectionStatistics {
        self.caches.detector.statistics().with(self.caches.wall_detector.statistics())
    }

    /// Number of steps of flight so far.
    pub fn steps_in_flight(&self) -> u64 {
        self.state.steps_in_flight
    }

    /// Wall-clock time by stage.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Warnings from the set-up and from the run so far, followed by the warnings about hourglass energy.
    pub fn warnings(&self) -> Vec<String> {
        let audits = self.model.bodies.iter().zip(&self.state.ledger.hourglass_audits);
        let of_hourglass = audits.filter_map(|(body, audit)| audit.warning(&body.name));
        self.state.ledger.warnings.iter().cloned().chain(of_hourglass).collect()
    }

    /// Records the first contact of two bodies. If the scenario excludes parts of their surfaces from contact,
    /// [`Simulation::note_first_contacts`] records the contact instead.
    fn note_first_contact(&mut self, contact: FirstContact) {
        if !self.selection.policy.has_parts_of(contact.bodies)
            && self.state.ledger.have_touched.insert(contact.bodies)
        {
            self.state.ledger.first_contacts.push(contact);
        }
    }

    /// Records the first contact of every two bodies between which a constraint exists.
    fn note_first_contacts(&mut self) {
        let mut last = None;
        for constraint in self.state.contact.constraints.iter() {
            let [contactor, target] = constraint.bodies;
            let bodies = [contactor.min(target), contactor.max(target)];
            if last.replace(bodies) == Some(bodies) || !self.state.ledger.have_touched.insert(bodies) {
                continue;
            }
            let normal = if bodies[0] == target { constraint.normal } else { -constraint.normal };
            let normal_speed = -constraint.normal.dot(&constraint.jump(&self.state.nodes.velocities));
            let point = constraint.point(&self.scratch.positions_next);
            let time = self.state.nodes.time;
            self.state.ledger.first_contacts.push(FirstContact { bodies, time, point, normal, normal_speed });
        }
    }
}
