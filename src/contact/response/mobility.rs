//! How nodes and rigid bodies give way to impulses.

use crate::math::{Mat3, Vec3};

/// Mobility of all that contact can push: nodes of deformable bodies one by one, rigid bodies whole.
#[derive(Clone, Debug, Default)]
pub struct Mobility {
    nodes: Vec<Vec3>,
    rigid: Vec<Option<RigidMobility>>,
}

/// A rigid body as impulses find it. Components of its centre that are prescribed, and the rotation of a body with such,
/// have no mobility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMobility {
    /// Centre of mass at the end of the step \[m\].
    pub centre: Vec3,
    /// Reciprocal of the mass, by component \[1/kg\].
    pub inverse_mass: Vec3,
    /// Inverse of the inertia about the centre, in space \[1/(kg·m²)\].
    pub inverse_inertia: Mat3,
    /// Velocity of the centre at the middle of the step \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity at the middle of the step \[rad/s\].
    pub angular_velocity: Vec3,
    /// Acceleration of the centre at the end of the step by all but contact \[m/s²\].
    pub acceleration: Vec3,
    /// Rate of the angular momentum over the inertia at the end of the step, by all but contact \[rad/s²\].
    pub angular_acceleration: Vec3,
}

impl Mobility {
    /// Of deformable bodies only: reciprocals of the nodal masses, by component \[1/kg\], zero where prescribed.
    pub fn of_nodes(nodes: Vec<Vec3>, num_bodies: usize) -> Self {
        Self { nodes, rigid: vec![None; num_bodies] }
    }

    /// Sets the mobility of a rigid body.
    pub fn set_rigid(&mut self, body: usize, mobility: RigidMobility) {
        self.rigid[body] = Some(mobility);
    }

    /// Of a node of a deformable body, by component \[1/kg\].
    pub fn node(&self, node: u32) -> Vec3 {
        self.nodes[node as usize]
    }

    /// Of a body, if it is rigid.
    pub fn rigid(&self, body: u32) -> Option<&RigidMobility> {
        self.rigid[body as usize].as_ref()
    }

    /// Number of bodies.
    pub fn num_bodies(&self) -> usize {
        self.rigid.len()
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }
}
