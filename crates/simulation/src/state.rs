//! The state of a simulation: all data that evolve in time.

use std::collections::BTreeSet;

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::contact::Constraints;
use crate::contact::detection::DetectionMemory;
use crate::contact::response::{ContactAction, ResponseMemory};
use crate::dynamics::{Audit, Energies, MaterialHistory, NodalState, RigidBody, Wrench};
use crate::math::Vec3;

use super::account::contact_audit::{ContactAudit, PairBalance};
use super::account::energy_audit::BodyBalance;
use super::account::hourglass::HourglassAudit;
use super::account::support_account::SupportAccount;
use super::forces::Forces;
use super::model::Model;
use super::progress::{FirstContact, Phase};
use super::settle::relaxation::Relaxation;
use super::step::driving_functions::FunctionRange;
use super::step::initial_gaps::InitialGaps;
use super::step::step_size::StepControl;

/// All data of a simulation that evolve in time, as they are between two steps. A simulation of the same model that
/// continues from a copy of the state reproduces the original bit for bit.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    pub(crate) nodes: NodalState,
    /// Rigid bodies and, in flight, all other bodies and walls that fly; `None` for all others. One entry per body or
    /// wall.
    pub(crate) rigid_bodies: Vec<Option<RigidBody>>,
    pub(crate) phase: Phase,
    pub(crate) relaxation: Relaxation,
    pub(crate) steps_in_flight: u64,
    /// History variables at the beginning and at the end of the last step.
    pub(crate) history: MaterialHistory,
    pub(crate) forces: Forces,
    pub(crate) contact: ContactState,
    pub(crate) control: StepControl,
    pub(crate) ledger: Ledger,
}

clone_by_field!(State {
    nodes,
    rigid_bodies,
    phase,
    relaxation,
    steps_in_flight,
    history,
    forces,
    contact,
    control,
    ledger,
});

/// Contacts of the last step, and the memory of the response.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ContactState {
    pub constraints: Constraints,
    pub action: ContactAction,
    /// Nodal positions at which contact was last detected \[m\]; empty if contact has corrected no position since then.
    pub detected_positions: Vec<Vec3>,
    pub initial_gaps: InitialGaps,
    pub response: ResponseMemory,
    /// Filled only in copies of the state. During a run, the detector holds this memory.
    pub detection: DetectionMemory,
    /// Length of the next step, for which the tie forces were computed \[s\]; 0 if the tie forces must be computed
    /// again.
    pub tied_step: f64,
    /// Number of Newton iterations for tie forces since the start of the simulation.
    pub tie_iterations: u64,
}

clone_by_field!(ContactState {
    constraints,
    action,
    detected_positions,
    initial_gaps,
    response,
    detection,
    tied_step,
    tie_iterations,
});

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    pub energies: Energies,
    pub audit: Audit,
    /// One entry per body.
    pub balances: Vec<BodyBalance>,
    pub pair_balances: Vec<PairBalance>,
    pub contact_audit: ContactAudit,
    /// One entry per body.
    pub hourglass_audits: Vec<HourglassAudit>,
    /// 2 Σ m |x|² over the moving bodies \[kg·m²\]. Here m is the mass and |x| the largest absolute coordinate of each
    /// body. The energy that the rounding of positions adds is proportional to this sum.
    pub rounded_moment: f64,
    pub external_wrench: Wrench,
    /// Boundaries first, then walls.
    pub support_accounts: Vec<SupportAccount>,
    pub first_contacts: Vec<FirstContact>,
    pub have_touched: BTreeSet<[u32; 2]>,
    /// Number of consecutive steps with an energy imbalance above the tolerance, counted back from the last step.
    pub steps_past_tolerance: u32,
    /// In the order of the driving functions.
    pub function_ranges: Vec<FunctionRange>,
    pub warnings: Vec<String>,
}

clone_by_field!(Ledger {
    energies,
    audit,
    balances,
    pair_balances,
    contact_audit,
    hourglass_audits,
    rounded_moment,
    external_wrench,
    support_accounts,
    first_contacts,
    have_touched,
    steps_past_tolerance,
    function_ranges,
    warnings,
});

/// Error of a state that does not fit the model of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state belongs to another model; restore the state of a simulation of the same scenario")]
pub struct OtherModel;

