//! Closest faces of many queries, in stages.
//!
//! The surface is stored as a tree. A node has up to eight children; the children of a lowest-level node are leaves of
//! up to four faces.
//!
//! A block is up to 32 queries. All queries of a block pass a stage before the next stage begins. The instructions of
//! different queries are independent, so the processor overlaps them.
//!
//! 1. Nearby queries form groups. Sample points on the faces give upper bounds on the distances of the queries from the
//!    surface. Each group lists the lowest-level nodes whose distance from the box around its queries is at most the
//!    largest of these bounds.
//! 2. Each query tests the faces in the nearest leaf of its nearest listed node.
//! 3. Each query forms pairs with those other leaves of the listed nodes that are no farther from the query than the
//!    closest face found in stage 2.
//! 4. The faces of these leaves are tested. The least distance found in stages 2 and 4 gives the closest face.
//!
//! If a list is full, a branch-and-bound search from the root answers the affected queries.

#![expect(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use std::ops::Range;

use super::search::{LISTED, Rounded, STACK, Stack, distance_squared_to_sample, single};
use super::*;
use crate::detection::face::closest_point::batch::PointLanes;
use crate::math::eight_lanes::{EightLanes, set_bits};
use crate::math::pack::prefetch;
use crate::math::vectorised::Kernel;

pub(super) const QUERIES_PER_TASK: usize = 1024;

const BLOCK: usize = 32;

const GROUP: usize = 8;

const CHUNKS: usize = LISTED / CHILDREN;

const PAIRS: usize = 16 * BLOCK;

const NONE: u32 = u32::MAX;

struct SearchAll<'a> {
    index: &'a ClosestFaceIndex,
    queries: &'a [Vec3],
    radius: f64,
    closest: &'a mut [Option<ClosestFace>],
}

/// Intermediate results of the stages for the queries of a block.
struct Block<'a, O> {
    simd: O,
    index: &'a ClosestFaceIndex,
    /// Squared distance beyond which faces are ignored \[m²\].
    farthest: f64,
    /// Group of each query, numbered within the block.
    group_of: [usize; BLOCK],
    /// Lowest-level nodes of each group.
    nodes: [[u32; LISTED]; BLOCK],
    num_nodes: [usize; BLOCK],
    boxes: [Node; CHUNKS],
    rounded: [Rounded; BLOCK],
    /// Squared distance beyond which faces are ignored, by query; at most `farthest`.
    limits: [f64; BLOCK],
    /// Keys of the listed nodes, by query: squared distances of the nodes from the query in single precision, with the
    /// list position in the low bits.
    keys: [[[u32; CHILDREN]; CHUNKS]; BLOCK],
    /// List position of the nearest node, by query; `NONE` if this node is beyond the limit of the query.
    first_nodes: [u32; BLOCK],
    /// Keys of the leaves of the nearest node, by query, with the number of the leaf within the node in the low bits.
    first_keys: [[u32; CHILDREN]; BLOCK],
    /// Each query with the nearest leaf of its nearest node.
    first_leaves: Pairs,
    /// Each query with the list positions of the other nodes within the limit of the query.
    near_nodes: Pairs,
    /// Each query with the other leaves within the limit of the query.
    near_leaves: Pairs,
    /// For each pair of query and leaf, the squared distances of the query from the faces of the leaf.
    distances: [Lanes; PAIRS],
    best: [Best; BLOCK],
    /// Whether the node list of the group or a list of pairs was full, by query.
    overflowed: [bool; BLOCK],
    stack: Stack,
}

/// Packed key of a face: squared distance (64 bits), face (32 bits), `leaf * LANES + lane` (32 bits). The closest face
/// has the least key.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Best(u128);

struct Pairs {
    count: usize,
    queries: [u32; PAIRS],
    indices: [u32; PAIRS],
}

impl Pairs {
    const NONE: Self = Self { count: 0, queries: [0; PAIRS], indices: [0; PAIRS] };

