//! Mass damping in the steps of the run, and local damping in the steps of dynamic relaxation.
//!
//! **Mass damping** is the force −α M v on the nodes of deformable bodies, with the rate α, the mass matrix M and the
//! velocities v. On a rigid body, mass damping is the force −α m v and the torque −α I ω. In each step, velocities v
//! and angular momenta L decay twice: before the predictor, by the damping of the first half of the step; after the
//! corrector, by the damping of the second half:
//!
//! ```text
//! v ← v exp(−∫ α dt),   L ← L exp(−∫ α dt)
//! ```
//!
//! The time integration remains of second order in dt, and the stability limit is independent of α.
//!
//! **Local damping** acts on mid-step velocities. For a velocity component v with the acceleration a, and the
//! coefficient β:
//!
//! ```text
//! v ← sign(v) max(|v| − β |a| dt, 0)
//! ```
//!
//! In each half period, an oscillation of any frequency loses the fraction 2β/(1 + β) of its amplitude. The damping
//! vanishes in equilibrium.
//!
//! Damping leaves positions and forces unchanged. The dissipation is the decrease of the kinetic energy.
//!
//! # Source
//! Strang, SIAM J. Numer. Anal. 5 (1968) 506–517 (symmetric splitting); Bussi & Parrinello, Phys. Rev. E 75 (2007)
//! 056707 (this splitting with velocity Verlet). Cundall, Distinct element models of rock and soil structure, in:
//! Analytical and Computational Methods in Engineering Rock Mechanics, 1987, 129–163 (local damping).

use rayon::prelude::*;

use crate::math::Vec3;
use crate::math::reduction::{fixed_order_sum, nodes_per_task};

use crate::Simulation;
use crate::contact::response::Stage;
use crate::step::corrector::{supports_of, within};
use crate::step::rigid_bodies::is_supported;

/// Coefficient β of local damping \[-\] (Cundall 1987): amplitudes fall to a ninth in each half period.
const LOCAL: f64 = 0.8;

#[derive(Clone, Copy)]
enum Momentum {
    Linear,
    Angular,
}

impl Simulation {
    /// `dt` is the length of the whole step \[s\].
    pub(crate) fn damp_first_half(&mut self, dt: f64) {
        let start = self.state.nodes.time;
        self.scratch.damped_until = start + 0.5 * dt;
        self.damp([start, self.scratch.damped_until]);
    }

    /// If an impact cut the step before the planned middle, this function removes the excess damping of the first half.
    pub(crate) fn damp_second_half(&mut self) {
        self.damp([self.scratch.damped_until, self.state.nodes.time]);
    }

    /// Damps from the time `from` to the time `to` \[s\].
    fn damp(&mut self, [from, to]: [f64; 2]) {
        if self.is_relaxing() {
            return;
        }
        for body in 0..self.model.bodies.len() {
            let Some(rate) = &self.model.bodies[body].mass_damping else { continue };
            let exponent = (to - from).signum() * rate.integrals(from.min(to), (to - from).abs()).first;
            if exponent != 0.0 {
                let factor = (-exponent).exp();
                self.map_velocities(body, &|velocity, _, _| velocity * factor);
            }
        }
    }

    /// Applies local damping after a step of length `dt` \[s\]. With ties, one factor multiplies all velocities, so
    /// that tied points keep equal velocities.
    pub(super) fn damp_locally(&mut self, dt: f64) {
        if self.ties.is_some() {
            let [speed, change] = self.norms_of_motion(dt);
            let factor = if speed > 0.0 { (1.0 - LOCAL * change / speed).max(0.0) } else { 1.0 };
            self.damp_at_mid_step(dt, &|velocity, _| velocity * factor);
        } else {
            let damped = |v: f64, change: f64| (v.abs() - LOCAL * change.abs()).max(0.0).copysign(v);
            self.damp_at_mid_step(dt, &|velocity, change| velocity.zip_map(change, damped));
        }
    }

