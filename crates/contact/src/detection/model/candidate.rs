//! Candidates: found by level 2 of detection, evaluated by level 3.

use crate::NodeOnSurface;

/// A node–face pair that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Contactor node and target surface.
    pub key: NodeOnSurface,
    /// Face of the target surface.
    pub face: u32,
    /// Body of the contactor node.
    pub contactor_body: u32,
    /// Whether the normals of node and face are known to be opposed.
    pub normals_are_opposed: bool,
}

impl Candidate {
    /// A candidate whose normals are not known to be opposed.
    pub fn new(key: NodeOnSurface, face: u32, contactor_body: u32) -> Self {
        Self { key, face, contactor_body, normals_are_opposed: false }
    }
}
