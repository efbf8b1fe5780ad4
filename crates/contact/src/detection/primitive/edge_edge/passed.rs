//! Edges that have passed each other outside the bodies, beyond the ends of the edges.

use super::crossing::END;
use crate::flush::rounding_of_gap;
use crate::math::Vec3;
use crate::{Constraint, Constraints, ContactKey};

/// Upper bound on the ratio of penetration depth to relative displacement in a step, for edges that began to cross in
/// this step. Without rotation of the normal, the ratio is at most 1.
const PASSED: f64 = 2.0;

/// Whether the edges of a new crossing have passed each other beyond their ends; `false` for a node contact. `before`
/// are the contacts of the previous step. `from` and `to` are the positions \[m\] of all nodes at the beginning and at
/// the end of the current step.
///
/// The edges have passed if both conditions hold:
/// - The depth exceeds `PASSED` times the relative displacement in the step, plus `END` times the longer edge, plus
///   rounding.
/// - No node of the crossing was in a contact of the two bodies in the previous step.
pub fn edges_have_passed(crossing: &Constraint<'_>, before: &Constraints, [from, to]: [&[Vec3]; 2]) -> bool {
    if matches!(crossing.key, ContactKey::Node(_)) {
        return false;
    }
    let (first, second) = crossing.nodes.split_at(crossing.num_contactor_nodes);
    let length = |nodes: &[u32]| (to[nodes[0] as usize] - to[nodes[1] as usize]).norm();
    let travel = (crossing.jump(to) - crossing.jump(from)).norm();
    let rounding = rounding_of_gap(crossing.nodes.iter().map(|&node| &to[node as usize]));
    let touched = |other: Constraint<'_>| {
        let [one, another] = crossing.bodies;
        let is_of_pair = other.bodies == [one, another] || other.bodies == [another, one];
        is_of_pair && crossing.nodes.iter().any(|node| other.nodes.contains(node))
    };
    -crossing.gap > PASSED * travel + END * length(first).max(length(second)) + rounding
        && !before.iter().any(touched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeOnEdge, NodeOnSurface, Side};

    /// Two edges of 2 m that cross at their middles, with this penetration depth and this relative displacement in the
    /// step \[m\].
    fn crossing(depth: f64, displacement: f64) -> (Constraints, [Vec<Vec3>; 2]) {
        let at = |height: f64| {
            let other = [-1.0, 1.0].map(|y| Vec3::new(0.0, y, height));
            [-Vec3::x(), Vec3::x()].into_iter().chain(other).collect::<Vec<_>>()
        };
        let mut constraints = Constraints::default();
        let side = |body, nodes| Side { body, nodes, shape_values: &[0.5, 0.5] };
        let key = ContactKey::Edges(EdgeOnEdge { contactor: 3, target: 9 });
        constraints.push(key, -depth, -Vec3::z(), side(0, &[0, 1]), side(1, &[2, 3]));
        (constraints, [at(displacement - depth), at(-depth)])
    }

    fn has_passed(depth: f64, displacement: f64, before: &Constraints) -> bool {
        let (constraints, [from, to]) = crossing(depth, displacement);
        edges_have_passed(&constraints.get(0), before, [&from, &to])
    }

    #[test]
    fn crossings_deeper_than_travel_and_ends_have_passed() {
        let nothing = Constraints::default();
        assert!(has_passed(0.3, 0.1, &nothing));
        assert!(!has_passed(0.1, 0.1, &nothing), "crossed in the step");
        assert!(!has_passed(0.019, 0.0, &nothing), "an end of 1 % of 2 m");
        assert!(has_passed(0.021, 0.0, &nothing));
    }

    #[test]
    fn what_touched_before_has_not_passed() {
        let contact = |node: u32, bodies: [u32; 2]| {
            let mut constraints = Constraints::default();
            let nodes = [node];
            let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
            let key = ContactKey::Node(NodeOnSurface { contactor: node, target: bodies[1] });
            constraints.push(key, -0.3, Vec3::x(), side(bodies[0], &nodes), side(bodies[1], &[7]));
            constraints
        };
        assert!(!has_passed(0.3, 0.1, &contact(2, [1, 0])), "an end of the edge, with whatever normal");
        assert!(has_passed(0.3, 0.1, &contact(8, [1, 0])), "another node");
        assert!(has_passed(0.3, 0.1, &contact(2, [1, 5])), "another body");
    }
}
