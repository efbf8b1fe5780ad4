//! Cell rings distinguish the opposite side of a thin body from the other lip of a cut.
//!
//! ```text
//!     ┌─────┬─────┐
//!     │     │     │       upper lip of a cut, with a node n
//!     ├─────n─────┤
//!     ├───┬───┬───┤
//!     │   │   │   │       lower lip of the cut
//!     └───┴───┴───┘
//! ```
//! Let r be the least distance of n from those sides of its cells that do not contain n. From n, a path through the
//! material stays in the cell ring of n if its length is below r. Therefore a face whose distance from n is below r,
//! and that is not a side of a cell of the ring, belongs to the other lip. This also holds if the two lips overlap.

use std::collections::HashMap;

use crate::Surface;
use crate::detection::face::closest_point::{Method, Start, closest_point};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Assumed lower bound on the distance of a node from a curved side of a cell, relative to its distance from the linear
/// face with the same corners.
const CURVED: f64 = 0.5;

/// The kind of several cells, and the global nodes of these cells, cell by cell.
pub type Cells<'a> = (CellKind, &'a [u32]);

/// Cell rings of the nodes of all surfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellRings {
    /// For every node, a lower bound on its distance \[m\] from those sides of its cells that do not contain the node;
    /// 0 for nodes without known cells.
    clearance: Vec<f64>,
    /// Pairs of a node and a face, ascending. The face is a side of a cell of the node and does not contain the node.
    opposite: Vec<[u32; 2]>,
}

impl CellRings {
    /// Cell rings of the surface nodes, at these positions \[m\]. Sheets and surfaces without cells have no cell rings.
    ///
    /// # Cost
    /// A hash map of the faces. For each cell at a surface, the distances of the nodes from the opposite sides.
    pub fn new(surfaces: &[Surface], cells: &[Vec<Cells<'_>>], positions: &[Vec3]) -> Self {
        let mut cell_rings = Self { clearance: vec![f64::INFINITY; positions.len()], opposite: Vec::new() };
        for (surface, cells) in surfaces.iter().zip(cells) {
            cell_rings.add(surface, cells, positions);
        }
        for clearance in cell_rings.clearance.iter_mut().filter(|clearance| clearance.is_infinite()) {
            *clearance = 0.0;
        }
        cell_rings.opposite.sort_unstable();
        cell_rings
    }

    fn add(&mut self, surface: &Surface, cells: &[Cells<'_>], positions: &[Vec3]) {
        let faces: HashMap<[u32; 4], u32> = (0..surface.num_faces())
            .map(|face| {
                let (kind, nodes) = surface.face(face);
                (corners_of(kind, |k| nodes[k as usize]), face as u32)
            })
            .collect();
        let Some(dimension) = surface.distinct_kinds().first().map(|kind| kind.dimension()) else { return };
        for (kind, connectivity) in cells.iter().filter(|(kind, _)| kind.dimension() == dimension + 1) {
            for cell in connectivity.chunks_exact(kind.num_nodes()) {
                if cell.iter().any(|&node| surface.local_node(node).is_some()) {
                    self.add_cell(*kind, cell, &faces, positions);
                }
            }
        }
    }

    fn add_cell(&mut self, kind: CellKind, cell: &[u32], faces: &HashMap<[u32; 4], u32>, positions: &[Vec3]) {
        let factor = if kind == kind.linear() { 1.0 } else { CURVED };
        for side in kind.faces() {
            let corners = side.kind.corners();
            let mut places = [Vec3::zeros(); 4];
            for (place, &corner) in places.iter_mut().zip(corners) {
                *place = positions[cell[side.nodes[corner as usize] as usize] as usize];
            }
            let places = &places[..corners.len()];
            let face = faces.get(&corners_of(side.kind, |k| cell[side.nodes[k as usize] as usize]));
            let opposite = (0..).zip(cell).filter(|(k, _)| !side.nodes.contains(k));
            for (_, &node) in opposite {
                let query = &positions[node as usize];
                let nearest = closest_point(Method::Auto, Start::Nearest, side.kind.linear(), places, query);
                let clearance = &mut self.clearance[node as usize];
                *clearance = clearance.min(factor * nearest.distance_squared.sqrt());
                self.opposite.extend(face.map(|&face| [node, face]));
            }
        }
    }

    /// Whether a face at this distance \[m\] from a node belongs to the other lip of a cut. The face must not contain
    /// the node.
    pub fn is_beyond_a_cut(&self, node: u32, face: u32, distance: f64) -> bool {
        self.clearance.get(node as usize).is_some_and(|&clearance| distance < clearance)
            && self.opposite.binary_search(&[node, face]).is_err()
    }
}

/// Corner nodes in ascending order, padded with `u32::MAX`.
fn corners_of(kind: CellKind, node: impl Fn(u8) -> u32) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    for (place, &corner) in key.iter_mut().zip(kind.corners()) {
        *place = node(corner);
    }
    key.sort_unstable();
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lips_of_a_cut_are_not_across_the_material() {
        for (height, overlap) in [(1.0, 0.0), (1.0, 1e-9), (1.0, -1e-9), (0.01, 1e-3), (1.0, 0.4)] {
            let row = |y: f64, to: usize| (0..to).map(move |i| Vec3::new(i as f64, y, 0.0));
            let positions: Vec<Vec3> =
                row(-height, 3).chain(row(0.0, 3)).chain(row(height, 3)).chain(row(-overlap, 2)).collect();
            let cells = [[0, 1, 4, 3], [1, 2, 5, 4], [9, 10, 7, 6], [10, 5, 8, 7]];
            let lips = [[4, 3], [5, 4], [9, 10], [10, 5]];
            let outer = [[0, 1], [1, 2], [7, 6], [8, 7]];
            let faces = lips.iter().chain(&outer).map(|nodes| (CellKind::Line2, nodes.as_slice()));
            let surface = Surface::new(faces);
            let connectivity: Vec<u32> = cells.into_iter().flatten().collect();
            let cells = [vec![(CellKind::Quad4, connectivity.as_slice())]];
            let cell_rings = CellRings::new(&[surface], &cells, &positions);
            let distance = overlap.abs();
            for (node, others) in [(3, [2, 3]), (4, [2, 3]), (9, [0, 1]), (10, [0, 1])] {
                assert!(
                    others.iter().all(|&face| cell_rings.is_beyond_a_cut(node, face, distance)),
                    "{node}"
                );
            }
            for (node, face) in [(3, 4), (4, 4), (4, 5), (9, 6), (10, 6), (10, 7)] {
                assert!(!cell_rings.is_beyond_a_cut(node, face, height), "{node}");
                assert!(
                    !cell_rings.is_beyond_a_cut(node, face, 0.5 * height),
                    "a face of a cell of the node"
                );
            }
        }
        let nothing_known = CellRings::default();
        assert!(!nothing_known.is_beyond_a_cut(0, 0, 0.0));
    }
}
