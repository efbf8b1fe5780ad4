//! Driven ties: tied nodes with prescribed motion. The tie forces computed at the end of a step depend on the
//! prescribed positions of these nodes at the end of the following step.

use crate::contact::response::{RigidMotions, RigidPlace, StepLength, Ties};
use crate::dynamics::{Prescribed, StepStart};
use crate::math::Vec3;

use super::ties::PredictedMotions;
use crate::Simulation;
use crate::model::{Behaviour, Body, Model};

#[derive(Clone, Debug, Default)]
pub(crate) struct DrivenTies {
    /// Index of a moving support, and index of a tied node in the node list of the support.
    supported: Vec<(usize, usize)>,
    /// Rigid bodies with fully prescribed motion, each with its tied nodes.
    rigid: Vec<(u32, Vec<u32>)>,
}

impl DrivenTies {
    pub fn of(ties: Option<&Ties>, model: &Model) -> Self {
        let mut nodes: Vec<u32> = ties.iter().flat_map(|ties| ties.nodes()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let moving = model.supports.iter().enumerate().filter(|(_, support)| !support.motion.is_fixed());
        let supported = moving.flat_map(|(index, support)| {
            let places = nodes.iter().filter_map(|node| support.nodes.binary_search(node).ok());
            places.map(move |place| (index, place))
        });
        let is_driven = |body: &Body| body.is_rigid() && !body.is_rigid_and_moves();
        let driven =
            model.bodies.iter().enumerate().filter(|(_, body)| is_driven(body) && !is_fixed_by_support(body));
        let rigid = driven.map(|(index, body)| {
            let of_body = nodes.iter().copied().filter(|&node| body.nodes.contains(&(node as usize)));
            (index as u32, of_body.collect::<Vec<_>>())
        });
        let rigid = rigid.filter(|(_, nodes)| !nodes.is_empty());
        Self { supported: supported.collect(), rigid: rigid.collect() }
    }

    fn nodes<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = u32> + 'a {
        let of_supports = self.supported.iter().map(|&(index, place)| model.supports[index].nodes[place]);
        of_supports.chain(self.rigid.iter().flat_map(|(_, nodes)| nodes.iter().copied()))
    }
}

fn is_fixed_by_support(body: &Body) -> bool {
    let Behaviour::Rigid { support: Some(support) } = &body.behaviour else { return false };
    support.components.iter().flatten().all(Prescribed::is_fixed)
}

impl Simulation {
    pub(crate) fn save_driven_velocities(&mut self) {
        let velocities = &self.state.nodes.velocities;
        let nodes = self.settings.driven_ties.nodes(&self.model);
        self.scratch.driven_velocities.clear();
        self.scratch.driven_velocities.extend(nodes.map(|node| (node, velocities[node as usize])));
    }

    pub(crate) fn restore_driven_velocities(&mut self) {
        for &(node, velocity) in &self.scratch.driven_velocities {
            self.state.nodes.velocities[node as usize] = velocity;
        }
    }

    /// Sets the velocities of driven tied nodes to the mean velocities over the following step, of length `dt` \[s\].
    /// The corrector overwrites these velocities.
    pub(crate) fn drive_ties_of_next_step(&mut self, dt: f64) {
        let (time, references) = (self.state.nodes.time, &self.model.reference_positions);
        for &(index, place) in &self.settings.driven_ties.supported {
            let support = &self.model.supports[index];
            let node = support.nodes[place] as usize;
            let start = StepStart {
                reference: references[node],
                position: self.scratch.positions_next[node],
                velocity: Vec3::repeat(self.state.forces.supported[index][place].end.velocity),
            };
            let motion = self.state.phase.motion(&support.motion);
            let end = motion.over_step(time, dt).end(&start, support.axis);
            let travel = end.position - start.position[support.axis];
            self.state.nodes.velocities[node][support.axis] = travel / dt;
        }
        self.drive_rigid_ties(dt);
    }

    /// Sets the velocities of driven tied nodes to the mean velocities over the current step, of length `dt` \[s\].
    /// Requires the prescribed motion at the end of the step. `positions_next` must hold the positions at the
    /// beginning of the step. The predictor overwrites these velocities.
    pub(crate) fn drive_ties_of_this_step(&mut self, dt: f64) {
        for &(index, place) in &self.settings.driven_ties.supported {
            let support = &self.model.supports[index];
            let (node, axis) = (support.nodes[place] as usize, support.axis);
            let travel = self.state.forces.supported[index][place].end.position
                - self.scratch.positions_next[node][axis];
            self.state.nodes.velocities[node][axis] = travel / dt;
        }
        self.drive_rigid_ties(dt);
    }

    fn drive_rigid_ties(&mut self, dt: f64) {
        let step = StepLength { actual: 0.0, regular: dt, following: dt };
        let motions = PredictedMotions::at(
            (self.state.phase, self.state.nodes.time),
            step,
            &self.model,
            &self.state.rigid_bodies,
            &self.state.forces.rigid,
        );
        for (body, nodes) in &self.settings.driven_ties.rigid {
            let RigidPlace { centre, rotation } = motions.following(*body, &[Vec3::zeros(); 2]);
            let reference_centre = motions.reference_centre(*body);
            for &node in nodes {
                let node = node as usize;
                let arm = self.model.reference_positions[node] - reference_centre;
                let travel = centre + rotation * arm - self.scratch.positions_next[node];
                self.state.nodes.velocities[node] = travel / dt;
            }
        }
    }
}
