//! Velocity changes that the ties cause at tied nodes under contact forces.

use std::ops::Range;

use crate::Constraint;
use crate::math::Vec3;
use crate::response::mobility::{Distribution, Mobility};
use crate::response::row::Motion;

/// Size up to which tie impulses on a node are omitted, relative to the contact impulse \[-\].
const NEGLIGIBLE_SHARE: f64 = 1e-24;

/// Velocity changes of a node by the ties alone, per contact impulse \[1/kg\].
#[derive(Clone, Copy, Debug)]
struct TiedNode {
    node: u32,
    /// Velocity change per unit impulse P along the nodal vectors G_a of the contact: P G_a acts on each node a.
    along: Vec3,
    /// Velocity change per unit impulse on the contactor, with its reaction on the target, for each Cartesian
    /// component.
    across: Vec3,
}

/// Velocity changes by the tie impulses; the changes by the contact impulses themselves are excluded.
#[derive(Clone, Debug, Default)]
pub(super) struct TiedMotions {
    nodes: Vec<TiedNode>,
    /// Workspace: impulse on each node of a group of ties under a unit impulse along the nodal vectors \[-\].
    along: Vec<Vec3>,
    distribution: Distribution,
}

impl TiedMotions {
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Appends the velocity changes by a contact with the nodal vectors G_a = `vectors`, and returns their range. The
    /// range is empty if no node of the contact is tied.
    pub fn append(
        &mut self,
        constraint: &Constraint<'_>,
        vectors: &[Vec3],
        mobility: &Mobility,
    ) -> Range<usize> {
        let first = self.nodes.len();
        let group = |node: &u32| mobility.tied().group(*node);
        for (place, node) in constraint.nodes.iter().enumerate() {
            if let Some(of_node) = group(node)
                && constraint.nodes[..place].iter().all(|other| group(other) != Some(of_node))
            {
                self.append_group(of_node, constraint, vectors, mobility);
            }
        }
        first..self.nodes.len()
    }

    fn append_group(
        &mut self,
        group: u32,
        constraint: &Constraint<'_>,
        vectors: &[Vec3],
        mobility: &Mobility,
    ) {
        let Self { nodes, along, distribution } = self;
        let terms = || {
            let all = constraint.nodes.iter().zip(vectors.iter().zip(constraint.weights));
            let of_group = all.filter(|(node, _)| mobility.tied().group(**node) == Some(group));
            of_group.map(|(&node, (vector, &weight))| (node, *vector, Vec3::repeat(weight)))
        };
        let of_force = terms().map(|(node, vector, _)| (node, vector));
        along.clear();
        along.extend(mobility.tied().distribute(group, of_force, distribution).map(|(_, share)| share));
        let of_contactor = terms().map(|(node, _, weight)| (node, weight));
        let across = mobility.tied().distribute(group, of_contactor, distribution);
        for ((node, mut across), &along) in across.zip(&*along) {
            let mut along = along;
            for (_, vector, weight) in terms().filter(|(other, ..)| *other == node) {
                along -= vector;
                across -= weight;
            }
            if along.amax().max(across.amax()) > NEGLIGIBLE_SHARE {
                let [along, across] = [along, across].map(|share| mobility.node(node).component_mul(&share));
                nodes.push(TiedNode { node, along, across });
            }
        }
    }

    /// `impulse` acts along the nodal vectors.
    pub fn push_along(&self, contact: &Range<usize>, impulse: f64, motion: &mut Motion) {
        for tied in &self.nodes[contact.clone()] {
            motion.nodes[tied.node as usize] += tied.along * impulse;
        }
    }

    /// `impulse` acts on the contactor.
    pub fn push_across(&self, contact: &Range<usize>, impulse: &Vec3, motion: &mut Motion) {
        for tied in &self.nodes[contact.clone()] {
            motion.nodes[tied.node as usize] += tied.across.component_mul(impulse);
        }
    }

    /// Compliance along the nodal vectors with the ties, minus the compliance without the ties; ≤ 0 \[1/kg\].
    pub fn compliance(&self, contact: &Range<usize>, constraint: &Constraint<'_>, vectors: &[Vec3]) -> f64 {
        let of_node = |tied: &TiedNode| {
            let of_contact = constraint.nodes.iter().zip(vectors).filter(|(node, _)| **node == tied.node);
            of_contact.map(|(_, vector)| vector.dot(&tied.along)).sum::<f64>()
        };
        self.nodes[contact.clone()].iter().map(of_node).sum()
    }
}
