//! Rigid bodies within a step.

use rayon::prelude::*;

use crate::contact::response::{RigidCorrection, RigidMobility, Ties};
use crate::dynamics::RigidBody;
use crate::dynamics::Wrench;
use crate::dynamics::{PrescribedStep, StepStart, VelocityJumps};
use crate::math::reduction::nodes_per_task;
use crate::math::{Mat3, Vec3};

use super::{Behaviour, Simulation};

/// Forces on a rigid body and its prescribed motion at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidForces {
    /// Resultant of gravity and contact \[N\].
    pub force: Vec3,
    /// Torque of contact about the centre of mass \[N·m\].
    pub torque: Vec3,
    /// Prescribed components of the centre.
    pub prescribed: [Option<PrescribedStep>; 3],
    /// Way of the centre over the step \[m\].
    travel: Vec3,
    /// Reaction of the support at the end of the step \[N\].
    reaction: Vec3,
    /// Reaction at its beginning \[N\].
    reaction_before: Vec3,
    /// Velocity of the centre at the beginning of the last step \[m/s\].
    velocity_before: Vec3,
    /// Prescribed components of the acceleration at its end \[m/s²\].
    acceleration: Vec3,
    /// What the reactions do not say of the last step.
    jumps: [VelocityJumps; 3],
}

impl RigidForces {
    /// No force, nothing prescribed.
    pub fn none() -> Self {
        let zero = Vec3::zeros();
        Self {
            force: zero,
            torque: zero,
            prescribed: [None; 3],
            travel: zero,
            reaction: zero,
            reaction_before: zero,
            velocity_before: zero,
            acceleration: zero,
            jumps: [VelocityJumps::default(); 3],
        }
    }
}

impl Simulation {
    /// Nodes of a body that contact acts on.
    fn touched_nodes(&self, body: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.action.touched_in(&self.model.bodies[body].nodes).iter().map(|&node| node as usize)
    }

    /// Resultants of gravity and contact on the rigid bodies, with the nodes at their new positions.
    pub(super) fn compute_rigid_resultants(&mut self) {
        for (index, (body, carrier)) in self.model.bodies.iter().zip(&self.carriers).enumerate() {
            let (true, Some(carrier)) = (body.is_rigid(), carrier) else { continue };
            let mut force = body.gravity * carrier.mass();
            let mut torque = Vec3::zeros();
            for node in self.touched_nodes(index) {
                let nodal = self.action.forces[node];
                force += nodal;
                torque += (self.positions_next[node] - carrier.centre()).cross(&nodal);
            }
            let rigid = &mut self.forces.rigid[index];
            (rigid.force, rigid.torque) = (force, torque);
        }
    }

    /// Where the prescribed components of the rigid bodies will be at the end of the step.
    pub(super) fn plan_rigid_supports(&mut self, dt: f64) {
        for (index, (body, carrier)) in self.model.bodies.iter().zip(&self.carriers).enumerate() {
            let (Behaviour::Rigid { prescribed: Some(components) }, Some(carrier)) =
                (&body.behaviour, carrier)
            else {
                continue;
            };
            self.forces.rigid[index].velocity_before = carrier.velocity();
            for (axis, motion) in components.iter().enumerate() {
                let start = StepStart {
                    reference: carrier.reference_centre()[axis],
                    position: carrier.centre()[axis],
                    velocity: carrier.velocity()[axis],
                };
                let over_step = motion.as_ref().map(|motion| motion.over_step(self.state.time, dt));
                self.forces.rigid[index].prescribed[axis] = over_step.map(|motion| motion.end(&start));
            }
        }
    }

