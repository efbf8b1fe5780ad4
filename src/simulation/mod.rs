//! The simulation: owns the model and its state, and is the only place that knows the order of a step.

mod account;
mod error;
mod model;
mod record;
mod setup;
mod step;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::contact::detection::volume::Aabb;
use crate::contact::detection::{DetectionStatistics, Detector, EntryFaces, TunnellingGuard, WallDetector};
use crate::contact::response::{ContactAction, Mobility, OffsetPoints, Response, Ties};
use crate::contact::{Constraints, Surface};
use crate::dynamics::{Audit, CriticalStep, Energies, InternalForce, RigidBody, State, Wrench};
use crate::math::{RigidMotion, Vec3};
use crate::scenario::TimeSettings;

use account::contact_audit::ContactAudit;
pub use account::contact_audit::PairBalance;
pub use account::energy_audit::BodyBalance;
use account::hourglass::HourglassAudit;
use account::nodal_sums::NodalSums;
pub use account::support_account::SupportAccount;
pub use error::{
    Conflict, FailureCause, NumericalFailure, Overlap, PartingTie, Passage, RunError, SetupError,
};
pub use model::{Behaviour, Block, Body, CellAddress, Model, RigidSupport, Slider, WallMotion};
use record::probes::Probe;
pub use record::recorder::Recorder;
use record::schedule::OutputTimes;
pub use record::timings::WallTimes;
use setup::surface_pairs::{ExcludedParts, FlushContacts, OnePass};
use step::corrector::NodeChunk;
use step::driven_ties::DrivenTies;
use step::driving_functions::DrivingFunctions;
use step::impact_times::ImpactControl;
use step::initial_gaps::InitialGaps;
use step::loads::AppliedLoad;
use step::rigid_bodies::RigidForces;
use step::step_size::StepControl;
use step::supports::SupportedComponent;

/// A simulation between two steps.
pub struct Simulation {
    model: Model,
    settings: TimeSettings,
    state: State,
    /// Rigid bodies, and deformable ones while they fly; one entry a body.
    rigid_states: Vec<Option<RigidBody>>,
    /// The same at the beginning of the step.
    rigid_states_before: Vec<Option<RigidBody>>,
    phase: Phase,
    motions: Vec<RigidMotion>,
    internal: InternalForce,
    forces: Forces,
    positions_next: Vec<Vec3>,
    /// Position corrections that contact has made since the last detection, by node \[m\].
    position_corrections: Vec<(u32, Vec3)>,
    detector: Box<dyn Detector>,
    wall_detector: WallDetector,
    entry_faces: EntryFaces,
    initial_penetrations: Vec<Overlap>,
    initial_gaps: InitialGaps,
    excluded_parts: ExcludedParts,
    flush_contacts: FlushContacts,
    one_pass: OnePass,
    offset_points: OffsetPoints,
    response: Box<dyn Response>,
    mobility: Mobility,
    /// Points glued together, if there are any.
    ties: Option<Ties>,
    driven_ties: DrivenTies,
    constraints: Constraints,
    action: ContactAction,
    /// Contacts of the step before, and their action.
    contact_before: (Constraints, ContactAction),
    control: StepControl,
    driving_functions: DrivingFunctions,
    /// Where steps are to end at outputs.
    exact_output: Option<OutputTimes>,
    tunnelling: TunnellingGuard,
    /// Of the places and velocities of the bodies, reused.
    passage_boxes: Vec<(u32, [Aabb; 2])>,
    /// Largest distance of a node of each body that can touch others from the centre of mass, of rigid ones \[m\].
    radii: Vec<f64>,
    /// Where steps are to end at impacts.
    impact_control: Option<Box<ImpactControl>>,
    balances: Vec<BodyBalance>,
    balances_before: Vec<BodyBalance>,
    /// The nodes that are corrected together, and the sums over them.
    chunks: Vec<NodeChunk>,
    nodal_sums: Vec<NodalSums>,
    pair_balances: Vec<PairBalance>,
    contact_audit: ContactAudit,
    /// One entry a body.
    hourglass_audits: Vec<HourglassAudit>,
    /// Faces of each body that can touch.
    surfaces: Vec<Surface>,
    energies: Energies,
    audit: Audit,
    /// Moment of the masses that rounding of positions moves \[kg·m²\].
    rounded_moment: f64,
    external_wrench: Wrench,
    /// Of boundaries and walls.
    support_accounts: Vec<SupportAccount>,
    /// The same at the beginning of the step.
    support_accounts_before: Vec<SupportAccount>,
    first_contacts: Vec<FirstContact>,
    /// The pairs of bodies in them.
    have_touched: BTreeSet<[u32; 2]>,
    steps_in_flight: u64,
    /// Steps in a row in which the imbalance of the energy was past its tolerance.
    steps_past_tolerance: u32,
    timings: WallTimes,
    /// Critical step of each block of elements in the reference configuration.
    block_critical_steps: Vec<Option<CriticalStep>>,
    /// What is measured.
    probes: Vec<Probe>,
    warnings: Vec<String>,
}

