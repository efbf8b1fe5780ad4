//! Cell kinds, and the numbering of their nodes, faces and edges, as in Gmsh. VTK 9.7 has the same numbering for linear
//! and plane cells.
//!
//! ```text
//! Tet4: 3          Hex8: 7------6        Wedge6: 5           Quad4: 3---2    Tri3: 2
//!      /|\              /|     /|               /|\                 |   |         |\
//!     / | \            4------5 |              3---4                0---1         0-1
//!    0--|--2           | 3----|-2              | 2 |
//!     \ | /            |/     |/               |/ \|
//!      \1/             0------1                0---1
//! ```
//! A quadratic cell has the corners of the linear cell, then one node per edge, in the following order of edges:
//!
//! | kind | edges by their corners; then centres of faces, by their corners, and centre of the cell |
//! |---|---|
//! | Line3 | 01 |
//! | Tri6 | 01 12 20 |
//! | Quad8, Quad9 | 01 12 23 30; Quad9 also cell |
//! | Tet10 | 01 12 20 03 23 13 |
//! | Hex20, Hex27 | 01 03 04 12 15 23 26 37 45 47 56 67; Hex27 also faces 0321 0154 0473 1265 2376 4567, cell |
//!
//! The nodes of a face of a volume run counter-clockwise seen from outside, so the right-hand normal points out. The
//! nodes of a plane cell run counter-clockwise in the x–y plane; its faces are its edges. The outward normal of an edge
//! from a to b is to the right of a → b.

/// Kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// Three-node segment.
    Line3,
    /// Six-node triangle.
    Tri6,
    /// Eight-node quadrilateral (serendipity).
    Quad8,
    /// Nine-node quadrilateral.
    Quad9,
    /// Ten-node tetrahedron.
    Tet10,
    /// Twenty-node hexahedron (serendipity).
    Hex20,
    /// Twenty-seven-node hexahedron.
    Hex27,
}

/// A face of a cell: kind and local nodes, oriented outward.
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
const TRI6_FACES: [CellFace; 3] =
    [face(CellKind::Line3, &[0, 1, 3]), face(CellKind::Line3, &[1, 2, 4]), face(CellKind::Line3, &[2, 0, 5])];
const QUAD8_FACES: [CellFace; 4] = [
    face(CellKind::Line3, &[0, 1, 4]),
    face(CellKind::Line3, &[1, 2, 5]),
    face(CellKind::Line3, &[2, 3, 6]),
    face(CellKind::Line3, &[3, 0, 7]),
];
const TET10_FACES: [CellFace; 4] = [
    face(CellKind::Tri6, &[0, 2, 1, 6, 5, 4]),
    face(CellKind::Tri6, &[0, 1, 3, 4, 9, 7]),
    face(CellKind::Tri6, &[1, 2, 3, 5, 8, 9]),
    face(CellKind::Tri6, &[0, 3, 2, 7, 8, 6]),
];
const HEX20_FACES: [CellFace; 6] = [
    face(CellKind::Quad8, &[0, 3, 2, 1, 9, 13, 11, 8]),
    face(CellKind::Quad8, &[4, 5, 6, 7, 16, 18, 19, 17]),
    face(CellKind::Quad8, &[0, 1, 5, 4, 8, 12, 16, 10]),
    face(CellKind::Quad8, &[1, 2, 6, 5, 11, 14, 18, 12]),
    face(CellKind::Quad8, &[2, 3, 7, 6, 13, 15, 19, 14]),
    face(CellKind::Quad8, &[3, 0, 4, 7, 9, 10, 17, 15]),
];
const HEX27_FACES: [CellFace; 6] = [
    face(CellKind::Quad9, &[0, 3, 2, 1, 9, 13, 11, 8, 20]),
    face(CellKind::Quad9, &[4, 5, 6, 7, 16, 18, 19, 17, 25]),
    face(CellKind::Quad9, &[0, 1, 5, 4, 8, 12, 16, 10, 21]),
    face(CellKind::Quad9, &[1, 2, 6, 5, 11, 14, 18, 12, 23]),
    face(CellKind::Quad9, &[2, 3, 7, 6, 13, 15, 19, 14, 24]),
    face(CellKind::Quad9, &[3, 0, 4, 7, 9, 10, 17, 15, 22]),
];

