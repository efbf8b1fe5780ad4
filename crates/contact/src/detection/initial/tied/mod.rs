//! Tied surfaces: each tied node stays at a fixed offset from a point of a face, or from a weighted mean of target
//! nodes.

mod overlap_weights;
mod plane_overlap;

use overlap_weights::consistent_shares;

use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::{Constraints, ContactKey, NodeOnSurface, Side, Surface};

use crate::detection::tree::closest_face::{ClosestFace, ClosestFaceIndex};

/// Length of the offset of a tied node up to which its gap is set to zero, relative to `TiedSurfaces::within`.
const ON_FACE: f64 = 1e-12;

/// Two tied bodies: nodes of the contactor are tied to faces of the target.
#[derive(Clone, Copy, Debug)]
pub struct TiedSurfaces<'a> {
    /// Bodies of contactor and target.
    pub bodies: [u32; 2],
    /// Surfaces of contactor and target.
    pub surfaces: [&'a Surface; 2],
    /// Largest distance of a tied node from its face \[m\].
    pub within: f64,
}

impl TiedSurfaces<'_> {
    /// A constraint for each contactor node within the distance `within` of the target, at the closest point of the
    /// target. Gaps are distances (≥ 0). Normals point from the closest point to the node; along x if the two coincide.
    ///
    /// # Cost
    /// An index of the target faces, and a search for each contactor node.
    pub fn find_points(&self, positions: &[Vec3]) -> Constraints {
        let mut ties = Constraints::default();
        for (&node, closest) in self.surfaces[0].nodes().iter().zip(self.closest(positions)) {
            if let Some(closest) = closest {
                self.push_at_point(node, &closest, positions, &mut ties);
            }
        }
        ties
    }

    /// A constraint for each node of [`Self::find_points`]. Nodes with weights from `consistent_shares` transmit a
    /// uniform traction exactly. The other nodes are tied at the closest point.
    pub fn find(&self, positions: &[Vec3]) -> Constraints {
        let [contactor, target] = self.surfaces;
        let closest = self.closest(positions);
        let is_near = |node: u32| contactor.local_node(node).is_some_and(|local| closest[local].is_some());
        let shares = consistent_shares([contactor, target], positions, self.within, is_near);
        let mut ties = Constraints::default();
        for (&node, closest) in contactor.nodes().iter().zip(&closest) {
            match (shares.get(&node), closest) {
                (Some(shares), _) => {
                    let (nodes, values): (Vec<u32>, Vec<f64>) = shares.iter().copied().unzip();
                    let point: Vec3 =
                        shares.iter().map(|&(node, share)| positions[node as usize] * share).sum();
                    self.push(node, positions[node as usize] - point, (&nodes, &values), &mut ties);
                }
                (None, Some(closest)) => self.push_at_point(node, closest, positions, &mut ties),
                (None, None) => {}
            }
        }
        ties
    }

    /// Closest point of the target for each contactor node; `None` if the distance exceeds `within`.
    fn closest(&self, positions: &[Vec3]) -> Vec<Option<ClosestFace>> {
        let [contactor, target] = self.surfaces;
        let queries: Vec<Vec3> = contactor.nodes().iter().map(|&node| positions[node as usize]).collect();
        let mut closest = vec![None; queries.len()];
        ClosestFaceIndex::build(target, positions).closest_to_all(&queries, self.within, &mut closest);
        closest
    }

    fn push_at_point(&self, node: u32, closest: &ClosestFace, positions: &[Vec3], ties: &mut Constraints) {
        let (kind, nodes) = self.surfaces[1].face(closest.face as usize);
        let mut values = [0.0; MAX_NODES];
        let xi = closest.point.xi;
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        let offset = positions[node as usize] - closest.point.point;
        self.push(node, offset, (nodes, &values[..nodes.len()]), ties);
    }

    /// `offset` \[m\] is the vector from the weighted mean of the target nodes to the contactor node.
    fn push(&self, node: u32, offset: Vec3, (nodes, shape_values): (&[u32], &[f64]), ties: &mut Constraints) {
        let gap = if offset.norm() > ON_FACE * self.within { offset.norm() } else { 0.0 };
        let normal = offset.try_normalize(0.0).unwrap_or_else(Vec3::x);
        let key = ContactKey::Node(NodeOnSurface { contactor: node, target: self.bodies[1] });
        let of_node = Side { body: self.bodies[0], nodes: &[node], shape_values: &[1.0] };
        ties.push(key, gap, normal, of_node, Side { body: self.bodies[1], nodes, shape_values });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;

    #[test]
    fn near_nodes_are_tied_where_they_are() {
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        let nodes = [[0.5, 1.0, 0.0], [1.0, 1.0, 0.05], [1.0, 0.5, 0.2]];
        let positions: Vec<Vec3> = corners.into_iter().chain(nodes).map(Vec3::from).collect();
        let target = Surface::new([(CellKind::Quad4, [0, 1, 2, 3].as_slice())]);
        let contactor = Surface::new([(CellKind::Tri3, [4, 5, 6].as_slice())]);
        let tied = TiedSurfaces { bodies: [1, 0], surfaces: [&contactor, &target], within: 0.1 };
        let ties = tied.find_points(&positions);
        assert_eq!(ties.len(), 2);
        let (on, near) = (ties.get(0), ties.get(1));
        assert_eq!((on.gap, on.bodies, on.nodes), (0.0, [1, 0], &[4, 0, 1, 2, 3][..]));
        let expected = [1.0, -0.375, -0.125, -0.125, -0.375];
        assert!(on.weights.iter().zip(expected).all(|(weight, expected)| (weight - expected).abs() < 1e-12));
        assert!((near.gap - 0.05).abs() < 1e-15 && near.normal == Vec3::z());
        assert!((near.jump(&positions) - near.normal * near.gap).norm() < 1e-15);
    }
}
