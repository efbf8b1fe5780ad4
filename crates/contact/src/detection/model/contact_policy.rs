//! Pairs excluded from contact, and one-pass or two-pass contact.

use crate::{Constraint, ContactKey, SurfacePair};

/// Excluded pairs of bodies or of parts of their surfaces, and one-pass or two-pass contact of all other pairs.
///
/// Detection skips pairs of bodies that are excluded as a whole ([`ContactPolicy::can_meet`]). Detection still finds
/// the contacts of excluded parts and of second passes; the caller of a detector removes these contacts
/// ([`ContactPolicy::excludes`], [`ContactPolicy::is_of_second_pass`]). Detection needs these contacts for two reasons.
/// First, if the closest face of a node is excluded and detection skipped it, an adjacent face would push the node out
/// sideways. Second, the entry face of a node depends on all contacts of neighbouring nodes.
#[derive(Clone, Debug, Default)]
pub struct ContactPolicy {
    /// Excluded pairs of different bodies, ascending, with first < second.
    bodies: Vec<[u32; 2]>,
    /// Excluded pairs of parts. Other parts of the same bodies can touch.
    parts: Vec<SurfacePair>,
    /// Rank of each body; empty for two-pass contact. The body of lower rank is the contactor. Equal ranks keep both
    /// passes.
    ranks: Vec<u32>,
}

impl ContactPolicy {
    /// Two-pass contact of all pairs except `pairs`. Each excluded pair consists of two whole bodies, or of parts of
    /// their surfaces.
    pub fn excluding(pairs: impl IntoIterator<Item = SurfacePair>) -> Self {
        let (whole, parts) = pairs.into_iter().partition::<Vec<_>, _>(SurfacePair::is_whole);
        let mut bodies: Vec<[u32; 2]> = whole.iter().map(SurfacePair::bodies).collect();
        bodies.sort_unstable();
        Self { bodies, parts, ranks: Vec::new() }
    }

    /// One-pass contact: only nodes of the body of lower rank touch faces of the other body.
    #[must_use]
    pub fn with_ranks(self, ranks: Vec<u32>) -> Self {
        Self { ranks, ..self }
    }

    /// Whether two bodies are not excluded as a whole. The bodies are in ascending order, or equal for self-contact.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.bodies.binary_search(&bodies).is_err()
    }

    /// Whether some parts of two bodies are excluded, so that an impact of the bodies need not lead to a contact. The
    /// bodies are in ascending order.
    pub fn has_parts_of(&self, bodies: [u32; 2]) -> bool {
        self.parts.iter().any(|pair| pair.bodies() == bodies)
    }

    /// Whether a contact connects an excluded pair of parts.
    pub fn excludes(&self, constraint: &Constraint<'_>) -> bool {
        self.parts.iter().any(|pair| pair.holds(constraint))
    }

    /// Whether a contact belongs to the second pass, which one-pass contact omits. `false` in two-pass contact, in
    /// self-contact and for edge contacts.
    pub fn is_of_second_pass(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies.map(|body| self.ranks.get(body as usize));
        contactor > target && !matches!(constraint.key, ContactKey::Edges(_))
    }
}
