//! Evaluation of the contact response, and application of its forces, impulses and corrections.

use std::time::Instant;

use crate::contact::Constraints;
use crate::contact::response::{Bodies, Mobility, RigidCorrection, Stage, StepLength, Ties};
use crate::dynamics::{NodalState, Wrench};
use crate::math::Vec3;

use crate::Simulation;
use crate::account::resultants::Resultants;
use crate::model::Model;

/// Mobility of the nodes of deformable bodies and walls. Zero for supported components and for nodes of rigid bodies.
pub(crate) fn nodal_mobility(model: &Model) -> Mobility {
    let mut nodes = vec![Vec3::zeros(); model.mass.len()];
    for body in model.bodies.iter().filter(|body| !body.is_rigid()) {
        for node in body.nodes.clone() {
            nodes[node] = Vec3::repeat(1.0 / model.mass[node]);
        }
    }
    for support in &model.supports {
        for &node in &support.nodes {
            nodes[node as usize][support.axis] = 0.0;
        }
    }
    let mut mobility = Mobility::of_nodes(nodes, model.bodies.len());
    for slider in &model.sliders {
        mobility.constrain_to_line(slider.node, slider.direction);
    }
    mobility
}

/// Nodal mobility with the ties of deformable bodies.
pub(crate) fn tied_mobility(model: &Model, ties: Option<&Ties>) -> Mobility {
    let mut mobility = nodal_mobility(model);
    if let Some(ties) = ties {
        mobility.tie(ties.mobility(model.mass.len()));
    }
    mobility
}

/// `positions` are nodal positions \[m\]. `created` is the energy that contact has created so far \[J\].
pub(crate) fn moved_bodies<'a>(
    model: &'a Model,
    state: &'a NodalState,
    positions: &'a [Vec3],
    mobility: &'a Mobility,
    created: f64,
) -> Bodies<'a> {
    let NodalState { velocities, accelerations, .. } = state;
    Bodies { positions, velocities, accelerations, inverse_mass: &model.inverse_mass, mobility, created }
}

impl Simulation {
    /// Response after the predictor, in the stages `Moved` and `Middle`: impulses and position corrections, or contact
    /// forces that depend only on the motion.
    pub(crate) fn respond_to_motion(&mut self, dt: f64) {
        let start = Instant::now();
        self.account_step_change(dt);
        self.state.contact.action.begin(dt);
        match self.response.stage() {
            Stage::Moved => {
                self.find_offset_points();
                let beyond = self.evaluate_response(dt);
                // The response computes the work of its forces along the nodal displacements. `beyond` is the remaining
                // work on rotating rigid bodies.
                self.state.contact.action.work.numerical += beyond;
                self.apply_corrections(dt);
            }
            Stage::Middle => {
                self.evaluate_response_at_middle(dt);
                self.apply_corrections(dt);
            }
            Stage::Accelerated => {}
        }
        self.timings.response += start.elapsed().as_secs_f64();
    }

    /// Response after the internal and external forces: contact forces that depend on these forces (stage
    /// `Accelerated`), and tie forces.
    pub(crate) fn respond_to_forces(&mut self, dt: f64) {
        let start = Instant::now();
        if self.response.stage() == Stage::Accelerated {
            self.find_offset_points();
        }
        self.accelerate_constrained_nodes();
        if self.response.stage() == Stage::Accelerated {
            let was_pressed = self.scratch.before.action.has_contact();
            if was_pressed || !self.state.contact.constraints.is_empty() {
                self.commit_step();
            }
            let acts_on_ties = self.contact_acts_on_ties();
            if acts_on_ties {
                self.refresh_mobility(dt);
                self.accelerate_by_ties(dt);
            }
            self.evaluate_response(dt);
            self.accelerate_by_contact();
            if acts_on_ties {
                self.accelerate_tied_nodes();
            }
        }
        self.enforce_ties(dt);
        self.account_corrections(dt);
        self.timings.response += start.elapsed().as_secs_f64();
    }

    fn find_offset_points(&mut self) {
        let (next, constraints) = (&self.scratch.positions_next, &self.state.contact.constraints);
        self.selection.offset_points.find(&self.model.surfaces, next, constraints);
    }

