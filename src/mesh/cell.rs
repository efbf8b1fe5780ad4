//! Cell kinds: numbering of nodes, faces and edges (Gmsh's numbering, which VTK shares for linear cells).
//!
//! ```text
//! Tet4: 3          Hex8: 7------6        Wedge6: 5           Quad4: 3---2    Tri3: 2
//!      /|\              /|     /|               /|\                 |   |         |\
//!     / | \            4------5 |              3---4                0---1         0-1
//!    0--|--2           | 3----|-2              | 2 |
//!     \ | /            |/     |/               |/ \|
//!      \1/             0------1                0---1
//! ```
//! Faces of volumes are listed with their nodes counter-clockwise seen from outside, so that the right-hand
//! normal points out. The faces of a plane cell (counter-clockwise in the x–y plane) are its edges: a segment
//! from a to b has its outward normal to the right of a → b.

/// Kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CellKind {
    /// A single node.
    Point1,
    /// Two-node segment.
    Line2,
    /// Three-node triangle.
    Tri3,
    /// Four-node quadrilateral.
    Quad4,
    /// Four-node tetrahedron.
    Tet4,
    /// Six-node wedge (prism).
    Wedge6,
    /// Eight-node hexahedron.
    Hex8,
}

/// A face of a cell: its kind and the cell's local nodes, ordered outward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellFace {
    /// Kind of the face.
    pub kind: CellKind,
    /// Local node numbers within the cell.
    pub nodes: &'static [u8],
}

const fn face(kind: CellKind, nodes: &'static [u8]) -> CellFace {
    CellFace { kind, nodes }
}

const TRI3_FACES: [CellFace; 3] =
    [face(CellKind::Line2, &[0, 1]), face(CellKind::Line2, &[1, 2]), face(CellKind::Line2, &[2, 0])];
const QUAD4_FACES: [CellFace; 4] = [
    face(CellKind::Line2, &[0, 1]),
    face(CellKind::Line2, &[1, 2]),
    face(CellKind::Line2, &[2, 3]),
    face(CellKind::Line2, &[3, 0]),
];
const TET4_FACES: [CellFace; 4] = [
    face(CellKind::Tri3, &[0, 2, 1]),
    face(CellKind::Tri3, &[0, 1, 3]),
    face(CellKind::Tri3, &[1, 2, 3]),
    face(CellKind::Tri3, &[0, 3, 2]),
];
const WEDGE6_FACES: [CellFace; 5] = [
    face(CellKind::Tri3, &[0, 2, 1]),
    face(CellKind::Tri3, &[3, 4, 5]),
    face(CellKind::Quad4, &[0, 1, 4, 3]),
    face(CellKind::Quad4, &[1, 2, 5, 4]),
    face(CellKind::Quad4, &[2, 0, 3, 5]),
];
const HEX8_FACES: [CellFace; 6] = [
    face(CellKind::Quad4, &[0, 3, 2, 1]),
    face(CellKind::Quad4, &[4, 5, 6, 7]),
    face(CellKind::Quad4, &[0, 1, 5, 4]),
    face(CellKind::Quad4, &[1, 2, 6, 5]),
    face(CellKind::Quad4, &[2, 3, 7, 6]),
    face(CellKind::Quad4, &[3, 0, 4, 7]),
];

impl CellKind {
    /// Number of nodes.
    pub const fn num_nodes(self) -> usize {
        match self {
            Self::Point1 => 1,
            Self::Line2 => 2,
            Self::Tri3 => 3,
            Self::Quad4 | Self::Tet4 => 4,
            Self::Wedge6 => 6,
            Self::Hex8 => 8,
        }
    }

    /// Dimension of the cell itself: 0 point … 3 volume.
    pub const fn dimension(self) -> usize {
        match self {
            Self::Point1 => 0,
            Self::Line2 => 1,
            Self::Tri3 | Self::Quad4 => 2,
            Self::Tet4 | Self::Wedge6 | Self::Hex8 => 3,
        }
    }

    /// Name as users know it, e.g. `"tet4"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point1 => "point1",
            Self::Line2 => "line2",
            Self::Tri3 => "tri3",
            Self::Quad4 => "quad4",
            Self::Tet4 => "tet4",
            Self::Wedge6 => "wedge6",
            Self::Hex8 => "hex8",
        }
    }

    /// Faces that bound the cell, outward; empty for points and segments.
    pub const fn faces(self) -> &'static [CellFace] {
        match self {
            Self::Point1 | Self::Line2 => &[],
            Self::Tri3 => &TRI3_FACES,
            Self::Quad4 => &QUAD4_FACES,
            Self::Tet4 => &TET4_FACES,
            Self::Wedge6 => &WEDGE6_FACES,
            Self::Hex8 => &HEX8_FACES,
        }
    }

    /// Local nodes in the order that turns the cell inside out: a reflection of the reference element.
    pub const fn reversed(self) -> &'static [u8] {
        match self {
            Self::Point1 => &[0],
            Self::Line2 => &[1, 0],
            Self::Tri3 => &[0, 2, 1],
            Self::Quad4 => &[0, 3, 2, 1],
            Self::Tet4 => &[0, 2, 1, 3],
            Self::Wedge6 => &[3, 4, 5, 0, 1, 2],
            Self::Hex8 => &[4, 5, 6, 7, 0, 1, 2, 3],
        }
    }

    /// Corner nodes in cyclic order of a segment, triangle or quadrilateral; local numbers.
    pub const fn corners(self) -> &'static [u8] {
        match self {
            Self::Point1 => &[0],
            Self::Line2 => &[0, 1],
            Self::Tri3 => &[0, 1, 2],
            Self::Quad4 | Self::Tet4 => &[0, 1, 2, 3],
            Self::Wedge6 => &[0, 1, 2, 3, 4, 5],
            Self::Hex8 => &[0, 1, 2, 3, 4, 5, 6, 7],
        }
    }
}
