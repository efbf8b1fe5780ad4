//! Mobility of nodes and rigid bodies: the velocity change per impulse.

mod tied;

use crate::math::{Mat3, Vec3};
pub use tied::TiedMobility;
pub(super) use tied::{Distribution, TiedGroup, TiedNodes};

/// Mobility of deformable nodes and of rigid bodies.
#[derive(Clone, Debug, Default)]
pub struct Mobility {
    nodes: Vec<Vec3>,
    sliding: Vec<SlidingNode>,
    rigid: Vec<Option<RigidMobility>>,
    tied: TiedMobility,
}

/// Node constrained to a line. Its mobility is n ⊗ n/m with the mass m and the unit vector n = `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SlidingNode {
    node: u32,
    direction: Vec3,
    inverse_mass: f64,
}

/// Mobility and motion of a rigid body. The mobility of prescribed components is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMobility {
    /// Centre of mass at the end of the step \[m\]; in `Stage::Middle`, at the middle of the step.
    pub centre: Vec3,
    /// Reciprocal mass for each component of the velocity of the centre \[1/kg\].
    pub inverse_mass: Vec3,
    /// Inverse inertia tensor about the centre, in global axes \[1/(kg·m²)\].
    pub inverse_inertia: Mat3,
    /// Velocity of the centre at the middle of the step \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity at the middle of the step \[rad/s\].
    pub angular_velocity: Vec3,
    /// Acceleration of the centre \[m/s²\]. Its instant and its forces are those of `Bodies::accelerations`.
    pub acceleration: Vec3,
    /// Inverse inertia times the rate of the angular momentum \[rad/s²\]. Its instant and its forces are those of
    /// `Bodies::accelerations`.
    pub angular_acceleration: Vec3,
}

impl RigidMobility {
    /// Whether the body can translate or rotate.
    pub fn can_move(&self) -> bool {
        self.inverse_mass.amax() > 0.0 || self.inverse_inertia.amax() > 0.0
    }
}

impl Mobility {
    /// Mobility of a model whose bodies are all deformable. `nodes` are the inverse nodal masses by component \[1/kg\],
    /// zero for prescribed components.
    pub fn of_nodes(nodes: Vec<Vec3>, num_bodies: usize) -> Self {
        Self { nodes, sliding: Vec::new(), rigid: vec![None; num_bodies], tied: TiedMobility::default() }
    }

    /// Constrains a free node to a line along a unit vector.
    pub fn constrain_to_line(&mut self, node: u32, direction: Vec3) {
        let inverse_mass = std::mem::take(&mut self.nodes[node as usize]).x;
        self.sliding.push(SlidingNode { node, direction, inverse_mass });
    }

    /// Sets the mobility of the tied nodes.
    pub fn tie(&mut self, tied: TiedMobility) {
        self.tied = tied;
    }

    /// Mobility of the tied nodes; `velocity_jump` and `matrix` ignore the ties.
    pub fn tied(&self) -> &TiedMobility {
        &self.tied
    }

    /// Sets the mobility of a rigid body.
    pub fn set_rigid(&mut self, body: usize, mobility: RigidMobility) {
        self.rigid[body] = Some(mobility);
    }

    /// Mobility of a deformable node by component \[1/kg\]; zero for a node constrained to a line.
    pub fn node(&self, node: u32) -> Vec3 {
        self.nodes[node as usize]
    }

    /// Velocity jump of a deformable node under an impulse.
    #[inline]
    pub fn velocity_jump(&self, node: u32, impulse: &Vec3) -> Vec3 {
        match self.sliding(node) {
            None => self.node(node).component_mul(impulse),
            Some(sliding) => sliding.direction * (sliding.inverse_mass * sliding.direction.dot(impulse)),
        }
    }

    /// Mobility matrix of a deformable node \[1/kg\].
    #[inline]
    pub fn matrix(&self, node: u32) -> Mat3 {
        match self.sliding(node) {
            None => Mat3::from_diagonal(&self.node(node)),
            Some(sliding) => sliding.direction * sliding.direction.transpose() * sliding.inverse_mass,
        }
    }

    /// Projection of a vector on the free directions of a deformable node.
    #[inline]
    pub fn free_part(&self, node: u32, vector: &Vec3) -> Vec3 {
        match self.sliding(node) {
            None => {
                vector.zip_map(&self.node(node), |value, inverse| if inverse > 0.0 { value } else { 0.0 })
            }
            Some(sliding) => sliding.direction * sliding.direction.dot(vector),
        }
    }

    /// Whether a deformable node can move.
    pub fn is_movable(&self, node: u32) -> bool {
        self.node(node) != Vec3::zeros() || self.sliding(node).is_some()
    }

    #[inline]
    fn sliding(&self, node: u32) -> Option<&SlidingNode> {
        self.sliding.iter().find(|sliding| sliding.node == node)
    }

    /// Mobility of a rigid body; `None` for a deformable body.
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
