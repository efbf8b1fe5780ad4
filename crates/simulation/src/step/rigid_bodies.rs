//! Rigid bodies within a step.

use rayon::prelude::*;

use crate::contact::response::{RigidCorrection, RigidMobility};
use crate::dynamics::{PrescribedStep, RigidBody, RotationOverStep, StepStart, VelocityJumps, Wrench};
use crate::math::reduction::nodes_per_task;
use crate::math::{Mat3, Vec3};

use crate::Simulation;
use crate::model::Behaviour;

impl Simulation {
    /// Nodes of the body number `body` on which contact acts. For a body that cannot move, tied nodes are included.
    fn touched_nodes(&self, body: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.state.contact.action.touched_in(&self.model.bodies[body].nodes).iter().map(|&node| node as usize)
    }

    /// Resultant force and torque of gravity, loads, contact and ties, for the positions at the end of the step.
    pub(crate) fn compute_rigid_resultants(&mut self) {
        for (index, (body, rigid_state)) in self.model.bodies.iter().zip(&self.state.rigid_bodies).enumerate()
        {
            let (true, Some(rigid_state)) = (body.is_rigid(), rigid_state) else { continue };
            let load = self.state.forces.rigid[index].load;
            let mut force = body.gravity * rigid_state.mass() + load.linear;
            let mut torque = load.angular;
            for node in self.touched_nodes(index) {
                let nodal = self.state.contact.action.forces[node];
                force += nodal;
                torque += (self.scratch.positions_next[node] - rigid_state.centre()).cross(&nodal);
            }
            let [of_ties, moment_of_ties] = self.state.contact.action.rigid_force(index);
            let rigid = &mut self.state.forces.rigid[index];
            (rigid.force, rigid.torque) = (force + of_ties, torque + moment_of_ties);
        }
    }

    /// Evaluates the prescribed motion at the end of a step of length `dt` \[s\].
    pub(crate) fn plan_rigid_supports(&mut self, dt: f64) {
        let phase = self.state.phase;
        for (index, (body, rigid_state)) in self.model.bodies.iter().zip(&self.state.rigid_bodies).enumerate()
        {
            let (Behaviour::Rigid { support: Some(support) }, Some(rigid_state)) =
                (&body.behaviour, rigid_state)
            else {
                continue;
            };
            let (time, rigid) = (self.state.nodes.time, &mut self.state.forces.rigid[index]);
            rigid.velocity_before = rigid_state.velocity();
            let start = StepStart {
                reference: rigid_state.reference_centre(),
                position: rigid_state.centre(),
                velocity: rigid_state.velocity(),
            };
            for (axis, motion) in support.components.iter().enumerate() {
                let over_step = motion.as_ref().map(|motion| phase.motion(motion).over_step(time, dt));
                rigid.prescribed[axis] = over_step.map(|motion| motion.end(&start, axis));
            }
            rigid.rotation = phase.rotation(support).map(|rotation| rotation.over_step(time, dt));
        }
    }

    /// Predictor: the first half kick and the drift.
    pub(crate) fn predict_rigid(&mut self, body: usize, dt: f64) {
        let Some(rigid_state) = self.state.rigid_bodies[body].as_mut() else { return };
        let rigid = &mut self.state.forces.rigid[body];
        let before = rigid_state.travel();
        rigid.force_before = rigid.force;
        rigid_state.kick(0.5 * dt, &rigid.force, &rigid.torque);
        if is_supported(&self.model.bodies[body].behaviour) {
            rigid_state.set_spin(&Vec3::zeros());
        }
        rigid.kicked_spins[0] = rigid_state.angular_velocity();
        rigid_state.drift(dt);
        place(rigid_state, &rigid.prescribed);
        if let Some(over_step) = &rigid.rotation {
            turn(rigid_state, over_step, dt);
            rigid.kicked_spins[0] = rigid_state.angular_velocity();
        }
        rigid.travel = rigid_state.travel() - before;
        let rigid_state = &*rigid_state;
        let nodes = self.model.bodies[body].nodes.clone();
        let before = self.state.nodes.positions[nodes.clone()].par_iter();
        let reference = self.model.reference_positions[nodes.clone()].par_iter();
        let places = self.scratch.positions_next[nodes.clone()].par_iter_mut().zip(reference.zip(before));
        let motion = self.state.nodes.velocities[nodes.clone()].par_iter_mut().zip(places);
        motion.with_min_len(nodes_per_task(nodes.len())).for_each(
            |(velocity, (next, (reference, before)))| {
                *next = rigid_state.position(reference);
                *velocity = (*next - before) / dt;
            },
        );
    }

