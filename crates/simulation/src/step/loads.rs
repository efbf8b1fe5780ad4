//! Loads within a step.
//!
//! A load that jumps at the end of a step has two values at this instant. The left limit acts in the second half kick
//! of this step. The right limit acts in the first half kick of the following step.

use std::time::Instant;

use rayon::prelude::*;

use crate::dynamics::Wrench;
use crate::math::Vec3;
use crate::math::reduction::{fixed_order_sum, nodes_per_task};

use crate::Simulation;
use crate::account::energy_audit::kick_energy;
use crate::forces::AppliedLoad;

impl Simulation {
    /// Applies the load jumps at the beginning of a step of length `dt` \[s\].
    pub(crate) fn start_loads(&mut self, dt: f64) {
        self.state.ledger.contact_audit.loads_jump = self.plan_loads(dt);
        if !self.state.ledger.contact_audit.loads_jump {
            return;
        }
        let bodies = self.model.bodies.iter().enumerate().filter(|(_, body)| body.loaded);
        // `external_before` serves as workspace: the step overwrites this array before the next use.
        let jumps = &mut self.state.forces.external_before;
        bodies.clone().for_each(|(_, body)| jumps[body.nodes.clone()].fill(Vec3::zeros()));
        for (load, AppliedLoad { jump, .. }) in self.model.loads.iter().zip(&self.state.forces.loads) {
            load.add_forces(jump, &self.state.nodes.positions, jumps);
        }
        for (index, body) in bodies {
            let nodes = body.nodes.clone();
            if let (true, Some(rigid_state)) = (body.is_rigid(), &self.state.rigid_bodies[index]) {
                let positions = &self.state.nodes.positions[nodes.clone()];
                let jump = about(&rigid_state.centre(), positions, &jumps[nodes]);
                self.state.forces.rigid[index].jump_load(jump);
                continue;
            }
            for node in nodes {
                self.state.forces.external[node] += jumps[node];
                self.state.nodes.accelerations[node] += jumps[node] * (1.0 / self.model.mass[node]);
            }
        }
        self.hold_jumps_of_loads();
        // The jump changes the tie forces. `tied_step` = 0 marks the tie forces as not computed for this step.
        self.state.contact.tied_step = 0.0;
        self.account_jumps_of_loads(dt);
    }

    /// Sets the values of the loads over a step of length `dt` \[s\]. Returns whether a load jumps at the beginning of
    /// the step.
    fn plan_loads(&mut self, dt: f64) -> bool {
        let mut has_jumped = false;
        let dt = if self.is_relaxing() { 0.0 } else { dt };
        for (load, now) in self.model.loads.iter().zip(&mut self.state.forces.loads) {
            let values = load.over_step(self.state.nodes.time, dt);
            now.jump = values.start - now.applied;
            (now.applied, now.end) = (values.start, values.end);
            has_jumped |= now.jump != Vec3::zeros();
        }
        has_jumped
    }

    /// Changes the support reactions by the opposite of the load jumps, so that prescribed accelerations remain.
    fn hold_jumps_of_loads(&mut self) {
        let jumps = &self.state.forces.external_before;
        for (support, components) in self.model.supports.iter().zip(&mut self.state.forces.supported) {
            let loaded = self.model.bodies[self.model.body_of(support.nodes[0])].loaded;
            for (&node, component) in support.nodes.iter().zip(components).filter(|_| loaded) {
                let (node, axis) = (node as usize, support.axis);
                component.balance_jump(jumps[node][axis]);
                self.state.nodes.accelerations[node][axis] = component.end.acceleration;
            }
        }
    }

    /// Subtracts the change of `kick_energy` from the work of the loads, so that the conserved energy does not jump.
    fn account_jumps_of_loads(&mut self, dt: f64) {
        let before = kick_energy(&self.state.ledger.balances, dt);
        for body in 0..self.model.bodies.len() {
            if self.model.bodies[body].loaded {
                self.update_force_acceleration(body);
            }
        }
        if self.state.ledger.audit.has_started() {
            let given = kick_energy(&self.state.ledger.balances, dt) - before;
            self.state.ledger.energies.kick += given;
            self.state.ledger.energies.external_work -= given;
        }
        self.refresh_reactions();
        self.state.ledger.external_wrench = self.compute_external_wrench();
    }

