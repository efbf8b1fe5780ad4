//! Ties within a step.

use crate::contact::Constraints;
use crate::contact::response::{
    Mobility, RigidForce, RigidMotions, RigidPlace, StepLength, TiedRigidBody, Ties, UnlikeMasses,
};
use crate::dynamics::{RigidBody, StepStart};
use crate::math::{Mat3, Vec3};
use crate::scenario::{Scenario, TiedPair};

use super::contact::response::moved_bodies;
use super::rigid_bodies::{is_supported, place, turn};
use super::step_size::is_same_step;
use crate::Simulation;
use crate::error::SetupError;
use crate::forces::RigidForces;
use crate::model::{Behaviour, Model};
use crate::progress::Phase;

pub(crate) fn build_ties(
    ties: Constraints,
    scenario: &Scenario,
    model: &Model,
    mobility: &Mobility,
    rigid_states: &[Option<RigidBody>],
) -> Result<Option<Ties>, SetupError> {
    if ties.is_empty() {
        return Ok(None);
    }
    let rigid = |body| tied_rigid_body(model, rigid_states, body);
    let built = Ties::new(ties, &model.reference_positions, mobility, rigid);
    built.map(Some).map_err(|UnlikeMasses { bodies, masses }| {
        let is_of =
            |pair: &&TiedPair| pair.bodies.iter().all(|body| bodies.binary_search(&(*body as u32)).is_ok());
        SetupError::UnlikeTies {
            bodies: bodies.iter().map(|&body| model.bodies[body as usize].name.clone()).collect(),
            masses,
            span: scenario.contact.tied.iter().find(is_of).map_or(0..0, |pair| pair.span.clone()),
        }
    })
}

/// `None` for a body that is not rigid or cannot move.
fn tied_rigid_body(model: &Model, rigid_states: &[Option<RigidBody>], body: u32) -> Option<TiedRigidBody> {
    let of_body = &model.bodies[body as usize];
    let (true, Some(rigid_state)) = (of_body.is_rigid_and_moves(), &rigid_states[body as usize]) else {
        return None;
    };
    let Behaviour::Rigid { support } = &of_body.behaviour else { return None };
    let moves = |axis: usize| support.as_ref().is_none_or(|support| support.components[axis].is_none());
    Some(TiedRigidBody {
        mass: rigid_state.mass(),
        reference_centre: rigid_state.reference_centre(),
        moves: [0, 1, 2].map(moves),
        turns: support.is_none(),
    })
}

/// Motions of rigid bodies in the following step, predicted from the velocities at the middle of the current step.
pub(crate) struct PredictedMotions<'a> {
    model: &'a Model,
    rigid_states: &'a [Option<RigidBody>],
    forces: &'a [RigidForces],
    phase: Phase,
    /// Time at the end of the current step \[s\].
    time: f64,
    step: StepLength,
}

impl<'a> PredictedMotions<'a> {
    pub fn at(
        (phase, time): (Phase, f64),
        step: StepLength,
        model: &'a Model,
        rigid_states: &'a [Option<RigidBody>],
        forces: &'a [RigidForces],
    ) -> Self {
        Self { model, rigid_states, forces, phase, time, step }
    }

    fn place(rigid_state: &RigidBody) -> RigidPlace {
        let rotation = *rigid_state.rotation().to_rotation_matrix().matrix();
        RigidPlace { centre: rigid_state.centre(), rotation }
    }

    /// Centre of mass in the reference configuration \[m\].
    pub fn reference_centre(&self, body: u32) -> Vec3 {
        self.rigid_state(body).map_or_else(Vec3::zeros, RigidBody::reference_centre)
    }

    fn rigid_state(&self, body: u32) -> Option<&RigidBody> {
        self.rigid_states[body as usize].as_ref()
    }
}

impl RigidMotions for PredictedMotions<'_> {
    fn present(&self, body: u32) -> RigidPlace {
        self.rigid_state(body).map_or(RigidPlace::REFERENCE, Self::place)
    }

    fn inertia(&self, body: u32) -> [Mat3; 2] {
        self.rigid_state(body)
            .map_or([Mat3::zeros(); 2], |rigid_state| [rigid_state.inertia(), rigid_state.inverse_inertia()])
    }

    /// Place at the end of the following step, under the impulse and moment of the ties. The kick by forces combines
    /// the second half kick of the current step and the first half kick of the following step.
    fn following(&self, body: u32, [impulse, moment]: &[Vec3; 2]) -> RigidPlace {
        let Some(mut rigid_state) = self.rigid_state(body).cloned() else { return RigidPlace::REFERENCE };
        let of_body = &self.model.bodies[body as usize];
        let (rigid, dt) = (&self.forces[body as usize], self.step.following);
        let start = StepStart {
            reference: rigid_state.reference_centre(),
            position: rigid_state.centre(),
            velocity: rigid_state.velocity(),
        };
        rigid_state.kick(self.step.kick(), &rigid.force, &rigid.torque);
        rigid_state.kick(1.0, impulse, moment);
        let Behaviour::Rigid { support: Some(support) } = &of_body.behaviour else {
            rigid_state.drift(dt);
            return Self::place(&rigid_state);
        };
        let mut prescribed = [None; 3];
        for (axis, motion) in support.components.iter().enumerate() {
            prescribed[axis] = motion
                .as_ref()
                .map(|motion| self.phase.motion(motion).over_step(self.time, dt).end(&start, axis));
        }
        debug_assert!(is_supported(&of_body.behaviour));
        rigid_state.set_spin(&Vec3::zeros());
        rigid_state.drift(dt);
        place(&mut rigid_state, &prescribed);
        if let Some(rotation) = self.phase.rotation(support) {
            turn(&mut rigid_state, &rotation.over_step(self.time, dt), dt);
        }
        Self::place(&rigid_state)
    }
}

