//! Pairs excluded from contact, and the passes of the other pairs.

use crate::{Constraint, ContactKey, SurfacePair};

/// Pairs of bodies and of parts of their surfaces that are excluded from contact, and the passes of the other pairs.
///
/// Detection never searches pairs of bodies that are excluded as a whole: flights, contact, impacts within a step and
/// the guard against tunnelling test [`ContactPolicy::can_meet`] before they search faces. The caller of a detector
/// removes contacts of excluded parts ([`ContactPolicy::excludes`]) and of second passes
/// ([`ContactPolicy::is_of_second_pass`]) after the search. The search needs these contacts for two reasons. The
/// closest face of a node decides whether the node is in contact: if a node that entered through an excluded part did
/// not find this part, an adjacent face would be the closest face and would push the node out sideways. Entry faces,
/// and in one-pass contact the choice of the pass, depend on the contacts of neighbouring nodes, whether these contacts
/// are excluded or not.
#[derive(Clone, Debug, Default)]
pub struct ContactPolicy {
    /// Pairs of different bodies, ascending, first < second.
    bodies: Vec<[u32; 2]>,
    /// Excluded pairs of parts of surfaces; the other parts of these bodies can touch.
    parts: Vec<SurfacePair>,
    /// Rank of each body; the body of lower rank is the contactor. Empty for two-pass contact.
    ranks: Vec<u32>,
}

impl ContactPolicy {
    /// Contact in two passes, without these pairs of different bodies or of parts of their surfaces.
    pub fn excluding(pairs: impl IntoIterator<Item = SurfacePair>) -> Self {
        let (whole, parts) = pairs.into_iter().partition::<Vec<_>, _>(SurfacePair::is_whole);
        let mut bodies: Vec<[u32; 2]> = whole.iter().map(SurfacePair::bodies).collect();
        bodies.sort_unstable();
        Self { bodies, parts, ranks: Vec::new() }
    }

    /// The same policy in one pass: the nodes of the body of lower rank touch the faces of the other body.
    #[must_use]
    pub fn with_ranks(self, ranks: Vec<u32>) -> Self {
        Self { ranks, ..self }
    }

    /// Whether two different bodies, first < second, can touch.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.bodies.binary_search(&bodies).is_err()
    }

    /// Whether two bodies, in ascending order, have excluded parts. An impact between these bodies need not lead to a
    /// contact.
    pub fn has_parts_of(&self, bodies: [u32; 2]) -> bool {
        self.parts.iter().any(|pair| pair.bodies() == bodies)
    }

    /// Whether a found contact is between excluded parts.
    pub fn excludes(&self, constraint: &Constraint<'_>) -> bool {
        self.parts.iter().any(|pair| pair.holds(constraint))
    }

    /// Whether a found contact is of the second pass in one-pass contact; false for self-contact and edge contacts.
    pub fn is_of_second_pass(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies.map(|body| self.ranks.get(body as usize));
        contactor > target && !matches!(constraint.key, ContactKey::Edges(_))
    }
}
