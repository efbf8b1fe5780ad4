//! Pairs excluded from contact, and the passes of the other pairs.

use crate::{Constraint, ContactKey, SurfacePair};

/// Pairs of bodies and of parts of their surfaces that are excluded from contact, and the passes of the other pairs.
///
/// Detection never searches pairs of bodies that are excluded as a whole: [`ContactPolicy::can_meet`] is tested before
/// any search of faces, in flight, in contact, for impacts within a step and for the guard against tunnelling. The
/// caller of a detector removes contacts of excluded parts ([`ContactPolicy::excludes`]) and of second passes
/// ([`ContactPolicy::is_of_second_pass`]) after the search. The search needs these contacts for two reasons. First, the
/// closest face of a node decides whether the node is in contact. Assume that a node entered through an excluded part
/// and the search omitted this part. Then the closest face found would be an adjacent face, and would push the node out
/// sideways. Second, entry faces depend on the contacts of neighbouring nodes, excluded contacts included. So does the
/// choice of the pass in one-pass contact.
#[derive(Clone, Debug, Default)]
pub struct ContactPolicy {
    /// Excluded pairs of different bodies, in ascending order; in each pair, first < second.
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

    /// Whether two bodies, first ≤ second, can touch. The bodies are equal for self-contact.
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
