//! Removes contacts of two edges (*crossings*) where node contacts already carry one of the edges.
//!
//! An edge that slides over the seam between two bodies crosses the rims of both bodies at the seam. A crossing is
//! redundant in two cases:
//! - All nodes of one edge have contacts that push them in the same direction as the crossing does (within 26°), and
//!   the crossing is at most twice as deep as the depth interpolated from these contacts.
//! - A node of one edge is in contact with the body of the other edge, and the depth of this contact is at least the
//!   distance of the crossing from this node.

use crate::flush::{is_along, is_as_deep};
use crate::math::Vec3;
use crate::{Constraint, Constraints, ContactKey};

/// Removes the redundant crossings; overwrites `workspace`.
pub(super) fn drop_supported(positions: &[Vec3], constraints: &mut Constraints, workspace: &mut Constraints) {
    workspace.clear();
    for crossing in constraints.iter() {
        let is_carried = || {
            let (first, second) = crossing.nodes.split_at(crossing.num_contactor_nodes);
            let (of_first, of_second) = crossing.weights.split_at(crossing.num_contactor_nodes);
            let [one, other] = crossing.bodies;
            let sides =
                [(first, of_first, crossing.normal, other), (second, of_second, -crossing.normal, one)];
            sides.into_iter().any(|(nodes, weights, push, touched)| {
                supported_depth(constraints, nodes, weights, &push)
                    .is_some_and(|depth| is_as_deep(crossing.gap, -depth))
                    || is_beside_touching_end(constraints, nodes, weights, touched, positions)
            })
        };
        if matches!(crossing.key, ContactKey::Node(_)) || !is_carried() {
            workspace.push_copy(&crossing);
        }
    }
    std::mem::swap(constraints, workspace);
}

/// Depth \[m\] at the crossing, interpolated from the contacts of `nodes` whose normals are along the vector `push`;
/// `None` if a node has no such contact. The shape values at the crossing are |`weights`|.
fn supported_depth(constraints: &Constraints, nodes: &[u32], weights: &[f64], push: &Vec3) -> Option<f64> {
    let depth = |node| {
        let pushes = |contact: &Constraint<'_>| is_along(&contact.normal, push);
        constraints.of_contactor(node).filter(pushes).map(|contact| -contact.gap).reduce(f64::max)
    };
    nodes.iter().zip(weights).map(|(&node, weight)| depth(node).map(|depth| weight.abs() * depth)).sum()
}

/// Whether the second case at the top of this file applies to the edge with these `nodes`. `touched` is the body of the
/// other edge.
fn is_beside_touching_end(
    constraints: &Constraints,
    nodes: &[u32],
    weights: &[f64],
    touched: u32,
    positions: &[Vec3],
) -> bool {
    let position = |node: u32| positions[node as usize];
    let point: Vec3 = nodes.iter().zip(weights).map(|(&node, w)| position(node) * w.abs()).sum();
    nodes.iter().any(|&node| {
        let distance = (point - position(node)).norm();
        constraints.of_contactor(node).any(|contact| contact.bodies[1] == touched && distance <= -contact.gap)
    })
}
