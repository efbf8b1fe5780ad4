//! Cell types and node orders of VTK.

use crate::mesh::CellKind;

#[derive(Clone, Copy, Debug)]
pub(super) struct CellType {
    /// VTK's number of the type (`vtkCellType.h`).
    pub code: u8,
    /// Local node `i` of the VTK cell is local node `nodes[i]` of the [`CellKind`].
    pub nodes: &'static [u8],
}

/// VTK cell of a cell kind.
///
/// The wedge has the node order of VTK 9.7: the first triangle faces inward. VTK up to 9.2 and meshio expect a first
/// triangle that faces outward. VTK up to 9.2 draws the wedges correctly, but its filter "Cell Size" gives negative
/// volumes. meshio swaps two nodes of each triangle of a wedge on reading.
///
/// # Source
/// "VTK File Formats", figures 2 and 3 (linear and quadratic cell types); documentation of the classes `vtkTetra`,
/// `vtkHexahedron`, `vtkWedge`, `vtkQuadraticTetra`, `vtkQuadraticHexahedron` and `vtkTriQuadraticHexahedron`.
pub(super) const fn cell_type(kind: CellKind) -> CellType {
    match kind {
        CellKind::Point1 => CellType { code: 1, nodes: &[0] },
        CellKind::Line2 => CellType { code: 3, nodes: &[0, 1] },
        CellKind::Tri3 => CellType { code: 5, nodes: &[0, 1, 2] },
        CellKind::Quad4 => CellType { code: 9, nodes: &[0, 1, 2, 3] },
        CellKind::Tet4 => CellType { code: 10, nodes: &[0, 1, 2, 3] },
        CellKind::Hex8 => CellType { code: 12, nodes: &[0, 1, 2, 3, 4, 5, 6, 7] },
        CellKind::Wedge6 => CellType { code: 13, nodes: &[0, 1, 2, 3, 4, 5] },
        CellKind::Line3 => CellType { code: 21, nodes: &[0, 1, 2] },
        CellKind::Tri6 => CellType { code: 22, nodes: &[0, 1, 2, 3, 4, 5] },
        CellKind::Quad8 => CellType { code: 23, nodes: &[0, 1, 2, 3, 4, 5, 6, 7] },
        CellKind::Quad9 => CellType { code: 28, nodes: &[0, 1, 2, 3, 4, 5, 6, 7, 8] },
        // VTK's order of the edges, by their corners: 01 12 20 03 13 23.
        CellKind::Tet10 => CellType { code: 24, nodes: &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8] },
        // VTK's order of the edges, by their corners: 01 12 23 30, 45 56 67 74, 04 15 26 37.
        CellKind::Hex20 => CellType {
            code: 25,
            nodes: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15],
        },
        // VTK's order of the faces, by their corners: 0473 1265 0154 2376 0321 4567.
        CellKind::Hex27 => CellType {
            code: 29,
            nodes: &[
                0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25,
                26,
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_a_permutation_of_the_nodes() {
        for kind in CellKind::ALL {
            let mut nodes = cell_type(kind).nodes.to_vec();
            nodes.sort_unstable();
            assert_eq!(nodes, (0..kind.num_nodes() as u8).collect::<Vec<_>>(), "{}", kind.name());
        }
    }
}
