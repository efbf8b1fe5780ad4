//! Tree of boxes with up to eight children per node. The children of node k are the nodes 8 k to 8 k + 7 of the level
//! below. A vector instruction tests several children at once.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::detection::volume::{Aabb, AabbRow};
use crate::math::pack::{Registers, WIDTH};

pub(crate) const ROWS_PER_TASK: usize = 256;

/// Levels from the lowest to the root. A row contains the boxes of up to eight children of a node. In the lowest level,
/// the children are the boxes over which the tree is built.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    levels: Vec<Vec<AabbRow>>,
}

impl BoxTree {
    /// Tree over `num_boxes` boxes; `bounds(k)` is box k.
    pub fn new(num_boxes: usize, bounds: impl Fn(usize) -> Aabb + Sync) -> Self {
        let mut tree = Self::empty(num_boxes);
        tree.refit(num_boxes, bounds);
        tree
    }

    /// Replaces all boxes; the number of boxes must be unchanged.
    pub fn refit(&mut self, num_boxes: usize, bounds: impl Fn(usize) -> Aabb + Sync) {
        self.levels[0].par_iter_mut().with_min_len(ROWS_PER_TASK).enumerate().for_each(|(k, row)| {
            (WIDTH * k..num_boxes.min(WIDTH * (k + 1))).for_each(|n| row.set(n % WIDTH, &bounds(n)));
        });
        self.fit_above();
    }

    fn empty(num_boxes: usize) -> Self {
        let (mut levels, mut num_boxes) = (Vec::new(), num_boxes);
        while levels.is_empty() || num_boxes > 1 {
            num_boxes = num_boxes.div_ceil(WIDTH);
            levels.push(vec![AabbRow::EMPTY; num_boxes]);
        }
        Self { levels }
    }

    fn fit_above(&mut self) {
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let rows = below[level - 1].par_chunks(WIDTH).zip(&mut above[0]).with_min_len(ROWS_PER_TASK);
            rows.for_each(|(below, row)| {
                for (lane, below) in below.iter().enumerate() {
                    row.set(lane, &below.joint());
                }
            });
        }
    }

    /// Numbers of the boxes that overlap or touch `around`, ascending.
    pub fn overlapping(&self, registers: Registers, around: &Aabb) -> Vec<u32> {
        let mut descent = Descent::default();
        self.find_overlapping(registers, around, &mut descent);
        descent.nodes
    }

    /// The result of [`Self::overlapping`], stored in `descent`.
    pub fn find_overlapping<'a>(
        &self,
        registers: Registers,
        around: &Aabb,
        descent: &'a mut Descent,
    ) -> &'a [u32] {
        registers.run(Search { levels: &self.levels, around, descent });
        &descent.nodes
    }
}

struct Search<'a> {
    levels: &'a [Vec<AabbRow>],
    around: &'a Aabb,
    descent: &'a mut Descent,
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.descent.go_down(simd, self.levels, 0, self.around);
    }
}

/// Work arrays of a descent: the nodes found in a level, and in the level below.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    nodes: Vec<u32>,
    below: Vec<u32>,
}

impl Descent {
    /// Numbers of the boxes in the lowest level that overlap or touch `around`. `levels` begins with the lowest level.
    /// If `levels` is empty, the result is all numbers below `num_roots`.
    #[inline(always)]
    pub fn go_down<S: Simd>(
        &mut self,
        simd: S,
        levels: &[Vec<AabbRow>],
        num_roots: usize,
        around: &Aabb,
    ) -> &[u32] {
        self.nodes.clear();
        self.nodes.extend(0..levels.last().map_or(num_roots, Vec::len) as u32);
        for level in levels.iter().rev() {
            list_overlapping(simd, level, &self.nodes, around, &mut self.below);
            std::mem::swap(&mut self.nodes, &mut self.below);
        }
        &self.nodes
    }
}

/// Replaces the contents of `below` by the children of `nodes` whose boxes overlap or touch `around`. `level` contains
/// the rows of `nodes`.
#[inline(always)]
pub(crate) fn list_overlapping<S: Simd>(
    simd: S,
    level: &[AabbRow],
    nodes: &[u32],
    around: &Aabb,
    below: &mut Vec<u32>,
) {
    below.clear();
    for &node in nodes {
        let mut overlapping = level[node as usize].overlapping(simd, around);
        below.reserve(WIDTH);
        while overlapping != 0 {
            below.push(WIDTH as u32 * node + overlapping.trailing_zeros());
            overlapping &= overlapping - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    #[test]
    fn boxes_found_agree_with_a_test_of_all() {
        let samples = &mut Samples::new(12);
        let mut met = 0;
        for count in [0, 1, 7, 8, 9, 64, 65, 700] {
            let mut bounds = |size: f64| {
                let (centre, half) = (samples.vector(1.0), samples.vector(size).abs());
                Aabb { lower: centre - half, upper: centre + half }
            };
            let boxes: Vec<Aabb> = (0..count).map(|_| bounds(0.4)).collect();
            let tree = BoxTree::new(count, |k| boxes[k]);
            for around in (0..20).map(|_| bounds(0.4)) {
                let found = tree.overlapping(Registers::default(), &around);
                let all = (0..count as u32).filter(|&k| !boxes[k as usize].excludes(&around));
                assert_eq!(found, all.collect::<Vec<_>>());
                met += found.len();
            }
        }
        assert!(met > 500, "{met}");
    }
}