    /// Replaces mid-step velocities and angular momenta by `damped`(value, change in a step of length `dt`). With ties
    /// or contact impulses, mid-step is the middle of the last step: ties and impulses can still change the value at
    /// the middle of the following step. Without them, mid-step is the middle of the following step.
    fn damp_at_mid_step(&mut self, dt: f64, damped: &(impl Fn(&Vec3, &Vec3) -> Vec3 + Sync)) {
        let of_last_step = self.acts_by_impulses() || self.ties.is_some();
        let to_mid_step = if of_last_step { 0.5 * dt } else { -0.5 * dt };
        let part = self.jump_after_mid_step();
        let damped = |velocity: &Vec3, acceleration: &Vec3, jump: &Vec3| {
            let half_kick = acceleration * to_mid_step + jump * part;
            damped(&(velocity - half_kick), &(acceleration * dt + jump)) + half_kick
        };
        let (action, nodes) = (&self.state.contact.action, &self.state.nodes);
        let corrected = action.node_corrections.iter().map(|correction| {
            let node = correction.node as usize;
            (
                correction.node,
                damped(&nodes.velocities[node], &nodes.accelerations[node], &correction.velocity),
            )
        });
        self.scratch.damped_velocities.extend(corrected);
        for body in 0..self.model.bodies.len() {
            let jumps = self.jumps_of_rigid(body);
            let damped = |v: &Vec3, a: &Vec3, quantity: Momentum| damped(v, a, &jumps[quantity as usize]);
            self.map_velocities(body, &damped);
        }
        self.scratch.damped_velocities.clear();
    }

    /// Fraction of a velocity jump by contact that occurs after the middle of the step \[-\]: 0 for impulses, which act
    /// at the middle; ½ for forces computed from the geometry at the middle, which act throughout the step.
    pub(super) fn jump_after_mid_step(&self) -> f64 {
        if self.response.stage() == Stage::Middle { 0.5 } else { 0.0 }
    }

    /// √(Σ m |v|²) and √(Σ m |Δv|²) of the last step. Here m are the masses, v the velocities at the middle of the
    /// step, and Δv the velocity changes. Rotations of rigid bodies contribute with the inertia.
    fn norms_of_motion(&self, dt: f64) -> [f64; 2] {
        let (nodes, masses) = (&self.state.nodes, &self.model.mass);
        let mut squares = [2.0 * self.kinetic_at_mid_step(dt), 0.0];
        for (index, body) in self.model.bodies.iter().enumerate() {
            squares[1] += match &self.state.rigid_bodies[index] {
                Some(rigid_state) if body.is_rigid() => {
                    let (forces, [velocity, spin]) =
                        (&self.state.forces.rigid[index], self.jumps_of_rigid(index));
                    let change = forces.force * (dt / rigid_state.mass()) + velocity;
                    let turn = forces.torque * dt + spin;
                    rigid_state.mass() * change.norm_squared()
                        + turn.dot(&(rigid_state.inverse_inertia() * turn))
                }
                _ => fixed_order_sum(body.nodes.len(), &|range| {
                    let of_node =
                        |node: usize| masses[node] * (nodes.accelerations[node] * dt).norm_squared();
                    range.map(|node| of_node(body.nodes.start + node)).sum::<f64>()
                }),
            };
        }
        for correction in &self.state.contact.action.node_corrections {
            let node = correction.node as usize;
            let kick = nodes.accelerations[node] * dt;
            squares[1] += masses[node] * ((kick + correction.velocity).norm_squared() - kick.norm_squared());
        }
        squares.map(|square| square.max(0.0).sqrt())
    }

    /// Jumps of the velocity \[m/s\] and angular momentum \[kg·m²/s\] of a rigid body by contact in the last step.
    pub(super) fn jumps_of_rigid(&self, body: usize) -> [Vec3; 2] {
        let corrections = &self.state.contact.action.rigid_corrections;
        let place = corrections.binary_search_by_key(&(body as u32), |correction| correction.body);
        let (Ok(place), Some(rigid_state)) = (place, &self.state.rigid_bodies[body]) else {
            return [Vec3::zeros(); 2];
        };
        let correction = &corrections[place];
        [correction.velocity, rigid_state.inertia_times(&correction.angular_velocity)]
    }

