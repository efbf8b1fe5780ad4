//! Oriented faces, and the cell to which each face belongs.

use super::CellKind;

/// Oriented faces of a mesh: outward for a solid, in the orientation of the cells for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faces {
    kinds: Vec<CellKind>,
    offsets: Vec<u32>,
    nodes: Vec<u32>,
    owners: Vec<FaceOwner>,
}

/// The cell to which a face belongs: the cell that the face bounds or, in a shell, the cell that is the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaceOwner {
    /// Block of the cell.
    pub block: u32,
    /// Index of the cell within the block.
    pub cell: u32,
    /// Index into [`CellKind::faces`]; `None` if the cell itself is the face, as in a shell.
    pub face: Option<u8>,
}

impl Faces {
    pub(super) fn new() -> Self {
        Self { kinds: Vec::new(), offsets: vec![0], nodes: Vec::new(), owners: Vec::new() }
    }

    pub(super) fn push(&mut self, kind: CellKind, nodes: impl IntoIterator<Item = u32>, owner: FaceOwner) {
        self.kinds.push(kind);
        self.nodes.extend(nodes);
        self.offsets.push(self.nodes.len() as u32);
        self.owners.push(owner);
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Kind and nodes of a face. The nodes of a face of a volume run counter-clockwise seen from outside.
    pub fn face(&self, face: usize) -> (CellKind, &[u32]) {
        let range = self.offsets[face] as usize..self.offsets[face + 1] as usize;
        (self.kinds[face], &self.nodes[range])
    }

    /// The cell to which a face belongs.
    pub fn owner(&self, face: usize) -> FaceOwner {
        self.owners[face]
    }

    /// Kind and nodes of all faces.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (CellKind, &[u32])> {
        (0..self.len()).map(|face| self.face(face))
    }
}
