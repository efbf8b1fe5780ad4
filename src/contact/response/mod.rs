//! Contact response: constraints in, a [`ContactAction`] out. A response knows nothing of how a constraint was
//! found and never changes the state of the bodies; the step applies its action.

mod penalty;

pub use penalty::{Penalty, PenaltyOptions};

use crate::math::Vec3;

use super::Constraints;

/// What contact does to the nodes in one step.
#[derive(Clone, Debug, Default)]
pub struct ContactAction {
    /// Nodal forces, every node of the model \[N\].
    pub forces: Vec<Vec3>,
    /// Nodes with a force that may differ from zero, ascending.
    pub nodes: Vec<u32>,
    /// Energy stored in the contacts \[J\].
    pub stored_energy: f64,
    /// Power drawn by contact damping \[W\], ≥ 0.
    pub damping_power: f64,
    /// Square of a bound on the angular frequency the contacts add \[rad²/s²\].
    pub frequency_squared: f64,
}

impl ContactAction {
    /// No action on `num_nodes` nodes.
    pub fn new(num_nodes: usize) -> Self {
        Self { forces: vec![Vec3::zeros(); num_nodes], ..Self::default() }
    }

    fn clear(&mut self) {
        for &node in &self.nodes {
            self.forces[node as usize] = Vec3::zeros();
        }
        self.nodes.clear();
        self.stored_energy = 0.0;
        self.damping_power = 0.0;
        self.frequency_squared = 0.0;
    }
}

/// What a response may know of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Velocity of every node \[m/s\].
    pub velocities: &'a [Vec3],
    /// Reciprocal of the lumped mass of every node \[1/kg\]; 0 where the node is held.
    pub inverse_mass: &'a [f64],
}

/// Answers contact.
pub trait Response: Send {
    /// Computes what the constraints do to the bodies over a step of this size \[s\].
    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        time_step: f64,
        action: &mut ContactAction,
    );
}
