//! Gmsh meshes: MSH 4.1 and 2.2, ASCII and binary of either byte order.
//!
//! [`read`] converts a file to a [`Mesh`] with all physical groups of the file. A group without a name is called
//! `dimension:tag`. Tags of nodes and elements can be in any order and need not be consecutive. Elements of the same
//! kind and entity that have the same nodes are merged. The reader rejects
//! - other versions of the format
//! - partitioned files of version 4.1
//! - element types without a [`CellKind`](crate::mesh::CellKind)
//!
//! A file declares how many nodes and elements follow. A wrong count cannot exhaust the memory, because the reader
//! reserves memory for at most the nodes or elements that the rest of the file can contain. The reader does not call
//! [`Mesh::validate`]: the meshes that the reader returns meet all conditions of this check.
//!
//! ```text
//! bytes ─► cursor (numbers, places) ─► version_4_1 | version_2_2 (sections) ─► assembly (tags to indices) ─► Mesh
//! ```
//!
//! The `mshio` crate (0.4.2) is not used for reading. If the node tags of a file have no gaps but are not in order,
//! mshio gives the nodes wrong coordinates without an error. It panics on unexpected data sizes, skips the names of
//! physical groups, and depends on a version of `lexical-core` with the advisory RUSTSEC-2023-0086. Tests compare the
//! reader with mshio on files that mshio reads correctly.
//!
//! The format: <https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format>.

mod assembly;
mod cursor;
mod element_type;
mod error;
mod format;
mod version_2_2;
mod version_4_1;

pub use error::{GmshError, Place, Position};

use std::path::Path;

use crate::mesh::Mesh;

/// Reads a mesh file.
///
/// # Errors
/// [`GmshError`]. The message names the file, the line or byte if known, and the cause.
///
/// # Example
/// ```no_run
/// # std::env::set_current_dir("../..")?;
/// let mesh = ictus_io::gmsh::read("meshes/ball.msh".as_ref())?;
/// for group in &mesh.groups {
///     println!("{} has {} cells of dimension {}", group.name, group.cells.len(), group.dimension);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &Path) -> Result<Mesh, GmshError> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| GmshError::Unreadable { file: file.clone(), source })?;
    parse(&bytes, &file)
}

/// Parses the content of a mesh file. Error messages use `file` as the name of the mesh file.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"sheet\"\n$EndPhysicalNames\n\
///             $Nodes\n3\n10 0 0 0\n20 1 0 0\n30 0 1 0\n$EndNodes\n\
///             $Elements\n1\n1 2 2 1 1 10 20 30\n$EndElements\n";
/// let mesh = ictus_io::gmsh::parse(text.as_bytes(), "sheet.msh")?;
/// assert_eq!(mesh.groups[0].name, "sheet");
/// assert_eq!(mesh.blocks[0].cell(0), [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(bytes: &[u8], file: &str) -> Result<Mesh, GmshError> {
    let mut cursor = cursor::Cursor::new(bytes, file);
    let version = format::read_header(&mut cursor)?;
    match version {
        format::Version::V4_1 => version_4_1::read(&mut cursor),
        format::Version::V2_2 => version_2_2::read(&mut cursor),
    }
}
