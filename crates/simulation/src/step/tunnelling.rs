//! Tunnelling: a body passes through another without a detected contact. Steps are shortened until detection can miss
//! no contact. Fixed steps above the critical step are not shortened. A run fails if a contact was lost beyond the
//! search depth.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::volume::Aabb;
use crate::dynamics::RigidBody;
use crate::math::Vec3;
use crate::math::reduction::nodes_per_task;

use crate::Simulation;
use crate::error::{FailureCause, NumericalFailure, Passage};

/// Largest penetration that may arise in one step, relative to the search depth. The other half of the search depth
/// remains for the next step, in which contact forces act.
const MAX_DEPTH_RATIO: f64 = 0.5;

impl Simulation {
    /// Length of a step in which detection misses no contact \[s\]: `step` if this length is short enough, or else a
    /// lower bound on the longest such length.
    pub(crate) fn step_without_tunnelling(&mut self, step: f64) -> f64 {
        let num_bodies = self.model.surfaces.len();
        if self.caches.tunnelling.allows(
            (0..num_bodies).filter_map(|body| self.velocity_box(body)),
            MAX_DEPTH_RATIO,
            step,
        ) {
            return step;
        }
        let mut boxes = std::mem::take(&mut self.scratch.tunnelling_boxes);
        boxes.clear();
        boxes
            .extend((0..num_bodies).filter_map(|body| {
                Some((body as u32, [self.position_box(body)?, self.velocity_box(body)?]))
            }));
        let longest = self.caches.tunnelling.longest_step(&boxes, MAX_DEPTH_RATIO, step);
        self.scratch.tunnelling_boxes = boxes;
        longest
    }

    /// Box of the nodal velocities \[m/s\]; `None` without contact faces.
    fn velocity_box(&self, body: usize) -> Option<Aabb> {
        if self.model.surfaces[body].num_faces() == 0 {
            return None;
        }
        let [lower, upper] = self.state.ledger.balances[body].velocity_bounds;
        let of_centre = Aabb { lower, upper };
        let rotation_speed = match &self.state.rigid_bodies[body] {
            Some(rigid_state) => rigid_state.angular_velocity().norm() * self.model.radii[body],
            None => 0.0,
        };
        Some(of_centre.widened(rotation_speed))
    }

    /// Box of the surface nodes \[m\].
    fn position_box(&self, body: usize) -> Option<Aabb> {
        let (nodes, positions) = (self.model.surfaces[body].nodes(), &self.state.nodes.positions);
        let of_node = |&node: &u32| {
            let place = positions[node as usize];
            Aabb { lower: place, upper: place }
        };
        let boxes = nodes.par_iter().with_min_len(nodes_per_task(nodes.len())).map(of_node);
        boxes.reduce_with(|a, b| a.union(&b))
    }

    /// Returns an error if the penetration of a lost contact exceeds the search depth.
    pub(crate) fn check_tunnelling(&self) -> Result<(), NumericalFailure> {
        let mut keys = self.state.contact.constraints.keys().iter().peekable();
        for before in self.scratch.before.constraints.iter() {
            while keys.next_if(|key| **key < before.key).is_some() {}
            if keys.next_if(|key| **key == before.key).is_some() {
                continue;
            }
            if let Some([depth, deepest]) =
                self.caches.tunnelling.passed_through(&before, &self.scratch.positions_next)
            {
                let node = before.nodes[0];
                let [body, other] = before.bodies.map(|body| &self.model.bodies[body as usize]);
                let passage = Passage {
                    node: self.model.node_tags[node as usize],
                    other: other.name.clone(),
                    depth,
                    deepest,
                };
                let failure = self.failure(FailureCause::Passage(Box::new(passage)), None);
                return Err(NumericalFailure { body: Some(body.name.clone()), ..failure });
            }
        }
        Ok(())
    }
}

/// One entry per body: the largest distance of a surface node from the centre of mass \[m\]. Entries of bodies without
/// a rigid state have no meaning.
pub(crate) fn radii(
    surfaces: &[Surface],
    rigid_states: &[Option<RigidBody>],
    positions: &[Vec3],
) -> Vec<f64> {
    let of_body = |(surface, rigid_state): (&Surface, &Option<RigidBody>)| {
        let centre = rigid_state.as_ref().map_or_else(Vec3::zeros, RigidBody::centre);
        let distances = surface.nodes().iter().map(|&node| (positions[node as usize] - centre).norm());
        distances.fold(0.0, f64::max)
    };
    surfaces.iter().zip(rigid_states).map(of_body).collect()
}
