//! Pairs of surfaces, or of parts of surfaces, of two bodies.

use std::sync::Arc;

use super::{Constraint, Surface};

/// A target point counts as a point of a face if the total weight of the target nodes that do not belong to the face is
/// below this bound \[-\]. The bound allows for differences between the closest points on equally close faces, about
/// 1e-6 of the coordinates.
const BESIDE: f64 = 1e-5;

/// A pair of bodies, or of parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Ascending.
    bodies: [u32; 2],
    /// Selected faces of each body; `None` for the whole surface.
    parts: [Option<Arc<Surface>>; 2],
}

impl SurfacePair {
    /// The whole surfaces of two bodies, in any order.
    pub fn whole(bodies: [u32; 2]) -> Self {
        Self::new(bodies, [None, None])
    }

    /// Parts of the surfaces of two bodies, in any order; `None` for the whole surface.
    pub fn new([a, b]: [u32; 2], [of_a, of_b]: [Option<Arc<Surface>>; 2]) -> Self {
        if a <= b {
            Self { bodies: [a, b], parts: [of_a, of_b] }
        } else {
            Self { bodies: [b, a], parts: [of_b, of_a] }
        }
    }

    /// Numbers of the bodies, ascending.
    pub fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    /// Whether both surfaces are whole.
    pub fn is_whole(&self) -> bool {
        self.parts == [None, None]
    }

    /// Whether a contact is between these surfaces, in any order of contactor and target. A part holds a node, an edge
    /// or a face if all nodes of this entity belong to one face of the part. A part also holds a target of several
    /// equally close faces if the target point is on a face of the part.
    pub fn holds(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies;
        if self.bodies != [contactor.min(target), contactor.max(target)] {
            return false;
        }
        let [mut of_contactor, mut of_target] = self.parts.each_ref().map(Option::as_ref);
        if contactor > target {
            std::mem::swap(&mut of_contactor, &mut of_target);
        }
        let (contactor_nodes, target_nodes) = constraint.nodes.split_at(constraint.num_contactor_nodes);
        of_contactor.is_none_or(|part| part.holds(contactor_nodes))
            && of_target.is_none_or(|part| part.holds(target_nodes) || is_on_one_of_several(part, constraint))
    }
}

/// Whether the target has several equally close faces, and the target point is on a face of the part.
fn is_on_one_of_several(part: &Surface, constraint: &Constraint<'_>) -> bool {
    let (nodes, weights) = (constraint.nodes, constraint.weights);
    let (nodes, weights) =
        (&nodes[constraint.num_contactor_nodes..], &weights[constraint.num_contactor_nodes..]);
    part.faces_at(nodes).any(|face| {
        let of_face = part.face(face as usize).1;
        let beside = nodes.iter().zip(weights).filter(|(node, _)| !of_face.contains(node));
        of_face.len() < nodes.len() && beside.map(|(_, weight)| weight.abs()).sum::<f64>() < BESIDE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::CellKind;
    use crate::{Constraints, ContactKey, NodeOnSurface, Side};

    /// The target consists of two faces with a common edge, and a part contains one face. The contact belongs to the
    /// part if the target point is on the common edge, but not if the point is on the other face beside this edge. If
    /// the target is the other face alone, the contact does not belong to the part, even on the common edge.
    #[test]
    fn contacts_of_several_faces_belong_to_the_parts_of_each() {
        let part = Arc::new(Surface::new([(CellKind::Quad4, [0_u32, 1, 2, 3].as_slice())]));
        let pair = SurfacePair::new([0, 1], [Some(part), None]);
        for (beside, is_covered) in [(0.0, true), (1e-7, true), (1e-3, false)] {
            let mut constraints = Constraints::default();
            let contactor = Side { body: 1, nodes: &[6], shape_values: &[1.0] };
            let shape_values = [0.0, 0.5 - beside, 0.5, 0.0, beside, 0.0];
            let target = Side { body: 0, nodes: &[0, 1, 2, 3, 4, 5], shape_values: &shape_values };
            let key = ContactKey::Node(NodeOnSurface { contactor: 6, target: 0 });
            constraints.push(key, 0.0, Vec3::z(), contactor, target);
            assert_eq!(pair.holds(&constraints.get(0)), is_covered, "{beside}");
        }
        let mut constraints = Constraints::default();
        let contactor = Side { body: 1, nodes: &[6], shape_values: &[1.0] };
        let target = Side { body: 0, nodes: &[1, 4, 5, 2], shape_values: &[0.5, 0.0, 0.0, 0.5] };
        let key = ContactKey::Node(NodeOnSurface { contactor: 6, target: 0 });
        constraints.push(key, 0.0, Vec3::z(), contactor, target);
        assert!(!pair.holds(&constraints.get(0)));
    }
}
