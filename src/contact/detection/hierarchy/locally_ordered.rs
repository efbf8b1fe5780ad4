//! Parallel locally-ordered clustering (PLOC): every cluster seeks its partner only among its neighbours along a
//! space-filling curve, and all pairs that chose each other merge at once.
//!
//! A block of consecutive leaves is clustered on its own until few clusters are left, in the cache and in parallel
//! with other blocks; then the clusters of all blocks together. What is left of a block is much smaller than the
//! block, so that the tree hardly differs from one made without blocks.
//!
//! Costs are compared in single precision, on coordinates scaled to the unit cube; that rounds which pair is
//! preferred, never a sphere of the tree.

use rayon::prelude::*;

use super::space_filling_curve::Cube;
use super::topology::{Block, LEAVES_PER_BLOCK, Topology, leaf_link, pieces};
use crate::contact::detection::volume::Sphere;
use crate::math::octet::Octets;
use crate::math::vectorised::{Kernel, Vectorised};

/// Neighbours looked at on either side. Wider windows cost time and buy nothing: with 8, the sums of volumes on
/// icospheres, strewn triangles and graded sheets come out 1 % to 6 % larger than with 4.
const WINDOW: usize = 4;

/// Leaves per cluster that is left of a block.
const LEAVES_PER_CLUSTER: usize = 32;

/// Low bits of a cost that name the partner: enough for the window on both sides.
const PARTNER_BITS: u32 = 31;

/// Largest coordinate or radius whose square and cube stay finite.
const LARGEST_COMPARABLE: f64 = 1e100;

/// The live clusters along the curve: scaled spheres and vertices.
#[derive(Default)]
struct Clusters {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius: Vec<f32>,
    vertex: Vec<u32>,
}

/// Tree over the spheres, given along a space-filling curve within `cube`; leaf i is the face `faces[i]`.
///
/// # Cost
/// O(n · window) altogether: each round merges about a third of the clusters. The result does not depend on the
/// number of threads.
/// # Source
/// Meister & Bittner 2018, "Parallel locally-ordered clustering for bounding volume hierarchy construction", IEEE
/// TVCG 24(3), algorithm 1; with the radius of the joint sphere for the surface area. Blocks after Gu et al. 2013,
/// "Efficient BVH construction via approximate agglomerative clustering", §3.
pub fn topology(faces: &[u32], spheres: &[Sphere], cube: Cube) -> Topology {
    let vectorised = Vectorised::detect();
    let blocks = blocks(faces.len());
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
            let clusters = Clusters::new(&spheres[block.leaves()], block.first_vertex, cube);
            let first_merge = block.first_vertex + block.num_leaves;
            vectorised.run(Clustering { clusters, first_merge, links: inner })
        })
        .collect();
    let top = blocks.last().map_or(0, |block| block.end());
    let clusters = Clusters::joined(left);
    vectorised.run(Clustering { clusters, first_merge: top as u32, links: &mut links[top..] });
    Topology::new(links, blocks)
}