    /// Sets all velocities except prescribed ones to zero.
    pub(super) fn stop_bodies(&mut self) {
        for body in 0..self.model.bodies.len() {
            self.map_velocities(body, &|_, _, _| Vec3::zeros());
        }
    }

    /// Replaces the free velocity components by `map`(velocity, acceleration), and angular momenta by `map`(angular
    /// momentum, torque).
    fn map_velocities(&mut self, body: usize, map: &(impl Fn(&Vec3, &Vec3, Momentum) -> Vec3 + Sync)) {
        if self.model.bodies[body].is_rigid() {
            self.map_rigid_velocity(body, map);
        } else {
            self.map_nodal_velocities(body, map);
        }
        let after = self.body_balance(body);
        let before = std::mem::replace(&mut self.state.ledger.balances[body], after);
        let dissipated = before.kinetic - after.kinetic;
        let ledger = &mut self.state.ledger;
        ledger.energies.kinetic -= dissipated;
        ledger.energies.mass_damping_dissipation += dissipated;
        ledger.audit.add_impulse(after.momentum + before.momentum.scaled(-1.0));
        ledger.contact_audit.velocities_jump = true;
    }

    fn map_nodal_velocities(&mut self, body: usize, map: &(impl Fn(&Vec3, &Vec3, Momentum) -> Vec3 + Sync)) {
        let nodes = self.model.bodies[body].nodes.clone();
        let accelerations = self.state.nodes.accelerations[nodes.clone()].par_iter();
        let motion = self.state.nodes.velocities[nodes.clone()].par_iter_mut().zip(accelerations);
        motion
            .with_min_len(nodes_per_task(nodes.len()))
            .for_each(|(velocity, acceleration)| *velocity = map(velocity, acceleration, Momentum::Linear));
        let slowed = &self.scratch.damped_velocities;
        for (node, velocity) in &slowed[within(slowed, |(node, _)| *node, &nodes)] {
            self.state.nodes.velocities[*node as usize] = *velocity;
        }
        for (index, places) in supports_of(&self.settings.chunks, &nodes) {
            let (support, components) = (&self.model.supports[*index], &self.state.forces.supported[*index]);
            for (&node, component) in support.nodes[places.clone()].iter().zip(&components[places.clone()]) {
                self.state.nodes.velocities[node as usize][support.axis] = component.end.velocity;
            }
        }
    }

    fn map_rigid_velocity(&mut self, body: usize, map: &(impl Fn(&Vec3, &Vec3, Momentum) -> Vec3 + Sync)) {
        let Some(rigid_state) = self.state.rigid_bodies[body].as_mut() else { return };
        let rigid = &self.state.forces.rigid[body];
        let acceleration = rigid.force / rigid_state.mass();
        let free = |before: &Vec3, after: Vec3| {
            Vec3::from_fn(|axis, _| rigid.prescribed[axis].map_or(after[axis], |_| before[axis]))
        };
        let turns = !is_supported(&self.model.bodies[body].behaviour);
        rigid_state.map_momenta(
            |velocity| free(velocity, map(velocity, &acceleration, Momentum::Linear)),
            |momentum| if turns { map(momentum, &rigid.torque, Momentum::Angular) } else { *momentum },
        );
        let rigid_state = &*rigid_state;
        let nodes = self.model.bodies[body].nodes.clone();
        let positions = self.state.nodes.positions[nodes.clone()].par_iter();
        let velocities = self.state.nodes.velocities[nodes.clone()].par_iter_mut().zip(positions);
        velocities
            .with_min_len(nodes_per_task(nodes.len()))
            .for_each(|(velocity, position)| *velocity = rigid_state.velocity_at(position));
    }
}
