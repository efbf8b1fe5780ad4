//! Removes detected contacts that do not act.

use crate::contact::detection::{Configuration, ContactPolicy, EntryFaces};
use crate::contact::response::OffsetPoints;
use crate::contact::{Constraint, Constraints, ContactKey, NodeOnSurface, Surface};
use crate::math::Vec3;

pub(crate) struct ContactSelection {
    pub policy: ContactPolicy,
    /// `None` with detection by distance fields: nodes then touch elements instead of faces.
    pub entry_faces: Option<EntryFaces>,
    /// Whether contacts act whose gap is positive, or zero within rounding (see `Constraint::is_flush`).
    pub flush_contacts_act: bool,
    pub offset_points: OffsetPoints,
    pub keys: Vec<ContactKey>,
    pub workspace: Constraints,
}

impl ContactSelection {
    /// Removes contacts that do not act, and replaces the nearest face of a node by the entry face of the node.
    ///
    /// `before` contains the contacts of the previous step.
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

    /// Removes contacts of the second pass, which one-pass contact omits. Exception: a contact with penetration beyond
    /// rounding remains if no node of its face has a detected contact with the contactor's body. For example, all nodes
    /// of a face that is wider than this body can lie beside the body.
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
