//! Internal forces of all blocks: one parallel pass, the same bits on any number of threads.
//!
//! Elements are cut into chunks of fixed size. A chunk gathers the positions of the nodes it touches, adds the
//! forces of its elements in a fixed order into a buffer of its own, and a second pass sums for each node the
//! chunks that touch it, in the order of chunks. Who computes a chunk does not change what is added to what.

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

mod chunk;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::chunk::Chunk;
use super::critical_step::{CriticalStep, GroupBound};
use super::element_block::{ElementBlock, ElementOperation};
use super::element_kernel::ElementState;
use super::interpolation::Interpolation;
use crate::material::Law;
use crate::math::Vec3;
use crate::math::real::{LANES, Lanes, Real, Vectorised};
use crate::math::tensor::SymmetricTensor;

/// Nodes reduced by one task.
const NODES_PER_TASK: usize = 4096;

/// An element that cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("element {element} of block {block} {kind}")]
pub struct ElementFailure {
    /// Index of the block.
    pub block: usize,
    /// Element of the block.
    pub element: usize,
    /// What is wrong with it.
    pub kind: FailureKind,
}

/// What is wrong with an element.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FailureKind {
    /// Its volume vanished or turned inside out at a quadrature point.
    #[error("is inverted: its smallest volume ratio is {jacobian}")]
    Inverted {
        /// Smallest J = det F over its quadrature points.
        jacobian: f64,
    },
    /// Its deformation or energy is not a finite number.
    #[error("has a deformation or energy that is not a finite number")]
    NonFinite,
}

/// Element blocks and the workspaces to sum their forces.
#[derive(Clone, Debug)]
pub struct InternalForce {
    blocks: Vec<ElementBlock>,
    chunks: Vec<Chunk>,
    /// Contributions to node n: entries `first_contribution[n] .. first_contribution[n + 1]`.
    first_contribution: Vec<u32>,
    contributions: Vec<Contribution>,
    strain_energy: Vec<f64>,
    vectorised: Vectorised,
}

/// Place of a force on a node.
#[derive(Clone, Copy, Debug)]
struct Contribution {
    chunk: u32,
    slot: u32,
}

impl InternalForce {
    /// Cuts `blocks` into chunks; every node they name must be below `num_nodes`.
    pub fn new(blocks: Vec<ElementBlock>, num_nodes: usize) -> Self {
        let chunks: Vec<Chunk> =
            blocks.iter().enumerate().flat_map(|(index, block)| Chunk::cut(index, block)).collect();
        let (first_contribution, contributions) = contributions_by_node(&chunks, num_nodes);
        let strain_energy = vec![0.0; blocks.len()];
        let vectorised = Vectorised::detect();
        Self { blocks, chunks, first_contribution, contributions, strain_energy, vectorised }
    }

    /// The blocks, in the order given.
    pub fn blocks(&self) -> &[ElementBlock] {
        &self.blocks
    }

    /// Strain energy of each block at the last [`InternalForce::compute`] \[J\].
    pub fn strain_energy(&self) -> &[f64] {
        &self.strain_energy
    }

    /// Internal force f_a = ∂(strain energy)/∂x_a \[N\] at current `positions` \[m\]; overwrites all of `force`.
    ///
    /// The equation of motion has −f. Nodes of no element get zero.
    ///
    /// # Errors
    /// The failed element with the lowest (block, element); `force` is then not meaningful.
    pub fn compute(&mut self, positions: &[Vec3], force: &mut [Vec3]) -> Result<(), ElementFailure> {
        let (blocks, vectorised) = (&self.blocks, self.vectorised);
        self.chunks
            .par_iter_mut()
            .for_each(|chunk| chunk.compute(&blocks[chunk.block], positions, vectorised));
        self.strain_energy.fill(0.0);
        for chunk in &self.chunks {
            if let Some(failure) = chunk.failure {
                return Err(failure);
            }
            self.strain_energy[chunk.block] += chunk.energy;
        }
        self.reduce(force);
        Ok(())
    }

    /// Sums the contributions to each node in the order of chunks.
    fn reduce(&self, force: &mut [Vec3]) {
        force.par_chunks_mut(NODES_PER_TASK).enumerate().for_each(|(task, force)| {
            let first = task * NODES_PER_TASK;
            for (node, force) in (first..).zip(force) {
                let range = match self.first_contribution.get(node..node + 2) {
                    Some(bounds) => bounds[0] as usize..bounds[1] as usize,
                    None => 0..0,
                };
                let mut sum = Lanes::splat(0.0);
                for place in &self.contributions[range] {
                    sum += self.chunks[place.chunk as usize].forces[place.slot as usize];
                }
                *force = Vec3::new(sum.0[0], sum.0[1], sum.0[2]);
            }
        });
    }

