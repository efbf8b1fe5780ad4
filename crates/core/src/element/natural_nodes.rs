//! Natural coordinates of the nodes of each kind of cell.

use super::{hexahedron, quadrilateral};
use crate::mesh::CellKind;

fn natural_corners(kind: CellKind) -> Vec<[f64; 3]> {
    match kind.linear() {
        CellKind::Point1 => vec![[0.0; 3]],
        CellKind::Line2 => vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        CellKind::Tri3 => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        CellKind::Quad4 => quadrilateral::CORNERS.iter().map(|c| [c[0], c[1], 0.0]).collect(),
        CellKind::Tet4 => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        CellKind::Wedge6 => {
            [-1.0, 1.0].iter().flat_map(|&z| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).collect()
        }
        _ => hexahedron::CORNERS.to_vec(),
    }
}

/// Natural coordinates of the nodes, in the order of [`CellKind`].
pub fn natural_nodes(kind: CellKind) -> Vec<[f64; 3]> {
    let mut nodes = natural_corners(kind);
    let between: &[&[usize]] = match kind {
        CellKind::Line3 => &[&[0, 1]],
        CellKind::Tri6 => &[&[0, 1], &[1, 2], &[2, 0]],
        CellKind::Quad8 | CellKind::Quad9 => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[0, 1, 2, 3]],
        CellKind::Tet10 => &[&[0, 1], &[1, 2], &[2, 0], &[0, 3], &[2, 3], &[1, 3]],
        CellKind::Hex20 | CellKind::Hex27 => &[
            &[0, 1],
            &[0, 3],
            &[0, 4],
            &[1, 2],
            &[1, 5],
            &[2, 3],
            &[2, 6],
            &[3, 7],
            &[4, 5],
            &[4, 7],
            &[5, 6],
            &[6, 7],
            &[0, 3, 2, 1],
            &[0, 1, 5, 4],
            &[0, 4, 7, 3],
            &[1, 2, 6, 5],
            &[2, 3, 7, 6],
            &[4, 5, 6, 7],
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ],
        _ => &[],
    };
    let mean =
        |of: &&[usize]| [0, 1, 2].map(|i| of.iter().map(|&c| nodes[c][i]).sum::<f64>() / of.len() as f64);
    let others: Vec<[f64; 3]> = between.iter().map(mean).collect();
    nodes.extend(others);
    nodes.truncate(kind.num_nodes());
    nodes
}
