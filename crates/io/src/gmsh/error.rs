//! Errors of reading Gmsh files.

use std::fmt;
use std::io;

/// Reason why a file cannot be read as a mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GmshError {
    /// The file cannot be opened or read.
    #[error("{file}: the file cannot be read: {source}; give the path of a Gmsh mesh")]
    Unreadable {
        /// The file.
        file: String,
        /// Cause.
        source: io::Error,
    },
    /// The file is not a Gmsh mesh.
    #[error(
        "{file}: not a Gmsh mesh, `$MeshFormat` is missing; save it with `gmsh in.geo -3 -format msh41 -o out.msh`"
    )]
    NotGmsh {
        /// The file.
        file: String,
    },
    /// An unsupported version of the format.
    #[error(
        "{place}: mesh format {version} is not read, 4.1 and 2.2 are; convert it with `gmsh {} -save -format msh41 \
         -o out.msh`",
        .place.file
    )]
    UnsupportedVersion {
        /// Where the version is declared.
        place: Place,
        /// The version.
        version: String,
    },
    /// An entry of the header has a value that is not allowed, such as a size of real numbers other than 8 bytes.
    #[error("{place}: {what} is {found}, it must be {allowed}; make the file again from the geometry")]
    BadHeader {
        /// Where the entry is.
        place: Place,
        /// Name of the entry.
        what: &'static str,
        /// Value of the entry.
        found: String,
        /// The values allowed.
        allowed: &'static str,
    },
    /// A partitioned mesh.
    #[error(
        "{place}: the mesh is partitioned, which is not read; save it whole with `gmsh {} -save -format msh22 -o \
         out.msh`, or mesh the geometry without partitions",
        .place.file
    )]
    Partitioned {
        /// Start of the section `$PartitionedEntities`.
        place: Place,
    },
    /// The file ends early.
    #[error(
        "{place}: the file ends where {expected} is expected in {section}; it is truncated, save or copy it again"
    )]
    Truncated {
        /// The end of the file.
        place: Place,
        /// The section being read.
        section: String,
        /// The expected content.
        expected: &'static str,
    },
    /// The content violates the format.
    #[error(
        "{place}: `{found}` where {expected} is expected in {section}; a count in {section} may be wrong, \
         or the file was damaged: make it again from the geometry"
    )]
    Unexpected {
        /// Place in the file.
        place: Place,
        /// The section being read.
        section: String,
        /// The expected content.
        expected: &'static str,
        /// The content found.
        found: String,
    },
    /// A number is outside the range allowed for it.
    #[error("{place}: {what} is {found}, it must be {allowed}; make the file again from the geometry")]
    OutOfRange {
        /// Place in the file.
        place: Place,
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        found: i128,
        /// The range allowed.
        allowed: &'static str,
    },
    /// The number of entries that a section declares differs from the number of entries in its blocks.
    #[error(
        "{place}: {section} declares {declared} entries but holds {found}; make the file again from the geometry"
    )]
    CountMismatch {
        /// Where the last block of the section ends.
        place: Place,
        /// The section.
        section: String,
        /// Number of entries declared.
        declared: u64,
        /// Number of entries found.
        found: u64,
    },
    /// A section is missing, or comes only after a section that refers to its data.
    #[error(
        "{place}: {section} is missing{}",
        match .before {
            Some(later) => format!(" before {later}; make the file again from the geometry"),
            None => "; mesh the geometry before saving it (`gmsh in.geo -3 -o out.msh`), or copy the file again if it was \
                     cut off".into(),
        }
    )]
    MissingSection {
        /// Start of the section `before`, or the end of the file.
        place: Place,
        /// The section.
        section: &'static str,
        /// Section that needs the missing section; `None` at the end of the file.
        before: Option<&'static str>,
    },
    /// A section occurs twice.
    #[error("{place}: a second {section}; one file holds one mesh")]
    RepeatedSection {
        /// Where the second section starts.
        place: Place,
        /// The section.
        section: &'static str,
    },
    /// A mesh without nodes or without elements.
    #[error(
        "{file}: the mesh has no {what}; mesh the geometry before saving it, and put its parts in physical groups \
         or set `Mesh.SaveAll = 1;`"
    )]
    Empty {
        /// The file.
        file: String,
        /// `nodes` or `elements`.
        what: &'static str,
    },
    /// The mesh has more nodes or elements than 32-bit indices can address.
    #[error("{file}: {count} {what} are more than the {} that can be numbered", u32::MAX - 1)]
    TooLarge {
        /// The file.
        file: String,
        /// `nodes` or `elements`.
        what: &'static str,
        /// Number of nodes or elements.
        count: u64,
    },
    /// A coordinate is infinite or not a number.
    #[error(
        "{place}: node {node} has the coordinates ({:e}, {:e}, {:e}), which are not finite; mesh the geometry again",
        .position[0], .position[1], .position[2]
    )]
    NonFiniteCoordinate {
        /// Place in the file.
        place: Place,
        /// Tag of the node.
        node: u64,
        /// Coordinates of the node.
        position: [f64; 3],
    },
    /// Two nodes have the same tag.
    #[error("{file}: node {node} is defined twice; make the file again from the geometry")]
    DuplicateNode {
        /// The file.
        file: String,
        /// Tag of the node.
        node: u64,
    },
    /// Two elements have the same tag.
    #[error(
        "{file}: element {element} is defined twice; give each a number of its own with `gmsh {file} -save -o out.msh`"
    )]
    DuplicateElement {
        /// The file.
        file: String,
        /// Tag of the element.
        element: u64,
    },
    /// An element refers to an undefined node.
    #[error(
        "{file}: element {element} refers to node {node}, which the file does not define; make the file again from the geometry"
    )]
    UnknownNode {
        /// The file.
        file: String,
        /// Tag of the element.
        element: u64,
        /// Tag of the node.
        node: u64,
    },
    /// An element uses a node twice.
    #[error(
        "{file}: element {element} uses node {node} twice; remove collapsed elements or mesh the geometry again"
    )]
    RepeatedNode {
        /// The file.
        file: String,
        /// Tag of the element.
        element: u64,
        /// Tag of the node.
        node: u64,
    },
    /// An unsupported element type.
    #[error(
        "{place}: element type {number} ({name}) is not read; those read are points, lines, triangles, quadrangles, \
         tetrahedra and hexahedra of order 1 and 2, and wedges of order 1; {}",
        remedy(name)
    )]
    UnsupportedElement {
        /// Place in the file.
        place: Place,
        /// Gmsh's number of the type.
        number: i64,
        /// Gmsh's name of the type.
        name: &'static str,
    },
    /// An element block belongs to an entity that `$Entities` does not list.
    #[error(
        "{place}: entity {tag} of dimension {dimension} is not in $Entities; make the file again from the geometry"
    )]
    UnknownEntity {
        /// Where the block starts.
        place: Place,
        /// Dimension of the entity.
        dimension: usize,
        /// Tag of the entity.
        tag: i32,
    },
}

fn remedy(name: &str) -> &'static str {
    if name == "unknown" {
        "make the file again from the geometry"
    } else if name.starts_with("pyramid") {
        "mesh without a transition from hexahedra to tetrahedra"
    } else if name.ends_with("second order prism") {
        "mesh the geometry with `Mesh.ElementOrder = 1;`"
    } else {
        "mesh the geometry with `Mesh.ElementOrder = 2;`"
    }
}

/// Place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line or byte.
    pub position: Position,
}

/// Line of text, or byte of binary data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Line number, starting at 1.
    Line(usize),
    /// Byte offset in the file, starting at 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Position::Line(line) => write!(f, "{}:{line}", self.file),
            Position::Byte(byte) => write!(f, "{}, byte {byte}", self.file),
        }
    }
}