    /// Adds the pair of `query` and `first` + k for each bit k that is 1 in `set`. Returns false, and adds no pair, if
    /// fewer than eight entries are free.
    #[inline(always)]
    fn add(&mut self, query: usize, first: u32, set: u8) -> bool {
        let range = self.count..self.count + CHILDREN;
        let (Some(queries), Some(indices)) =
            (self.queries.get_mut(range.clone()), self.indices.get_mut(range))
        else {
            return false;
        };
        let bits = set_bits(set);
        for k in 0..CHILDREN {
            queries[k] = query as u32;
            indices[k] = first + u32::from(bits[k]);
        }
        self.count += set.count_ones() as usize;
        true
    }

    #[inline(always)]
    fn get(&self, pair: usize) -> (usize, u32) {
        (self.queries[pair] as usize % BLOCK, self.indices[pair])
    }
}

/// Byte with only bit `number` set; 0 for numbers above 7.
#[inline(always)]
fn bit(number: u32) -> u8 {
    (1_u32 << number.min(CHILDREN as u32)) as u8
}

#[inline(always)]
fn lanes_of(query: &Vec3) -> PointLanes {
    [Lanes::splat(query.x), Lanes::splat(query.y), Lanes::splat(query.z)]
}

/// Whether all coordinates agree up to `span`; false for points that are not finite.
#[inline(always)]
fn are_near(a: &Vec3, b: &Vec3, span: f64) -> bool {
    (a.x - b.x).abs() <= span && (a.y - b.y).abs() <= span && (a.z - b.z).abs() <= span
}

impl Kernel for SearchAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: impl EightLanes) {
        let mut block = Block {
            simd,
            index: self.index,
            farthest: (self.radius * self.radius).min(f64::MAX),
            group_of: [0; BLOCK],
            nodes: [[0; LISTED]; BLOCK],
            num_nodes: [0; BLOCK],
            boxes: [Node::NOTHING; CHUNKS],
            rounded: [Rounded::ORIGIN; BLOCK],
            limits: [0.0; BLOCK],
            keys: [[[0; CHILDREN]; CHUNKS]; BLOCK],
            first_nodes: [NONE; BLOCK],
            first_keys: [[0; CHILDREN]; BLOCK],
            first_leaves: Pairs::NONE,
            near_nodes: Pairs::NONE,
            near_leaves: Pairs::NONE,
            distances: [Lanes([0.0; LANES]); PAIRS],
            best: [Best::NONE; BLOCK],
            overflowed: [false; BLOCK],
            stack: [0; STACK],
        };
        for (queries, closest) in self.queries.chunks(BLOCK).zip(self.closest.chunks_mut(BLOCK)) {
            if self.index.nodes.is_empty() || self.radius.is_nan() || self.radius < 0.0 {
                closest.fill(None);
                continue;
            }
            block.list_nodes(queries);
            block.visit_first_leaves(queries);
            block.list_near_leaves(queries);
            block.answer(queries, closest);
        }
    }
}

impl Best {
    const NONE: Self = Self(u128::MAX);

    #[inline(always)]
    fn new(distance_squared: f64, face: u32, leaf: u32, lane: usize) -> Self {
        let position = leaf * LANES as u32 + lane as u32;
        Self(u128::from(distance_squared.to_bits()) << 64 | u128::from(face) << 32 | u128::from(position))
    }

    #[inline(always)]
    fn or(self, simd: impl EightLanes, leaf: u32, faces: &[u32; LANES], distances_squared: &Lanes) -> Self {
        let (distance_squared, lane) = simd.first_least(distances_squared);
        let other = Self::new(distance_squared, faces[lane], leaf, lane);
        if other < self { other } else { self }
    }

