//! The topology of a tree, without its spheres.

use rayon::prelude::*;

/// Largest number of leaves of a block. The vertices of a block stay in the second-level cache.
pub const LEAVES_PER_BLOCK: usize = 1024;

/// A vertex with this number as parent is the root. A vertex with this number as second child is a leaf.
const NONE: u32 = u32::MAX;

/// Parent–child links, block by block, with the leaves of a block first. The vertices above the blocks follow.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Left and right child of an inner vertex, or the face of a leaf and [`NONE`].
    links: Vec<[u32; 2]>,
    parents: Vec<u32>,
    num_leaves_below: Vec<u32>,
    blocks: Vec<Block>,
}

/// Consecutive vertices with all their descendants: first the leaves, then the inner vertices, children before parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub first_vertex: u32,
    /// Index of the first leaf of the block among the leaves of the tree.
    pub first_leaf: u32,
    pub num_leaves: u32,
    pub num_inner: u32,
}

impl Block {
    pub fn num_vertices(self) -> usize {
        (self.num_leaves + self.num_inner) as usize
    }

    /// First vertex after the block.
    pub fn end(self) -> usize {
        self.first_vertex as usize + self.num_vertices()
    }

    pub fn leaves(self) -> std::ops::Range<usize> {
        self.first_leaf as usize..(self.first_leaf + self.num_leaves) as usize
    }

    pub fn next(self, num_leaves: u32, num_inner: u32) -> Self {
        Self {
            first_vertex: self.end() as u32,
            first_leaf: self.first_leaf + self.num_leaves,
            num_leaves,
            num_inner,
        }
    }

    pub const START: Self = Self { first_vertex: 0, first_leaf: 0, num_leaves: 0, num_inner: 0 };
}

/// Divides `rest` into one part of length `count` per block. Data after the last block are left out.
pub fn pieces<'a, T>(
    blocks: &[Block],
    mut rest: &'a mut [T],
    count: impl Fn(&Block) -> usize,
) -> Vec<&'a mut [T]> {
    blocks
        .iter()
        .map(|block| {
            let (piece, after) = std::mem::take(&mut rest).split_at_mut(count(block));
            rest = after;
            piece
        })
        .collect()
}

pub fn leaf_link(face: u32) -> [u32; 2] {
    [face, NONE]
}

impl Topology {
    pub fn new(links: Vec<[u32; 2]>, blocks: Vec<Block>) -> Self {
        let mut parents = vec![NONE; links.len()];
        let mut num_leaves_below = vec![1; links.len()];
        let tasks: Vec<_> = pieces(&blocks, &mut parents, |block| block.num_vertices())
            .into_iter()
            .zip(pieces(&blocks, &mut num_leaves_below, |block| block.num_vertices()))
            .zip(&blocks)
            .collect();
        tasks.into_par_iter().for_each(|((parents, counts), block)| {
            let first = block.first_vertex as usize;
            let inner = first + block.num_leaves as usize;
            climb(&links[inner..block.end()], inner, first, parents, counts);
        });
        let top = blocks.last().map_or(0, |block| block.end());
        climb(&links[top..], top, 0, &mut parents, &mut num_leaves_below);
        Self { links, parents, num_leaves_below, blocks }
    }

