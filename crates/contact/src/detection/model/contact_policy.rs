//! Pairs excluded from contact, and one-pass or two-pass contact for the other pairs.

use crate::{Constraint, ContactKey, SurfacePair};

/// Pairs of bodies, and pairs of parts of their surfaces, that are excluded from contact. The policy also selects
/// one-pass or two-pass contact for all other pairs.
///
/// Detection never searches pairs of bodies that are excluded as a whole. It tests [`ContactPolicy::can_meet`] before
/// any search of faces: in flight, in contact, for impacts within a step, and for the guard against tunnelling. The
/// search includes the excluded parts and the second pass. The caller of a detector afterwards removes the contacts of
/// excluded parts ([`ContactPolicy::excludes`]) and of second passes ([`ContactPolicy::is_of_second_pass`]). The search
/// needs these contacts for two reasons. First, the closest face of a node decides whether the node is in contact.
/// Assume that a node entered through an excluded part. If the search omitted this part, the closest face found would
/// be an adjacent face, and this face would push the node out sideways. Second, the entry face of a node depends on the
/// contacts of neighbouring nodes, including contacts that are removed later.
#[derive(Clone, Debug, Default)]
pub struct ContactPolicy {
    /// Excluded pairs of different bodies, in ascending order; in each pair, first < second.
    bodies: Vec<[u32; 2]>,
    /// Excluded pairs of parts of surfaces. Other parts of the same bodies can touch.
    parts: Vec<SurfacePair>,
    /// Rank of each body. In one-pass contact, the body of lower rank is the contactor; two bodies of equal rank keep
    /// both passes. Empty for two-pass contact.
    ranks: Vec<u32>,
}

impl ContactPolicy {
    /// Two-pass contact of all pairs except these. Each excluded pair consists of two whole bodies, or of parts of
    /// their surfaces.
    pub fn excluding(pairs: impl IntoIterator<Item = SurfacePair>) -> Self {
        let (whole, parts) = pairs.into_iter().partition::<Vec<_>, _>(SurfacePair::is_whole);
        let mut bodies: Vec<[u32; 2]> = whole.iter().map(SurfacePair::bodies).collect();
        bodies.sort_unstable();
        Self { bodies, parts, ranks: Vec::new() }
    }

    /// The same policy with one-pass contact: only the nodes of the body of lower rank touch the faces of the other
    /// body.
    #[must_use]
    pub fn with_ranks(self, ranks: Vec<u32>) -> Self {
        Self { ranks, ..self }
    }

    /// Whether two bodies can touch: they are not excluded as a whole. The bodies are in ascending order, and equal for
    /// self-contact.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.bodies.binary_search(&bodies).is_err()
    }

    /// Whether some parts of two bodies, given in ascending order, are excluded from contact with each other. An impact
    /// of bodies with excluded parts need not lead to a contact.
    pub fn has_parts_of(&self, bodies: [u32; 2]) -> bool {
        self.parts.iter().any(|pair| pair.bodies() == bodies)
    }

    /// Whether a contact connects excluded parts.
    pub fn excludes(&self, constraint: &Constraint<'_>) -> bool {
        self.parts.iter().any(|pair| pair.holds(constraint))
    }

    /// Whether a contact belongs to the second pass, which one-pass contact omits: the contactor has a higher rank than
    /// the target. Always `false` in two-pass contact, in self-contact and for edge contacts.
    pub fn is_of_second_pass(&self, constraint: &Constraint<'_>) -> bool {
        let [contactor, target] = constraint.bodies.map(|body| self.ranks.get(body as usize));
        contactor > target && !matches!(constraint.key, ContactKey::Edges(_))
    }
}