    #[inline(always)]
    fn distance_squared(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    /// Leaf and lane of the face; `None` if its squared distance exceeds `farthest`.
    #[inline(always)]
    fn position(self, farthest: f64) -> Option<(u32, usize)> {
        let position = self.0 as u32;
        let is_near = self.distance_squared() <= farthest;
        is_near.then_some((position / LANES as u32, position as usize % LANES))
    }
}

impl<O: EightLanes> Block<'_, O> {
    #[inline(always)]
    fn list_nodes(&mut self, queries: &[Vec3]) {
        self.overflowed = [false; BLOCK];
        let (mut start, mut group) = (0, 0);
        while start < queries.len() {
            let most = queries.len().min(start + GROUP);
            let mut end = start + 1;
            while end < most && are_near(&queries[start], &queries[end], self.index.span) {
                end += 1;
            }
            self.list_nodes_of(group, start..end, queries);
            for k in start..end {
                let boxes = &self.boxes[..self.num_nodes[group].div_ceil(CHILDREN)];
                for (chunk, boxes) in boxes.iter().enumerate() {
                    let mut keys = boxes.keys(self.simd, &self.rounded[k]);
                    for key in &mut keys {
                        *key |= (chunk * CHILDREN) as u32;
                    }
                    self.keys[k][chunk] = keys;
                }
            }
            (start, group) = (end, group + 1);
        }
    }

    #[inline(always)]
    fn list_nodes_of(&mut self, group: usize, members: Range<usize>, queries: &[Vec3]) {
        let (index, queries) = (self.index, &queries[members.clone()]);
        let sample = index.sample(self.simd, queries, self.farthest);
        let mut reach = 0.0;
        for (k, query) in members.clone().zip(queries) {
            self.group_of[k] = group;
            self.rounded[k] = Rounded::new(query, &index.origin);
            self.limits[k] = match sample {
                Some(sample) => Real::min(self.farthest, distance_squared_to_sample(query, sample)),
                None => self.farthest,
            };
            reach = Real::max(self.limits[k], reach);
        }
        let around =
            self.rounded[members.clone()].iter().fold(self.rounded[members.start], |a, b| a.union(b));
        let count = if is_finite(&queries[0]) {
            let near = (&around, single(reach));
            index.list_nodes(self.simd, near, &mut self.nodes[group], &mut self.boxes)
        } else {
            Some(0)
        };
        self.num_nodes[group] = count.unwrap_or(0);
        if count.is_none() {
            self.overflowed[members].fill(true);
        }
    }

    #[inline(always)]
    fn visit_first_leaves(&mut self, queries: &[Vec3]) {
        let index = self.index;
        self.first_leaves.count = 0;
        for k in 0..queries.len() {
            let (group, limit) = (self.group_of[k], single(self.limits[k]));
            let mut nearest = [u32::MAX; CHILDREN];
            for keys in &self.keys[k][..self.num_nodes[group].div_ceil(CHILDREN)] {
                for c in 0..CHILDREN {
                    nearest[c] = nearest[c].min(keys[c]);
                }
            }
            let nearest = self.simd.least(&nearest);
            self.first_nodes[k] = if nearest <= limit { nearest % LISTED as u32 } else { NONE };
            let node = &index.nodes[self.nodes[group][nearest as usize % LISTED] as usize];
            self.first_keys[k] = node.keys(self.simd, &self.rounded[k]);
            let nearest = self.simd.least(&self.first_keys[k]);
            let leaf = node.first + nearest % CHILDREN as u32;
            prefetch(&index.leaves[leaf as usize]);
            self.first_leaves.add(k, leaf, u8::from(self.first_nodes[k] != NONE && nearest <= limit));
        }
        self.best = [Best::NONE; BLOCK];
        visit(self.simd, index, &self.first_leaves, queries, &mut self.distances, &mut self.best);
        for k in 0..queries.len() {
            self.limits[k] = Real::min(self.best[k].distance_squared(), self.limits[k]);
        }
    }

