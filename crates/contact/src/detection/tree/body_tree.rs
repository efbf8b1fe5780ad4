//! Tree over the boxes of whole bodies: finds boxes that overlap or touch, without testing all pairs.
//!
//! The bodies, sorted along a space-filling curve, are the leaves of a complete binary tree. The children of vertex k
//! are the vertices 2 k and 2 k + 1. A body keeps its leaf when its box changes.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::math::Vec3;

use crate::detection::volume::Aabb;
use crate::math::space_filling_curve::{self, Cube};

/// Empty box, which overlaps no box.
const EMPTY: Aabb = Aabb {
    lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
};

const NONE: u32 = u32::MAX;

const BODIES_PER_TASK: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct BodyTree {
    /// Vertex 1 is the root, vertex 0 is unused, and the second half of the array holds the leaves.
    boxes: Vec<Aabb>,
    bodies: Vec<u32>,
    /// Leaf of each body; `NONE` for a body that is not in the tree.
    leaves: Vec<u32>,
}

impl BodyTree {
    /// An empty tree for bodies with numbers below `num_bodies`.
    pub fn new(num_bodies: usize) -> Self {
        Self { boxes: Vec::new(), bodies: Vec::new(), leaves: vec![NONE; num_bodies] }
    }

    pub fn build(&mut self, placed: &[(u32, Aabb)]) {
        let centres: Vec<Vec3> =
            placed.iter().map(|(_, bounds)| (bounds.lower + bounds.upper) * 0.5).collect();
        let cube = Cube::around(centres.iter().copied());
        let order = space_filling_curve::order(centres.len(), cube, |body| centres[body]);
        let num_leaves = placed.len().next_power_of_two();
        self.boxes.clear();
        self.boxes.resize(2 * num_leaves, EMPTY);
        self.leaves.fill(NONE);
        self.bodies.clear();
        for (leaf, &k) in order.iter().enumerate() {
            let (body, bounds) = placed[k as usize];
            self.bodies.push(body);
            self.leaves[body as usize] = leaf as u32;
            self.boxes[num_leaves + leaf] = bounds;
        }
        for vertex in (1..num_leaves).rev() {
            self.boxes[vertex] = self.boxes[2 * vertex].union(&self.boxes[2 * vertex + 1]);
        }
    }

    pub fn has(&self, body: u32) -> bool {
        self.leaves[body as usize] != NONE
    }

    pub fn bounds(&self, body: u32) -> &Aabb {
        &self.boxes[self.boxes.len() / 2 + self.leaves[body as usize] as usize]
    }

    pub fn update(&mut self, body: u32, bounds: Aabb) {
        let mut vertex = self.boxes.len() / 2 + self.leaves[body as usize] as usize;
        self.boxes[vertex] = bounds;
        while vertex > 1 {
            vertex /= 2;
            self.boxes[vertex] = self.boxes[2 * vertex].union(&self.boxes[2 * vertex + 1]);
        }
    }

    /// Visits the bodies other than `body` whose boxes overlap the box of `body`, until `visit` returns false.
    fn visit_near(&self, body: u32, mut visit: impl FnMut(u32) -> bool) {
        let bounds = self.bounds(body);
        let num_leaves = self.boxes.len() / 2;
        // Each level adds at most one pending vertex, and there are fewer levels than bits in `usize`.
        let mut pending = [0_usize; usize::BITS as usize + 1];
        (pending[0], pending[1]) = (0, 1);
        let mut count = 2;
        while count > 1 {
            count -= 1;
            let vertex = pending[count];
            if self.boxes[vertex].excludes(bounds) {
                continue;
            }
            if vertex < num_leaves {
                (pending[count], pending[count + 1]) = (2 * vertex + 1, 2 * vertex);
                count += 2;
            } else if let Some(&other) = self.bodies.get(vertex - num_leaves)
                && other != body
                && !visit(other)
            {
                return;
            }
        }
    }

    /// Pairs of bodies with overlapping boxes, ascending, with first < second. At least one body of each pair is in
    /// `bodies`. Bodies that are not in the tree are ignored.
    pub fn pairs_of(&self, bodies: &[u32]) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &body in bodies.iter().filter(|&&body| self.has(body)) {
            self.visit_near(body, |other| {
                pairs.push([body.min(other), body.max(other)]);
                true
            });
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// All pairs of bodies with overlapping boxes, ascending, with first < second. `None` for more pairs than `most`.
    ///
    /// # Cost
    /// O((N + pairs) log N) for N bodies, in parallel. Memory is limited to 2 × `most` pairs, plus `most` + 1 pairs per
    /// thread.
    pub fn pairs(&self, most: usize) -> Option<Vec<[u32; 2]>> {
        let found = AtomicUsize::new(0);
        let of_body = |&body: &u32| {
            let mut pairs = Vec::new();
            self.visit_near(body, |other| {
                if body < other {
                    pairs.push([body, other]);
                }
                pairs.len() <= most
            });
            let before = found.fetch_add(pairs.len(), Ordering::Relaxed);
            if before.saturating_add(pairs.len()) > most { None } else { Some(pairs) }
        };
        let lists: Option<Vec<Vec<[u32; 2]>>> =
            self.bodies.par_iter().with_min_len(BODIES_PER_TASK).map(of_body).collect();
        let mut pairs = lists?.concat();
        pairs.par_sort_unstable();
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    fn boxes(samples: &mut Samples, count: usize, size: f64) -> Vec<(u32, Aabb)> {
        let bounds = |_| {
            let (centre, half) = (samples.vector(1.0), samples.vector(size).abs());
            Aabb { lower: centre - half, upper: centre + half }
        };
        (0..count).map(bounds).enumerate().map(|(k, bounds)| (2 * k as u32, bounds)).collect()
    }

    fn expected(placed: &[(u32, Aabb)]) -> Vec<[u32; 2]> {
        let of = |k: usize| {
            let later = placed[k + 1..].iter();
            later
                .filter(move |(_, other)| !placed[k].1.excludes(other))
                .map(move |(body, _)| [placed[k].0, *body])
        };
        (0..placed.len()).flat_map(of).collect()
    }

    #[test]
    fn pairs_agree_with_a_test_of_all() {
        let samples = &mut Samples::new(3);
        let mut met = 0;
        for count in 0..70 {
            let mut placed = boxes(samples, count, 0.3);
            let mut tree = BodyTree::new(2 * count + 1);
            tree.build(&placed);
            assert_eq!(tree.pairs(usize::MAX), Some(expected(&placed)));
            let moved = boxes(samples, count, 0.6);
            for k in (0..count).step_by(3) {
                placed[k].1 = moved[k].1;
                tree.update(placed[k].0, placed[k].1);
            }
            let all = expected(&placed);
            assert_eq!(tree.pairs(all.len()).as_ref(), Some(&all));
            assert!(all.is_empty() || tree.pairs(all.len() - 1).is_none());
            let some: Vec<u32> = (0..2 * count as u32).step_by(6).chain([2 * count as u32]).collect();
            let of_some: Vec<[u32; 2]> =
                all.iter().copied().filter(|pair| pair.iter().any(|body| some.contains(body))).collect();
            assert_eq!(tree.pairs_of(&some), of_some);
            met += of_some.len();
        }
        assert!(met > 1000, "{met}");
    }
}
