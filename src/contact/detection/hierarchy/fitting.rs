//! Reference spheres fitted to the bounding points below each vertex.

use super::Hierarchy;
use super::topology::Subtree;
use crate::contact::detection::volume::{Extremes, MinimumBall, Sphere};
use crate::math::Vec3;

/// Directions of EPOS-14.
type Extremes14 = Extremes<7>;

/// Points of a vertex up to which their minimum ball is found directly: no more could be extremal.
const FEW_POINTS: usize = 14;

/// What the fits of all vertices share.
struct Fit<'a> {
    hierarchy: &'a Hierarchy,
    /// Bounding points of all leaves, in tree order.
    points: &'a [Vec3],
    points_per_leaf: usize,
    /// The margin around the faces, and what the points may be off by rounding.
    margin: f64,
}

impl Hierarchy {
    /// Makes every reference sphere the smaller of what it is and one fitted to the bounding points below it (and
    /// the margin around them), at the `positions` of the build. The fast builder does so itself.
    ///
    /// # Cost
    /// O(n log n) for balanced trees: each vertex passes over the points below it. Extremal points are handed
    /// from children to parents.
    /// # Source
    /// Larsson 2008, "Fast and tight fitting bounding spheres", EPOS-14.
    pub fn fit_reference_spheres(&mut self, positions: &[Vec3]) {
        let mut spheres = std::mem::take(&mut self.reference);
        let (points, rounding) = self.leaves.points(positions);
        let (points_per_leaf, margin) = (self.leaves.stride(), self.margin + rounding);
        let fit = Fit { hierarchy: self, points: &points, points_per_leaf, margin };
        let whole = self.topology.whole();
        fit.in_parallel(whole, self.topology.num_splits(), &mut spheres);
        self.reference = spheres;
    }
}

impl Fit<'_> {
    /// Splits at the root until the halves are small or `splits` levels are used up.
    fn in_parallel(&self, subtree: Subtree, splits: u32, spheres: &mut [Sphere]) -> Option<Extremes14> {
        let Some(halves) = self.hierarchy.topology.split(subtree, splits) else {
            return self.in_sequence(subtree, spheres);
        };
        let (root, below) = spheres.split_last_mut()?;
        let (left, right) = below.split_at_mut(halves[0].num_vertices());
        let (left, right) = rayon::join(
            || self.in_parallel(halves[0], splits - 1, left),
            || self.in_parallel(halves[1], splits - 1, right),
        );
        let mut extremes = left?;
        extremes.join(&right?);
        self.tighten(root, &extremes, subtree.leaves());
        Some(extremes)
    }

    /// All vertices of a subtree in post-order, the extremal points of finished subtrees on a stack.
    fn in_sequence(&self, subtree: Subtree, spheres: &mut [Sphere]) -> Option<Extremes14> {
        let mut finished: Vec<Extremes14> = Vec::new();
        let mut end_leaf = subtree.first_leaf as usize;
        for (v, sphere) in (subtree.first_vertex()..=subtree.root).zip(spheres) {
            let num_leaves = self.hierarchy.num_leaves_below(v) as usize;
            if num_leaves == 1 {
                finished.push(self.of_leaf(end_leaf));
                end_leaf += 1;
            } else {
                let right = finished.pop()?;
                let extremes = finished.last_mut()?;
                extremes.join(&right);
                self.tighten(sphere, extremes, end_leaf - num_leaves..end_leaf);
            }
        }
        finished.pop()
    }

    fn of_leaf(&self, leaf: usize) -> Extremes14 {
        let first = (leaf * self.points_per_leaf) as u32;
        let mut extremes = Extremes14::of(self.points, first);
        for point in 1..self.points_per_leaf as u32 {
            extremes.join(&Extremes14::of(self.points, first + point));
        }
        extremes
    }

    fn tighten(&self, sphere: &mut Sphere, extremes: &Extremes14, leaves: std::ops::Range<usize>) {
        let points = &self.points[leaves.start * self.points_per_leaf..leaves.end * self.points_per_leaf];
        let fitted = if points.len() <= FEW_POINTS {
            MinimumBall::of(points).map(|ball| ball.sphere)
        } else {
            extremes.minimum_ball(self.points).map(|ball| {
                let mut sphere = ball.sphere;
                sphere.grow_over(points);
                sphere
            })
        };
        if let Some(fitted) = fitted
            && fitted.radius + self.margin < sphere.radius
        {
            *sphere = Sphere { radius: fitted.radius + self.margin, ..fitted };
        }
    }
}