    /// Tree from a sequence of merges of n leaves, and the order of its leaves as indices into `faces`.
    ///
    /// Cluster i < n is the leaf of the face `faces[i]`. Merge k = 0, 1, … joins two earlier clusters into cluster
    /// n + k. The blocks are the largest subtrees with at most [`LEAVES_PER_BLOCK`] leaves.
    pub fn from_merges(faces: &[u32], merges: &[[u32; 2]]) -> (Self, Vec<u32>) {
        let n = faces.len();
        let mut sizes = vec![1_u32; n + merges.len()];
        for (k, &[left, right]) in merges.iter().enumerate() {
            sizes[n + k] = sizes[left as usize] + sizes[right as usize];
        }
        // Block of each cluster, found from the root down; `NONE` for clusters above the blocks.
        let mut block_of = vec![NONE; n + merges.len()];
        let mut blocks: Vec<Block> = Vec::new();
        for cluster in (0..n + merges.len()).rev() {
            if block_of[cluster] == NONE && sizes[cluster] as usize <= LEAVES_PER_BLOCK {
                block_of[cluster] = blocks.len() as u32;
                let before = blocks.last().copied().unwrap_or(Block::START);
                blocks.push(before.next(sizes[cluster], sizes[cluster] - 1));
            }
            if cluster >= n {
                for child in merges[cluster - n] {
                    block_of[child as usize] = block_of[cluster];
                }
            }
        }
        // In each block, the leaves get the first vertex numbers, and the merges the following numbers.
        let mut next: Vec<u32> = blocks.iter().map(|block| block.first_vertex).collect();
        next.push(blocks.last().map_or(0, |block| block.end() as u32));
        let vertices: Vec<u32> = block_of
            .iter()
            .map(|&block| {
                let vertex = &mut next[(block as usize).min(blocks.len())];
                *vertex += 1;
                *vertex - 1
            })
            .collect();
        let mut links = vec![[NONE; 2]; n + merges.len()];
        let mut order = vec![0; n];
        for leaf in 0..n {
            let block = blocks[block_of[leaf] as usize];
            links[vertices[leaf] as usize] = leaf_link(faces[leaf]);
            order[(block.first_leaf + vertices[leaf] - block.first_vertex) as usize] = leaf as u32;
        }
        for (k, merge) in merges.iter().enumerate() {
            links[vertices[n + k] as usize] = merge.map(|child| vertices[child as usize]);
        }
        (Self::new(links, blocks), order)
    }

    pub fn num_vertices(&self) -> usize {
        self.links.len()
    }

    pub fn num_leaves(&self) -> usize {
        self.links.len().div_ceil(2)
    }

    pub fn links(&self) -> &[[u32; 2]] {
        &self.links
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// First vertex above the blocks.
    pub fn top(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end())
    }

    /// Children of an inner vertex; `None` for a leaf.
    #[inline]
    pub fn children(&self, v: u32) -> Option<[u32; 2]> {
        Some(self.links[v as usize]).filter(|link| link[1] != NONE)
    }

    #[inline]
    pub fn face(&self, v: u32) -> Option<u32> {
        let [face, mark] = self.links[v as usize];
        (mark == NONE).then_some(face)
    }

    pub fn leaf(&self, v: u32) -> usize {
        let block = &self.blocks[self.blocks.partition_point(|block| block.first_vertex <= v) - 1];
        (block.first_leaf + v - block.first_vertex) as usize
    }

    pub fn parent(&self, v: u32) -> Option<u32> {
        Some(self.parents[v as usize]).filter(|&parent| parent != NONE)
    }

    #[inline]
    pub fn num_leaves_below(&self, v: u32) -> u32 {
        self.num_leaves_below[v as usize]
    }

    pub fn leaf_depths(&self) -> DepthStatistics {
        let mut depth = vec![0_u32; self.num_vertices()];
        let mut statistics = DepthStatistics { min: u32::MAX, mean: 0.0, max: 0 };
        for v in (0..self.num_vertices()).rev() {
            match self.children(v as u32) {
                Some(children) => children.iter().for_each(|&child| depth[child as usize] = depth[v] + 1),
                None => {
                    statistics.min = statistics.min.min(depth[v]);
                    statistics.max = statistics.max.max(depth[v]);
                    statistics.mean += f64::from(depth[v]);
                }
            }
        }
        statistics.mean /= self.num_leaves() as f64;
        statistics
    }
}

/// Stores parents and counts leaves. `links[0]` belongs to the vertex `start`; `parents[0]` and `counts[0]` belong to
/// the vertex `first`.
fn climb(links: &[[u32; 2]], start: usize, first: usize, parents: &mut [u32], counts: &mut [u32]) {
    for (v, link) in (start..).zip(links) {
        let [left, right] = link.map(|child| child as usize - first);
        (parents[left], parents[right]) = (v as u32, v as u32);
        counts[v - first] = counts[left] + counts[right];
    }
}

/// Depths of the leaves of a tree. The root has depth 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStatistics {
    /// Depth of the leaf nearest to the root.
    pub min: u32,
    /// Mean depth of the leaves.
    pub mean: f64,
    /// Depth of the leaf farthest from the root.
    pub max: u32,
}