    /// Updates the mobility for mid-step velocities and for positions at the end of the step.
    pub(crate) fn refresh_mobility(&mut self, dt: f64) {
        for (index, (body, rigid_state)) in self.model.bodies.iter().zip(&self.state.rigid_bodies).enumerate()
        {
            let (true, Some(rigid_state)) = (body.is_rigid(), rigid_state) else { continue };
            let rigid = &self.state.forces.rigid[index];
            let free = |value: Vec3| Vec3::from_fn(|k, _| rigid.prescribed[k].map_or(value[k], |_| 0.0));
            let velocity = Vec3::from_fn(|k, _| {
                rigid.prescribed[k].map_or(rigid_state.velocity()[k], |_| rigid.travel[k] / dt)
            });
            let turns = !is_supported(&body.behaviour);
            let inverse_inertia = if turns { rigid_state.inverse_inertia() } else { Mat3::zeros() };
            let mobility = RigidMobility {
                centre: rigid_state.centre(),
                inverse_mass: free(Vec3::repeat(1.0 / rigid_state.mass())),
                inverse_inertia,
                velocity,
                angular_velocity: rigid_state.angular_velocity(),
                acceleration: free(rigid.force / rigid_state.mass()),
                angular_acceleration: inverse_inertia * rigid.torque,
            };
            self.caches.mobility.set_rigid(index, mobility);
        }
    }

    /// Applies the velocity jumps and position corrections by contact, between the two half kicks. Returns the kinetic
    /// energy that the position correction adds \[J\]. The caller accounts for support reactions, and for the work of
    /// the position correction against the forces on the body (`account_corrections`).
    pub(crate) fn correct_motion_of_rigid(&mut self, correction: &RigidCorrection) -> f64 {
        let index = correction.body as usize;
        let Some(rigid_state) = self.state.rigid_bodies[index].as_mut() else { return 0.0 };
        rigid_state.jump(&correction.velocity, &correction.angular_velocity);
        let kinetic = rigid_state.kinetic_energy();
        rigid_state.shift(&correction.position, &correction.rotation);
        let given = rigid_state.kinetic_energy() - kinetic;
        let rigid = &mut self.state.forces.rigid[index];
        rigid.travel += correction.position;
        let rigid_state = &*rigid_state;
        for node in self.model.bodies[index].nodes.clone() {
            let next = rigid_state.position(&self.model.reference_positions[node]);
            self.scratch.positions_next[node] = next;
            self.state.nodes.velocities[node] = rigid_state.velocity_at(&next);
        }
        given
    }