    /// Returns the work of the contact forces minus the sum of force times nodal displacement \[J\]. The difference is
    /// nonzero for rotating rigid bodies: their nodes move on arcs, and the displacement is a secant of the arc.
    fn evaluate_response(&mut self, dt: f64) -> f64 {
        self.refresh_mobility(dt);
        let step = self.step_length(dt);
        let created = self.state.ledger.contact_audit.created;
        let (nodes, next, mobility) =
            (&self.state.nodes, &self.scratch.positions_next, &self.caches.mobility);
        let bodies = moved_bodies(&self.model, nodes, next, mobility, created);
        let contact = &mut self.state.contact;
        let acting = self.selection.offset_points.of(&contact.constraints);
        self.response.respond_from(&mut contact.response, acting, &bodies, step, &mut contact.action);
        let beyond = self.work_beyond_secants(dt);
        self.state.ledger.contact_audit.excess_work += beyond;
        beyond
    }

    /// Whether a contact of the current or the previous step acts on a tied node.
    fn contact_acts_on_ties(&self) -> bool {
        let is_tied = |node: &u32| self.caches.mobility.tied().group(*node).is_some();
        let mut nodes = self.state.contact.constraints.iter().flat_map(|constraint| constraint.nodes);
        let before = &self.scratch.before.action.nodes;
        self.ties.is_some() && (nodes.any(is_tied) || before.iter().any(is_tied))
    }

    /// Constraints on the offset surfaces; the detected constraints if no body has an offset or no contact has
    /// friction.
    pub(crate) fn acting_constraints(&self) -> &Constraints {
        self.selection.offset_points.of(&self.state.contact.constraints)
    }

    /// Length `dt` of the current step, its length without cuts to events, and the length of the following step. The
    /// length without cuts determines the spring stiffness. The following step ends at the end time at the latest. In
    /// the last step of the run, `dt` replaces the length of the following step.
    pub(crate) fn step_length(&self, dt: f64) -> StepLength {
        let next = self.following_step(dt);
        let remaining = self.remaining_time();
        let following = if remaining > 0.0 { next.min(remaining) } else { dt };
        let regular = self.state.control.spring_step().max(dt);
        StepLength { actual: dt, regular, following }
    }

    pub(crate) fn accelerate_by_contact(&mut self) {
        self.accelerate_touched_nodes();
        self.compute_rigid_resultants();
    }

