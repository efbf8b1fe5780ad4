//! Initial gaps: offsets of the gap for contacts that begin deeper than the motion in one step explains.
//!
//! Springs at the full penetration would store energy without corresponding work. The initial gap, which is negative,
//! is therefore subtracted from the gap. When the penetration falls below the magnitude of the initial gap, the initial
//! gap is set to the measured gap. An initial gap is removed when the contact opens. A contact has an initial gap in
//! three cases:
//!
//! - Bodies overlap at t = 0, with the policy `offset`. The initial gap is the gap at t = 0.
//! - The penetration of a new contact exceeds the relative displacement in the step: the contactor came past an edge,
//!   or from a part excluded from contact. The initial gap is the gap at the beginning of the step.
//! - A contact continues on another surface, from which the penetration is larger. The initial gap is the gap from the
//!   new surface minus the effective gap (gap minus initial gap) from the old surface, both at the beginning of the
//!   step.
//!
//! If two edges have moved past each other's ends, their constraint is removed.
//!
//! Source: `IGNORE = 1` of LS-DYNA (Hallquist, LS-DYNA Keyword User's Manual, \*CONTACT).

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::contact::detection::edges_have_passed;
use crate::contact::flush::is_along;
use crate::contact::{Constraint, Constraints, ContactKey};
use crate::math::Vec3;

/// Fraction by which the magnitude of an initial gap may exceed that of the measured gap, so that rounding leaves no
/// penetration in their difference.
const CLEARANCE: f64 = 1e-9;

/// Initial gaps \[m\] by ascending key.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct InitialGaps {
    now: Vec<(ContactKey, f64)>,
    #[serde(skip)]
    before: Vec<(ContactKey, f64)>,
    #[serde(skip)]
    passed: Vec<ContactKey>,
    #[serde(skip)]
    workspace: Constraints,
}

clone_by_field!(InitialGaps { now, before, passed, workspace });

