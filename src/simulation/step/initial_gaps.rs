//! Gaps that are not counted: of contacts that began with a penetration that no motion has made.
//!
//! A contact of bodies that overlap at t = 0 counts its gap from the initial one, where the scenario asks for it. So does a
//! contact that is found deeper in its target than it has travelled in the step in which it is found: it has come from the
//! side, past the rim of a surface, or from where surfaces do not touch; and one that goes on from a contact with another
//! surface, but deeper, as on a step up, counts on from that. Springs that took them at their full depth would hold an
//! energy that nobody has put in. The kept gap follows one that becomes smaller and is forgotten when the contact
//! opens.
//!
//! Edges that have come past each other's ends are in no contact at all: they lie beside each other.
//!
//! Hallquist, LS-DYNA Keyword User's Manual, \*CONTACT, `IGNORE = 1`, tracks penetrations likewise, at the start and
//! later.

use crate::contact::detection::edges_have_passed;
use crate::contact::flush::is_along;
use crate::contact::{Constraint, Constraints, ContactKey};
use crate::math::Vec3;

/// How much farther than the gap the kept one is, relative to it: rounding must not leave contacts that press on nothing.
const CLEARANCE: f64 = 1e-9;

/// Gaps from which contacts are counted \[m\], by ascending key.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialGaps {
    now: Vec<(ContactKey, f64)>,
    before: Vec<(ContactKey, f64)>,
    passed: Vec<ContactKey>,
    workspace: Constraints,
}

impl InitialGaps {
    /// The gaps of these constraints.
    pub fn of(constraints: &Constraints) -> Self {
        let beyond = |constraint: Constraint<'_>| (constraint.key, constraint.gap * (1.0 + CLEARANCE));
        Self { now: constraints.iter().map(beyond).collect(), ..Self::default() }
    }

    /// Whether no gap is kept, any more.
    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    /// Counts the gaps of the constraints of a step from the kept ones, and takes the edges out that have passed each other.
    /// `before` are the constraints of the step before, `positions` those of all nodes at the beginning and at the end of the
    /// step \[m\].
    pub fn apply(&mut self, constraints: &mut Constraints, before: &Constraints, positions: [&[Vec3]; 2]) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.passed.clear();
        if self.before.is_empty() && constraints.keys() == before.keys() {
            return; // all go on
        }
        let mut kept = self.before.iter().peekable();
        let mut earlier = before.keys().iter().peekable();
        for constraint in constraints.iter() {
            while kept.next_if(|(key, _)| *key < constraint.key).is_some() {}
            while earlier.next_if(|key| **key < constraint.key).is_some() {}
            let lasts = earlier.next_if_eq(&&constraint.key).is_some();
            let initial = match kept.next_if(|(key, _)| *key == constraint.key) {
                Some((_, gap)) => Some(*gap),
                None if lasts => None,
                None => match replaced_gap(&constraint, before) {
                    Some(counted) => added_gap(&constraint, counted, positions),
                    None if edges_have_passed(&constraint, before, positions) => {
                        self.passed.push(constraint.key);
                        None
                    }
                    None => unaccounted_gap(&constraint, positions),
                },
            };
            if let Some(initial) = initial {
                self.now.push((constraint.key, initial.max(constraint.gap * (1.0 + CLEARANCE))));
            }
        }
        if !self.passed.is_empty() {
            constraints.retain(|constraint| !self.passed.contains(&constraint.key), &mut self.workspace);
        }
        let mut kept = self.now.iter().peekable();
        if kept.peek().is_some() {
            constraints.map_gaps(|key, gap| {
                gap - kept.next_if(|(kept, _)| *kept == key).map_or(0.0, |(_, initial)| *initial)
            });
        }
    }

    /// Takes the last step back.
    pub fn take_back(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
    }
}

/// The gap at the beginning of the step of a contact that is deeper than its points have moved against each other in it:
/// they were not apart then.
fn unaccounted_gap(constraint: &Constraint<'_>, [from, to]: [&[Vec3]; 2]) -> Option<f64> {
    let travel = constraint.jump(to) - constraint.jump(from);
    let closed = (-constraint.normal.dot(&travel)).max(0.0);
    (constraint.gap < -travel.norm()).then_some(constraint.gap + closed)
}

/// The part of the gap of a new contact of a node that it has beyond that of the one that it goes on from, as on a step up
/// in the surface. Edges go on in the edges next to them, whose gaps are measured along other normals.
fn added_gap(constraint: &Constraint<'_>, counted: f64, [from, to]: [&[Vec3]; 2]) -> Option<f64> {
    if matches!(constraint.key, ContactKey::Edges(_)) {
        return None;
    }
    let travel = constraint.jump(to) - constraint.jump(from);
    let added = constraint.gap - constraint.normal.dot(&travel) - counted;
    (added < CLEARANCE * constraint.gap).then_some(added)
}

