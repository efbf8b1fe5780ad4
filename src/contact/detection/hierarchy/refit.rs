//! Nested spheres and their kinematics after the nodes have moved.

#![allow(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::Hierarchy;
use super::lanes::{Balls, are_independent};
use super::leaves::{LARGEST_FLAT_STRIDE, Records, bounding_points, combine, reach};
use super::topology::Block;
use crate::contact::detection::control_points::MAX_CONTROL_POINTS;
use crate::contact::detection::volume::Sphere;
use crate::math::Vec3;
use crate::math::real::{Kernel, LANES, Lanes, Vectorised};

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

    #[inline(always)]
    fn of(sphere: &Sphere, velocities: &Sphere) -> Self {
        Self {
            centre: sphere.centre,
            radius: sphere.radius,
            velocity: velocities.centre,
            spread: velocities.radius,
        }
    }

    /// The nested sphere.
    #[inline]
    pub fn sphere(&self) -> Sphere {
        Sphere { centre: self.centre, radius: self.radius }
    }

    #[inline(always)]
    fn ball_of_velocities(&self) -> Sphere {
        Sphere { centre: self.velocity, radius: self.spread }
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
    /// O(n), one pass over the vertices, blocks in parallel; the result does not depend on the number of threads.
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
        let vectorised = Vectorised::detect();
        self.refit_blocks::<N>(vectorised, fields, self.topology.blocks(), motion);
        let (top, num_leaves) = (self.topology.top(), self.topology.num_leaves());
        let links = &self.topology.links()[top..];
        let fractions = &self.fractions[top - num_leaves..];
        vectorised.run(InnerVertices { links, fractions, start: top, first: 0, motion });
    }

    /// Halves the list of blocks until one is left; `motion` begins with the first of them.
    fn refit_blocks<const N: usize>(
        &self,
        vectorised: Vectorised,
        fields: [&[Vec3]; 2],
        blocks: &[Block],
        motion: &mut [VertexMotion],
    ) {
        if let &[block] = blocks {
            return self.refit_block::<N>(vectorised, fields, block, motion);
        }
        let (before, after) = blocks.split_at(blocks.len() / 2);
        let ([first, ..], [second, ..]) = (before, after) else { return };
        let (left, right) = motion.split_at_mut((second.first_vertex - first.first_vertex) as usize);
        rayon::join(
            || self.refit_blocks::<N>(vectorised, fields, before, left),
            || self.refit_blocks::<N>(vectorised, fields, after, right),
        );
    }

    fn refit_block<const N: usize>(
        &self,
        vectorised: Vectorised,
        [positions, velocities]: [&[Vec3]; 2],
        block: Block,
        motion: &mut [VertexMotion],
    ) {
        let motion = &mut motion[..block.num_vertices()];
        let leaves = self.leaves.of_stride::<N>().part(block.leaves());
        vectorised.run(LeafVertices { leaves, positions, velocities, margin: self.margin, motion });
        let first = block.first_vertex as usize;
        let start = first + block.num_leaves as usize;
        let links = &self.topology.links()[start..block.end()];
        let first_fraction = (block.first_vertex - block.first_leaf) as usize;
        let fractions = &self.fractions[first_fraction..][..links.len()];
        vectorised.run(InnerVertices { links, fractions, start, first, motion });
    }
}

/// Leaves of a block; their motions are the first.
struct LeafVertices<'a, const N: usize> {
    leaves: Records<'a, N>,
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    margin: f64,
    motion: &'a mut [VertexMotion],
}

impl<const N: usize> Kernel for LeafVertices<'_, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { leaves, positions, velocities, margin, motion } = self;
        let num_leaves = leaves.nodes.len();
        let in_lanes = if N > LARGEST_FLAT_STRIDE { 0 } else { num_leaves / LANES * LANES };
        for first in (0..in_lanes).step_by(LANES) {
            let [x, y, z, reach] = leaves.four_balls(first, positions);
            let spheres = Balls { centre: [x, y, z], radius: reach + Lanes::splat(margin) };
            let [x, y, z, spread] = leaves.four_balls(first, velocities);
            store(&mut motion[first..first + LANES], spheres, Balls { centre: [x, y, z], radius: spread });
        }
        for leaf in in_lanes..num_leaves {
            let (kind, nodes) = (leaves.kinds[leaf], &leaves.nodes[leaf]);
            motion[leaf] = leaf_motion(
                &leaves.weights[leaf],
                &bounding_points(kind, nodes, positions),
                &bounding_points(kind, nodes, velocities),
                margin,
            );
        }
    }
}

/// Inner vertices one after the other, children first.
struct InnerVertices<'a> {
    /// Their children.
    links: &'a [[u32; 2]],
    fractions: &'a [f64],
    /// The first of them.
    start: usize,
    /// The vertex of the first `motion`.
    first: usize,
    motion: &'a mut [VertexMotion],
}

impl Kernel for InnerVertices<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { links, fractions, start, first, motion } = self;
        let mut k = 0;
        while k < links.len() {
            let v = start + k;
            if k + LANES <= links.len() && are_independent(&links[k..k + LANES], v) {
                let fraction = Lanes([fractions[k], fractions[k + 1], fractions[k + 2], fractions[k + 3]]);
                let (left, left_velocity) = load(motion, &links[k..k + LANES], 0, first);
                let (right, right_velocity) = load(motion, &links[k..k + LANES], 1, first);
                let velocity = left_velocity.joint_at(&right_velocity, fraction);
                store(&mut motion[v - first..][..LANES], left.joint_at(&right, fraction), velocity);
                k += LANES;
            } else {
                let [left, right] = [links[k][0] as usize - first, links[k][1] as usize - first];
                motion[v - first] = joint_motion(&motion[left], &motion[right], fractions[k]);
                k += 1;
            }
        }
    }
}

/// Spheres and balls of velocities of the children of four vertices, on one side.
#[inline(always)]
fn load(motion: &[VertexMotion], links: &[[u32; 2]], side: usize, first: usize) -> (Balls, Balls) {
    let motions = [
        &motion[links[0][side] as usize - first],
        &motion[links[1][side] as usize - first],
        &motion[links[2][side] as usize - first],
        &motion[links[3][side] as usize - first],
    ];
    let [a, b, c, d] = motions;
    let velocities =
        [a.ball_of_velocities(), b.ball_of_velocities(), c.ball_of_velocities(), d.ball_of_velocities()];
    (Balls::of([a.sphere(), b.sphere(), c.sphere(), d.sphere()]), Balls::of(velocities))
}

#[inline(always)]
fn store(motion: &mut [VertexMotion], spheres: Balls, velocities: Balls) {
    let (spheres, velocities) = (spheres.settled(), velocities.settled());
    for lane in 0..LANES {
        motion[lane] = VertexMotion::of(&spheres[lane], &velocities[lane]);
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

/// A node below a child moves with the child's centre but for the child's spread, so that velocity and spread of the
/// parent obey the same rule as centre and radius.
#[inline(always)]
fn joint_motion(left: &VertexMotion, right: &VertexMotion, fraction: f64) -> VertexMotion {
    let sphere = left.sphere().joint_at(&right.sphere(), fraction);
    let velocity = left.ball_of_velocities().joint_at(&right.ball_of_velocities(), fraction);
    VertexMotion::of(&sphere, &velocity)
}
