//! Contact points on the offset surfaces of bodies with a contact thickness.
//!
//! The contact surfaces are offset outwards by h_c and h_t from the meshes of contactor and target. With the normal n,
//! the mesh points x_c and x_t, and the gap g between the contact surfaces:
//!
//! ```text
//! x_c' = x_c − h_c n,    x_t' = x_t + h_t n,    n · (x_c' − x_t') = g
//! ```
//! Friction and slip refer to the offset points x_c' and x_t'. An offset point moves with its support nodes a: the
//! nodes of its rigid body, or of the element behind its face. The weights w_a + B_a of the offset point sum to 1. Here
//! w_a are the weights of the mesh point, x_a the nodal positions, and
//!
//! ```text
//! B_a = y_a · M⁻¹ d,   M = Σ y_a ⊗ y_a        y_a = x_a minus the mean of x_a,  d = offset vector −h_c n or h_t n
//! Σ B_a = 0,   Σ B_a x_a = d
//! ```
//!
//! # Source
//! Derived.

use crate::math::{Mat3, Vec3};
use crate::{Constraint, Constraints, Side, Surface};

/// Smallest extent of the support nodes along a principal axis of M, relative to the offset \[-\]. Below this extent,
/// the offset along the axis is omitted. The extent is √(Σ y²), with the nodal coordinates y along the axis relative to
/// their mean.
const MIN_EXTENT: f64 = 0.1;

/// Nodes that define the motion of the offset points of a body.
#[derive(Clone, Debug)]
pub enum SupportNodes {
    /// No offset: a body without contact thickness.
    None,
    /// Nodes of a rigid body, not coplanar.
    Body(Vec<u32>),
    /// Nodes of the element behind each face.
    Elements {
        /// Nodes of the elements, in the order of the faces.
        nodes: Vec<u32>,
        /// For each face, the index in `nodes` at which its nodes end.
        ends: Vec<u32>,
    },
}

/// Moves constraints to the offset surfaces.
#[derive(Clone, Debug, Default)]
pub struct OffsetPoints {
    /// Offset of every body (half its contact thickness) \[m\], and its support nodes; empty if no body is offset.
    /// Walls have higher body numbers, and no offset.
    bodies: Vec<(f64, SupportNodes)>,
    moved: Constraints,
    sides: [Vec<(u32, f64)>; 2],
    nodes: [Vec<u32>; 2],
    shape_values: [Vec<f64>; 2],
}

impl OffsetPoints {
    /// `bodies` contains the offset \[m\] and the support nodes of every body.
    pub fn new(bodies: Vec<(f64, SupportNodes)>) -> Self {
        let any =
            bodies.iter().any(|(offset, support)| *offset > 0.0 && !matches!(support, SupportNodes::None));
        Self { bodies: if any { bodies } else { Vec::new() }, ..Self::default() }
    }

    /// Computes the constraints on the offset surfaces from the constraints on the meshes.
    pub fn find(&mut self, surfaces: &[Surface], positions: &[Vec3], constraints: &Constraints) {
        self.moved.clear();
        if self.bodies.is_empty() {
            return;
        }
        for constraint in constraints.iter() {
            self.push(surfaces, positions, &constraint);
        }
    }

    /// Constraints on the offset surfaces; `constraints` if no body has an offset or no contact has friction.
    pub fn of<'a>(&'a self, constraints: &'a Constraints) -> &'a Constraints {
        if self.bodies.is_empty() { constraints } else { &self.moved }
    }

    fn push(&mut self, surfaces: &[Surface], positions: &[Vec3], constraint: &Constraint<'_>) {
        let (nodes, weights) = (constraint.nodes, constraint.weights);
        let middle = constraint.num_contactor_nodes;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let range = if side == 0 { 0..middle } else { middle..nodes.len() };
            let terms = &mut self.sides[side];
            terms.clear();
            terms.extend(range.map(|k| (nodes[k], sign * weights[k])));
            let body = constraint.bodies[side] as usize;
            if let Some((offset, support)) = self.bodies.get(body) {
                let support = support.of(&surfaces[body], terms);
                offset_point(terms, support, positions, &(constraint.normal * (-sign * offset)));
            }
            self.nodes[side].clear();
            self.nodes[side].extend(terms.iter().map(|term| term.0));
            self.shape_values[side].clear();
            self.shape_values[side].extend(terms.iter().map(|term| term.1));
        }
        let side = |side: usize| Side {
            body: constraint.bodies[side],
            nodes: &self.nodes[side],
            shape_values: &self.shape_values[side],
        };
        self.moved.push(constraint.key, constraint.gap, constraint.normal, side(0), side(1));
    }
}

