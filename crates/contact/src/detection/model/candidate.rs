//! Candidates: level 2 of detection finds them, and level 3 evaluates them.

use crate::NodeOnSurface;

/// A node–face pair that may touch. The candidates are a superset of the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Contactor node and target surface.
    pub key: NodeOnSurface,
    /// Face of the target surface.
    pub face: u32,
    /// Body of the contactor node.
    pub contactor_body: u32,
    /// Whether the normals of the node and of the face are known to be opposed; `false` if unknown.
    pub normals_are_opposed: bool,
}

impl Candidate {
    /// A candidate with unknown normals.
    pub fn new(key: NodeOnSurface, face: u32, contactor_body: u32) -> Self {
        Self { key, face, contactor_body, normals_are_opposed: false }
    }
}
