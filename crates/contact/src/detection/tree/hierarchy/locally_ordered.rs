//! Parallel locally-ordered clustering (PLOC). Each leaf is a cluster at first. In each round, every cluster selects a
//! partner among its neighbours along a space-filling curve, and all pairs of clusters that select each other merge.
//!
//! Blocks of consecutive leaves are clustered separately, in the cache and in parallel, down to one cluster per 32
//! leaves. The remaining clusters of all blocks are then clustered together. They are numerous enough that the tree
//! hardly differs from a tree without blocks. To select partners, the radii of joint spheres are compared in single
//! precision; the spheres of the tree are fitted later.

use rayon::prelude::*;

use super::clusters::{Clusters, Pairs};
use super::topology::{Block, LEAVES_PER_BLOCK, Topology, leaf_link, pieces};
use crate::detection::volume::Sphere;
use crate::math::eight_lanes::EightLanes;
use crate::math::space_filling_curve::Cube;
use crate::math::vectorised::{Kernel, Vectorised};

const LEAVES_PER_CLUSTER: usize = 32;

/// Tree over the spheres of the leaves. Leaf i is the face `faces[i]`; `spheres` is indexed by vertex. The leaves
/// follow a space-filling curve in `cube`.
///
/// # Cost
/// O(n · `clusters::WINDOW`) for n faces, because each round merges about a third of the clusters, and the costs of the
/// rounds form a geometric series. The result does not depend on the number of threads.
///
/// # Source
/// Meister & Bittner 2018, "Parallel locally-ordered clustering for bounding volume hierarchy construction", IEEE TVCG
/// 24(3), algorithm 1, with the radius of the joint sphere instead of the surface area. Blocks after Gu et al. 2013,
/// "Efficient BVH construction via approximate agglomerative clustering", §3.
pub fn topology(faces: &[u32], spheres: &[Sphere], cube: Cube, blocks: Vec<Block>) -> Topology {
    let vectorised = Vectorised::detect();
    let mut links = vec![[0; 2]; 2 * faces.len() - 1];
    let tasks: Vec<_> =
        pieces(&blocks, &mut links, |block| block.num_vertices()).into_iter().zip(&blocks).collect();
    let left: Vec<Clusters> = tasks
        .into_par_iter()
        .map(|(links, block)| {
            let (leaves, inner) = links.split_at_mut(block.num_leaves as usize);
            for (link, &face) in leaves.iter_mut().zip(&faces[block.leaves()]) {
                *link = leaf_link(face);
            }
            let of_leaves = &spheres[block.first_vertex as usize..][..block.num_leaves as usize];
            let clusters = SingleLeaves { spheres: of_leaves, first_vertex: block.first_vertex, cube };
            let clusters = vectorised.run(clusters);
            let first_merge = block.first_vertex + block.num_leaves;
            vectorised.run(Clustering { clusters, first_merge, links: inner })
        })
        .collect();
    let top = blocks.last().map_or(0, |block| block.end());
    let clusters = Clusters::joined(&left);
    vectorised.run(Clustering { clusters, first_merge: top as u32, links: &mut links[top..] });
    Topology::new(links, blocks)
}

/// Blocks of [`LEAVES_PER_BLOCK`] leaves; the last block has the remaining leaves. A single block is clustered down to
/// one cluster.
pub fn blocks(num_leaves: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(num_leaves.div_ceil(LEAVES_PER_BLOCK));
    while let before = blocks.last().copied().unwrap_or(Block::START)
        && before.leaves().end < num_leaves
    {
        let leaves = (num_leaves - before.leaves().end).min(LEAVES_PER_BLOCK);
        let clusters = if num_leaves > LEAVES_PER_BLOCK { leaves.div_ceil(LEAVES_PER_CLUSTER) } else { 1 };
        blocks.push(before.next(leaves as u32, (leaves - clusters) as u32));
    }
    blocks
}

struct SingleLeaves<'a> {
    spheres: &'a [Sphere],
    first_vertex: u32,
    cube: Cube,
}

impl Kernel for SingleLeaves<'_> {
    type Output = Clusters;

    #[inline(always)]
    fn call(self, _: impl EightLanes) -> Clusters {
        Clusters::new(self.spheres, self.first_vertex, self.cube)
    }
}

/// Merges clusters until `links` is filled: one entry, the two children, per merge. Returns the remaining clusters.
struct Clustering<'a> {
    clusters: Clusters,
    first_merge: u32,
    links: &'a mut [[u32; 2]],
}

impl Kernel for Clustering<'_> {
    type Output = Clusters;

    #[inline(always)]
    fn call(self, simd: impl EightLanes) -> Clusters {
        let Self { mut clusters, first_merge, links } = self;
        let mut pairs = Pairs::with_room(clusters.len());
        let mut merged = 0;
        while merged < links.len() {
            pairs.find(simd, &clusters);
            merged += clusters.merge(simd, &mut pairs, first_merge + merged as u32, &mut links[merged..]);
        }
        clusters
    }
}