impl SupportNodes {
    /// Support nodes of a mesh point; empty if the point has none. `terms` are the nodes and shape values of the point.
    /// For `Elements`, these are the nodes of the element behind one face: the first face at the first node of `terms`
    /// that contains all nodes of `terms`, or whose nodes all belong to `terms`.
    fn of(&self, surface: &Surface, terms: &[(u32, f64)]) -> &[u32] {
        match self {
            Self::None => &[],
            Self::Body(nodes) => nodes,
            Self::Elements { nodes: of_faces, ends } => {
                let faces = surface.faces_of_node(terms[0].0);
                let is_of_point = |&&face: &&u32| {
                    let (_, nodes) = surface.face(face as usize);
                    terms.iter().all(|(node, _)| nodes.contains(node))
                        || nodes.iter().all(|node| terms.iter().any(|(term, _)| term == node))
                };
                let Some(&face) = faces.iter().find(is_of_point) else { return &[] };
                let first = face.checked_sub(1).map_or(0, |before| ends[before as usize]);
                &of_faces[first as usize..ends[face as usize] as usize]
            }
        }
    }
}

/// Changes the nodes and shape values `terms` of a mesh point to those of the point moved by `offset` \[m\].
fn offset_point(terms: &mut Vec<(u32, f64)>, support: &[u32], positions: &[Vec3], offset: &Vec3) {
    let square = offset.norm_squared();
    if support.is_empty() || square == 0.0 {
        return;
    }
    let count = support.len() as f64;
    let position = |&node: &u32| positions[node as usize];
    let mean = support.iter().map(position).sum::<Vec3>() / count;
    let spread: Mat3 = support.iter().map(|node| position(node) - mean).map(|y| y * y.transpose()).sum();
    let eigen = spread.symmetric_eigen();
    let along = eigen.eigenvectors.transpose() * offset;
    let least = MIN_EXTENT * MIN_EXTENT * square;
    let parts =
        along.zip_map(&eigen.eigenvalues, |part, value| if value > least { part / value } else { 0.0 });
    let gradient = eigen.eigenvectors * parts;
    for node in support {
        let value = gradient.dot(&(position(node) - mean));
        match terms.iter_mut().find(|term| term.0 == *node) {
            Some(term) => term.1 += value,
            None => terms.push((*node, value)),
        }
    }
}

/// Up to four nodes, each farthest from the point, line or plane of the nodes already chosen. From coplanar `nodes`,
/// three are chosen; from collinear `nodes`, two.
pub fn far_from_coplanar(nodes: impl Iterator<Item = u32> + Clone, positions: &[Vec3]) -> Vec<u32> {
    let position = |node: u32| positions[node as usize];
    let mut chosen: Vec<u32> = Vec::new();
    let mut size = 0.0;
    for _ in 0..4 {
        // The first choice is the node farthest from the first of `nodes`.
        let away = |node: u32| {
            let x = position(node);
            match *chosen.as_slice() {
                [] => (x - positions[nodes.clone().next().map_or(0, |n| n as usize)]).norm(),
                [a] => (x - position(a)).norm(),
                [a, b] => {
                    let along = position(b) - position(a);
                    (x - position(a)).cross(&along).norm() / along.norm()
                }
                [a, b, c, ..] => {
                    let normal = (position(b) - position(a)).cross(&(position(c) - position(a)));
                    (x - position(a)).dot(&normal).abs() / normal.norm()
                }
            }
        };
        let farthest =
            nodes.clone().map(|node| (away(node), node)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        match farthest {
            Some((distance, node)) if distance > 1e-9 * size => {
                size = f64::max(size, distance);
                chosen.push(node);
            }
            _ => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape values of an offset point sum to 1 and interpolate its position. An offset normal to the plane of
    /// three support nodes is omitted.
    #[test]
    fn support_nodes_define_the_offset_point() {
        let tetrahedron =
            [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.2, 1.2], [0.5, 0.5, 0.0]];
        let positions = tetrahedron.map(Vec3::from);
        let carried = |support: &[u32], offset: &Vec3| {
            let mut terms = vec![(4, 1.0)];
            offset_point(&mut terms, support, &positions, offset);
            assert!((terms.iter().map(|term| term.1).sum::<f64>() - 1.0).abs() < 1e-14);
            terms.iter().map(|&(node, value)| positions[node as usize] * value).sum::<Vec3>()
        };
        let offset = Vec3::new(0.3, -0.2, 0.4);
        assert!((carried(&[0, 1, 2, 3], &offset) - positions[4] - offset).norm() < 1e-14);
        let in_plane = (positions[1] - positions[0]) * 0.3;
        assert!((carried(&[0, 1, 2], &in_plane) - positions[4] - in_plane).norm() < 1e-14);
        let out = (positions[1] - positions[0]).cross(&(positions[2] - positions[0])) * 0.2;
        assert!((carried(&[0, 1, 2], &out) - positions[4]).norm() < 1e-14);
    }

    #[test]
    fn support_nodes_are_far_from_coplanar() {
        let positions: Vec<Vec3> =
            (0..27).map(|k| Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64)).collect();
        let chosen = far_from_coplanar(0..27, &positions);
        let [a, b, c, d] = *chosen.as_slice() else { panic!("{chosen:?}") };
        let [a, b, c, d] = [a, b, c, d].map(|node| positions[node as usize]);
        assert!((b - a).cross(&(c - a)).dot(&(d - a)).abs() >= 8.0);
        assert_eq!(far_from_coplanar(0..9, &positions).len(), 3, "of a flat body");
    }
}
