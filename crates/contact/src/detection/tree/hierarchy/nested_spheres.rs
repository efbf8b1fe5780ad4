//! Nested spheres at the nodal positions for which the hierarchy is built.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::Hierarchy;
use super::lanes::Balls;
use super::topology::pieces;
use crate::detection::volume::Sphere;
use crate::math::pack::{Pack, Registers};

/// Computes the nested spheres of consecutive inner vertices, children first.
struct NestedSpheres<'a> {
    links: &'a [[u32; 2]],
    /// The first of the computed vertices.
    start: usize,
    /// Vertex of the first sphere in `spheres`.
    first: usize,
    spheres: &'a mut [Sphere],
    fractions: &'a mut [f64],
}

impl Hierarchy {
    /// Computes, from the leaves up, the nested spheres of the inner vertices, their `fractions`, and the sum of their
    /// volumes. Stores these spheres as the initial reference spheres.
    pub(super) fn nested_spheres(&mut self) {
        let registers = Registers::default();
        let (blocks, links) = (self.topology.blocks(), self.topology.links());
        let tasks: Vec<_> = pieces(blocks, &mut self.reference, |block| block.num_vertices())
            .into_iter()
            .zip(pieces(blocks, &mut self.fractions, |block| block.num_inner as usize))
            .zip(blocks)
            .collect();
        let sums: Vec<f64> = tasks
            .into_par_iter()
            .map(|((spheres, fractions), block)| {
                let first = block.first_vertex as usize;
                let start = first + block.num_leaves as usize;
                registers.run_in_fours(NestedSpheres {
                    links: &links[start..block.end()],
                    start,
                    first,
                    spheres,
                    fractions,
                })
            })
            .collect();
        let top = self.topology.top();
        let fractions = &mut self.fractions[top - self.topology.num_leaves()..];
        let spheres = &mut self.reference;
        let above = registers.run_in_fours(NestedSpheres {
            links: &links[top..],
            start: top,
            first: 0,
            spheres,
            fractions,
        });
        self.sum_of_volumes = sums.iter().sum::<f64>() + above;
    }
}

impl WithSimd for NestedSpheres<'_> {
    type Output = f64;

    /// Sum of the volumes of the computed spheres \[m³\].
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { links, start, first, spheres, fractions } = self;
        let lanes = Pack::<S>::LANES;
        let (mut sums, mut sum) = (Pack::splat(simd, 0.0), 0.0);
        let mut k = 0;
        while k < links.len() {
            let (before, own) = spheres.split_at_mut(start + k - first);
            if let Some(links) = links.get(k..k + lanes)
                && let Some([left, right]) = Balls::of_children(simd, before, links, first)
            {
                let fraction = left.joint_fraction(&right);
                let joint = left.joint_at(&right, fraction);
                fraction.write_to(&mut fractions[k..k + lanes]);
                joint.store(&mut own[..lanes]);
                sums += joint.radius * joint.radius * joint.radius;
                k += lanes;
            } else {
                let [left, right] = links[k].map(|child| before[child as usize - first]);
                fractions[k] = left.joint_fraction(&right);
                own[0] = left.joint_at(&right, fractions[k]);
                sum += own[0].radius * own[0].radius * own[0].radius;
                k += 1;
            }
        }
        for of_lane in sums.lanes() {
            sum += of_lane;
        }
        4.0 / 3.0 * std::f64::consts::PI * sum
    }
}
