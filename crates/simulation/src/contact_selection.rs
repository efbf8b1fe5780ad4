//! Selection of the contacts that act, from those that are detected.

use crate::contact::detection::{Configuration, ContactPolicy, EntryFaces};
use crate::contact::response::OffsetPoints;
use crate::contact::{Constraint, Constraints, ContactKey, NodeOnSurface, Surface};
use crate::math::Vec3;

/// Selection of the contacts that act, from those that are detected, with its workspaces.
pub(crate) struct ContactSelection {
    pub policy: ContactPolicy,
    /// Selection of entry faces; `None` with detection by distance fields, in which nodes touch elements instead of
    /// faces.
    pub entry_faces: Option<EntryFaces>,
    /// Whether the response uses flush contacts, that is, contacts without penetration beyond rounding.
    pub flush_contacts_act: bool,
    pub offset_points: OffsetPoints,
    pub keys: Vec<ContactKey>,
    pub workspace: Constraints,
}

impl ContactSelection {
    /// Removes the contacts of a step that do not act, and replaces the nearest face of a node by its entry face.
    /// `before` are the contacts of the last step.
    pub fn select(
        &mut self,
        surfaces: &[Surface],
        configuration: &Configuration<'_>,
        before: &Constraints,
        constraints: &mut Constraints,
    ) {
        let positions = configuration.positions;
        if !self.flush_contacts_act && constraints.iter().any(|constraint| constraint.is_flush(positions)) {
            constraints.retain(|constraint| !constraint.is_flush(positions), &mut self.workspace);
        }
        if constraints.iter().any(|constraint| self.policy.is_of_second_pass(&constraint)) {
            self.keep_pass(positions, constraints);
        }
        if let Some(entry_faces) = &mut self.entry_faces {
            entry_faces.choose(surfaces, configuration, before, constraints);
        }
        if constraints.iter().any(|constraint| self.policy.excludes(&constraint)) {
            constraints.retain(|constraint| !self.policy.excludes(constraint), &mut self.workspace);
        }
    }

    /// Removes a contact of the second pass if it is flush, or if a node of its face has a contact of the first pass.
    /// If a face is wider than the opposite surface, none of its nodes touches that surface, and the contacts of the
    /// face remain.
    fn keep_pass(&mut self, positions: &[Vec3], constraints: &mut Constraints) {
        let Self { policy, keys, workspace, .. } = self;
        keys.clear();
        keys.extend_from_slice(constraints.keys());
        let touches = |&contactor: &u32, target: u32| {
            keys.binary_search(&ContactKey::Node(NodeOnSurface { contactor, target })).is_ok()
        };
        let is_wanted = |constraint: &Constraint<'_>| {
            let face = &constraint.nodes[constraint.num_contactor_nodes..];
            let has_nodes = || face.iter().any(|node| touches(node, constraint.bodies[0]));
            !policy.is_of_second_pass(constraint) || (!constraint.is_flush(positions) && !has_nodes())
        };
        constraints.retain(is_wanted, workspace);
    }
}