    #[inline(always)]
    fn list_near_leaves(&mut self, queries: &[Vec3]) {
        (self.near_nodes.count, self.near_leaves.count) = (0, 0);
        for k in 0..queries.len() {
            let (limit, group) = (single(self.limits[k]), self.group_of[k]);
            for chunk in 0..self.num_nodes[group].div_ceil(CHILDREN) {
                let first = (chunk * CHILDREN) as u32;
                let near = self.simd.at_most(&self.keys[k][chunk], limit)
                    & !bit(self.first_nodes[k].wrapping_sub(first));
                self.overflowed[k] |= !self.near_nodes.add(k, first, near);
            }
            let node = self.nodes[group][self.first_nodes[k] as usize % LISTED];
            let near = match self.first_nodes[k] {
                NONE => 0,
                _ => self.simd.at_most(&self.first_keys[k], limit),
            };
            let near = near & !bit(self.simd.least(&self.first_keys[k]) % CHILDREN as u32);
            self.overflowed[k] |= !self.near_leaves.add(k, self.index.nodes[node as usize].first, near);
        }
        for pair in 0..self.near_nodes.count {
            let (k, listed) = self.near_nodes.get(pair);
            let node = &self.index.nodes[self.nodes[self.group_of[k]][listed as usize % LISTED] as usize];
            let keys = node.keys(self.simd, &self.rounded[k]);
            let near = self.simd.at_most(&keys, single(self.limits[k]));
            self.overflowed[k] |= !self.near_leaves.add(k, node.first, near);
        }
        for pair in 0..self.near_leaves.count {
            prefetch(&self.index.leaves[self.near_leaves.indices[pair] as usize]);
        }
    }

    #[inline(always)]
    fn answer(&mut self, queries: &[Vec3], closest: &mut [Option<ClosestFace>]) {
        let index = self.index;
        visit(self.simd, index, &self.near_leaves, queries, &mut self.distances, &mut self.best);
        let mut positions = [None; BLOCK];
        for (k, query) in queries.iter().enumerate() {
            positions[k] = if self.overflowed[k] {
                index.search(self.simd, query, self.farthest, &mut self.stack)
            } else {
                self.best[k].position(self.farthest)
            };
        }
        let answers = queries.chunks(LANES).zip(closest.chunks_mut(LANES)).zip(positions.chunks(LANES));
        for ((queries, closest), positions) in answers {
            index.closest_faces(queries, positions, closest);
        }
    }
}

#[inline(always)]
fn visit(
    simd: impl EightLanes,
    index: &ClosestFaceIndex,
    pairs: &Pairs,
    queries: &[Vec3],
    distances: &mut [Lanes; PAIRS],
    best: &mut [Best; BLOCK],
) {
    for pair in 0..pairs.count {
        let (k, leaf) = pairs.get(pair);
        distances[pair] = index.distances_squared(leaf, &lanes_of(&queries[k]));
    }
    for pair in 0..pairs.count {
        let (k, leaf) = pairs.get(pair);
        best[k] = best[k].or(simd, leaf, &index.leaves[leaf as usize].faces, &distances[pair]);
    }
}

impl ClosestFaceIndex {
    /// The closest face within `radius` \[m\] of `query`, with the lowest number among equally close faces.
    ///
    /// `None` if no face is within this radius, if the query is not finite, or if the radius is negative or NaN.
    pub fn closest(&self, query: &Vec3, radius: f64) -> Option<ClosestFace> {
        let mut closest = [None];
        self.closest_to_all(&[*query], radius, &mut closest);
        closest[0]
    }

    /// The closest face of each query as by [`ClosestFaceIndex::closest`], in parallel.
    ///
    /// # Cost
    /// No allocation. A query costs less if it is near the preceding query.
    pub fn closest_to_all(&self, queries: &[Vec3], radius: f64, closest: &mut [Option<ClosestFace>]) {
        queries.par_chunks(QUERIES_PER_TASK).zip(closest.par_chunks_mut(QUERIES_PER_TASK)).for_each(
            |(queries, closest)| self.vectorised.run(SearchAll { index: self, queries, radius, closest }),
        );
    }
}