impl InitialGaps {
    pub fn of(constraints: &Constraints) -> Self {
        let beyond = |constraint: Constraint<'_>| (constraint.key, constraint.gap * (1.0 + CLEARANCE));
        Self { now: constraints.iter().map(beyond).collect(), ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    /// Subtracts the initial gaps, and removes the constraints of edges that have passed each other. `before` are the
    /// constraints of the previous step. `positions` are the nodal positions at the beginning and end of the step
    /// \[m\].
    pub fn apply(&mut self, constraints: &mut Constraints, before: &Constraints, positions: [&[Vec3]; 2]) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.passed.clear();
        if self.before.is_empty() && constraints.keys() == before.keys() {
            return; // All contacts continue, and none has an initial gap.
        }
        let mut initial_gaps = self.before.iter().peekable();
        let mut earlier = before.keys().iter().peekable();
        for constraint in constraints.iter() {
            while initial_gaps.next_if(|(key, _)| *key < constraint.key).is_some() {}
            while earlier.next_if(|key| **key < constraint.key).is_some() {}
            let lasts = earlier.next_if_eq(&&constraint.key).is_some();
            let initial = match initial_gaps.next_if(|(key, _)| *key == constraint.key) {
                Some((_, gap)) => Some(*gap),
                None if lasts => None,
                None => match effective_gap_before(&constraint, before) {
                    Some(counted) => excess_gap(&constraint, counted, positions),
                    None if edges_have_passed(&constraint, before, positions) => {
                        self.passed.push(constraint.key);
                        None
                    }
                    None => gap_before_step(&constraint, positions),
                },
            };
            if let Some(initial) = initial {
                self.now.push((constraint.key, initial.max(constraint.gap * (1.0 + CLEARANCE))));
            }
        }
        if !self.passed.is_empty() {
            constraints.retain(|constraint| !self.passed.contains(&constraint.key), &mut self.workspace);
        }
        let mut initial_gaps = self.now.iter().peekable();
        if initial_gaps.peek().is_some() {
            constraints.map_gaps(|key, gap| {
                gap - initial_gaps
                    .next_if(|(initial_key, _)| *initial_key == key)
                    .map_or(0.0, |(_, initial)| *initial)
            });
        }
    }
}

/// Gap at the beginning or at the end of the step, whichever is larger, if the surfaces overlapped at the beginning.
/// Criterion: at the end of the step, the penetration exceeds the relative displacement in the step.
fn gap_before_step(constraint: &Constraint<'_>, [from, to]: [&[Vec3]; 2]) -> Option<f64> {
    let travel = constraint.jump(to) - constraint.jump(from);
    let closed = (-constraint.normal.dot(&travel)).max(0.0);
    (constraint.gap < -travel.norm()).then_some(constraint.gap + closed)
}

/// Initial gap of a node contact that replaces a contact with the effective gap `counted`: the new gap, minus its
/// change by the displacement in the step, minus `counted`. `None` if this difference is not negative. Also `None` for
/// an edge contact: its gap cannot be compared with `counted`, because its normal differs from that of the replaced
/// contact.
fn excess_gap(constraint: &Constraint<'_>, counted: f64, [from, to]: [&[Vec3]; 2]) -> Option<f64> {
    if matches!(constraint.key, ContactKey::Edges(_)) {
        return None;
    }
    let travel = constraint.jump(to) - constraint.jump(from);
    let added = constraint.gap - constraint.normal.dot(&travel) - counted;
    (added < CLEARANCE * constraint.gap).then_some(added)
}

/// Smallest effective gap (gap minus initial gap) of the contacts that a new contact replaces. A replaced contact has a
/// parallel normal, and the same node or an edge with a common node.
fn effective_gap_before(constraint: &Constraint<'_>, before: &Constraints) -> Option<f64> {
    let nodes = contact_nodes(constraint);
    let of_nodes = nodes.iter().flat_map(|&node| before.of_contactor(node));
    let of_edges =
        before.of_edges().filter(|other| nodes.iter().any(|node| contact_nodes(other).contains(node)));
    let along = |other: &Constraint<'_>| {
        [constraint.normal, -constraint.normal].iter().any(|normal| is_along(normal, &other.normal))
    };
    of_nodes.chain(of_edges).filter(along).map(|other| other.gap).reduce(f64::min)
}

