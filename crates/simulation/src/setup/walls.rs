//! Rigid walls: bodies of one node. The node is fixed, driven (with a prescribed velocity), or free along the normal of
//! the wall.
//!
//! A fixed or driven wall has a support and no mass. A free wall has a mass, and a slider constraint prevents motion
//! perpendicular to the normal. Contact acts on the plane of the wall, not at its node. The support or slider bears the
//! resulting moment.

use crate::contact::detection::{ContactPolicy, Wall};
use crate::dynamics::{Prescribed, RigidBody, Support, Wrench};
use crate::math::{Mat3, Vec3};
use crate::scenario::{self, Scenario, WallSpec};

use super::assembly::{Assembly, check_count};
use crate::Simulation;
use crate::account::resultants::Resultants;
use crate::error::SetupError;
use crate::model::{Behaviour, Body, Model, Slider, WallMotion};

impl Assembly {
    /// `account` is the index of the support account, which sums the reactions of the wall.
    pub(crate) fn add_wall(&mut self, spec: &WallSpec, account: usize) -> Result<(), SetupError> {
        let model = &mut self.model;
        let node = model.reference_positions.len();
        check_count(node + 1)?;
        let (mass, speed, gravity) = match &spec.motion {
            scenario::WallMotion::Free { mass, velocity, gravity } => (*mass, *velocity, *gravity),
            _ => (0.0, 0.0, 0.0),
        };
        let (motion, velocity) = match &spec.motion {
            scenario::WallMotion::Fixed => (WallMotion::Fixed, Vec3::zeros()),
            scenario::WallMotion::Free { .. } => (WallMotion::Free, spec.normal * speed),
            scenario::WallMotion::Driven(velocity) => {
                let steady = velocity.iter().all(|component| component.is_constant());
                let start = Vec3::from_fn(|axis, _| velocity[axis].value(0.0));
                (if steady { WallMotion::Steady } else { WallMotion::Driven }, start)
            }
        };
        model.reference_positions.push(spec.point);
        model.node_tags.push(1);
        model.mass.push(mass);
        let mut hold = |prescribed: [Prescribed; 3]| {
            let support = |(axis, motion)| Support { nodes: vec![node as u32], axis, motion, account };
            model.supports.extend(prescribed.into_iter().enumerate().map(support));
        };
        match &spec.motion {
            scenario::WallMotion::Fixed => hold([Prescribed::Fixed, Prescribed::Fixed, Prescribed::Fixed]),
            scenario::WallMotion::Driven(velocity) => hold(velocity.clone().map(Prescribed::Velocity)),
            scenario::WallMotion::Free { .. } => {
                model.sliders.push(Slider { node: node as u32, direction: spec.normal });
            }
        }
        model.bodies.push(Body {
            name: spec.name.clone(),
            nodes: node..node + 1,
            blocks: Vec::new(),
            num_faces: 0,
            material: None,
            mass,
            gravity: spec.normal * gravity,
            peak_gravity: gravity.abs(),
            behaviour: Behaviour::Wall { normal: spec.normal, motion },
            loaded: false,
            mass_damping: None,
        });
        let mut rigid_state = RigidBody::new(mass, spec.point, &Mat3::zeros());
        rigid_state.set_velocity(velocity, Vec3::zeros());
        self.rigid_states.push(Some(rigid_state));
        Ok(())
    }
}

/// Rejects a wall whose normal or velocity has a z component, if the wall can touch a plane-strain body.
pub(crate) fn refuse_walls_out_of_plane(
    scenario: &Scenario,
    model: &Model,
    policy: &ContactPolicy,
) -> Result<(), SetupError> {
    let is_plane =
        |body: &Body| body.blocks.iter().any(|block| block.internal.is_some() && block.kind.dimension() == 2);
    let leaves_plane = |wall: &WallSpec| {
        let stays = match &wall.motion {
            scenario::WallMotion::Driven([.., z]) => z.is_constant() && z.value(0.0) == 0.0,
            _ => true,
        };
        wall.normal.z != 0.0 || !stays
    };
    let first_wall = scenario.bodies.len();
    for (number, wall) in (first_wall..).zip(&scenario.walls).filter(|(_, wall)| leaves_plane(wall)) {
        let meets = |body: usize| policy.can_meet([body as u32, number as u32]);
        let mut bodies = model.bodies.iter().take(first_wall).enumerate();
        if let Some((_, body)) = bodies.find(|(k, body)| is_plane(body) && meets(*k)) {
            return Err(SetupError::WallOutOfPlane { wall: wall.name.clone(), body: body.name.clone() });
        }
    }
    Ok(())
}

pub(crate) fn detected_walls(model: &Model) -> Vec<Wall> {
    let wall = |(number, body): (u32, &Body)| match body.behaviour {
        Behaviour::Wall { normal, .. } => Some(Wall { body: number, node: body.nodes.start as u32, normal }),
        _ => None,
    };
    model.walls().filter_map(wall).collect()
}

impl Simulation {
    /// Projects the force at each slider node onto the direction of the slider.
    pub(crate) fn constrain_sliders(&mut self) {
        for k in 0..self.model.sliders.len() {
            let slider = &self.model.sliders[k];
            let node = slider.node as usize;
            let force =
                Resultants::new(&self.state.forces, &self.caches.internal, &self.state.contact.action)
                    .on(node);
            let guided = slider.direction * slider.direction.dot(&force);
            self.state.forces.sliders[k] = guided - force;
            self.state.nodes.accelerations[node] = guided * (1.0 / self.model.mass[node]);
        }
    }

    /// Slider reactions \[N\], with their moment about the origin \[N·m\]. Slider reactions do no work.
    pub(crate) fn slider_wrench(&self) -> Wrench {
        let sliders = self.model.sliders.iter().zip(&self.state.forces.sliders);
        sliders.fold(Wrench::zero(), |sum, (slider, reaction)| {
            sum + Wrench::at(&self.state.nodes.positions[slider.node as usize], *reaction)
        })
    }
}
