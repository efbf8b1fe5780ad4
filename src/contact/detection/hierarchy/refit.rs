//! Nested spheres and their kinematics after the nodes have moved.

use super::Hierarchy;
use super::leaves::{Records, bounding_points, combine, reach};
use super::topology::Subtree;
use crate::contact::detection::control_points::MAX_CONTROL_POINTS;
use crate::contact::detection::volume::{Sphere, larger, rounded_up};
use crate::math::Vec3;

/// Nested sphere of a vertex and its motion. The centre is a fixed combination of nodes, so that its velocity is
/// exact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct VertexMotion {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius \[m\]; bounds the faces below and the margin around them.
    pub radius: f64,
    /// Velocity of the centre \[m/s\].
    pub velocity: Vec3,
    /// Bound on |v − `velocity`| over all points of the faces below \[m/s\].
    pub spread: f64,
}

impl VertexMotion {
    const AT_REST: Self = Self {
        centre: Vec3::new(0.0, 0.0, 0.0),
        radius: 0.0,
        velocity: Vec3::new(0.0, 0.0, 0.0),
        spread: 0.0,
    };

    /// The nested sphere.
    pub fn sphere(&self) -> Sphere {
        Sphere { centre: self.centre, radius: self.radius }
    }
}

impl Hierarchy {
    /// Nested spheres at `positions` \[m\], and their motion from `velocities` \[m/s\] (all nodes, global
    /// numbering); one entry per vertex.
    ///
    /// The centre of a leaf is c = Σ wₐ pₐ, that of an inner vertex c = (1 − f) c_left + f c_right, with w and f
    /// from the build: convex combinations of the points that bound the faces, nodes or Bézier control points, which
    /// are linear in the nodes. In the configuration of the build these are the minimum
    /// balls of the faces and the joint spheres of Omohundro 1989.
    ///
    /// # Cost
    /// O(n), one pass in post-order, subtrees in parallel; the result does not depend on the number of threads.
    /// Allocates only if `motion` is too small.
    /// # Panics
    /// If `positions` or `velocities` is shorter than the largest node number asks for.
    pub fn refit(&self, positions: &[Vec3], velocities: &[Vec3], motion: &mut Vec<VertexMotion>) {
        motion.resize(self.num_vertices(), VertexMotion::AT_REST);
        match self.leaves.stride() {
            2 => self.refit_of_stride::<2>([positions, velocities], motion),
            3 => self.refit_of_stride::<3>([positions, velocities], motion),
            4 => self.refit_of_stride::<4>([positions, velocities], motion),
            6 => self.refit_of_stride::<6>([positions, velocities], motion),
            _ => self.refit_of_stride::<MAX_CONTROL_POINTS>([positions, velocities], motion),
        }
    }

    fn refit_of_stride<const N: usize>(&self, fields: [&[Vec3]; 2], motion: &mut [VertexMotion]) {
        let whole = self.topology.whole();
        self.refit_in_parallel::<N>(fields, whole, self.topology.num_splits(), motion);
    }

    /// Splits at the root until the halves are small or `splits` levels are used up.
    fn refit_in_parallel<const N: usize>(
        &self,
        fields: [&[Vec3]; 2],
        subtree: Subtree,
        splits: u32,
        motion: &mut [VertexMotion],
    ) {
        let Some(halves) = self.topology.split(subtree, splits) else {
            return self.refit_subtree::<N>(fields, subtree, motion);
        };
        let Some((root, below)) = motion.split_last_mut() else { return };
        let (left, right) = below.split_at_mut(halves[0].num_vertices());
        rayon::join(
            || self.refit_in_parallel::<N>(fields, halves[0], splits - 1, left),
            || self.refit_in_parallel::<N>(fields, halves[1], splits - 1, right),
        );
        if let (Some(left), Some(right)) = (left.last(), right.last()) {
            *root = joint_motion(left, right, self.fractions[subtree.inner().end - 1]);
        }
    }

    /// Leaves first, then inner vertices: two loops without a branch that could be mispredicted.
    fn refit_subtree<const N: usize>(
        &self,
        [positions, velocities]: [&[Vec3]; 2],
        subtree: Subtree,
        motion: &mut [VertexMotion],
    ) {
        let first = subtree.first_vertex() as usize;
        let Records { kinds, nodes, weights } = self.leaves.of_stride::<N>();
        let leaves = subtree.leaves();
        let vertices = &self.topology.leaf_vertices()[leaves.clone()];
        let records = nodes[leaves.clone()].iter().zip(&weights[leaves.clone()]).zip(&kinds[leaves]);
        for (((nodes, weights), &kind), &v) in records.zip(vertices) {
            motion[v as usize - first] = leaf_motion(
                weights,
                &bounding_points(kind, nodes, positions),
                &bounding_points(kind, nodes, velocities),
                self.margin,
            );
        }
        let inner = subtree.inner();
        let vertices = &self.topology.inner_vertices()[inner.clone()];
        for (&v, &fraction) in vertices.iter().zip(&self.fractions[inner]) {
            let [left, right] = [self.topology.link(v), v - 1].map(|child| child as usize - first);
            motion[v as usize - first] = joint_motion(&motion[left], &motion[right], fraction);
        }
    }
}

#[inline(always)]
fn leaf_motion<const N: usize>(
    weights: &[f64; N],
    points: &[Vec3; N],
    velocities: &[Vec3; N],
    margin: f64,
) -> VertexMotion {
    let centre = combine(weights, points);
    let velocity = combine(weights, velocities);
    VertexMotion {
        centre,
        radius: reach(points, &centre) + margin,
        velocity,
        spread: reach(velocities, &velocity),
    }
}

/// A node below a child moves with the child's centre but for the child's spread, so that the spread of the parent
/// obeys the same rule as its radius.
#[inline(always)]
fn joint_motion(left: &VertexMotion, right: &VertexMotion, fraction: f64) -> VertexMotion {
    let joint = left.sphere().joint_at(&right.sphere(), fraction);
    let offset = right.velocity - left.velocity;
    let difference = offset.norm();
    let velocity = left.velocity + offset * fraction;
    let spread = larger(left.spread + fraction * difference, right.spread + (1.0 - fraction) * difference);
    VertexMotion {
        centre: joint.centre,
        radius: joint.radius,
        velocity,
        spread: rounded_up(spread, &velocity),
    }
}
