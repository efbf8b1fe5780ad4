//! Pairs of surfaces, or of parts of surfaces, of two bodies.

use std::sync::Arc;

use super::{Constraint, Surface};

/// A pair of bodies, or of parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// In ascending order.
    bodies: [u32; 2],
    /// Selected faces of each body; `None` for the whole surface.
    parts: [Option<Arc<Surface>>; 2],
}

impl SurfacePair {
    /// Two bodies, in any order, with their whole surfaces.
    pub fn whole(bodies: [u32; 2]) -> Self {
        Self::new(bodies, [None, None])
    }

    /// Parts of the surfaces of two bodies, in any order; `None` for a whole surface.
    pub fn new([a, b]: [u32; 2], [of_a, of_b]: [Option<Arc<Surface>>; 2]) -> Self {
        if a <= b {
            Self { bodies: [a, b], parts: [of_a, of_b] }
        } else {
            Self { bodies: [b, a], parts: [of_b, of_a] }
        }
    }

    /// The bodies, in ascending order.
    pub fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    /// Whether both surfaces are whole.
    pub fn is_whole(&self) -> bool {
        self.parts == [None, None]
    }

    /// Whether a contact is between these surfaces. A node, an edge or a face belongs to a part if a face of the part
    /// contains all its nodes; nodes and edges on the border between two parts belong to both.
    pub fn holds(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies;
        if self.bodies != [contactor.min(target), contactor.max(target)] {
            return false;
        }
        let [mut of_contactor, mut of_target] = self.parts.each_ref().map(Option::as_ref);
        if contactor > target {
            std::mem::swap(&mut of_contactor, &mut of_target);
        }
        let contactor_nodes = constraint.nodes[..constraint.num_contactor_nodes].iter().copied();
        of_contactor.is_none_or(|part| part.holds(contactor_nodes))
            && of_target.is_none_or(|part| part.holds(constraint.carrying_target_nodes()))
    }
}