/// Steps in a row past the energy tolerance after which a run stops.
///
/// A load that sets in at once puts its energy into the shortest waves, whose kinetic energy at the ends of steps is
/// off by (ω dt)²/4: a good part of what little energy there is in the first steps, and a small one soon after. An
/// unstable run does not come back.
const MAX_STEPS_OVER_TOLERANCE: u32 = 20;

/// How the bodies move at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// In closed form, free of stress and contact.
    Flight,
    /// Step by step.
    Stepping,
}

/// Nodal forces at the end of the last step \[N\].
#[derive(Clone, Debug, Default)]
struct Forces {
    /// On nodes of bodies that are driven, always their weight where these have no load, without it where they are rigid; no
    /// entries where none is driven.
    external: Vec<Vec3>,
    external_before: Vec<Vec3>,
    /// The values of the loads.
    loads: Vec<AppliedLoad>,
    /// Σ f · a of what acts from outside on what is free of bodies with loads, at the beginning and at the end of the step; one
    /// entry a body \[N·m/s²\].
    load_accelerations: Vec<[f64; 2]>,
    /// One entry a body; of rigid ones only.
    rigid: Vec<RigidForces>,
    /// Supported components, by support and node.
    supported: Vec<Vec<SupportedComponent>>,
    /// Reactions of the sliders.
    sliders: Vec<Vec3>,
}

/// The first contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// The bodies, first < second.
    pub bodies: [u32; 2],
    /// When \[s\].
    pub time: f64,
    /// Where \[m\].
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Speed at which they close along the normal \[m/s\].
    pub normal_speed: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the end of the time asked for.
    Finished,
    /// Stopped from outside, after a whole step.
    Interrupted,
}

/// Where a run stands, for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time \[s\].
    pub time: f64,
    /// Time at the end of the run \[s\].
    pub end: f64,
    /// Steps taken.
    pub step: u64,
    /// Size of the last step \[s\].
    pub time_step: f64,
    /// Active contacts.
    pub contacts: usize,
    /// |Imbalance| + |net numerical work|, over the largest energy so far \[-\].
    pub energy_error: f64,
    /// Whether all bodies fly free.
    pub in_flight: bool,
}

