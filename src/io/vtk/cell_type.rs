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
/// Linear cells have the same order in both, the wedge too: `vtkWedge` documents its first triangle as facing
/// outward, but its parametric coordinates, faces and volume (positive) are those of the order used here.
///
/// # Source
/// "VTK File Formats", figures 2 and 3 (linear and quadratic cell types); `vtkWedge.cxx`.
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
