//! Refit: nested spheres after a motion of the nodes.

use pulp::{Simd, WithSimd};

use super::Hierarchy;
use super::lanes::Balls;
use super::leaves::{Records, Spheres};
use super::topology::Block;
use crate::detection::face::control_points::MAX_CONTROL_POINTS;
use crate::detection::volume::Sphere;
use crate::math::Vec3;
use crate::math::pack::{Pack, Registers};

impl Hierarchy {
    /// Nested spheres at `positions` \[m\] (all nodes, global numbering), one per vertex.
    ///
    /// ```text
    /// leaf            c = Σ wₐ pₐ
    /// inner vertex    c = (1 − f) c_left + f c_right
    /// ```
    ///
    /// c is the centre of a sphere. The bounding points pₐ are nodes or Bézier control points. The weights wₐ and the
    /// fraction f are constants from the build. In the configuration of the build, the spheres are the balls of the
    /// faces and the joint spheres of Omohundro 1989.
    ///
    /// # Cost
    /// O(n) for n faces; the blocks of the tree are processed in parallel. The result does not depend on the number of
    /// threads. Allocates only if `spheres` is too small.
    ///
    /// # Panics
    /// If `positions` does not cover the largest node number.
    pub fn refit(&self, positions: &[Vec3], spheres: &mut Vec<Sphere>) {
        spheres.resize(self.num_vertices(), Sphere { centre: Vec3::zeros(), radius: 0.0 });
        match self.leaves.stride() {
            2 => self.refit_of_stride::<2>(positions, spheres),
            3 => self.refit_of_stride::<3>(positions, spheres),
            4 => self.refit_of_stride::<4>(positions, spheres),
            6 => self.refit_of_stride::<6>(positions, spheres),
            _ => self.refit_of_stride::<MAX_CONTROL_POINTS>(positions, spheres),
        }
    }

    fn refit_of_stride<const N: usize>(&self, positions: &[Vec3], spheres: &mut [Sphere]) {
        let registers = Registers::default();
        let leaves = self.leaves.of_stride::<N>();
        self.refit_blocks(registers, leaves, positions, self.topology.blocks(), spheres);
        let (top, num_leaves) = (self.topology.top(), self.topology.num_leaves());
        let links = &self.topology.links()[top..];
        let fractions = &self.fractions[top - num_leaves..];
        registers.run_in_fours(InnerVertices { links, fractions, start: top, first: 0, spheres });
    }

    /// `spheres` begins with the first vertex of the first block.
    fn refit_blocks<const N: usize>(
        &self,
        registers: Registers,
        leaves: Records<'_, N>,
        positions: &[Vec3],
        blocks: &[Block],
        spheres: &mut [Sphere],
    ) {
        if let &[block] = blocks {
            return self.refit_block(registers, leaves, positions, block, spheres);
        }
        let (before, after) = blocks.split_at(blocks.len() / 2);
        let ([first, ..], [second, ..]) = (before, after) else { return };
        let (left, right) = spheres.split_at_mut((second.first_vertex - first.first_vertex) as usize);
        rayon::join(
            || self.refit_blocks(registers, leaves, positions, before, left),
            || self.refit_blocks(registers, leaves, positions, after, right),
        );
    }

    fn refit_block<const N: usize>(
        &self,
        registers: Registers,
        leaves: Records<'_, N>,
        positions: &[Vec3],
        block: Block,
        spheres: &mut [Sphere],
    ) {
        let num_leaves = block.num_leaves as usize;
        let (leaves, of_leaves) = (leaves.part(block.leaves()), &mut spheres[..num_leaves]);
        registers.run_in_fours(Spheres { leaves, positions, margin: self.margin, spheres: of_leaves });
        let first = block.first_vertex as usize;
        let start = first + num_leaves;
        let links = &self.topology.links()[start..block.end()];
        let first_fraction = (block.first_vertex - block.first_leaf) as usize;
        let fractions = &self.fractions[first_fraction..][..links.len()];
        let spheres = &mut spheres[..block.num_vertices()];
        registers.run_in_fours(InnerVertices { links, fractions, start, first, spheres });
    }
}

/// Computes the nested spheres of consecutive inner vertices, children first.
struct InnerVertices<'a> {
    links: &'a [[u32; 2]],
    fractions: &'a [f64],
    /// The first of the computed vertices.
    start: usize,
    /// Vertex of the first sphere in `spheres`.
    first: usize,
    spheres: &'a mut [Sphere],
}

impl WithSimd for InnerVertices<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { links, fractions, start, first, spheres } = self;
        let lanes = Pack::<S>::LANES;
        let mut k = 0;
        while k < links.len() {
            let (before, own) = spheres.split_at_mut(start + k - first);
            if let Some(links) = links.get(k..k + lanes)
                && let Some([left, right]) = Balls::of_children(simd, before, links, first)
            {
                let fraction = Pack::from_slice(simd, &fractions[k..k + lanes]);
                left.joint_at(&right, fraction).store(&mut own[..lanes]);
                k += lanes;
            } else {
                let [left, right] = links[k].map(|child| before[child as usize - first]);
                own[0] = left.joint_at(&right, fractions[k]);
                k += 1;
            }
        }
    }
}
