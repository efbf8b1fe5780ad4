//! What level 2 hands to level 3.

use crate::contact::NodeOnSurface;

/// A node that may touch a face; cheap, and may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Contactor node and target surface.
    pub key: NodeOnSurface,
    /// Face of the target surface.
    pub face: u32,
    /// Body of the contactor node.
    pub contactor_body: u32,
    /// Whether the normals of the node and of the face are known to be opposed.
    pub normals_are_opposed: bool,
}

impl Candidate {
    /// A candidate of whose normals nothing is known.
    pub fn new(key: NodeOnSurface, face: u32, contactor_body: u32) -> Self {
        Self { key, face, contactor_body, normals_are_opposed: false }
    }
}