    /// Half a kick and a drift; nodes follow.
    pub(super) fn predict_rigid(&mut self, body: usize, dt: f64) {
        let Some(carrier) = self.carriers[body].as_mut() else { return };
        let rigid = &mut self.forces.rigid[body];
        let centre = carrier.centre();
        carrier.kick(0.5 * dt, &rigid.force, &rigid.torque);
        if is_supported(&self.model.bodies[body].behaviour) {
            carrier.stop_rotation();
        }
        carrier.drift(dt);
        place(carrier, &rigid.prescribed);
        rigid.travel = carrier.centre() - centre;
        let carrier = &*carrier;
        let nodes = self.model.bodies[body].nodes.clone();
        let before = self.state.positions[nodes.clone()].par_iter();
        let reference = self.model.reference_positions[nodes.clone()].par_iter();
        let places = self.positions_next[nodes.clone()].par_iter_mut().zip(reference.zip(before));
        let motion = self.state.velocities[nodes.clone()].par_iter_mut().zip(places);
        motion.with_min_len(nodes_per_task(nodes.len())).for_each(
            |(velocity, (next, (reference, before)))| {
                *next = carrier.position(reference);
                *velocity = (*next - before) / dt;
            },
        );
    }

    /// Rigid bodies as contact finds them in the middle of the step, with the nodes at its end.
    pub(super) fn refresh_mobility(&mut self, dt: f64) {
        for (index, (body, carrier)) in self.model.bodies.iter().zip(&self.carriers).enumerate() {
            let (true, Some(carrier)) = (body.is_rigid(), carrier) else { continue };
            let rigid = &self.forces.rigid[index];
            let free = |value: Vec3| Vec3::from_fn(|k, _| rigid.prescribed[k].map_or(value[k], |_| 0.0));
            let velocity = Vec3::from_fn(|k, _| {
                rigid.prescribed[k].map_or(carrier.velocity()[k], |_| rigid.travel[k] / dt)
            });
            let turns = !is_supported(&body.behaviour);
            let inverse_inertia = if turns { carrier.inverse_inertia() } else { Mat3::zeros() };
            let mobility = RigidMobility {
                centre: carrier.centre(),
                inverse_mass: free(Vec3::repeat(1.0 / carrier.mass())),
                inverse_inertia,
                velocity,
                angular_velocity: carrier.angular_velocity(),
                acceleration: free(rigid.force / carrier.mass()),
                angular_acceleration: inverse_inertia * rigid.torque,
            };
            self.mobility.set_rigid(index, mobility);
        }
    }

    /// Changes the motion of a rigid body in the middle of the step; nodes follow. What its support answers, and the
    /// energy that the shift gives less the part of the forces, are left to be accounted.
    pub(super) fn correct_motion_of_rigid(&mut self, correction: &RigidCorrection) -> f64 {
        let index = correction.body as usize;
        let Some(carrier) = self.carriers[index].as_mut() else { return 0.0 };
        carrier.jump(&correction.velocity, &correction.angular_velocity);
        let kinetic = carrier.kinetic_energy();
        carrier.shift(&correction.position, &correction.rotation);
        let given = carrier.kinetic_energy() - kinetic;
        let rigid = &mut self.forces.rigid[index];
        rigid.travel += correction.position;
        let carrier = &*carrier;
        let shifts = correction.position != Vec3::zeros() || correction.rotation != Vec3::zeros();
        for node in self.model.bodies[index].nodes.clone() {
            let next = carrier.position(&self.model.reference_positions[node]);
            if shifts {
                self.shifts.push((node as u32, next - self.positions_next[node]));
            }
            self.positions_next[node] = next;
            self.state.velocities[node] = carrier.velocity_at(&next);
        }
        given
    }