impl Simulation {
    /// Runs to the end of the time asked for, or until `stop` is set: then the step is finished and a last frame
    /// written. `report` is called after every step.
    ///
    /// Its tasks are small: call it in a thread of a pool (`rayon::ThreadPool::install`), as from outside each of them waits
    /// for one to wake.
    ///
    /// # Errors
    /// [`RunError::Numerical`] when the numbers go wrong, after a last frame; [`RunError::Output`] when the
    /// result cannot be written.
    pub fn run(
        &mut self,
        recorder: &mut Recorder,
        report: &mut dyn FnMut(&Progress),
        stop: &AtomicBool,
    ) -> Result<Outcome, RunError> {
        recorder.begin(self)?;
        let outcome = loop {
            if self.is_finished() {
                break Outcome::Finished;
            }
            if stop.load(Ordering::Relaxed) {
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

    /// Takes one step, in flight no further than `until` \[s\].
    ///
    /// # Errors
    /// [`NumericalFailure`] when an element is inverted, a number is not finite, a body goes through another, or the energy
    /// error is past its tolerance; the positions are then those of the last good step.
    pub fn advance(&mut self, until: f64) -> Result<(), NumericalFailure> {
        match self.phase {
            Phase::Flight => self.fly_timed(until),
            Phase::Stepping => self.step()?,
        }
        self.check_energy()
    }

    /// Time from now to the end of the time asked for \[s\].
    fn remaining_time(&self) -> f64 {
        self.settings.end - self.state.time - self.state.time_remainder
    }

    /// Whether the end of the time asked for is reached.
    pub fn is_finished(&self) -> bool {
        self.state.time >= self.settings.end
    }

    /// Stops if the imbalance of the energy stays past its tolerance, or is no number.
    fn check_energy(&mut self) -> Result<(), NumericalFailure> {
        let (error, tolerance) = (self.audit.relative_imbalance(), self.settings.energy_tolerance);
        self.steps_past_tolerance =
            if self.audit.is_past(tolerance) { self.steps_past_tolerance + 1 } else { 0 };
        if self.steps_past_tolerance < MAX_STEPS_OVER_TOLERANCE && error.is_finite() {
            return Ok(());
        }
        let cause = FailureCause::EnergyImbalance { error, tolerance };
        Err(self.failure(cause, None))
    }

    /// A failure at the end of the current step, in an element with internal forces.
    fn failure(&self, cause: FailureCause, element: Option<(usize, usize)>) -> NumericalFailure {
        let named = element.and_then(|(block, element)| self.model.element(block, element));
        NumericalFailure {
            cause,
            step: self.state.step,
            time: self.state.time,
            time_step: self.control.time_step(),
            body: named.map(|(body, _)| body.to_owned()),
            element: named.map(|(_, tag)| tag),
            critical_step: self.control.critical_step(),
        }
    }

    /// Where the run stands.
    pub fn progress(&self) -> Progress {
        Progress {
            time: self.state.time,
            end: self.settings.end,
            step: self.state.step,
            time_step: self.control.time_step(),
            contacts: self.constraints.len(),
            energy_error: self.audit.energy_error().last,
            in_flight: self.phase == Phase::Flight,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Nodal positions, velocities and accelerations. While bodies fly they stand at the last frame; see
    /// [`Simulation::update_nodal_state`].
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Contacts of the last step.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Energies at present.
    pub fn energies(&self) -> &Energies {
        &self.energies
    }

    /// The audit of energy and momentum.
    pub fn audit(&self) -> &Audit {
        &self.audit
    }

    /// Momentum, kinetic energy and centre of each body.
    pub fn balances(&self) -> &[BodyBalance] {
        &self.balances
    }

    /// Critical step of a body in the reference configuration \[s\], and the user's number of the element that
    /// controls it; `None` for a rigid body.
    pub fn critical_step(&self, body: usize) -> Option<(f64, u64)> {
        let blocks = &self.model.bodies[body].blocks;
        let critical = blocks.iter().filter_map(|block| {
            let critical = self.block_critical_steps[block.internal?]?;
            Some((critical.time_step, *block.tags.get(critical.element)?))
        });
        critical.reduce(|a, b| if b.0 < a.0 { b } else { a })
    }

    /// First contacts of pairs of bodies, in the order of time.
    pub fn first_contacts(&self) -> &[FirstContact] {
        &self.first_contacts
    }

    /// What detection has done, of bodies and walls.
    pub fn detection(&self) -> DetectionStatistics {
        self.detector.statistics().with(self.wall_detector.statistics())
    }

    /// Steps taken in flight.
    pub fn steps_in_flight(&self) -> u64 {
        self.steps_in_flight
    }

    /// Wall time by part of the program.
    pub fn wall_times(&self) -> &WallTimes {
        &self.timings
    }

    /// What a user should know though the run goes on: of the set-up, of the run as it came up, and, as far as the run has
    /// got, of hourglass control.
    pub fn warnings(&self) -> Vec<String> {
        let audits = self.model.bodies.iter().zip(&self.hourglass_audits);
        let of_hourglass = audits.filter_map(|(body, audit)| audit.warning(&body.name));
        self.warnings.iter().cloned().chain(of_hourglass).collect()
    }

    /// Notes that two bodies meet which had no contact before; where parts of them do not touch, contacts will tell.
    fn note_first_contact(&mut self, contact: FirstContact) {
        if !self.excluded_parts.are_of(contact.bodies) && self.have_touched.insert(contact.bodies) {
            self.first_contacts.push(contact);
        }
    }

    /// Notes contacts of pairs of bodies that had none before.
    fn note_first_contacts(&mut self) {
        let mut last = None;
        for constraint in self.constraints.iter() {
            let [contactor, target] = constraint.bodies;
            let bodies = [contactor.min(target), contactor.max(target)];
            if last.replace(bodies) == Some(bodies) || !self.have_touched.insert(bodies) {
                continue;
            }
            let normal = if bodies[0] == target { constraint.normal } else { -constraint.normal };
            let normal_speed = -constraint.normal.dot(&constraint.jump(&self.state.velocities));
            let point = constraint.point(&self.positions_next);
            let time = self.state.time;
            self.first_contacts.push(FirstContact { bodies, time, point, normal, normal_speed });
        }
    }
}