    /// The largest time step known to be stable at current `positions`, and the element that asks for it.
    ///
    /// `None` without elements. A failed element gives a step of zero.
    pub fn critical_step(&self, positions: &[Vec3]) -> Option<CriticalStep> {
        self.critical_steps_of_chunks(positions).into_iter().flatten().reduce(CriticalStep::smaller)
    }

    /// As [`InternalForce::critical_step`], of each block by itself.
    pub fn critical_steps_of_blocks(&self, positions: &[Vec3]) -> Vec<Option<CriticalStep>> {
        let mut steps: Vec<Option<CriticalStep>> = vec![None; self.blocks.len()];
        let of_chunks = self.critical_steps_of_chunks(positions);
        for (chunk, found) in self.chunks.iter().zip(of_chunks) {
            let smallest = &mut steps[chunk.block];
            *smallest = [*smallest, found].into_iter().flatten().reduce(CriticalStep::smaller);
        }
        steps
    }

    fn critical_steps_of_chunks(&self, positions: &[Vec3]) -> Vec<Option<CriticalStep>> {
        let of_chunk = |chunk: &Chunk| {
            let (block, groups) = (&self.blocks[chunk.block], chunk.groups.clone());
            let bound = GroupBound { block, positions, groups, vectorised: self.vectorised };
            block.dispatch(bound).map(|worst| worst.into_step(chunk.block))
        };
        self.chunks.par_iter().map(of_chunk).collect()
    }

    /// Volume average of the Cauchy stress over each element of a block: XX YY ZZ XY YZ XZ \[Pa\].
    ///
    /// `out` has one entry per element. Plane elements have the ZZ of plane strain.
    pub fn cauchy_stress(&self, positions: &[Vec3], block: usize, out: &mut [[f64; 6]]) {
        let block = &self.blocks[block];
        out.par_chunks_mut(LANES * 64).enumerate().for_each(|(task, out)| {
            let first_group = task * 64;
            block.dispatch(MeanStress { block, positions, first_group, out });
        });
    }
}

/// For each node the slots of the chunks that touch it, chunks ascending.
fn contributions_by_node(chunks: &[Chunk], num_nodes: usize) -> (Vec<u32>, Vec<Contribution>) {
    let mut first = vec![0_u32; num_nodes + 1];
    for node in chunks.iter().flat_map(Chunk::own_nodes) {
        first[*node as usize + 1] += 1;
    }
    for node in 0..num_nodes {
        first[node + 1] += first[node];
    }
    let mut next = first.clone();
    let mut contributions = vec![Contribution { chunk: 0, slot: 0 }; first[num_nodes] as usize];
    for (chunk, slots) in (0..).zip(chunks) {
        for (slot, node) in (0..).zip(slots.own_nodes()) {
            let place = &mut next[*node as usize];
            contributions[*place as usize] = Contribution { chunk, slot };
            *place += 1;
        }
    }
    (first, contributions)
}

/// Averages of the Cauchy stress, from `first_group` on.
struct MeanStress<'a> {
    block: &'a ElementBlock,
    positions: &'a [Vec3],
    first_group: usize,
    out: &'a mut [[f64; 6]],
}

impl ElementOperation for MeanStress<'_> {
    type Output = ();

    fn run<I, L, const N: usize, const P: usize>(self, interpolation: &I, law: L)
    where
        I: Interpolation<N, P>,
        L: Law,
    {
        let mut state = ElementState::<P>::new();
        for (group, out) in (self.first_group..).zip(self.out.chunks_mut(LANES)) {
            let Some(geometry) = self.block.group_geometry(group).first_chunk::<P>() else { return };
            let x = self.block.gather_group::<N>(group, self.positions);
            state.deform::<I, L, N>(interpolation, geometry, &x);
            state.stress::<I, L>(law, geometry);
            let (mut sum, mut volume) = (SymmetricTensor([Lanes::splat(0.0); 6]), Lanes::splat(0.0));
            for k in 0..P {
                let weight = geometry[k].weight;
                // ∫ σ dv = ∫ P Fᵀ dV; at small strain σ = P.
                let stress = &state.stresses[k];
                let kirchhoff = if L::SMALL_STRAIN {
                    *stress
                } else {
                    *stress + stress.dot_transposed(&state.gradients[k])
                };
                sum = sum + kirchhoff.symmetric_part() * weight;
                volume += if L::SMALL_STRAIN { weight } else { weight * state.jacobians[k] };
            }
            for (lane, stress) in out.iter_mut().enumerate() {
                *stress = sum.0.map(|component| component.0[lane] / volume.0[lane]);
            }
        }
    }
}