impl Simulation {
    /// Constraints of tied points, Σ w_a x_a = 0 with the weight w_a and position x_a of each node a of a constraint;
    /// `None` without ties.
    pub fn tied_points(&self) -> Option<&Constraints> {
        self.ties.as_ref().map(Ties::constraints)
    }

    /// Number of Newton iterations of the ties so far. A group of coupled ties without movable rigid bodies needs one
    /// iteration per solution. Other groups iterate until the tied points coincide at the end of the following step.
    pub fn tie_iterations(&self) -> u64 {
        self.state.contact.tie_iterations
    }

    /// Adds the tie forces that act in the second half of a step of length `dt` \[s\] and in the first half of the
    /// following step. Commits the length of the following step.
    pub(crate) fn enforce_ties(&mut self, dt: f64) {
        if self.ties.is_some() {
            self.commit_step_for_ties();
            let step = self.step_length(dt);
            self.drive_ties_of_next_step(step.following);
            self.solve_ties(step);
        }
    }

    /// Adds the tie forces that would act without contact. The contact response at the end of a step of length `dt`
    /// \[s\] needs these forces.
    pub(crate) fn accelerate_by_ties(&mut self, dt: f64) {
        let step = self.step_length(dt);
        self.save_driven_velocities();
        self.drive_ties_of_next_step(step.following);
        self.solve_ties(step);
        self.restore_driven_velocities();
    }

    fn solve_ties(&mut self, step: StepLength) {
        let Some(mut ties) = self.ties.take() else { return };
        let created = self.state.ledger.contact_audit.created;
        let bodies = moved_bodies(
            &self.model,
            &self.state.nodes,
            &self.scratch.positions_next,
            &self.caches.mobility,
            created,
        );
        let motions = PredictedMotions::at(
            (self.state.phase, self.state.nodes.time),
            step,
            &self.model,
            &self.state.rigid_bodies,
            &self.state.forces.rigid,
        );
        let iterations = ties.hold(&bodies, &motions, step, &mut self.state.contact.action);
        self.state.contact.tied_step = step.following;
        self.state.contact.tie_iterations += iterations;
        self.ties = Some(ties);
        self.accelerate_by_contact();
    }

    /// Solves the ties again if `dt` \[s\] differs from the length for which the tie forces were computed. Like a load
    /// that jumps, the tie forces then have two values at the beginning of the step.
    pub(crate) fn renew_ties(&mut self, dt: f64) {
        if self.ties.is_none() || is_same_step(dt, self.state.contact.tied_step) {
            return;
        }
        self.state.contact.action.remove_ties();
        self.scratch.positions_next.copy_from_slice(&self.state.nodes.positions);
        self.compute_rigid_resultants();
        self.accelerate_constrained_nodes();
        self.drive_ties_of_this_step(dt);
        let regular = self.state.control.spring_step().max(dt);
        self.solve_ties(StepLength { actual: 0.0, regular, following: dt });
        self.constrain_sliders();
        self.balance_force_jumps();
        self.balance_rigid_force_jumps();
        for body in 0..self.model.bodies.len() {
            self.update_force_acceleration(body);
        }
        self.refresh_reactions();
        self.state.ledger.external_wrench = self.compute_external_wrench();
    }

    /// Rounding error of the energy of tied bodies at rest \[J\]: Σ |f| ε |x|. Here f is the tie force on a rigid body,
    /// ε the relative rounding error and |x| the largest absolute coordinate of the centre.
    pub(crate) fn rounded_work_of_ties(&self) -> f64 {
        let of_body = |force: &RigidForce| {
            let centre = self.state.rigid_bodies[force.body as usize].as_ref().map(RigidBody::centre);
            centre.map_or(0.0, |centre| force.force.norm() * f64::EPSILON * centre.amax())
        };
        self.state.contact.action.rigid_forces.iter().map(of_body).sum()
    }

    /// Solves the ties again after a change of velocities between two steps.
    pub(crate) fn restart_ties(&mut self) {
        if self.ties.is_some() {
            self.state.contact.action.remove_ties();
            self.start_forces();
        }
    }

    /// Computes the tie forces of the first step. The tie forces of a later step are computed in the step before it.
    pub(crate) fn start_ties(&mut self) {
        if self.ties.is_none() {
            return;
        }
        self.refresh_critical_step();
        self.accelerate_constrained_nodes();
        self.enforce_ties(0.0);
    }
}
