//! Renumbering: cells along a space-filling curve, nodes by first use, so that neighbours in space are close in
//! memory.
//!
//! The Hilbert curve through the cell centroids, with 21 bits per axis; cells of equal key keep the file order, so the
//! result is the same on every machine and for any number of threads.

use rayon::slice::ParallelSliceMut;

use super::{CellBlock, Group, Mesh, MeshError};
use crate::math::Vec3;

/// Bits of the curve per axis: three axes fill 63 bits of the key.
const BITS: u32 = 21;

/// Renumbering maps, from new numbers to old ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbering {
    /// Old number of each new node.
    pub node_order: Vec<u32>,
    /// Old number within its block of each new cell, by block.
    pub cell_order: Vec<Vec<u32>>,
}

impl Renumbering {
    /// New number of each old node.
    pub fn new_nodes(&self) -> Vec<u32> {
        inverse(&self.node_order)
    }

    /// New number of each old cell of a block.
    pub fn new_cells(&self, block: usize) -> Vec<u32> {
        inverse(&self.cell_order[block])
    }
}

impl Mesh {
    /// The mesh with its cells along a Hilbert curve and its nodes in order of first use by the cells of the highest
    /// dimension; unused nodes come last. Blocks and groups keep their order.
    ///
    /// # Errors
    /// The errors of [`Mesh::validate`].
    pub fn renumbered(&self) -> Result<(Self, Renumbering), MeshError> {
        self.validate()?;
        let grid = Grid::around(&self.nodes);
        let cell_order: Vec<Vec<u32>> =
            self.blocks.iter().map(|block| curve_order(block, &self.nodes, &grid)).collect();
        let node_order = self.first_touch(&cell_order);
        let new_node = inverse(&node_order);
        let blocks =
            self.blocks.iter().zip(&cell_order).map(|(block, order)| reordered(block, order, &new_node));
        let new_cell: Vec<Vec<u32>> = cell_order.iter().map(|order| inverse(order)).collect();
        let mesh = Self {
            nodes: node_order.iter().map(|&old| self.nodes[old as usize]).collect(),
            node_tags: node_order.iter().map(|&old| self.node_tags[old as usize]).collect(),
            blocks: blocks.collect(),
            groups: self.groups.iter().map(|group| regrouped(group, &new_cell)).collect(),
        };
        Ok((mesh, Renumbering { node_order, cell_order }))
    }

    fn first_touch(&self, cell_order: &[Vec<u32>]) -> Vec<u32> {
        let mut touched = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let dimension = self.dimension().unwrap_or(0);
        for (block, cells) in self.blocks_of_dimension(dimension) {
            for &node in cell_order[block].iter().flat_map(|&cell| cells.cell(cell as usize)) {
                if !std::mem::replace(&mut touched[node as usize], true) {
                    order.push(node);
                }
            }
        }
        order.extend((0..self.nodes.len() as u32).filter(|&node| !touched[node as usize]));
        order
    }
}

/// The bounding cube of all nodes, divided into 2^BITS cells per axis.
struct Grid {
    origin: Vec3,
    cells_per_length: f64,
}

impl Grid {
    fn around(nodes: &[Vec3]) -> Self {
        let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (low, high) = nodes.iter().fold(start, |(low, high), node| (low.inf(node), high.sup(node)));
        let extent = (high - low).max();
        let cells_per_length = if extent > 0.0 { ((1_u32 << BITS) - 1) as f64 / extent } else { 0.0 };
        Self { origin: low, cells_per_length }
    }

    fn key(&self, position: Vec3) -> u64 {
        // A cast from float to integer saturates, so a rounded position at the border stays on the grid.
        let cell = (position - self.origin) * self.cells_per_length;
        hilbert_key([cell.x as u32, cell.y as u32, cell.z as u32])
    }
}

/// Distance along the three-dimensional Hilbert curve of a grid cell.
///
/// # Source
/// J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004) 381, `AxestoTranspose`, followed by
/// the interleaving of the transposed bits.
fn hilbert_key(mut axes: [u32; 3]) -> u64 {
    let highest = 1_u32 << (BITS - 1);
    let mut bit = highest;
    while bit > 1 {
        let below = bit - 1;
        for i in 0..3 {
            if axes[i] & bit != 0 {
                axes[0] ^= below;
            } else {
                let exchange = (axes[0] ^ axes[i]) & below;
                axes[0] ^= exchange;
                axes[i] ^= exchange;
            }
        }
        bit >>= 1;
    }
    axes[1] ^= axes[0];
    axes[2] ^= axes[1];
    let mut flips = 0;
    bit = highest;
    while bit > 1 {
        if axes[2] & bit != 0 {
            flips ^= bit - 1;
        }
        bit >>= 1;
    }
    let interleave = |key: u64, bit: u32| {
        axes.iter().fold(key, |key, axis| key << 1 | u64::from((axis ^ flips) >> bit & 1))
    };
    (0..BITS).rev().fold(0, interleave)
}

fn curve_order(block: &CellBlock, nodes: &[Vec3], grid: &Grid) -> Vec<u32> {
    let centroid = |cell: &[u32]| {
        // Divided before summation, so that finite coordinates do not overflow.
        cell.iter().map(|&node| nodes[node as usize] / cell.len() as f64).sum::<Vec3>()
    };
    let mut keyed: Vec<(u64, u32)> =
        block.cells().zip(0..).map(|(cell, i)| (grid.key(centroid(cell)), i)).collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, cell)| cell).collect()
}

fn reordered(block: &CellBlock, order: &[u32], new_node: &[u32]) -> CellBlock {
    let cells = order.iter().flat_map(|&old| block.cell(old as usize));
    CellBlock {
        kind: block.kind,
        connectivity: cells.map(|&node| new_node[node as usize]).collect(),
        tags: order.iter().map(|&old| block.tags[old as usize]).collect(),
    }
}

fn regrouped(group: &Group, new_cell: &[Vec<u32>]) -> Group {
    let new = |&(block, cell): &(u32, u32)| (block, new_cell[block as usize][cell as usize]);
    let mut cells: Vec<(u32, u32)> = group.cells.iter().map(new).collect();
    cells.sort_unstable();
    Group { cells, ..group.clone() }
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inverse[old as usize] = new as u32;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hilbert_curve_visits_every_cell_of_a_grid_by_unit_steps() {
        let mut cells: Vec<(u64, [i32; 3])> = (0..512)
            .map(|i| [i % 8, i / 8 % 8, i / 64])
            .map(|cell| (hilbert_key(cell.map(|x| x as u32)), cell))
            .collect();
        cells.sort_unstable();
        assert!(cells.iter().map(|cell| cell.0).eq(0..512));
        for pair in cells.windows(2) {
            let step: i32 = (0..3).map(|i| (pair[0].1[i] - pair[1].1[i]).abs()).sum();
            assert_eq!(step, 1, "{pair:?}");
        }
    }
}
