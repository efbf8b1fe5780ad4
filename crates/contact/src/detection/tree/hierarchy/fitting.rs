//! Reference spheres (the spheres of the vertices in the configuration of the build), fitted to the bounding points of
//! the faces.

use rayon::prelude::*;

use super::Hierarchy;
use super::leaves::{LARGEST_FLAT_STRIDE, LeafFit};
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, rounding_of};
use crate::detection::volume::{Extremes, Sphere};
use crate::math::Vec3;

type Extremes14 = Extremes<7>;

/// A vertex with at most this number of leaves keeps its nested sphere. Each level makes nested spheres looser, and few
/// levels lie below such a vertex.
const LEAVES_OF_GROUP: u32 = 16;

#[derive(Default)]
struct PointGroups {
    points: Vec<Vec3>,
    /// End of each group in `points`. A group holds the points of a subtree with at most `LEAVES_OF_GROUP` leaves.
    ends: Vec<usize>,
    extremes: Vec<Extremes14>,
    /// Vertices above the groups, with the groups below each vertex.
    above: Vec<(u32, std::ops::Range<usize>)>,
    /// Bound on the rounding error of the points \[m\].
    rounding: f64,
}

impl Hierarchy {
    /// For each vertex above more than sixteen faces, fits a sphere to the bounding points of these faces. The fitted
    /// sphere is enlarged by the margin. If it is then smaller than the reference sphere, it replaces the reference
    /// sphere. `positions` must be the positions of the build.
    ///
    /// # Cost
    /// O(n log n) for balanced trees over n faces. The result does not depend on the number of threads.
    ///
    /// # Source
    /// Larsson 2008, "Fast and tight fitting bounding spheres", EPOS-14; Ritter 1990 for [`LeafFit::Ritter`].
    pub fn fit_reference_spheres(&mut self, positions: &[Vec3]) {
        let groups = match self.leaves.stride() {
            2 => self.groups::<2>(positions),
            3 => self.groups::<3>(positions),
            4 => self.groups::<4>(positions),
            6 => self.groups::<6>(positions),
            _ => self.groups::<MAX_CONTROL_POINTS>(positions),
        };
        let margin = self.margin + groups.rounding;
        let fitted: Vec<Option<Sphere>> =
            groups.above.par_iter().map(|(_, range)| groups.fit(self.fit, range.clone())).collect();
        for ((v, _), fitted) in groups.above.iter().zip(fitted) {
            let sphere = &mut self.reference[*v as usize];
            if let Some(fitted) = fitted
                && fitted.radius + margin < sphere.radius
            {
                *sphere = Sphere { radius: fitted.radius + margin, ..fitted };
            }
        }
    }

    /// The points of the largest subtrees with at most `LEAVES_OF_GROUP` leaves: a group per subtree, left to right.
    fn groups<const N: usize>(&self, positions: &[Vec3]) -> PointGroups {
        let mut groups = PointGroups::default();
        // Nodes of the current group; few, so a linear search is fast.
        let mut seen = Vec::new();
        // Vertices to visit. A vertex above the groups is visited again after its children, with the index of its first
        // group.
        let mut pending: Vec<(u32, Option<usize>)> = vec![(self.root(), None)];
        while let Some((v, first_group)) = pending.pop() {
            match (first_group, self.children(v)) {
                (Some(first), _) => groups.above.push((v, first..groups.ends.len())),
                (None, Some([left, right])) if self.num_leaves_below(v) > LEAVES_OF_GROUP => {
                    pending.extend([(v, Some(groups.ends.len())), (right, None), (left, None)]);
                }
                _ => {
                    self.append_points::<N>(v, positions, &mut seen, &mut groups);
                    groups.close();
                }
            }
        }
        groups
    }

    /// Appends the bounding points of the faces below `root`. If no face is curved, these are the nodes, each appended
    /// once.
    fn append_points<const N: usize>(
        &self,
        root: u32,
        positions: &[Vec3],
        seen: &mut Vec<u32>,
        groups: &mut PointGroups,
    ) {
        let leaves = self.leaves.of_stride::<N>();
        seen.clear();
        let mut pending = [root; LEAVES_OF_GROUP as usize + 1];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            if let Some(children) = self.children(pending[count]) {
                pending[count..count + 2].copy_from_slice(&children);
                count += 2;
                continue;
            }
            let leaf = self.topology.leaf(pending[count]);
            let nodes = &leaves.nodes[leaf];
            if N > LARGEST_FLAT_STRIDE {
                let points = leaves.bounding_points(leaf, positions);
                groups.rounding = groups.rounding.max(rounding_of(&points));
                groups.points.extend(points);
                continue;
            }
            for &node in nodes {
                if !seen.contains(&node) {
                    seen.push(node);
                    groups.points.push(positions[node as usize]);
                }
            }
        }
    }
}

impl PointGroups {
    fn close(&mut self) {
        let first = self.ends.last().copied().unwrap_or(0);
        let mut extremes = Extremes14::of(&self.points, first as u32);
        for point in first + 1..self.points.len() {
            extremes.join(&Extremes14::of(&self.points, point as u32));
        }
        self.extremes.push(extremes);
        self.ends.push(self.points.len());
    }

    /// For `LeafFit::Ritter`, Ritter's ball of the points of `groups`; otherwise the minimum ball of the points that
    /// are extremal along seven directions, grown over all points.
    fn fit(&self, fit: LeafFit, groups: std::ops::Range<usize>) -> Option<Sphere> {
        let first = if groups.start == 0 { 0 } else { self.ends[groups.start - 1] };
        let points = &self.points[first..self.ends[groups.end - 1]];
        if fit == LeafFit::Ritter {
            return Sphere::ritter(points);
        }
        let mut extremes = self.extremes[groups.start];
        for other in &self.extremes[groups.start + 1..groups.end] {
            extremes.join(other);
        }
        let mut sphere = extremes.minimum_ball(&self.points)?.sphere;
        sphere.grow_over(points);
        Some(sphere)
    }
}