impl CellKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Point1,
        Self::Line2,
        Self::Tri3,
        Self::Quad4,
        Self::Tet4,
        Self::Wedge6,
        Self::Hex8,
        Self::Line3,
        Self::Tri6,
        Self::Quad8,
        Self::Quad9,
        Self::Tet10,
        Self::Hex20,
        Self::Hex27,
    ];

    /// The kind with the same corners and no other nodes.
    pub const fn linear(self) -> Self {
        match self {
            Self::Point1 => Self::Point1,
            Self::Line2 | Self::Line3 => Self::Line2,
            Self::Tri3 | Self::Tri6 => Self::Tri3,
            Self::Quad4 | Self::Quad8 | Self::Quad9 => Self::Quad4,
            Self::Tet4 | Self::Tet10 => Self::Tet4,
            Self::Wedge6 => Self::Wedge6,
            Self::Hex8 | Self::Hex20 | Self::Hex27 => Self::Hex8,
        }
    }

    /// Number of nodes.
    pub const fn num_nodes(self) -> usize {
        match self {
            Self::Point1 => 1,
            Self::Line2 => 2,
            Self::Tri3 => 3,
            Self::Quad4 | Self::Tet4 => 4,
            Self::Wedge6 => 6,
            Self::Hex8 | Self::Quad8 => 8,
            Self::Line3 => 3,
            Self::Tri6 => 6,
            Self::Quad9 => 9,
            Self::Tet10 => 10,
            Self::Hex20 => 20,
            Self::Hex27 => 27,
        }
    }

    /// Dimension of the cell itself, from 0 for a point to 3 for a volume.
    pub const fn dimension(self) -> usize {
        match self.linear() {
            Self::Point1 => 0,
            Self::Line2 => 1,
            Self::Tri3 | Self::Quad4 => 2,
            _ => 3,
        }
    }

    /// Name in messages, e.g. `"tet4"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point1 => "point1",
            Self::Line2 => "line2",
            Self::Tri3 => "tri3",
            Self::Quad4 => "quad4",
            Self::Tet4 => "tet4",
            Self::Wedge6 => "wedge6",
            Self::Hex8 => "hex8",
            Self::Line3 => "line3",
            Self::Tri6 => "tri6",
            Self::Quad8 => "quad8",
            Self::Quad9 => "quad9",
            Self::Tet10 => "tet10",
            Self::Hex20 => "hex20",
            Self::Hex27 => "hex27",
        }
    }

    /// Faces of the cell, oriented outward; empty for points and segments.
    pub const fn faces(self) -> &'static [CellFace] {
        match self {
            Self::Point1 | Self::Line2 | Self::Line3 => &[],
            Self::Tri3 => &TRI3_FACES,
            Self::Quad4 => &QUAD4_FACES,
            Self::Tet4 => &TET4_FACES,
            Self::Wedge6 => &WEDGE6_FACES,
            Self::Hex8 => &HEX8_FACES,
            Self::Tri6 => &TRI6_FACES,
            Self::Quad8 | Self::Quad9 => &QUAD8_FACES,
            Self::Tet10 => &TET10_FACES,
            Self::Hex20 => &HEX20_FACES,
            Self::Hex27 => &HEX27_FACES,
        }
    }

    /// Order of the local nodes that reverses the orientation of the cell.
    pub const fn reversed(self) -> &'static [u8] {
        match self {
            Self::Point1 => &[0],
            Self::Line2 => &[1, 0],
            Self::Tri3 => &[0, 2, 1],
            Self::Quad4 => &[0, 3, 2, 1],
            Self::Tet4 => &[0, 2, 1, 3],
            Self::Wedge6 => &[3, 4, 5, 0, 1, 2],
            Self::Hex8 => &[4, 5, 6, 7, 0, 1, 2, 3],
            Self::Line3 => &[1, 0, 2],
            Self::Tri6 => &[0, 2, 1, 5, 4, 3],
            Self::Quad8 => &[0, 3, 2, 1, 7, 6, 5, 4],
            Self::Quad9 => &[0, 3, 2, 1, 7, 6, 5, 4, 8],
            Self::Tet10 => &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
            Self::Hex20 => &[4, 5, 6, 7, 0, 1, 2, 3, 16, 17, 10, 18, 12, 19, 14, 15, 8, 9, 11, 13],
            Self::Hex27 => &[
                4, 5, 6, 7, 0, 1, 2, 3, 16, 17, 10, 18, 12, 19, 14, 15, 8, 9, 11, 13, 25, 21, 22, 23, 24, 20,
                26,
            ],
        }
    }

    /// Local corner nodes, in cyclic order for a segment, triangle or quadrilateral.
    pub const fn corners(self) -> &'static [u8] {
        match self.linear() {
            Self::Point1 => &[0],
            Self::Line2 => &[0, 1],
            Self::Tri3 => &[0, 1, 2],
            Self::Quad4 | Self::Tet4 => &[0, 1, 2, 3],
            Self::Wedge6 => &[0, 1, 2, 3, 4, 5],
            _ => &[0, 1, 2, 3, 4, 5, 6, 7],
        }
    }
}