/// The gap that counted of the contact whose place a new one takes, the deepest along its normal, either way: of the same
/// node with another surface, or of edges with a node in common.
fn replaced_gap(constraint: &Constraint<'_>, before: &Constraints) -> Option<f64> {
    let nodes = touching(constraint);
    let of_nodes = nodes.iter().flat_map(|&node| before.of_contactor(node));
    let of_edges = before.of_edges().filter(|other| nodes.iter().any(|node| touching(other).contains(node)));
    let along = |other: &Constraint<'_>| {
        [constraint.normal, -constraint.normal].iter().any(|normal| is_along(normal, &other.normal))
    };
    of_nodes.chain(of_edges).filter(along).map(|other| other.gap).reduce(f64::min)
}

/// The nodes that touch: a contactor, or the ends of two edges.
fn touching<'a>(constraint: &Constraint<'a>) -> &'a [u32] {
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

    /// Node 3 at this height over the triangle of the nodes 0, 1, 2.
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

    /// The gap that counts in a step from one height to another.
    fn counted(kept: &mut InitialGaps, before: &Constraints, from: f64, to: f64) -> f64 {
        let mut constraints = contact(to, 0);
        kept.apply(&mut constraints, before, [&positions(from), &positions(to)]);
        constraints.get(0).gap
    }

    #[test]
    fn what_comes_through_the_face_counts_whole() {
        let (mut kept, nothing) = (InitialGaps::default(), Constraints::default());
        assert_eq!(counted(&mut kept, &nothing, 0.1, -0.2), -0.2);
        assert!(kept.is_empty());
        assert_eq!(counted(&mut kept, &contact(-0.2, 0), -0.2, -0.201), -0.201, "it goes on");
        assert_eq!(counted(&mut kept, &contact(-0.2, 7), -0.2, -0.201), -0.201, "from another surface");
    }

    /// Found 0.5 deep after a step of 0.1: only that step counts, until the contact has opened.
    #[test]
    fn what_comes_from_the_side_counts_from_where_it_was() {
        let (mut kept, nothing) = (InitialGaps::default(), Constraints::default());
        assert!((counted(&mut kept, &nothing, -0.4, -0.5) + 0.1).abs() < 1e-15);
        let before = contact(-0.1, 0);
        assert!((counted(&mut kept, &before, -0.5, -0.6) + 0.2).abs() < 1e-15);
        assert!(counted(&mut kept, &before, -0.6, -0.3).abs() < 1e-9, "the kept gap follows");
        assert!((counted(&mut kept, &before, -0.3, -0.35) + 0.05).abs() < 1e-9);
        kept.take_back();
        assert!((counted(&mut kept, &before, -0.3, -0.35) + 0.05).abs() < 1e-9, "the step once more");
        kept.apply(&mut Constraints::default(), &before, [&positions(0.0), &positions(0.1)]);
        assert!(kept.is_empty());
        assert_eq!(counted(&mut kept, &nothing, 0.1, -0.05), -0.05);
    }

    /// From a surface 0.2 under a node onto one that is 0.1 higher: the step does not count, the way on does. A surface
    /// that is lower counts as deep as it is.
    #[test]
    fn a_step_up_counts_from_the_depth_before() {
        let before = contact(-0.2, 7);
        let onto = |gap: f64, to: f64| {
            let (mut kept, mut constraints) = (InitialGaps::default(), contact(gap, 0));
            kept.apply(&mut constraints, &before, [&positions(-0.2), &positions(to)]);
            constraints.get(0).gap
        };
        assert!((onto(-0.3, -0.2) + 0.2).abs() < 1e-8);
        assert!((onto(-0.31, -0.21) + 0.21).abs() < 1e-8, "and the way in the step");
        assert_eq!(onto(-0.15, -0.2), -0.15);
        let (key, mut aside) = (before.keys()[0], Constraints::default());
        let side = |body, nodes, shape_values| Side { body, nodes, shape_values };
        aside.push(key, -0.2, Vec3::x(), side(1, &[3], &[1.0]), side(7, &[0], &[1.0]));
        assert_eq!(replaced_gap(&contact(-0.2, 0).get(0), &aside), None, "from a wall to the floor");
    }

    /// Edges that pass on to their neighbours, and nodes that pass on to edges, have been in contact.
    #[test]
    fn contacts_are_handed_on() {
        let edges = |nodes: [u32; 4], edge: u32| {
            let mut constraints = Constraints::default();
            let side = |body, nodes| Side { body, nodes, shape_values: &[0.5, 0.5] };
            let key = ContactKey::Edges(EdgeOnEdge { contactor: edge, target: 9 });
            constraints.push(key, -0.5, Vec3::z(), side(0, &nodes[..2]), side(1, &nodes[2..]));
            constraints
        };
        let replaces = |now: &Constraints, before: &Constraints| replaced_gap(&now.get(0), before).is_some();
        assert!(replaces(&edges([4, 5, 6, 7], 1), &edges([3, 4, 8, 9], 0)));
        assert!(replaces(&edges([3, 5, 6, 7], 1), &contact(-0.5, 0)));
        assert!(!replaces(&edges([4, 5, 0, 1], 1), &contact(-0.5, 0)), "a face that was touched elsewhere");
        assert!(!replaces(&edges([4, 5, 6, 7], 1), &edges([0, 1, 2, 3], 0)));
    }
}
