//! Meshes: topology and reference coordinates, read from a file or extracted from another mesh.
//!
//! A [`Mesh`] contains the nodes, the cells of all dimensions in one block per kind, and the physical groups.
//!
//! # Example
//! The skin of two triangles that form a unit square:
//! ```
//! use ictus_core::mesh::{CellBlock, CellKind, Mesh};
//!
//! let mesh = Mesh {
//!     nodes: vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into(), [1.0, 1.0, 0.0].into(), [0.0, 1.0, 0.0].into()],
//!     node_tags: vec![1, 2, 3, 4],
//!     blocks: vec![CellBlock {
//!         kind: CellKind::Tri3,
//!         connectivity: vec![0, 1, 2, 0, 2, 3],
//!         tags: vec![1, 2],
//!     }],
//!     groups: vec![],
//! };
//! assert_eq!(mesh.dimension(), Some(2));
//! assert_eq!(mesh.quality()?.volume, 1.0);
//! assert_eq!(mesh.skin()?.len(), 4);
//! # Ok::<(), ictus_core::mesh::MeshError>(())
//! ```

mod cell;
mod error;
mod faces;
mod quality;
mod region;
mod renumber;
mod sheet;
mod skin;
mod transform;
mod validate;

pub use cell::{CellFace, CellKind};
pub use error::{GroupName, MeshError, TagList};
pub use faces::{FaceOwner, Faces};
pub use quality::{InvertedCell, QualityReport};
pub use renumber::Renumbering;

use crate::math::Vec3;

/// Largest |z| in a plane mesh, relative to the largest magnitude of a coordinate. The bound allows for the rounding of
/// CAD kernels.
const PLANE_TOLERANCE: f64 = 1e-12;

/// Nodes, cells of all dimensions, and physical groups. A mesh does not change during a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Reference coordinates \[m\], one per node.
    pub nodes: Vec<Vec3>,
    /// Gmsh tag of each node.
    pub node_tags: Vec<u64>,
    /// Cells of all dimensions, one block per kind.
    pub blocks: Vec<CellBlock>,
    /// Physical groups.
    pub groups: Vec<Group>,
}

/// All cells of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellBlock {
    /// Kind of the cells.
    pub kind: CellKind,
    /// Node indices into [`Mesh::nodes`], `kind.num_nodes()` per cell.
    pub connectivity: Vec<u32>,
    /// Gmsh tag of each cell.
    pub tags: Vec<u64>,
}

/// A physical group: a named set of cells of one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name in the file, or `"<dimension>:<tag>"` if unnamed.
    pub name: String,
    /// Dimension of the cells.
    pub dimension: usize,
    /// Physical tag in Gmsh.
    pub tag: i32,
    /// Cells as (block, cell within the block), ascending.
    pub cells: Vec<(u32, u32)>,
}

impl Mesh {
    /// Highest dimension of the cells; `None` without cells.
    pub fn dimension(&self) -> Option<usize> {
        self.blocks.iter().filter(|block| !block.is_empty()).map(|block| block.kind.dimension()).max()
    }

    /// Blocks of one dimension, each with its index in [`Mesh::blocks`].
    pub fn blocks_of_dimension(&self, dimension: usize) -> impl Iterator<Item = (usize, &CellBlock)> {
        self.blocks.iter().enumerate().filter(move |(_, block)| block.kind.dimension() == dimension)
    }

    /// Number of cells of one dimension.
    pub fn num_cells(&self, dimension: usize) -> usize {
        self.blocks_of_dimension(dimension).map(|(_, block)| block.len()).sum()
    }

    /// Whether every node lies in the plane z = 0, to within rounding.
    pub fn is_plane(&self) -> bool {
        self.node_off_plane().is_none()
    }

    fn node_off_plane(&self) -> Option<usize> {
        let largest = self.nodes.iter().map(|node| node.amax()).fold(0.0, f64::max);
        self.nodes.iter().position(|node| node.z.abs() > PLANE_TOLERANCE * largest)
    }

    fn cell_nodes(&self, (block, cell): (u32, u32)) -> &[u32] {
        self.blocks[block as usize].cell(cell as usize)
    }
}

impl CellBlock {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.connectivity.len() / self.kind.num_nodes()
    }

    /// Whether the block has no cells.
    pub fn is_empty(&self) -> bool {
        self.connectivity.is_empty()
    }

    /// Node indices of one cell.
    pub fn cell(&self, cell: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[cell * n..(cell + 1) * n]
    }

    /// Node indices of every cell in turn.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.connectivity.chunks_exact(self.kind.num_nodes())
    }
}

impl Group {
    /// Whether `name` is the name of this group, or its `"<dimension>:<tag>"`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || name == format!("{}:{}", self.dimension, self.tag)
    }
}