    /// Accounts for the support reaction to contact and tie impulses in a step of length `dt` \[s\].
    pub(crate) fn react_by_rigid_support(&mut self, body: usize, dt: f64) {
        let (Some((accounts, moment_account)), Some(rigid_state)) =
            (self.accounts_of_rigid(body), &self.state.rigid_bodies[body])
        else {
            return;
        };
        let rigid = self.state.forces.rigid[body];
        let (centre, spin) = (rigid_state.centre(), rigid_state.angular_velocity());
        let (mut impulse, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for node in self.touched_nodes(body) {
            let nodal = self.state.contact.action.impulses[node];
            impulse += nodal;
            moment += (self.scratch.positions_next[node] - centre).cross(&nodal);
        }
        let range = &self.model.bodies[body].nodes;
        let by_ties = self
            .state
            .contact
            .action
            .tie_impulses
            .iter()
            .filter(|(node, _)| range.contains(&(*node as usize)));
        for &(node, nodal) in by_ties {
            impulse += nodal;
            moment += (self.scratch.positions_next[node as usize] - centre).cross(&nodal);
        }
        for axis in (0..3).filter(|&axis| rigid.prescribed[axis].is_some()) {
            let reaction = Wrench::at(&centre, Vec3::ith(axis, -impulse[axis]));
            self.add_support_reaction(
                Some(accounts[axis]),
                reaction,
                -impulse[axis] * rigid.travel[axis] / dt,
            );
        }
        let reaction = Wrench { angular: -moment, ..Wrench::zero() };
        self.add_support_reaction(Some(moment_account), reaction, -moment.dot(&spin));
    }

    /// Corrector: the second half kick.
    pub(crate) fn correct_rigid(&mut self, body: usize, dt: f64) {
        let Some(rigid_state) = self.state.rigid_bodies[body].as_mut() else { return };
        let rigid = &mut self.state.forces.rigid[body];
        rigid.kicked_spins[1] = rigid_state.angular_velocity();
        rigid_state.kick(0.5 * dt, &rigid.force, &rigid.torque);
        let supported = is_supported(&self.model.bodies[body].behaviour);
        let spin_rate = if supported {
            let (spin, rate) = rigid.rotation.map_or_else(Default::default, |end| (end.spin, end.spin_rate));
            let before = self.scratch.before.rigid_bodies.get(body).and_then(Option::as_ref);
            let momentum_before = before.map_or_else(Vec3::zeros, RigidBody::angular_momentum);
            rigid_state.set_spin(&spin);
            rigid.hold_moment(rigid_state, [momentum_before, rate], dt);
            rate
        } else {
            rigid_state.angular_acceleration(&rigid.torque)
        };
        place(rigid_state, &rigid.prescribed);
        rigid.reaction = reaction(rigid_state.mass(), &rigid.force, &rigid.prescribed);
        for (axis, end) in rigid.prescribed.iter().enumerate() {
            let Some(end) = end else { continue };
            let before = [rigid.velocity_before[axis], rigid.acceleration[axis]];
            rigid.jumps[axis] = VelocityJumps::of(before, rigid.travel[axis], end, dt);
            rigid.acceleration[axis] = end.acceleration;
        }
        let spin = rigid_state.angular_velocity();
        let acceleration = (rigid.force + rigid.reaction) / rigid_state.mass();
        let rigid_state = &*rigid_state;
        let nodes = self.model.bodies[body].nodes.clone();
        let accelerations = self.state.nodes.accelerations[nodes.clone()].par_iter_mut();
        let motion = self.state.nodes.velocities[nodes.clone()].par_iter_mut().zip(accelerations);
        let places = self.scratch.positions_next[nodes.clone()].par_iter();
        let all = motion.zip(places).with_min_len(nodes_per_task(nodes.len()));
        all.for_each(|((velocity, nodal_acceleration), position)| {
            let arm = position - rigid_state.centre();
            *velocity = rigid_state.velocity() + spin.cross(&arm);
            *nodal_acceleration = acceleration + spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm));
        });
    }

    /// a · F + (I⁻¹ τ) · τ over the free components \[N·m/s²\]. Here F is the resultant force, a the acceleration, τ
    /// the torque and I the inertia. For a loaded body, the contribution of weight and loads is subtracted; for all
    /// other bodies, that of free fall.
    pub(crate) fn rigid_force_acceleration(&self, body: usize) -> f64 {
        let (true, Some(rigid_state)) = (self.model.bodies[body].is_rigid(), &self.state.rigid_bodies[body])
        else {
            return 0.0;
        };
        let of_body = &self.model.bodies[body];
        let rigid = &self.state.forces.rigid[body];
        let of_forces = self.rigid_force_dot_acceleration(body, rigid_state, [rigid.force, rigid.torque]);
        let from_outside = if of_body.loaded {
            self.rigid_load_acceleration(body)
        } else {
            rigid_state.mass() * of_body.free_fall().norm_squared()
        };
        of_forces - from_outside
    }

    /// Contribution of weight and loads to a · F + (I⁻¹ τ) · τ \[N·m/s²\].
    pub(crate) fn rigid_load_acceleration(&self, body: usize) -> f64 {
        let Some(rigid_state) = &self.state.rigid_bodies[body] else { return 0.0 };
        let load = &self.state.forces.rigid[body].load;
        let force = self.model.bodies[body].gravity * rigid_state.mass() + load.linear;
        self.rigid_force_dot_acceleration(body, rigid_state, [force, load.angular])
    }

    /// force · a + torque · (I⁻¹ τ) over the free components \[N·m/s²\]. Here a is the acceleration, τ the torque and I
    /// the inertia of the body.
    fn rigid_force_dot_acceleration(
        &self,
        body: usize,
        rigid_state: &RigidBody,
        [force, torque]: [Vec3; 2],
    ) -> f64 {
        let rigid = &self.state.forces.rigid[body];
        let free = Vec3::from_fn(|k, _| rigid.prescribed[k].map_or(rigid.force[k], |_| 0.0));
        let moved = force.dot(&free) / rigid_state.mass();
        if is_supported(&self.model.bodies[body].behaviour) {
            return moved;
        }
        moved + torque.dot(&(rigid_state.inverse_inertia() * rigid.torque))
    }

    /// Contribution of contact to a · F + (I⁻¹ τ) · τ at the beginning of the step \[N·m/s²\]. Call after the
    /// predictor.
    pub(crate) fn rigid_contact_acceleration(&self, body: usize) -> f64 {
        let Some(rigid_state) = &self.scratch.before.rigid_bodies[body] else { return 0.0 };
        let of_body = &self.model.bodies[body];
        let rigid = &self.state.forces.rigid[body];
        let [of_ties, moment_of_ties] = self.scratch.before.action.rigid_force(body);
        let force = rigid.force - rigid.load.linear - of_body.gravity * rigid_state.mass() - of_ties;
        self.rigid_force_dot_acceleration(
            body,
            rigid_state,
            [force, rigid.torque - rigid.load.angular - moment_of_ties],
        )
    }

    /// Work of the contact forces on rigid bodies over a step of length `dt` \[s\], minus the sum of force times nodal
    /// displacement \[J\]. The kicks do work along tangents of the path of a rotating node; the displacement is a
    /// secant of this path. Tie forces act on a body as a whole, and do not contribute.
    pub(crate) fn work_beyond_secants(&self, dt: f64) -> f64 {
        let before = &self.scratch.before.action;
        let at_start = |node: u32, force: &Vec3| force.dot(&self.tangent_beyond_secant(node, 0));
        let at_end = |node: u32, force: &Vec3| force.dot(&self.tangent_beyond_secant(node, 1));
        let mut work = 0.0;
        for body in self.model.bodies.iter().filter(|body| body.is_rigid()) {
            let acted = before.touched_in(&body.nodes).iter();
            work += acted.map(|&node| at_start(node, &before.forces[node as usize])).sum::<f64>();
            let acts = self.state.contact.action.touched_in(&body.nodes).iter();
            work +=
                acts.map(|&node| at_end(node, &self.state.contact.action.forces[node as usize])).sum::<f64>();
        }
        0.5 * dt * work
    }

    /// Velocity of a node of a rotating body at the beginning (`end` = 0) or end (`end` = 1) of the step, minus the
    /// mean velocity of the node in the step \[m/s\]. The velocity at either end follows from the momenta at the middle
    /// of the step.
    fn tangent_beyond_secant(&self, node: u32, end: usize) -> Vec3 {
        let body = self.model.body_of(node);
        let of_body = &self.model.bodies[body];
        let [Some(before), Some(now)] =
            [&self.scratch.before.rigid_bodies[body], &self.state.rigid_bodies[body]]
        else {
            return Vec3::zeros();
        };
        if !of_body.is_rigid() || is_supported(&of_body.behaviour) {
            return Vec3::zeros();
        }
        let position = [&self.state.nodes.positions, &self.scratch.positions_next][end][node as usize];
        let rigid_state = [before, now][end];
        let spin = rigid_state.inverse_inertia() * now.angular_momentum();
        now.velocity() + spin.cross(&(position - rigid_state.centre()))
            - self.state.nodes.velocities[node as usize]
    }

    /// Resultant of gravity and loads \[N\], with its moment about the origin \[N·m\].
    pub(crate) fn rigid_external_wrench(&self, body: usize) -> Wrench {
        let Some(rigid_state) = &self.state.rigid_bodies[body] else { return Wrench::zero() };
        let load = &self.state.forces.rigid[body].load;
        let force = self.model.bodies[body].gravity * rigid_state.mass() + load.linear;
        Wrench::at(&rigid_state.centre(), force) + Wrench { angular: load.angular, ..Wrench::zero() }
    }

    /// Work of gravity and loads over a step of length `dt` \[s\], in J.
    pub(crate) fn rigid_work(&self, body: usize, dt: f64) -> f64 {
        let Some(rigid_state) = &self.state.rigid_bodies[body] else { return 0.0 };
        let weight = self.model.bodies[body].gravity * rigid_state.mass();
        let rigid = &self.state.forces.rigid[body];
        let along = (weight + rigid.mean_load().linear).dot(&rigid.travel) + rigid.work_of_moments(dt);
        along + self.work_of_load_kicks(body, dt)
    }
}

