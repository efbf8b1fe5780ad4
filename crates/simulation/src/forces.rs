//! Forces on nodes and rigid bodies, kept from step to step.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::dynamics::{PrescribedStep, RigidBody, RotationOverStep, Support, VelocityJumps, Wrench};
use crate::math::Vec3;

use super::model::{Body, Model};

/// Forces at the end of the last step \[N\], and prescribed motion.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Forces {
    /// Weight and loads on the nodes, without the weight of rigid bodies. Empty if [`Body::is_driven`] is false for all
    /// bodies.
    pub external: Vec<Vec3>,
    /// `external` at the beginning of the last step.
    pub external_before: Vec<Vec3>,
    /// One entry per load.
    pub loads: Vec<AppliedLoad>,
    /// Σ f · a at the beginning and at the end of the last step \[N·m/s²\], with external forces f and accelerations a.
    /// One entry per body: a sum over the components without a support; zero for a body without loads.
    pub load_accelerations: Vec<[f64; 2]>,
    /// One entry per body, used for rigid bodies only.
    pub rigid: Vec<RigidForces>,
    /// One entry per support: one component for each node of the support.
    pub supported: Vec<Vec<SupportedComponent>>,
    /// Reactions, one per slider.
    pub sliders: Vec<Vec3>,
}

clone_by_field!(Forces { external, external_before, loads, load_accelerations, rigid, supported, sliders });

impl Forces {
    /// Whether the numbers of entries fit the model. Does not check `rigid` and `supported`.
    pub fn fit(&self, model: &Model) -> bool {
        let driven = model.bodies.iter().any(Body::is_driven);
        let num_nodes = if driven { model.reference_positions.len() } else { 0 };
        [self.external.len(), self.external_before.len()] == [num_nodes; 2]
            && self.loads.len() == model.loads.len()
            && self.load_accelerations.len() == model.bodies.len()
            && self.sliders.len() == model.sliders.len()
    }

    /// Forces at t = 0: only the weight of the nodes.
    pub fn new(model: &Model) -> Self {
        let driven = model.bodies.iter().any(Body::is_driven);
        let mut weights = vec![Vec3::zeros(); if driven { model.reference_positions.len() } else { 0 }];
        for body in model.bodies.iter().filter(|body| body.is_driven() && !body.is_rigid()) {
            for node in body.nodes.clone() {
                weights[node] = body.gravity * model.mass[node];
            }
        }
        let components = |support: &Support| vec![SupportedComponent::default(); support.nodes.len()];
        Self {
            external: weights.clone(),
            external_before: weights,
            loads: vec![AppliedLoad::NONE; model.loads.len()],
            load_accelerations: vec![[0.0; 2]; model.bodies.len()],
            rigid: vec![RigidForces::none(); model.bodies.len()],
            supported: model.supports.iter().map(components).collect(),
            sliders: vec![Vec3::zeros(); model.sliders.len()],
        }
    }
}

/// Values and jump of a load. A pressure uses only the x components.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct AppliedLoad {
    /// Value of the load in the current nodal forces.
    pub applied: Vec3,
    /// Jump at the beginning of the step.
    pub jump: Vec3,
    /// Value at the end of the step.
    pub end: Vec3,
}

impl AppliedLoad {
    pub const NONE: Self = {
        let zero = Vec3::new(0.0, 0.0, 0.0);
        Self { applied: zero, jump: zero, end: zero }
    };
}

/// Component of a node's motion that a support prescribes. During a step, `end` and `velocity_before` belong to this
/// step, and the other values to the last completed step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SupportedComponent {
    /// Prescribed motion at the end of the step.
    pub end: PrescribedStep,
    /// Velocity at the beginning of the step \[m/s\].
    pub velocity_before: f64,
    /// Reaction at the end of the last step \[N\].
    pub reaction: f64,
    /// Sum of all forces without the reaction, at the end of the last step \[N\].
    pub force: f64,
    /// `force` at the beginning of the last step \[N\].
    pub force_before: f64,
    /// Acceleration at the end of the last step \[m/s²\].
    pub acceleration: f64,
    /// Velocity jumps of the prescribed motion in the last step, whose impulses are not part of the reactions.
    pub jumps: VelocityJumps,
}

impl SupportedComponent {
    /// Adds the jump `load` of the forces on the node \[N\] to `force`, and subtracts it from `reaction`.
    pub fn balance_jump(&mut self, load: f64) {
        self.force += load;
        self.reaction -= load;
    }
}

