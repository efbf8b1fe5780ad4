//! Validation of a mesh.

use super::{Mesh, MeshError};

impl Mesh {
    /// Checks that array lengths match, coordinates are finite, each cell refers to existing nodes without repetition,
    /// and groups refer to existing cells of their dimension. Meshes read by `io::gmsh` pass.
    ///
    /// # Errors
    /// The first violation, as [`MeshError`].
    pub fn validate(&self) -> Result<(), MeshError> {
        check_length("node_tags", self.node_tags.len(), self.nodes.len())?;
        self.check_finite()?;
        self.check_cells()?;
        self.check_groups()
    }

    pub(super) fn check_finite(&self) -> Result<(), MeshError> {
        match self.nodes.iter().position(|node| !node.iter().all(|x| x.is_finite())) {
            Some(node) => Err(MeshError::NonFiniteCoordinate {
                node: self.node_tags.get(node).copied().unwrap_or(node as u64),
                position: self.nodes[node].into(),
            }),
            None => Ok(()),
        }
    }

    fn check_cells(&self) -> Result<(), MeshError> {
        for block in &self.blocks {
            check_length("tags of a block", block.tags.len(), block.len())?;
            let whole = block.len() * block.kind.num_nodes();
            check_length("connectivity of a block", block.connectivity.len(), whole)?;
            for (cell, &tag) in block.cells().zip(&block.tags) {
                if let Some(&node) = cell.iter().find(|&&node| node as usize >= self.nodes.len()) {
                    return Err(MeshError::NodeOutOfRange { cell: tag, node, nodes: self.nodes.len() });
                }
                if let Some(node) = repeated(cell) {
                    return Err(MeshError::RepeatedNode { cell: tag, node: self.node_tags[node as usize] });
                }
            }
        }
        Ok(())
    }

    fn check_groups(&self) -> Result<(), MeshError> {
        for group in &self.groups {
            let exists = |&(block, cell): &(u32, u32)| {
                self.blocks
                    .get(block as usize)
                    .is_some_and(|b| b.kind.dimension() == group.dimension && (cell as usize) < b.len())
            };
            if let Some(&(block, cell)) = group.cells.iter().find(|cell| !exists(cell)) {
                return Err(MeshError::NoSuchCell { group: group.name.clone(), block, cell });
            }
        }
        Ok(())
    }

    /// Checks a mesh for plane problems: all nodes lie in z = 0, and no cell of the highest dimension is inverted
    /// (clockwise) or flat.
    ///
    /// # Errors
    /// [`MeshError::NotPlane`], [`MeshError::InvertedCells`], [`MeshError::CoincidentNodes`], or the errors of
    /// [`Mesh::quality`].
    pub fn check_plane(&self) -> Result<(), MeshError> {
        if let Some(node) = self.node_off_plane() {
            return Err(MeshError::NotPlane { node: self.node_tags[node], z: self.nodes[node].z });
        }
        self.quality()?.check()
    }
}

/// A node that occurs twice in a cell.
pub(super) fn repeated(cell: &[u32]) -> Option<u32> {
    (1..cell.len()).find(|&i| cell[..i].contains(&cell[i])).map(|i| cell[i])
}

fn check_length(what: &'static str, given: usize, wanted: usize) -> Result<(), MeshError> {
    if given == wanted { Ok(()) } else { Err(MeshError::ArrayLength { what, given, wanted }) }
}