/// Blocks of equal size but for the last; a single one is clustered to the end.
fn blocks(num_leaves: usize) -> Vec<Block> {
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

impl Clusters {
    /// One per sphere; spheres that no cost can be computed with are moved to the origin.
    fn new(spheres: &[Sphere], first_vertex: u32, cube: Cube) -> Self {
        let scale = if cube.extent > 0.0 { 1.0 / cube.extent } else { 1.0 };
        let mut clusters = Self::default();
        let Self { x, y, z, radius, vertex } = &mut clusters;
        for values in [&mut *x, &mut *y, &mut *z, &mut *radius] {
            values.resize(spheres.len(), 0.0);
        }
        vertex.extend((first_vertex..).take(spheres.len()));
        for (i, Sphere { centre, radius: r }) in spheres.iter().enumerate() {
            let size = centre.x.abs() + centre.y.abs() + centre.z.abs() + r;
            if size < LARGEST_COMPARABLE {
                let [a, b, c] = (centre - cube.origin).into();
                [x[i], y[i], z[i], radius[i]] = [a, b, c, *r].map(|value| (value * scale) as f32);
            }
        }
        clusters
    }

    /// Those of all blocks, in the order of the blocks.
    fn joined(parts: Vec<Self>) -> Self {
        let mut joined = Self::default();
        for part in parts {
            joined.x.extend(part.x);
            joined.y.extend(part.y);
            joined.z.extend(part.z);
            joined.radius.extend(part.radius);
            joined.vertex.extend(part.vertex);
        }
        joined
    }

    fn truncate(&mut self, count: usize) {
        for values in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
            values.truncate(count);
        }
        self.vertex.truncate(count);
    }

    /// Best preference of each cluster.
    ///
    /// A preference is the cost of a pair, the bits of a positive number, with its low bits replaced by those of i
    /// XOR j. They name the partner within the window and break ties: pairs of equal cost and equal XOR share no
    /// cluster, so the least preference is mutual and every round merges something; and runs of equal costs merge
    /// by halves.
    #[inline(always)]
    fn choose_partners(&self, best: &mut [u32], preferences: &mut [u32]) {
        best.fill(u32::MAX);
        for distance in 1..=WINDOW.min(best.len() - 1) {
            let n = best.len() - distance;
            self.compute_preferences(distance, &mut best[..n], &mut preferences[..n]);
            let (best, preferences) = (&mut best[distance..][..n], &preferences[..n]);
            for k in 0..n {
                best[k] = best[k].min(preferences[k]);
            }
        }
    }

    /// Preferences of the pairs (i, i + distance), and the best of each i.
    #[inline(always)]
    fn compute_preferences(&self, distance: usize, best: &mut [u32], preferences: &mut [u32]) {
        let n = preferences.len();
        let best = &mut best[..n];
        let (x, x_far) = (&self.x[..n], &self.x[distance..][..n]);
        let (y, y_far) = (&self.y[..n], &self.y[distance..][..n]);
        let (z, z_far) = (&self.z[..n], &self.z[distance..][..n]);
        let (radius, radius_far) = (&self.radius[..n], &self.radius[distance..][..n]);
        for k in 0..n {
            let (dx, dy, dz) = (x_far[k] - x[k], y_far[k] - y[k], z_far[k] - z[k]);
            let sum = radius[k] + radius_far[k];
            let joint = 0.5 * ((dx * dx + dy * dy + dz * dz).sqrt() + sum);
            let larger = if radius[k] > radius_far[k] { radius[k] } else { radius_far[k] };
            let cost = if joint > larger { joint } else { larger };
            let partner = (k as u32 ^ (k as u32 + distance as u32)) & PARTNER_BITS;
            preferences[k] = cost.to_bits() & !PARTNER_BITS | partner;
            best[k] = best[k].min(preferences[k]);
        }
    }

    /// Replaces sphere `i` by its joint sphere with `j`.
    #[inline(always)]
    fn merge_into(&mut self, i: usize, j: usize) {
        let (dx, dy, dz) = (self.x[j] - self.x[i], self.y[j] - self.y[i], self.z[j] - self.z[i]);
        let distance = (dx * dx + dy * dy + dz * dz).sqrt();
        let (near, far) = (self.radius[i], self.radius[j]);
        let larger = if near > far { near } else { far };
        let joint = 0.5 * (distance + near + far);
        let radius = if joint > larger { joint } else { larger };
        let fraction = (radius - near) / distance;
        let fraction = if fraction < 1.0 { fraction } else { 1.0 };
        let fraction = if distance > 0.0 { fraction } else { 0.0 };
        self.x[i] += fraction * dx;
        self.y[i] += fraction * dy;
        self.z[i] += fraction * dz;
        self.radius[i] = radius;
    }

    /// Closes the gaps.
    #[inline(always)]
    fn keep(&mut self, is_kept: &[bool]) {
        let n = is_kept.len();
        let (x, y, z) = (&mut self.x[..n], &mut self.y[..n], &mut self.z[..n]);
        let (radius, vertex) = (&mut self.radius[..n], &mut self.vertex[..n]);
        let mut kept = 0;
        for i in 0..n {
            (x[kept], y[kept], z[kept]) = (x[i], y[i], z[i]);
            (radius[kept], vertex[kept]) = (radius[i], vertex[i]);
            kept += usize::from(is_kept[i]);
        }
        self.truncate(kept);
    }
}

/// Clustering until as many merges are made as there are links to fill.
struct Clustering<'a> {
    clusters: Clusters,
    /// Vertex of the first merge.
    first_merge: u32,
    links: &'a mut [[u32; 2]],
}

impl Kernel for Clustering<'_> {
    type Output = Clusters;

    /// The clusters that are left.
    #[inline(always)]
    fn call(self, _: impl Octets) -> Clusters {
        let Self { mut clusters, first_merge, links } = self;
        let n = clusters.vertex.len();
        let (mut best, mut preferences) = (vec![0; n], vec![0; n]);
        let mut pairs = vec![[0_u32; 2]; n];
        let mut is_kept = vec![true; n];
        let mut merged = 0;
        while merged < links.len() {
            let n = clusters.vertex.len();
            clusters.choose_partners(&mut best[..n], &mut preferences);
            let count = mutual_pairs(&best[..n], &mut pairs).min(links.len() - merged);
            is_kept[..n].fill(true);
            for &[i, j] in &pairs[..count] {
                let (i, j) = (i as usize, j as usize);
                clusters.merge_into(i, j);
                links[merged] = [clusters.vertex[i], clusters.vertex[j]];
                clusters.vertex[i] = first_merge + merged as u32;
                is_kept[j] = false;
                merged += 1;
            }
            clusters.keep(&is_kept[..n]);
        }
        clusters
    }
}

/// Lists the pairs that chose each other, the lower place first; how many they are.
#[inline(always)]
fn mutual_pairs(best: &[u32], pairs: &mut [[u32; 2]]) -> usize {
    let mut count = 0;
    for i in 0..best.len() {
        let j = partner(i, best[i]);
        pairs[count] = [i as u32, j as u32];
        count += usize::from((i < j) & (best[i] == best[j]));
    }
    count
}

/// The cluster that the preference of cluster `i` names.
#[inline(always)]
fn partner(i: usize, preference: u32) -> usize {
    let low_bits = (i as u32 ^ preference) & PARTNER_BITS;
    let ahead = low_bits.wrapping_sub(i as u32) & PARTNER_BITS;
    // Up to 15 ahead, or behind.
    let signed = (ahead ^ 16).wrapping_sub(16);
    (i as u32).wrapping_add(signed) as usize
}