impl State {
    /// The state as bytes, from which [`State::decode`] restores the same bits.
    ///
    /// # Errors
    /// `postcard::Error` of the serialisation.
    pub fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(self)
    }

    /// Reads a state from the bytes of [`State::encode`].
    ///
    /// # Errors
    /// `postcard::Error` if the bytes are not a state of this version of the program.
    pub fn decode(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let (mut state, rest): (Self, &[u8]) = postcard::take_from_bytes(bytes)?;
        let num_nodes = state.nodes.positions.len();
        let is_whole = rest.is_empty() && state.contact.action.restore_listed(num_nodes);
        if is_whole { Ok(state) } else { Err(postcard::Error::DeserializeBadEncoding) }
    }

    /// Whether all lengths and indices, except those of the material history, are valid for `model`.
    pub(crate) fn fits(&self, model: &Model) -> bool {
        let Self { nodes, rigid_bodies, forces, contact, ledger, .. } = self;
        let (num_nodes, num_bodies) = (model.reference_positions.len(), model.bodies.len());
        let of_nodes = [nodes.positions.len(), nodes.velocities.len(), nodes.accelerations.len()];
        let of_bodies =
            [rigid_bodies.len(), forces.rigid.len(), ledger.balances.len(), ledger.hourglass_audits.len()];
        let supported = forces.supported.iter().map(Vec::len);
        let of_pairs = ledger.pair_balances.iter().flat_map(|pair| &pair.bodies);
        let mut bodies = of_pairs.chain(ledger.first_contacts.iter().flat_map(|contact| &contact.bodies));
        of_nodes == [num_nodes; 3]
            && of_bodies == [num_bodies; 4]
            && forces.fit(model)
            && supported.eq(model.supports.iter().map(|support| support.nodes.len()))
            && contact.constraints.fit(num_nodes, num_bodies)
            && contact.response.fits(num_nodes, num_bodies)
            && contact.detection.first_steps.as_ref().is_none_or(|steps| steps.fits(model.surfaces.len()))
            && [0, num_nodes].contains(&contact.detected_positions.len())
            && ledger.support_accounts.len() == model.num_support_accounts
            && bodies.all(|&body| (body as usize) < num_bodies)
    }

    pub(crate) fn at_rest(
        model: &Model,
        rigid_bodies: Vec<Option<RigidBody>>,
        history: MaterialHistory,
        response: ResponseMemory,
        control: StepControl,
        (function_ranges, warnings): (Vec<FunctionRange>, Vec<String>),
    ) -> Self {
        let num_bodies = model.bodies.len();
        Self {
            nodes: NodalState::at_rest(model.reference_positions.clone()),
            rigid_bodies,
            phase: Phase::Stepping,
            relaxation: Relaxation::default(),
            steps_in_flight: 0,
            history,
            forces: Forces::new(model),
            contact: ContactState {
                constraints: Constraints::default(),
                action: ContactAction::new(model.reference_positions.len()),
                detected_positions: Vec::new(),
                initial_gaps: InitialGaps::default(),
                response,
                detection: DetectionMemory::default(),
                tied_step: 0.0,
                tie_iterations: 0,
            },
            control,
            ledger: Ledger {
                energies: Energies::default(),
                audit: Audit::new(&Energies::default(), Wrench::zero(), 0.0),
                balances: vec![BodyBalance::at_rest(); num_bodies],
                pair_balances: Vec::new(),
                contact_audit: ContactAudit::default(),
                hourglass_audits: vec![HourglassAudit::default(); num_bodies],
                rounded_moment: 0.0,
                external_wrench: Wrench::zero(),
                support_accounts: vec![SupportAccount::NOTHING; model.num_support_accounts],
                first_contacts: Vec::new(),
                have_touched: BTreeSet::new(),
                steps_past_tolerance: 0,
                function_ranges,
                warnings,
            },
        }
    }
}

/// Values at the beginning of the step.
pub(crate) struct Before {
    pub rigid_bodies: Vec<Option<RigidBody>>,
    pub constraints: Constraints,
    pub action: ContactAction,
    pub balances: Vec<BodyBalance>,
}

impl Before {
    pub fn new(num_nodes: usize) -> Self {
        Self {
            rigid_bodies: Vec::new(),
            constraints: Constraints::default(),
            action: ContactAction::new(num_nodes),
            balances: Vec::new(),
        }
    }

    /// Copies rigid states and balances, which the step overwrites in place.
    pub fn note(&mut self, state: &State) {
        self.rigid_bodies.clone_from(&state.rigid_bodies);
        self.balances.clone_from(&state.ledger.balances);
    }
}
