//! Dynamic relaxation: before t = 0, the bodies come to rest under gravity, contact, and the loads of t = 0.
//!
//! Functions of time keep their values of t = 0. Supports are fixed, and material history evolves. Local damping
//! (Cundall 1987) opposes the velocities in proportion to the resultant forces. It acts equally on all frequencies, so
//! that the scenario needs no damping parameter.

use serde::{Deserialize, Serialize};

use crate::contact::response::NodeCorrection;
use crate::dynamics::Energies;
use crate::math::reduction::fixed_order_sum;
use crate::scenario::DynamicRelaxation;

use crate::Simulation;
use crate::account::hourglass::HourglassAudit;
use crate::account::support_account::SupportAccount;
use crate::error::{FailureCause, NumericalFailure};
use crate::model::Body;
use crate::progress::{Phase, RelaxationProgress};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Relaxation {
    pub steps: u64,
    /// Sum of the step lengths \[s\].
    pub time: f64,
    /// Kinetic energy at the middle of the last step, after damping \[J\].
    kinetic: f64,
    /// Largest kinetic energy at the middle or end of a step \[J\].
    pub peak: f64,
    /// Number of consecutive steps with the bodies at rest, counted back from the last step.
    calm_steps: u64,
}

impl Relaxation {
    /// Records the kinetic energies of a step \[J\]: `kinetic` at the middle, and `at_end` at the end. The bodies count
    /// as at rest if `kinetic` is at most `tolerance` times the peak.
    fn note(&mut self, kinetic: f64, at_end: f64, tolerance: f64) {
        (self.steps, self.kinetic) = (self.steps + 1, kinetic);
        self.peak = self.peak.max(kinetic).max(at_end);
        let is_calm = kinetic <= tolerance * self.peak;
        self.calm_steps = if is_calm { self.calm_steps + 1 } else { 0 };
    }

    /// Whether the bodies have been at rest for enough steps. A few steps are insufficient: the kinetic energy of an
    /// oscillation vanishes in each half period.
    fn is_settled(&self) -> bool {
        self.calm_steps >= self.required_steps()
    }

    /// Number of consecutive steps at rest after which the relaxation ends: the bodies rest for as long as their motion
    /// took to decay.
    fn required_steps(&self) -> u64 {
        DynamicRelaxation::MIN_CALM_STEPS.max(self.steps / 2)
    }

    /// Kinetic energy at the middle of the last step, relative to the peak \[-\].
    fn share(&self) -> f64 {
        if self.peak > 0.0 { self.kinetic / self.peak } else { 0.0 }
    }

    fn part_done(&self) -> f64 {
        self.calm_steps as f64 / self.required_steps() as f64
    }
}

impl Simulation {
    /// Whether the dynamic relaxation before t = 0 is under way.
    pub fn is_relaxing(&self) -> bool {
        self.state.phase == Phase::Relaxing
    }

    /// Time that decides when a checkpoint is due \[s\].
    pub(crate) fn clock(&self) -> f64 {
        if self.is_relaxing() { self.state.relaxation.time } else { self.state.nodes.time }
    }

    /// Number of steps of the dynamic relaxation so far.
    pub fn relaxation_steps(&self) -> u64 {
        self.state.relaxation.steps
    }

    pub(crate) fn relaxation_progress(&self) -> Option<RelaxationProgress> {
        let (settings, _) = self.settings.relaxation.as_ref().filter(|_| self.is_relaxing())?;
        let (relaxation, tolerance) = (&self.state.relaxation, settings.tolerance);
        let (share, part_done) = (relaxation.share(), relaxation.part_done());
        Some(RelaxationProgress { share, tolerance, part_done })
    }

    /// One step of the relaxation. After the last step of the relaxation, the run begins.
    pub(crate) fn relax(&mut self) -> Result<(), NumericalFailure> {
        let Some(&(DynamicRelaxation { tolerance, max_steps }, _)) = self.settings.relaxation.as_ref() else {
            self.state.phase = Phase::Stepping;
            return Ok(());
        };
        self.step()?;
        let (dt, at_end) = (self.state.control.time_step(), self.state.ledger.energies.kinetic);
        self.damp_locally(dt);
        let kinetic = self.kinetic_at_mid_step(dt);
        self.state.relaxation.time += dt;
        self.state.relaxation.note(kinetic, at_end, tolerance);
        if self.state.relaxation.is_settled() {
            self.begin_after_relaxation();
        } else if self.state.relaxation.steps >= max_steps {
            let share = self.state.relaxation.share();
            return Err(self.failure(FailureCause::NotAtRest { share, tolerance }, None));
        }
        Ok(())
    }

    /// Kinetic energy at the middle of the last step \[J\], of length `dt` \[s\], traced back from the current
    /// velocities. At the end of a step, the energy of a resting body is not zero: contact impulses stop the body at
    /// mid-step, and half a kick by gravity follows.
    pub(super) fn kinetic_at_mid_step(&self, dt: f64) -> f64 {
        let (nodes, masses, part) = (&self.state.nodes, &self.model.mass, self.jump_after_mid_step());
        let at_middle = |node: usize| nodes.velocities[node] - nodes.accelerations[node] * (0.5 * dt);
        let of_body = |(index, body): (usize, &Body)| match (&self.state.rigid_bodies[index], body.is_rigid())
        {
            (Some(rigid_state), true) => {
                let (mut rigid_state, forces) = (rigid_state.clone(), &self.state.forces.rigid[index]);
                rigid_state.kick(
                    -0.5 * dt,
                    &(forces.force + forces.reaction),
                    &(forces.torque + forces.reaction_torque),
                );
                let [velocity, spin] = self.jumps_of_rigid(index).map(|jump| jump * part);
                rigid_state.map_momenta(|before| before - velocity, |before| before - spin);
                rigid_state.kinetic_energy()
            }
            _ => fixed_order_sum(body.nodes.len(), &|range| {
                let of_node = |node: usize| 0.5 * masses[node] * at_middle(node).norm_squared();
                range.map(|node| of_node(body.nodes.start + node)).sum::<f64>()
            }),
        };
        let of_bodies: f64 = self.model.bodies.iter().enumerate().map(of_body).sum();
        let by_jump = |correction: &NodeCorrection| {
            let (node, jump) = (correction.node as usize, correction.velocity * part);
            let before = at_middle(node);
            0.5 * masses[node] * ((before - jump).norm_squared() - before.norm_squared())
        };
        of_bodies + self.state.contact.action.node_corrections.iter().map(by_jump).sum::<f64>()
    }

    /// Begins the run. Contacts keep their history.
    fn begin_after_relaxation(&mut self) {
        self.stop_bodies();
        self.state.phase = Phase::Stepping;
        self.state.nodes.step = 0;
        self.forget_copy();
        self.begin_ledger();
        self.set_in_motion();
        self.state.contact.action.remove_ties();
        self.start_forces();
        self.note_first_contacts();
        self.begin_audit();
    }

    /// Resets the sums of the ledger. `warnings` and `function_ranges` remain.
    fn begin_ledger(&mut self) {
        let ledger = &mut self.state.ledger;
        ledger.contact_audit = ledger.contact_audit.begin();
        ledger.energies = Energies::default();
        ledger.pair_balances.clear();
        ledger.hourglass_audits.fill(HourglassAudit::default());
        ledger.support_accounts.fill(SupportAccount::NOTHING);
        ledger.first_contacts.clear();
        ledger.have_touched.clear();
        ledger.steps_past_tolerance = 0;
    }
}
