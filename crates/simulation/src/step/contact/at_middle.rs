//! Contact response with normals, weights and gaps at the middle of a step.

use crate::contact::detection::move_pair;
use crate::contact::response::{Bodies, ContactAction, MidpointGeometry, Mobility, RigidMobility};
use crate::contact::{Constraint, Constraints, Surface};
use crate::dynamics::{NodalState, RigidBody};
use crate::math::Vec3;

use crate::Simulation;
use crate::model::Model;

use super::response::moved_bodies;

#[derive(Clone, Debug, Default)]
pub(crate) struct MiddleOfStep {
    /// Positions at the middle of the step, by node \[m\]; valid only for nodes in contact.
    positions: Vec<Vec3>,
    /// For each contact, the gap minus n · Σ w_a x_a \[m\]. Here n is the normal, w_a the weight and x_a the predicted
    /// position of node a. The difference is nonzero, for example, for a contact with an initial gap.
    offsets: Vec<f64>,
    /// Normals at the predicted positions. They determine the sign of the normals at the middle.
    normals: Vec<Vec3>,
}

/// Bodies at the middle of the step: the mean of the positions at the beginning and at the predicted end, plus half of
/// the position correction.
struct Middle<'a> {
    model: &'a Model,
    nodes: &'a NodalState,
    rigid_bodies: &'a [Option<RigidBody>],
    /// Positions at the predicted end of the step \[m\].
    predicted: &'a [Vec3],
    time_step: f64,
    created: f64,
    mobility: &'a mut Mobility,
    workspace: &'a mut MiddleOfStep,
}

impl Middle<'_> {
    fn position(&self, node: u32, body: u32, action: &ContactAction) -> Vec3 {
        let place = node as usize;
        let half_way = (self.nodes.positions[place] + self.predicted[place]) * 0.5;
        let correction = match self.rigid_bodies.get(body as usize).and_then(Option::as_ref) {
            Some(rigid) => rigid_correction(action, body)
                .map(|[moved, turned]| moved + turned.cross(&(self.predicted[place] - rigid.centre()))),
            None => {
                let found = action.node_corrections.binary_search_by_key(&node, |correction| correction.node);
                found.ok().map(|k| action.node_corrections[k].position)
            }
        };
        half_way + correction.unwrap_or_else(Vec3::zeros) * 0.5
    }

    /// Sets the centre of a rigid body in the mobility to the centre at the middle of the step.
    fn move_centre(&mut self, body: u32, action: &ContactAction) {
        let Some(rigid) = self.rigid_bodies.get(body as usize).and_then(Option::as_ref) else { return };
        let Some(mobility) = self.mobility.rigid(body).copied() else { return };
        let [moved, _] = rigid_correction(action, body).unwrap_or([Vec3::zeros(); 2]);
        let centre = rigid.centre() + (moved - mobility.velocity * self.time_step) * 0.5;
        self.mobility.set_rigid(body as usize, RigidMobility { centre, ..mobility });
    }
}

/// Corrections of position \[m\] and rotation \[rad\] by contact; `None` for a body without a correction.
fn rigid_correction(action: &ContactAction, body: u32) -> Option<[Vec3; 2]> {
    let corrections = &action.rigid_corrections;
    let found = corrections.binary_search_by_key(&body, |correction| correction.body).ok()?;
    Some([corrections[found].position, corrections[found].rotation])
}

impl MidpointGeometry for Middle<'_> {
    fn begin(&mut self, constraints: &Constraints) {
        let predicted = self.predicted;
        self.workspace.positions.resize(predicted.len(), Vec3::zeros());
        self.workspace.offsets.clear();
        let offset =
            |constraint: Constraint<'_>| constraint.gap - constraint.normal.dot(&constraint.jump(predicted));
        self.workspace.offsets.extend(constraints.iter().map(offset));
        self.workspace.normals.clear();
        self.workspace.normals.extend(constraints.iter().map(|constraint| constraint.normal));
    }

    fn renew(&mut self, constraints: &mut Constraints, action: &ContactAction) {
        for constraint in constraints.iter() {
            constraint.bodies.iter().for_each(|&body| self.move_centre(body, action));
            for (k, &node) in constraint.nodes.iter().enumerate() {
                let body = constraint.bodies[usize::from(k >= constraint.num_contactor_nodes)];
                self.workspace.positions[node as usize] = self.position(node, body, action);
            }
        }
        let MiddleOfStep { positions, offsets, normals } = &*self.workspace;
        let (surfaces, start): (&[Surface], _) = (&self.model.surfaces, &self.nodes.positions);
        constraints.renew_geometry(|k, constraint, weights| {
            let detected = Constraint { normal: normals[k], ..*constraint };
            let normal = move_pair(&detected, surfaces, positions, weights);
            let terms = constraint.nodes.iter().zip(&*weights);
            let jump: Vec3 = terms.map(|(&node, weight)| start[node as usize] * *weight).sum();
            (offsets[k] + normal.dot(&jump), normal)
        });
    }

    fn bodies(&self) -> Bodies<'_> {
        moved_bodies(self.model, self.nodes, &self.workspace.positions, self.mobility, self.created)
    }
}

impl Simulation {
    /// Evaluates the response of a step of length `dt` \[s\].
    pub(crate) fn evaluate_response_at_middle(&mut self, dt: f64) {
        self.refresh_mobility(dt);
        let step = self.step_length(dt);
        let contact = &mut self.state.contact;
        let mut middle = Middle {
            model: &self.model,
            nodes: &self.state.nodes,
            rigid_bodies: &self.state.rigid_bodies,
            predicted: &self.scratch.positions_next,
            time_step: dt,
            created: self.state.ledger.contact_audit.created,
            mobility: &mut self.caches.mobility,
            workspace: &mut self.scratch.middle_of_step,
        };
        let action = &mut contact.action;
        self.response.respond_at_middle_from(
            &mut contact.response,
            &contact.constraints,
            &mut middle,
            step,
            action,
        );
        self.refresh_mobility(dt);
    }
}
