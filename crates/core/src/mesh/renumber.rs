//! Renumbering for locality: cells in the order of their centroids along a Hilbert curve, nodes in the order of first
//! use.
//!
//! Cells at the same position on the curve keep their order, so the result is the same on every machine and for any
//! number of threads.

use rayon::slice::ParallelSliceMut;

use super::{CellBlock, Group, Mesh, MeshError};
use crate::math::Vec3;
use crate::math::space_filling_curve::{Cube, hilbert_key};

/// Old numbers of the nodes and cells of a renumbered mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbering {
    /// Old number of each new node.
    pub node_order: Vec<u32>,
    /// For each block, the old number of each new cell within the block.
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
    /// The mesh with the cells of each block sorted along a Hilbert curve. Nodes are in the order of first use by the
    /// cells of the highest dimension; nodes that these cells do not use come last. Blocks and groups keep their order.
    ///
    /// # Errors
    /// The errors of [`Mesh::validate`].
    pub fn renumbered(&self) -> Result<(Self, Renumbering), MeshError> {
        self.validate()?;
        let cube = Cube::around(self.nodes.iter().copied());
        let cell_order: Vec<Vec<u32>> =
            self.blocks.iter().map(|block| curve_order(block, &self.nodes, cube)).collect();
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

fn curve_order(block: &CellBlock, nodes: &[Vec3], cube: Cube) -> Vec<u32> {
    let centroid = |cell: &[u32]| {
        // Division before the sum avoids overflow.
        cell.iter().map(|&node| nodes[node as usize] / cell.len() as f64).sum::<Vec3>()
    };
    let mut keyed: Vec<(u64, u32)> =
        block.cells().zip(0..).map(|(cell, i)| (hilbert_key(cube, centroid(cell)), i)).collect();
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
