//! Resultant forces on the nodes.

use crate::contact::response::ContactAction;
use crate::dynamics::InternalForce;
use crate::math::Vec3;

use crate::forces::Forces;

/// External forces f_ext, internal forces f_int and contact forces f_c on the nodes \[N\].
pub(crate) struct Resultants<'a> {
    /// Weight and loads on the nodes. Can be empty (see [`Forces::external`]).
    pub external: &'a [Vec3],
    pub internal: &'a [Vec3],
    contact: &'a [Vec3],
}

impl<'a> Resultants<'a> {
    pub fn new(forces: &'a Forces, internal: &'a InternalForce, contact: &'a ContactAction) -> Self {
        Self { external: &forces.external, internal: internal.forces(), contact: &contact.forces }
    }

    /// Resultant f_ext − f_int + f_c on a node \[N\].
    pub fn on(&self, node: usize) -> Vec3 {
        let external = self.external.get(node).copied().unwrap_or_else(Vec3::zeros);
        external - self.internal[node] + self.contact[node]
    }

    /// Sets the acceleration of a node. A node without mass (of a wall that is not free) keeps its acceleration.
    pub fn accelerate(&self, node: u32, masses: &[f64], accelerations: &mut [Vec3]) {
        let node = node as usize;
        if masses[node] > 0.0 {
            accelerations[node] = self.on(node) * (1.0 / masses[node]);
        }
    }
}
