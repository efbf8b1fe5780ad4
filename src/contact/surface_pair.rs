//! Parts of the surfaces of two bodies, and which contacts are between them.

use std::sync::Arc;

use super::{Constraint, Surface};

/// Two bodies, or parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// In ascending order.
    bodies: [u32; 2],
    /// Faces of each that are meant; `None` for all.
    parts: [Option<Arc<Surface>>; 2],
}

impl SurfacePair {
    /// Two bodies, in any order, with all of their surfaces.
    pub fn whole(bodies: [u32; 2]) -> Self {
        Self::new(bodies, [None, None])
    }

    /// Parts of the surfaces of two bodies, in any order; `None` is all of it.
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

    /// Whether it is of the whole surfaces of both bodies.
    pub fn is_whole(&self) -> bool {
        self.parts == [None, None]
    }

    /// Whether a contact is between these. A node, an edge or a face is of a part where a face of the part has all its
    /// nodes: those on the border between two parts are of both.
    pub fn holds(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies;
        if self.bodies != [contactor.min(target), contactor.max(target)] {
            return false;
        }
        let (of_contactor, of_target) = constraint.nodes.split_at(constraint.num_contactor_nodes);
        let sides = if contactor <= target { [of_contactor, of_target] } else { [of_target, of_contactor] };
        self.parts.iter().zip(sides).all(|(part, nodes)| part.as_ref().is_none_or(|part| part.holds(nodes)))
    }
}