/// Whether a body is rigid and has a support. Every support of a rigid body fixes or prescribes the rotation.
pub(crate) fn is_supported(behaviour: &Behaviour) -> bool {
    matches!(behaviour, Behaviour::Rigid { support: Some(_) })
}

/// Applies the prescribed rotation, and sets the angular velocity to the mean over the step.
pub(crate) fn turn(rigid_state: &mut RigidBody, over_step: &RotationOverStep, dt: f64) {
    let before = rigid_state.rotation();
    let after = over_step.rotation(&before);
    rigid_state.set_rotation(&after);
    rigid_state.set_spin(&((after * before.inverse()).scaled_axis() / dt));
}

/// Sets the prescribed components of the position and velocity of the centre of mass.
pub(crate) fn place(rigid_state: &mut RigidBody, prescribed: &[Option<PrescribedStep>; 3]) {
    for (axis, end) in prescribed.iter().enumerate() {
        if let Some(end) = end {
            rigid_state.prescribe(axis, end.position, end.velocity);
        }
    }
}

/// Reaction that gives the prescribed components their prescribed accelerations \[N\]. `force` is the sum of all other
/// forces \[N\].
fn reaction(mass: f64, force: &Vec3, prescribed: &[Option<PrescribedStep>; 3]) -> Vec3 {
    Vec3::from_fn(|axis, _| prescribed[axis].map_or(0.0, |end| mass * end.acceleration - force[axis]))
}