/// Forces on a rigid body and its prescribed motion, at the end of a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RigidForces {
    /// Resultant of gravity, loads and contact \[N\].
    pub force: Vec3,
    /// Torque of loads and contact about the centre of mass \[N·m\].
    pub torque: Vec3,
    /// Resultant of the loads \[N\], and their moment about the centre of mass \[N·m\].
    pub load: Wrench,
    /// `load` at the beginning of the step.
    pub load_before: Wrench,
    /// Angular velocities after the first and before the second half kick \[rad/s\]. In a prescribed rotation, both are
    /// the mean over the step.
    pub kicked_spins: [Vec3; 2],
    /// Prescribed motion of each component of the centre.
    pub prescribed: [Option<PrescribedStep>; 3],
    pub rotation: Option<RotationOverStep>,
    /// Displacement of the centre over the step \[m\].
    pub travel: Vec3,
    /// Reaction of the support at the end of the step \[N\].
    pub reaction: Vec3,
    /// [`RigidForces::force`] at the beginning of the step \[N\].
    pub force_before: Vec3,
    /// Velocity of the centre at the beginning of the last step \[m/s\].
    pub velocity_before: Vec3,
    /// Acceleration of the centre in the prescribed components, at the end of the last step \[m/s²\].
    pub acceleration: Vec3,
    /// Velocity jumps of the prescribed motion in the last step, whose impulses are not part of the reactions.
    pub jumps: [VelocityJumps; 3],
    /// Reaction moment about the centre of mass at the end of the step \[N·m\].
    pub reaction_torque: Vec3,
    /// Rate of change of the prescribed angular momentum about the centre of mass, at the end of the step \[N·m\].
    pub momentum_rate: Vec3,
    /// Change of the angular momentum in the last step minus the integral of `momentum_rate` by the trapezoidal rule
    /// \[N·m·s\].
    pub moment_jump: Vec3,
}

impl RigidForces {
    pub fn none() -> Self {
        let zero = Vec3::zeros();
        Self {
            force: zero,
            torque: zero,
            load: Wrench::ZERO,
            load_before: Wrench::ZERO,
            kicked_spins: [zero; 2],
            prescribed: [None; 3],
            rotation: None,
            travel: zero,
            reaction: zero,
            force_before: zero,
            velocity_before: zero,
            acceleration: zero,
            jumps: [VelocityJumps::default(); 3],
            reaction_torque: zero,
            momentum_rate: zero,
            moment_jump: zero,
        }
    }

    /// Adds a jump of the loads at the beginning of a step. Reactions balance the force of the jump in prescribed
    /// components and, if any component is prescribed, its whole moment.
    pub fn jump_load(&mut self, jump: Wrench) {
        self.load = self.load + jump;
        self.force += jump.linear;
        self.torque += jump.angular;
        for axis in (0..3).filter(|&axis| self.prescribed[axis].is_some()) {
            self.reaction[axis] -= jump.linear[axis];
        }
        if self.prescribed.iter().any(Option::is_some) {
            self.reaction_torque -= jump.angular;
        }
    }

    /// Sets the loads at the end of a step. The previous loads become `load_before`.
    pub fn set_load(&mut self, load: Wrench) {
        self.load_before = std::mem::replace(&mut self.load, load);
    }

    pub fn mean_load(&self) -> Wrench {
        (self.load_before + self.load).scaled(0.5)
    }

    /// Work \[J\] of the load moments about the centre of mass, in a step of length `dt` \[s\].
    pub fn work_of_moments(&self, dt: f64) -> f64 {
        let [start, end] = self.kicked_spins;
        0.5 * dt * (self.load_before.angular.dot(&start) + self.load.angular.dot(&end))
    }

    /// Computes the reaction moment L̇ − τ of a supported body at the end of a step, where
    ///
    /// ```text
    /// L̇ = I α + ω × L
    /// ```
    /// with the torque τ of loads and contact, angular momentum L, inertia I, angular velocity ω and angular
    /// acceleration α. `before` is L at the beginning of the step \[N·m·s\], and `spin_rate` is α at the end
    /// \[rad/s²\].
    pub fn hold_moment(&mut self, rigid_state: &RigidBody, [before, spin_rate]: [Vec3; 2], dt: f64) {
        let momentum = rigid_state.angular_momentum();
        let rate = rigid_state.inertia_times(&spin_rate) + rigid_state.angular_velocity().cross(&momentum);
        let change = if dt == 0.0 { Vec3::zeros() } else { momentum - before };
        self.moment_jump = change - (self.momentum_rate + rate) * (0.5 * dt);
        self.momentum_rate = rate;
        self.reaction_torque = rate - self.torque;
    }
}
