//! Errors of meshes. Where the user can act, the message states the remedy.

use std::fmt;

/// A mesh that is invalid or does not suit the request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The mesh has no cells.
    #[error(
        "the mesh has no cells; mesh the geometry before saving it, and keep its parts in physical groups"
    )]
    NoCells,
    /// A group that the mesh does not have.
    #[error(
        "no physical group `{name}`; {}the mesh has {}{}",
        .nearest.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default(),
        List(.groups),
        if .groups.is_empty() { ": leave out the name, or add a group in Gmsh" } else { "" }
    )]
    MissingGroup {
        /// The name requested.
        name: String,
        /// The most similar name, if any.
        nearest: Option<String>,
        /// The groups of the mesh.
        groups: Vec<GroupName>,
    },
    /// A group without cells.
    #[error(
        "physical group `{name}` has no cells; mesh the geometry in dimension {dimension} before saving it (`gmsh \
         -{dimension} in.geo`)"
    )]
    EmptyGroup {
        /// The name requested.
        name: String,
        /// Dimension of the group.
        dimension: usize,
    },
    /// A group of unsuitable dimension.
    #[error("physical group `{name}` has dimension {given}, a group of dimension {wanted} is needed")]
    WrongDimension {
        /// The name requested.
        name: String,
        /// Dimension of the group called `name`.
        given: usize,
        /// Dimension needed.
        wanted: usize,
    },
    /// A mesh without volume cells where a volume is needed.
    #[error(
        "the mesh has no volume elements, only {cells} cells of dimension {dimension}; once physical groups \
         exist Gmsh saves nothing else, so add `Physical Volume(\"…\")` beside {}",
        List(.groups)
    )]
    NoVolumeElements {
        /// Highest dimension of the cells.
        dimension: usize,
        /// Number of cells of this dimension.
        cells: usize,
        /// The groups of the mesh.
        groups: Vec<GroupName>,
    },
    /// A mesh whose dimension is not the one needed: 2 or 3 for a skin, 2 for a shell.
    #[error(
        "cells of dimension {given} have no faces that could touch; a mesh of dimension {wanted} is needed"
    )]
    NoFaces {
        /// Highest dimension of the cells.
        given: usize,
        /// The dimension needed, in words.
        wanted: &'static str,
    },
    /// More than two cells meet at a face.
    #[error(
        "face with nodes {nodes} belongs to {} cells ({cells}); a solid has at most two there: remove overlapping \
         volumes or `Coherence;` the geometry",
        .cells.0.len()
    )]
    NonManifoldFace {
        /// Tags of the corner nodes of the face.
        nodes: TagList,
        /// Tags of the cells.
        cells: TagList,
    },
    /// Two cells lie on the same side of their common face.
    #[error(
        "cells {cells} lie on the same side of their common face with nodes {nodes}: they overlap, or one of them \
         is inverted; `Coherence;` the geometry, or turn the cells that are inverted"
    )]
    OverlappingCells {
        /// Tags of the corner nodes of the face.
        nodes: TagList,
        /// Tags of the two cells.
        cells: TagList,
    },
    /// Two cells with different mid-side nodes on a common face.
    #[error(
        "cells {cells} share the corners {nodes} of a face but not the nodes between them: mesh both with the same \
         order, and `Coherence;` the geometry"
    )]
    MidSideNodes {
        /// Tags of the corner nodes of the face.
        nodes: TagList,
        /// Tags of the two cells.
        cells: TagList,
    },
    /// A cell of a group is no face of the solid.
    #[error(
        "cell {cell} of physical group `{group}` is no face of the solid; mesh surface and volume together, and make them \
         one geometry, as with `BooleanFragments{{ Volume{{:}}; Delete; }}{{ Surface{{:}}; Delete; }}`"
    )]
    DanglingFace {
        /// Name of the group.
        group: String,
        /// Tag of the cell of the group.
        cell: u64,
    },
    /// A cell of a group lies between two cells of the solid.
    #[error(
        "cell {cell} of physical group `{group}` lies inside the solid, between two cells, and has no outer side; \
         take a group on the skin, or make the body of one side only"
    )]
    InteriorFace {
        /// Name of the group.
        group: String,
        /// Tag of the cell of the group.
        cell: u64,
    },
    /// Several cells of a group are the same face of the solid.
    #[error(
        "cells {cells} of physical group `{group}` are the same face; remove the surface that lies on another one"
    )]
    RepeatedFace {
        /// Name of the group.
        group: String,
        /// Tags of two cells of the group that are the same face.
        cells: TagList,
    },
    /// A non-orientable surface.
    #[error(
        "the surface has one side only, as a Möbius strip has: cells {cells} cannot have the same orientation at their \
         common edge with nodes {nodes}; make two bodies of it, each with the `region` of a part that has two sides"
    )]
    OneSided {
        /// Tags of the two cells.
        cells: TagList,
        /// Tags of the end nodes of their common edge.
        nodes: TagList,
    },
    /// Cells whose smallest Jacobian is not positive.
    #[error(
        "{} of {cells} cells are inverted or flat (elements {tags}); {}",
        .tags.0.len(),
        match (dimension, .tags.0.len() == *.cells) {
            (3, true) => "turn them with Gmsh, `gmsh in.msh -3 -o out.msh`",
            (3, false) => {
                "turn those that are inverted with Gmsh, `gmsh in.msh -3 -o out.msh`, and where some are flat, mesh \
                 the geometry finer"
            }
            (_, true) => {
                "turn them with `gmsh over.geo -2 -o out.msh`, where over.geo holds the line `Merge \"in.msh\";\
                 ReverseMesh Surface{:};` and an empty one"
            }
            (_, false) => {
                "turn those that are inverted with Gmsh in Python, `gmsh.model.mesh.reverseElements([…])`, and where some \
                 are flat, mesh the geometry finer"
            }
        }
    )]
    InvertedCells {
        /// Tags of the inverted or flat cells.
        tags: TagList,
        /// Number of all cells of dimension `dimension`.
        cells: usize,
        /// Dimension of the cells.
        dimension: usize,
    },
    /// A degenerate cell with two coincident nodes.
    #[error(
        "cell {cell} is flat: its nodes {} and {} lie in the same place; join what is double in the geometry with \
         `Coherence;` and mesh it again, or write a collapsed cell as a lower kind",
        .nodes[0], .nodes[1]
    )]
    CoincidentNodes {
        /// Tag of the cell.
        cell: u64,
        /// Tags of the nodes.
        nodes: [u64; 2],
    },
    /// A plane problem with a node off the plane z = 0.
    #[error("node {node} lies at z = {z:e}; a plane mesh lies in z = 0: translate it there")]
    NotPlane {
        /// Tag of the node.
        node: u64,
        /// The z coordinate of the node \[m\].
        z: f64,
    },
    /// A coordinate that is infinite or not a number.
    #[error("node {node} has the coordinates ({:e}, {:e}, {:e}), which are not finite", .position[0], .position[1], .position[2])]
    NonFiniteCoordinate {
        /// Tag of the node.
        node: u64,
        /// Coordinates \[m\].
        position: [f64; 3],
    },
    /// A cell that refers to a node beyond the last node.
    #[error("cell {cell} refers to node number {node}, but there are {nodes} nodes")]
    NodeOutOfRange {
        /// Tag of the cell.
        cell: u64,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A cell that uses a node more than once.
    #[error(
        "cell {cell} uses node {node} twice; collapsed cells are not supported: write them as a lower kind"
    )]
    RepeatedNode {
        /// Tag of the cell.
        cell: u64,
        /// Tag of the node.
        node: u64,
    },
    /// Arrays of a mesh with inconsistent lengths.
    #[error("mesh arrays do not match: {what} has {given} entries, {wanted} are needed")]
    ArrayLength {
        /// Name of the array.
        what: &'static str,
        /// Length of the array.
        given: usize,
        /// The length required.
        wanted: usize,
    },
    /// A group that refers to a cell that does not exist, or to a cell of another dimension.
    #[error("physical group `{group}` names cell {cell} of block {block}, which is no cell of its dimension")]
    NoSuchCell {
        /// Name of the group.
        group: String,
        /// Block of the cell.
        block: u32,
        /// Index of the cell within the block.
        cell: u32,
    },
    /// A scale factor that is not positive and finite.
    #[error("scale factor {factor} must be positive and finite; a mirror image would turn cells inside out")]
    BadScale {
        /// The factor given.
        factor: f64,
    },
}

/// Name and dimension of a physical group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupName {
    /// Name of the group.
    pub name: String,
    /// Dimension of the cells of the group.
    pub dimension: usize,
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (dimension {})", self.name, self.dimension)
    }
}

/// Gmsh tags of nodes or cells. The displayed text has at most eight tags; if there are more, the total number
/// follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagList(pub Vec<u64>);

impl fmt::Display for TagList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (i, tag) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{tag}", if i == 0 { "" } else { ", " })?;
        }
        if self.0.len() > SHOWN { write!(f, ", … {} in all", self.0.len()) } else { Ok(()) }
    }
}

struct List<'a>(&'a [GroupName]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no physical groups");
        }
        for (i, group) in self.0.iter().enumerate() {
            write!(f, "{}{group}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