    /// What the support of a rigid body answers to the impulses of contact: force and moment times time, and its work.
    pub(super) fn rigid_support_impulse(&self, body: usize, dt: f64) -> (Wrench, f64) {
        let Some(carrier) = &self.carriers[body] else { return (Wrench::zero(), 0.0) };
        let rigid = &self.forces.rigid[body];
        let (mut impulse, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for node in self.touched_nodes(body) {
            let nodal = self.action.impulses[node];
            impulse += nodal;
            moment += (self.positions_next[node] - carrier.centre()).cross(&nodal);
        }
        let held = Vec3::from_fn(|k, _| rigid.prescribed[k].map_or(0.0, |_| impulse[k]));
        let mut answer = Wrench::at(&carrier.centre(), -held);
        if is_supported(&self.model.bodies[body].behaviour) {
            answer.angular -= moment;
        }
        (answer, -held.dot(&rigid.travel) / dt)
    }

    /// The second half of the kick; nodes follow.
    pub(super) fn correct_rigid(&mut self, body: usize, dt: f64) {
        let Some(carrier) = self.carriers[body].as_mut() else { return };
        let rigid = &mut self.forces.rigid[body];
        carrier.kick(0.5 * dt, &rigid.force, &rigid.torque);
        if is_supported(&self.model.bodies[body].behaviour) {
            carrier.stop_rotation();
        }
        place(carrier, &rigid.prescribed);
        rigid.reaction_before = rigid.reaction;
        rigid.reaction = reaction(carrier.mass(), &rigid.force, &rigid.prescribed);
        for (axis, end) in rigid.prescribed.iter().enumerate() {
            let Some(end) = end else { continue };
            let before = [rigid.velocity_before[axis], rigid.acceleration[axis]];
            rigid.jumps[axis] = VelocityJumps::of(before, rigid.travel[axis], end, dt);
            rigid.acceleration[axis] = end.acceleration;
        }
        let spin = carrier.angular_velocity();
        let supported = is_supported(&self.model.bodies[body].behaviour);
        let spin_rate = if supported { Vec3::zeros() } else { carrier.angular_acceleration(&rigid.torque) };
        let acceleration = (rigid.force + rigid.reaction) / carrier.mass();
        let carrier = &*carrier;
        let nodes = self.model.bodies[body].nodes.clone();
        let accelerations = self.state.accelerations[nodes.clone()].par_iter_mut();
        let motion = self.state.velocities[nodes.clone()].par_iter_mut().zip(accelerations);
        let places = self.positions_next[nodes.clone()].par_iter();
        let all = motion.zip(places).with_min_len(nodes_per_task(nodes.len()));
        all.for_each(|((velocity, nodal_acceleration), position)| {
            let arm = position - carrier.centre();
            *velocity = carrier.velocity() + spin.cross(&arm);
            *nodal_acceleration = acceleration + spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm));
        });
    }

    /// a · F + (I⁻¹ τ) · τ of the acceleration of a rigid body under all forces, less that of a free fall \[N·m/s²\]; none of
    /// a body that flies.
    pub(super) fn rigid_force_acceleration(&self, body: usize) -> f64 {
        let (true, Some(carrier)) = (self.model.bodies[body].is_rigid(), &self.carriers[body]) else {
            return 0.0;
        };
        let of_body = &self.model.bodies[body];
        let rigid = &self.forces.rigid[body];
        let force = rigid.force + rigid.reaction;
        let turned = if is_supported(&of_body.behaviour) {
            0.0
        } else {
            rigid.torque.dot(&(carrier.inverse_inertia() * rigid.torque))
        };
        let fall = carrier.mass() * of_body.free_fall().norm_squared();
        force.norm_squared() / carrier.mass() + turned - fall
    }

    /// The part of contact in a · F + (I⁻¹ τ) · τ of a rigid body, at the beginning of a step that has moved it \[N·m/s²\].
    pub(super) fn rigid_contact_acceleration(&self, body: usize) -> f64 {
        let Some(carrier) = &self.carriers_before[body] else { return 0.0 };
        let of_body = &self.model.bodies[body];
        let rigid = &self.forces.rigid[body];
        let contact = rigid.force - of_body.gravity * carrier.mass();
        let moved = contact.dot(&(rigid.force + rigid.reaction)) / carrier.mass();
        if is_supported(&of_body.behaviour) {
            return moved;
        }
        moved + rigid.torque.dot(&(carrier.inverse_inertia() * rigid.torque))
    }

    /// Work of the contact forces on rigid bodies over a step of length `dt` \[s\] beyond that along the ways of their nodes
    /// \[J\]: the kicks at its ends meet velocities along the tangents there, the ways are the secants of the turn between.
    /// Ties are not yet held in this step; theirs are forces along no way.
    pub(super) fn work_beyond_secants(&self, dt: f64) -> f64 {
        let before = &self.contact_before.1;
        let at_start = |node: u32, force: &Vec3| force.dot(&self.tangent_beyond_secant(node, 0));
        let at_end = |node: u32, force: &Vec3| force.dot(&self.tangent_beyond_secant(node, 1));
        let mut work = 0.0;
        for body in self.model.bodies.iter().filter(|body| body.is_rigid()) {
            let acted = before.touched_in(&body.nodes).iter();
            work += acted.map(|&node| at_start(node, &before.forces[node as usize])).sum::<f64>();
            let acts = self.action.touched_in(&body.nodes).iter();
            work += acts.map(|&node| at_end(node, &self.action.forces[node as usize])).sum::<f64>();
        }
        let tied = self.ties.iter().flat_map(Ties::nodal_forces);
        work -= tied.map(|(node, force)| at_start(node, &force)).sum::<f64>();
        0.5 * dt * work
    }

    /// What the velocity of a node of a body that turns, at the start or end (0 or 1) of a step that has moved it, with the
    /// momenta of its middle, has over that along its way \[m/s\].
    fn tangent_beyond_secant(&self, node: u32, end: usize) -> Vec3 {
        let body = self.model.body_of(node);
        let of_body = &self.model.bodies[body];
        let [Some(before), Some(now)] = [&self.carriers_before[body], &self.carriers[body]] else {
            return Vec3::zeros();
        };
        if !of_body.is_rigid() || is_supported(&of_body.behaviour) {
            return Vec3::zeros();
        }
        let position = [&self.state.positions, &self.positions_next][end][node as usize];
        let carrier = [before, now][end];
        let spin = carrier.inverse_inertia() * now.angular_momentum();
        now.velocity() + spin.cross(&(position - carrier.centre())) - self.state.velocities[node as usize]
    }

    /// Forces and moments about the origin of gravity and reactions on a rigid body.
    pub(super) fn rigid_external_wrench(&self, body: usize) -> Wrench {
        let Some(carrier) = &self.carriers[body] else { return Wrench::zero() };
        let rigid = &self.forces.rigid[body];
        let weight = self.model.bodies[body].gravity * carrier.mass();
        let mut wrench = Wrench::at(&carrier.centre(), weight + rigid.reaction);
        if is_supported(&self.model.bodies[body].behaviour) {
            wrench.angular -= rigid.torque;
        }
        wrench
    }

    /// Impulse, and its moment about the origin, of what makes the prescribed motion of a rigid body jump in the last step.
    pub(super) fn rigid_jump_wrench(&self, body: usize) -> Wrench {
        let [Some(before), Some(after)] = [&self.carriers_before[body], &self.carriers[body]] else {
            return Wrench::zero();
        };
        let jumps = &self.forces.rigid[body].jumps;
        let at = |carrier: &RigidBody, end: usize| {
            let jump = Vec3::from_fn(|axis, _| jumps[axis].at_ends()[end]);
            Wrench::at(&carrier.centre(), jump * carrier.mass())
        };
        at(before, 0) + at(after, 1)
    }

    /// Work over the last step of gravity and reactions on a rigid body, and of what makes its prescribed motion jump \[J\].
    pub(super) fn rigid_work(&self, body: usize) -> f64 {
        let Some(carrier) = &self.carriers[body] else { return 0.0 };
        let rigid = &self.forces.rigid[body];
        let weight = self.model.bodies[body].gravity * carrier.mass();
        let jumps: f64 = rigid.jumps.iter().map(VelocityJumps::work).sum();
        (weight + 0.5 * (rigid.reaction_before + rigid.reaction)).dot(&rigid.travel) + carrier.mass() * jumps
    }
}

/// Whether anything is prescribed of a rigid body; it then does not rotate.
fn is_supported(behaviour: &Behaviour) -> bool {
    matches!(behaviour, Behaviour::Rigid { prescribed: Some(_) })
}

/// Puts the prescribed components of the centre in their place.
fn place(carrier: &mut RigidBody, prescribed: &[Option<PrescribedStep>; 3]) {
    for (axis, end) in prescribed.iter().enumerate() {
        if let Some(end) = end {
            carrier.prescribe(axis, end.position, end.velocity);
        }
    }
}

/// What a support adds to the other forces to make the motion what is prescribed \[N\].
fn reaction(mass: f64, force: &Vec3, prescribed: &[Option<PrescribedStep>; 3]) -> Vec3 {
    Vec3::from_fn(|axis, _| prescribed[axis].map_or(0.0, |end| mass * end.acceleration - force[axis]))
}
