//! Meshes: topology and reference coordinates, as read from a file or cut from one.

mod cell;

pub use cell::{CellFace, CellKind};

use crate::math::Vec3;

/// Nodes and cells of every dimension, with the physical groups that name them.
///
/// Immutable once read: what moves lives in the simulation's state.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Reference coordinates \[m\], one per node.
    pub nodes: Vec<Vec3>,
    /// The user's number of each node, as in the file.
    pub node_tags: Vec<u64>,
    /// Cells, one block per kind, every dimension.
    pub blocks: Vec<CellBlock>,
    /// Physical groups.
    pub groups: Vec<Group>,
}

/// All cells of one kind.
#[derive(Clone, Debug)]
pub struct CellBlock {
    /// The kind of every cell of the block.
    pub kind: CellKind,
    /// Node indices into [`Mesh::nodes`], `kind.num_nodes()` per cell.
    pub connectivity: Vec<u32>,
    /// The user's number of each cell, as in the file.
    pub tags: Vec<u64>,
}

/// A physical group: a named set of cells of one dimension.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name in the file, or `"<dimension>:<tag>"` where the file gives none.
    pub name: String,
    /// Dimension of its cells: 0 points … 3 volumes.
    pub dimension: usize,
    /// Physical tag.
    pub tag: i32,
    /// Cells as (block, cell within the block), ascending.
    pub cells: Vec<(u32, u32)>,
}

impl CellBlock {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.connectivity.len() / self.kind.num_nodes()
    }

    /// Whether the block holds no cell.
    pub fn is_empty(&self) -> bool {
        self.connectivity.is_empty()
    }

    /// Node indices of one cell.
    pub fn cell(&self, cell: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[cell * n..(cell + 1) * n]
    }
}
