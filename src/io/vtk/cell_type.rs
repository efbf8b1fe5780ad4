//! VTK's cell types and its order of nodes within a cell.

use crate::mesh::CellKind;

/// How VTK knows a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellType {
    /// VTK's number of the type (`vtkCellType.h`).
    pub code: u8,
    /// VTK's node `i` is our local node `nodes[i]`.
    pub nodes: &'static [u8],
}

/// The VTK cell of a kind.
///
/// Linear cells have the same order in both. Of the wedge this holds for the definition VTK has now (9.7); up to
/// 9.2 and in meshio its first triangle faces outward. There, wedges are drawn as well, but "Cell Size" gives
/// their volume a minus sign and meshio swaps two nodes of each triangle as it reads.
///
/// # Source
/// "VTK File Formats", figure 2 (linear cell types); documentation of the classes `vtkTetra`, `vtkHexahedron` and
/// `vtkWedge`.
pub(super) const fn cell_type(kind: CellKind) -> CellType {
    match kind {
        CellKind::Point1 => CellType { code: 1, nodes: &[0] },
        CellKind::Line2 => CellType { code: 3, nodes: &[0, 1] },
        CellKind::Tri3 => CellType { code: 5, nodes: &[0, 1, 2] },
        CellKind::Quad4 => CellType { code: 9, nodes: &[0, 1, 2, 3] },
        CellKind::Tet4 => CellType { code: 10, nodes: &[0, 1, 2, 3] },
        CellKind::Hex8 => CellType { code: 12, nodes: &[0, 1, 2, 3, 4, 5, 6, 7] },
        CellKind::Wedge6 => CellType { code: 13, nodes: &[0, 1, 2, 3, 4, 5] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_a_permutation_of_the_nodes() {
        use CellKind::*;
        for kind in [Point1, Line2, Tri3, Quad4, Tet4, Wedge6, Hex8] {
            let mut nodes = cell_type(kind).nodes.to_vec();
            nodes.sort_unstable();
            assert_eq!(nodes, (0..kind.num_nodes() as u8).collect::<Vec<_>>(), "{}", kind.name());
        }
    }
}