    fn accelerate_touched_nodes(&mut self) {
        let resultants =
            Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action);
        for &node in &self.state.contact.action.nodes {
            resultants.accelerate(node, &self.model.mass, &mut self.state.nodes.accelerations);
        }
    }

    /// Accelerations that the response, ties and the energy balance need before the corrector.
    pub(crate) fn accelerate_constrained_nodes(&mut self) {
        self.accelerate_touched_nodes();
        let resultants =
            Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action);
        let accelerations = &mut self.state.nodes.accelerations;
        let mut accelerate = |node| resultants.accelerate(node, &self.model.mass, accelerations);
        self.state.contact.action.node_corrections.iter().for_each(|correction| accelerate(correction.node));
        if self.response.stage() == Stage::Accelerated {
            let acting = self.selection.offset_points.of(&self.state.contact.constraints);
            acting.iter().flat_map(|constraint| constraint.nodes).for_each(|&node| accelerate(node));
            // Springs of contacts that are no longer detected still act on their nodes.
            self.scratch.before.action.nodes.iter().for_each(|&node| accelerate(node));
        }
        self.ties.iter().flat_map(Ties::nodes).for_each(accelerate);
        self.constrain_sliders();
    }

    /// Accelerations of the tied nodes by all forces except the tie forces.
    fn accelerate_tied_nodes(&mut self) {
        let resultants =
            Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action);
        let accelerations = &mut self.state.nodes.accelerations;
        let accelerate = |node| resultants.accelerate(node, &self.model.mass, accelerations);
        self.ties.iter().flat_map(Ties::nodes).for_each(accelerate);
        self.constrain_sliders();
    }

    /// If contact corrects any position, stores the positions at which contact was detected. The next detection starts
    /// from these positions.
    fn keep_detected_positions(&mut self) {
        let action = &self.state.contact.action;
        let moves_nodes = action.node_corrections.iter().any(|node| node.position != Vec3::zeros());
        let moves = |body: &RigidCorrection| [body.position, body.rotation] != [Vec3::zeros(); 2];
        if moves_nodes || action.rigid_corrections.iter().any(moves) {
            self.state.contact.detected_positions.extend_from_slice(&self.scratch.positions_next);
        }
    }

    /// Applies velocity jumps Δv and position corrections Δx. Let f_n and f_{n+1} be the forces at the beginning and
    /// end of the step. Three terms make the energy balance of the predictor–corrector exact:
    ///
    /// - −½ (f_n + f_{n+1}) · Δx, the work of position corrections against the forces.
    /// - ½ dt f_{n+1} · Δv, because the second half kick acts on the changed velocities.
    /// - The kinetic energy that a rigid body gains by its position correction.
    ///
    /// This function adds −½ f_n · Δx of nodal corrections, and the kinetic energy of rigid bodies.
    /// `account_corrections` adds the rest: −½ f_{n+1} · Δx of nodal corrections, the whole work of corrections of
    /// rigid bodies, and ½ dt f_{n+1} · Δv.
    fn apply_corrections(&mut self, dt: f64) {
        self.keep_detected_positions();
        for correction in &self.state.contact.action.node_corrections {
            let node = correction.node as usize;
            self.state.nodes.velocities[node] += correction.velocity;
            self.scratch.positions_next[node] += correction.position;
            let force = self.state.nodes.accelerations[node] * self.model.mass[node];
            self.state.contact.action.work.numerical -= 0.5 * force.dot(&correction.position);
        }
        self.list_bodies_of_tie_impulses();
        for k in 0..self.state.contact.action.rigid_corrections.len() {
            let correction = self.state.contact.action.rigid_corrections[k];
            self.state.contact.action.work.numerical += self.correct_motion_of_rigid(&correction);
            self.react_by_rigid_support(correction.body as usize, dt);
        }
        for k in 0..self.state.contact.action.nodes.len() {
            let node = self.state.contact.action.nodes[k];
            let impulse = self.state.contact.action.impulses[node as usize];
            if impulse != Vec3::zeros() && !self.model.bodies[self.model.body_of(node)].is_rigid() {
                self.react_by_supports(node, &impulse);
            }
        }
        for k in 0..self.state.contact.action.tie_impulses.len() {
            let (node, impulse) = self.state.contact.action.tie_impulses[k];
            if !self.model.bodies[self.model.body_of(node)].is_rigid() {
                self.react_by_supports(node, &impulse);
            }
        }
    }

    /// Adds rigid bodies with tie impulses to the rigid corrections: only the supports of bodies in this list react to
    /// impulses.
    fn list_bodies_of_tie_impulses(&mut self) {
        let corrections = &mut self.state.contact.action.rigid_corrections;
        for &(node, _) in &self.state.contact.action.tie_impulses {
            let body = self.model.body_of(node);
            let place = corrections.partition_point(|correction| (correction.body as usize) < body);
            let is_listed = corrections.get(place).is_some_and(|correction| correction.body as usize == body);
            if self.model.bodies[body].is_rigid() && !is_listed {
                corrections.insert(place, RigidCorrection::none(body as u32));
            }
        }
    }

    /// Accounts for the reactions of supports and sliders to an impulse on a node of a deformable body or wall.
    fn react_by_supports(&mut self, node: u32, impulse: &Vec3) {
        let held = impulse - self.caches.mobility.free_part(node, impulse);
        let (position, velocity) =
            (self.scratch.positions_next[node as usize], self.state.nodes.velocities[node as usize]);
        for axis in (0..3).filter(|&axis| held[axis] != 0.0) {
            let reaction = Wrench::at(&position, Vec3::ith(axis, -held[axis]));
            self.add_support_reaction(self.account_of(node, axis), reaction, -held[axis] * velocity[axis]);
        }
    }

    /// Adds the energy terms that `apply_corrections` leaves out.
    fn account_corrections(&mut self, dt: f64) {
        for correction in &self.state.contact.action.node_corrections {
            let node = correction.node as usize;
            let force = self.state.nodes.accelerations[node] * self.model.mass[node];
            self.state.contact.action.work.numerical +=
                force.dot(&(0.5 * (correction.velocity * dt - correction.position)));
        }
        for correction in &self.state.contact.action.rigid_corrections {
            let rigid = &self.state.forces.rigid[correction.body as usize];
            let shifted = rigid.force + rigid.mean_load().linear - rigid.load.linear;
            self.state.contact.action.work.numerical +=
                0.5 * dt * rigid.force.dot(&correction.velocity) - shifted.dot(&correction.position);
        }
    }
}