    /// Updates Σ f · a of a body after force jumps at the beginning of a step. Here f are the forces and a the
    /// accelerations.
    pub(crate) fn update_force_acceleration(&mut self, body: usize) {
        self.state.ledger.balances[body].force_acceleration = self.body_balance(body).force_acceleration;
        if self.model.bodies[body].loaded {
            self.state.forces.load_accelerations[body][1] = self.load_acceleration(body);
        }
    }

    /// Σ f · a over the free degrees of freedom of a body \[N·m/s²\]. Here f are the weight and loads, and a the
    /// accelerations.
    pub(crate) fn load_acceleration(&self, body: usize) -> f64 {
        let of_body = &self.model.bodies[body];
        if of_body.is_rigid() {
            return self.rigid_load_acceleration(body);
        }
        let (external, accelerations) = (&self.state.forces.external, &self.state.nodes.accelerations);
        let nodes = of_body.nodes.clone();
        let of_all = fixed_order_sum(nodes.len(), &|range| -> f64 {
            range.map(|node| nodes.start + node).map(|node| external[node].dot(&accelerations[node])).sum()
        });
        let supports = self.model.supports.iter().enumerate();
        let of_supports: f64 = supports
            .filter(|(_, support)| nodes.contains(&(support.nodes[0] as usize)))
            .map(|(index, support)| {
                let axis = support.axis;
                self.sum_over_support(index, 0.0, |node, _| external[node][axis] * accelerations[node][axis])
            })
            .sum();
        of_all - of_supports
    }

    /// Stores `load_acceleration` of each loaded body at the end of a step.
    pub(crate) fn note_load_accelerations(&mut self) {
        for body in 0..self.model.bodies.len() {
            if self.model.bodies[body].loaded {
                let now = self.load_acceleration(body);
                let [before, after] = &mut self.state.forces.load_accelerations[body];
                *before = std::mem::replace(after, now);
            }
        }
    }

    /// Work that weight and loads f do in the kicks of a step of length `dt` \[s\], minus ½ (f_n + f_{n+1}) · Δx with
    /// the displacement Δx in the step \[J\].
    pub(crate) fn work_of_load_kicks(&self, body: usize, dt: f64) -> f64 {
        let [before, after] = self.state.forces.load_accelerations[body];
        0.125 * dt * dt * (after - before)
    }

    /// Computes weights and loads at the end of a step, and the resultants on rigid bodies.
    pub(crate) fn compute_external_forces(&mut self) {
        let start = Instant::now();
        let forces = &mut self.state.forces;
        std::mem::swap(&mut forces.external, &mut forces.external_before);
        for body in self.model.bodies.iter().filter(|body| body.loaded) {
            let nodes = body.nodes.clone();
            // Gravity acts on the centre of a rigid body, not on its nodes.
            let gravity = if body.is_rigid() { Vec3::zeros() } else { body.gravity };
            let masses = self.model.mass[nodes.clone()].par_iter();
            let weights = forces.external[nodes.clone()].par_iter_mut().zip(masses);
            let weights = weights.with_min_len(nodes_per_task(nodes.len()));
            weights.for_each(|(force, mass)| *force = gravity * *mass);
        }
        for (load, now) in self.model.loads.iter().zip(&mut forces.loads) {
            now.applied = now.end;
            load.add_forces(&now.applied, &self.scratch.positions_next, &mut forces.external);
        }
        for (index, (body, rigid_state)) in self.model.bodies.iter().zip(&self.state.rigid_bodies).enumerate()
        {
            if let (true, true, Some(rigid_state)) = (body.loaded, body.is_rigid(), rigid_state) {
                let nodes = body.nodes.clone();
                let (positions, loads) =
                    (&self.scratch.positions_next[nodes.clone()], &forces.external[nodes]);
                forces.rigid[index].set_load(about(&rigid_state.centre(), positions, loads));
            }
        }
        self.compute_rigid_resultants();
        self.timings.integration += start.elapsed().as_secs_f64();
    }
}

/// Resultant of nodal forces \[N\], with their moment about `centre` \[N·m\].
fn about(centre: &Vec3, positions: &[Vec3], forces: &[Vec3]) -> Wrench {
    let nodes = positions.iter().zip(forces);
    nodes.fold(Wrench::zero(), |sum, (position, force)| sum + Wrench::at(&(position - centre), *force))
}