/// The node of a node contact, or the ends of both edges.
fn contact_nodes<'a>(constraint: &Constraint<'a>) -> &'a [u32] {
    match constraint.key {
        ContactKey::Node(_) => &constraint.nodes[..constraint.num_contactor_nodes],
        ContactKey::Edges(_) => constraint.nodes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{EdgeOnEdge, NodeOnSurface, Side};

    const TRIANGLE: [Vec3; 3] =
        [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, -1.0, 0.0), Vec3::new(-1.0, 2.0, 0.0)];

    /// Nodes 0, 1 and 2 of a triangle, and node 3 at a height over the triangle.
    fn positions(height: f64) -> Vec<Vec3> {
        TRIANGLE.into_iter().chain([Vec3::new(0.0, 0.0, height)]).collect()
    }

    fn contact(gap: f64, target: u32) -> Constraints {
        let mut constraints = Constraints::default();
        let node = Side { body: 1, nodes: &[3], shape_values: &[1.0] };
        let face = Side { body: target, nodes: &[0, 1, 2], shape_values: &[1.0 / 3.0; 3] };
        let key = ContactKey::Node(NodeOnSurface { contactor: 3, target });
        constraints.push(key, gap, Vec3::z(), node, face);
        constraints
    }

    /// Effective gap at the end of a step in which node 3 moves from height `from` to height `to`.
    fn counted(initial_gaps: &mut InitialGaps, before: &Constraints, from: f64, to: f64) -> f64 {
        let mut constraints = contact(to, 0);
        initial_gaps.apply(&mut constraints, before, [&positions(from), &positions(to)]);
        constraints.get(0).gap
    }

    #[test]
    fn penetration_through_the_face_counts_in_full() {
        let (mut initial_gaps, nothing) = (InitialGaps::default(), Constraints::default());
        assert_eq!(counted(&mut initial_gaps, &nothing, 0.1, -0.2), -0.2);
        assert!(initial_gaps.is_empty());
        assert_eq!(counted(&mut initial_gaps, &contact(-0.2, 0), -0.2, -0.201), -0.201, "it goes on");
        assert_eq!(
            counted(&mut initial_gaps, &contact(-0.2, 7), -0.2, -0.201),
            -0.201,
            "from another surface"
        );
    }

    /// A contact is detected at a penetration of 0.5 after a relative displacement of 0.1. Until the contact opens,
    /// only the displacement counts.
    #[test]
    fn lateral_entry_counts_from_the_initial_gap() {
        let (mut initial_gaps, nothing) = (InitialGaps::default(), Constraints::default());
        assert!((counted(&mut initial_gaps, &nothing, -0.4, -0.5) + 0.1).abs() < 1e-15);
        let before = contact(-0.1, 0);
        assert!((counted(&mut initial_gaps, &before, -0.5, -0.6) + 0.2).abs() < 1e-15);
        assert!(counted(&mut initial_gaps, &before, -0.6, -0.3).abs() < 1e-9, "the initial gap follows");
        assert!((counted(&mut initial_gaps, &before, -0.3, -0.35) + 0.05).abs() < 1e-9);
        initial_gaps.apply(&mut Constraints::default(), &before, [&positions(0.0), &positions(0.1)]);
        assert!(initial_gaps.is_empty());
        assert_eq!(counted(&mut initial_gaps, &nothing, 0.1, -0.05), -0.05);
    }

    /// A contact with a penetration of 0.2 continues on a surface that is 0.1 higher. This penetration and any further
    /// penetration count, but not the 0.1. On a lower surface, the full penetration counts.
    #[test]
    fn a_surface_step_continues_from_the_previous_gap() {
        let before = contact(-0.2, 7);
        let onto = |gap: f64, to: f64| {
            let (mut initial_gaps, mut constraints) = (InitialGaps::default(), contact(gap, 0));
            initial_gaps.apply(&mut constraints, &before, [&positions(-0.2), &positions(to)]);
            constraints.get(0).gap
        };
        assert!((onto(-0.3, -0.2) + 0.2).abs() < 1e-8);
        assert!((onto(-0.31, -0.21) + 0.21).abs() < 1e-8, "and the way in the step");
        assert_eq!(onto(-0.15, -0.2), -0.15);
        let (key, mut aside) = (before.keys()[0], Constraints::default());
        let side = |body, nodes, shape_values| Side { body, nodes, shape_values };
        aside.push(key, -0.2, Vec3::x(), side(1, &[3], &[1.0]), side(7, &[0], &[1.0]));
        assert_eq!(effective_gap_before(&contact(-0.2, 0).get(0), &aside), None, "from a wall to the floor");
    }

    /// An edge contact continues on adjacent edges, and a node contact continues as an edge contact.
    #[test]
    fn replaced_contacts_continue() {
        let edges = |nodes: [u32; 4], edge: u32| {
            let mut constraints = Constraints::default();
            let side = |body, nodes| Side { body, nodes, shape_values: &[0.5, 0.5] };
            let key = ContactKey::Edges(EdgeOnEdge { contactor: edge, target: 9 });
            constraints.push(key, -0.5, Vec3::z(), side(0, &nodes[..2]), side(1, &nodes[2..]));
            constraints
        };
        let replaces =
            |now: &Constraints, before: &Constraints| effective_gap_before(&now.get(0), before).is_some();
        assert!(replaces(&edges([4, 5, 6, 7], 1), &edges([3, 4, 8, 9], 0)));
        assert!(replaces(&edges([3, 5, 6, 7], 1), &contact(-0.5, 0)));
        assert!(!replaces(&edges([4, 5, 0, 1], 1), &contact(-0.5, 0)), "a face that was touched elsewhere");
        assert!(!replaces(&edges([4, 5, 6, 7], 1), &edges([0, 1, 2, 3], 0)));
    }
}
