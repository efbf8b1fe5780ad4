//! Internal forces of all blocks, computed in parallel and bitwise independent of the number of threads.
//!
//! A chunk sums the forces of its elements in a fixed order, and writes the forces of the nodes that it owns. A node of
//! a chunk is free if no previous chunk contains it and if it follows the owned ranges of all previous chunks. The
//! chunk owns its longest run of consecutive free nodes. The other nodes of the chunk are its halo. When all chunks are
//! computed, the halo forces are added to the forces, in the order of the chunks.

mod chunk;
mod history;
mod mean_stress;
mod memory;
mod shape;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::critical_step::CriticalStep;
use super::elements::block::ElementBlock;
use super::elements::group::{ELEMENTS_PER_CHUNK, num_chunks};
use super::internal_force::chunk::Chunk;
use super::internal_force::memory::ChunkSums;
use crate::math::Vec3;
use crate::math::pack::{Registers, Row};
use crate::math::reduction::nodes_per_task;
pub use history::MaterialHistory;
pub use shape::Shape;

/// A failed element.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("element {element} of block {block} {kind}")]
pub struct ElementFailure {
    /// Index of the block.
    pub block: usize,
    /// Index of the element within the block.
    pub element: usize,
    /// Kind of the failure.
    pub kind: FailureKind,
}

/// Failure of an element.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FailureKind {
    /// J = det F is zero or negative at a quadrature point.
    #[error("is inverted: its smallest volume ratio is {jacobian}")]
    Inverted {
        /// Smallest J = det F over the quadrature points of the element.
        jacobian: f64,
    },
    /// The deformation or the energy of the element is not finite.
    #[error("has a deformation or energy that is not a finite number")]
    NonFinite,
}

/// Element blocks and the sums of their forces.
#[derive(Clone, Debug)]
pub struct InternalForce {
    blocks: Vec<ElementBlock>,
    chunks: Vec<Chunk>,
    /// Nodes of the chunks, chunk by chunk; ascending within a chunk.
    nodes: Vec<u32>,
    /// Forces by node \[N\].
    forces: Vec<Vec3>,
    /// Forces by halo node, chunk by chunk \[N\].
    halo_forces: Vec<Vec3>,
    /// For each halo force, the node and the index in `halo_forces`; sorted by node, then by chunk.
    halo: Vec<[u32; 2]>,
    strain_energy: Vec<f64>,
    hourglass_energy: Vec<f64>,
    registers: Registers,
    num_history_rows: usize,
}

impl InternalForce {
    /// All node indices of `blocks` must be below `num_nodes`.
    pub fn new(blocks: Vec<ElementBlock>, num_nodes: usize) -> Self {
        let (mut chunks, nodes_of_chunks): (Vec<Chunk>, Vec<Vec<u32>>) = blocks
            .iter()
            .enumerate()
            .flat_map(|(index, block)| (0..num_chunks(block.num_elements())).map(move |chunk| (index, chunk)))
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|(index, chunk)| Chunk::new(&blocks[index], index, chunk))
            .unzip();
        let mut nodes = Vec::with_capacity(nodes_of_chunks.iter().map(Vec::len).sum());
        for (chunk, of_chunk) in chunks.iter_mut().zip(&nodes_of_chunks) {
            chunk.append_nodes(of_chunk, &mut nodes);
        }
        distribute_nodes(&mut chunks, &nodes, num_nodes);
        let mut halo: Vec<[u32; 2]> = chunks
            .iter()
            .flat_map(|chunk| chunk.halo_nodes(&nodes))
            .zip(0..)
            .map(|(node, place)| [node, place])
            .collect();
        halo.par_sort_unstable();
        let num_history_rows = chunks.iter_mut().fold(0, |first, chunk| chunk.place_history(first));
        let energy = vec![0.0; blocks.len()];
        Self {
            blocks,
            chunks,
            nodes,
            forces: vec![Vec3::zeros(); num_nodes],
            halo_forces: vec![Vec3::zeros(); halo.len()],
            halo,
            strain_energy: energy.clone(),
            hourglass_energy: energy,
            registers: Registers::default(),
            num_history_rows,
        }
    }

    /// History of the materials at the start: zeros.
    pub fn initial_history(&self) -> MaterialHistory {
        MaterialHistory::new(self.num_history_rows)
    }

    /// Whether a history has the number of rows that the blocks need.
    pub fn fits(&self, history: &MaterialHistory) -> bool {
        history.num_rows() == Some(self.num_history_rows)
    }

    /// The blocks.
    pub fn blocks(&self) -> &[ElementBlock] {
        &self.blocks
    }

    /// Strain energy of each block at the latest evaluation (call of `evaluate`) \[J\].
    pub fn strain_energy(&self) -> &[f64] {
        &self.strain_energy
    }

    /// Hourglass energy of each block at the latest evaluation \[J\].
    pub fn hourglass_energy(&self) -> &[f64] {
        &self.hourglass_energy
    }

    /// Deformation of each chunk at the latest evaluation.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.chunks.iter().map(Chunk::shape)
    }

    /// Largest `Shape::change_since` of the chunks, from `shapes`, an earlier result of `InternalForce::shapes`, to the
    /// latest evaluation. If `shapes` has too few entries, the missing entries are those of undeformed chunks.
    pub fn change_of_shapes(&self, shapes: &[Shape]) -> f64 {
        let before = shapes.iter().chain(std::iter::repeat(&Shape::UNDEFORMED));
        self.shapes().zip(before).map(|(now, before)| now.change_since(before)).fold(0.0, f64::max)
    }

    /// Resets to the undeformed state.
    pub fn reset(&mut self) {
        self.forces.fill(Vec3::zeros());
        self.halo_forces.fill(Vec3::zeros());
        self.strain_energy.fill(0.0);
        self.hourglass_energy.fill(0.0);
        self.chunks.iter_mut().for_each(Chunk::reset);
    }

    /// Computes forces and history at the end of a step, from the `positions` \[m\] at the end of the step and the
    /// history at the beginning of the step. The results are bitwise repeatable. `fits` must hold for `history`.
    ///
    /// # Errors
    /// In the first block with a failed element, the failed element of lowest index. `history` then still holds the
    /// history at the beginning of the step.
    pub fn evaluate(
        &mut self,
        positions: &[Vec3],
        history: &mut MaterialHistory,
        time_step: f64,
    ) -> Result<(), ElementFailure> {
        let (history, history_now) = history.ends();
        let (blocks, nodes, registers) = (&self.blocks, &self.nodes, self.registers);
        let work = ChunkWork { blocks, nodes, positions, history, time_step, registers };
        let sums = ChunkSums { owned: &mut self.forces, halo: &mut self.halo_forces, history: history_now };
        work.compute(&mut self.chunks, sums);
        self.scatter_halo_forces();
        self.strain_energy.fill(0.0);
        self.hourglass_energy.fill(0.0);
        for chunk in &self.chunks {
            if let Some(failure) = chunk.failure {
                return Err(failure);
            }
            self.strain_energy[chunk.block] += chunk.energy;
            self.hourglass_energy[chunk.block] += chunk.hourglass;
        }
        Ok(())
    }

    /// Internal forces at the latest evaluation \[N\]; zero before any evaluation, and on nodes without elements. For
    /// an elastic law, f_a = ∂(strain energy + hourglass energy)/∂x_a. The equation of motion contains −f_a.
    pub fn forces(&self) -> &[Vec3] {
        &self.forces
    }

    fn scatter_halo_forces(&mut self) {
        let (halo, halo_forces) = (&self.halo, &self.halo_forces);
        let size = nodes_per_task(self.forces.len());
        self.forces.par_chunks_mut(size).enumerate().for_each(|(task, forces)| {
            let first = task * size;
            let start = halo.partition_point(|[node, _]| (*node as usize) < first);
            for &[node, place] in &halo[start..] {
                let Some(force) = forces.get_mut(node as usize - first) else { break };
                *force += halo_forces[place as usize];
            }
        });
    }

    /// Largest time step known to be stable; `None` without elements, zero if an element has failed.
    pub fn critical_step(&self, positions: &[Vec3], history: &MaterialHistory) -> Option<CriticalStep> {
        self.critical_steps(positions, history).into_iter().flatten().reduce(CriticalStep::smaller)
    }

    /// Critical step of each block; `None` for a block without elements.
    pub fn critical_steps(&self, positions: &[Vec3], history: &MaterialHistory) -> Vec<Option<CriticalStep>> {
        let work = self.work(positions, history);
        let steps: Vec<Option<CriticalStep>> =
            self.chunks.par_iter().map(|chunk| chunk.critical_step(&work)).collect();
        let mut shortest = vec![None; self.blocks.len()];
        for step in steps.into_iter().flatten() {
            let of_block = &mut shortest[step.block];
            *of_block = Some(of_block.map_or(step, |first: CriticalStep| first.smaller(step)));
        }
        shortest
    }

    /// Mean Cauchy stress of each element of a block: XX YY ZZ XY YZ XZ \[Pa\], in plane strain for plane elements.
    pub fn cauchy_stress(
        &self,
        positions: &[Vec3],
        history: &MaterialHistory,
        block: usize,
        out: &mut [[f64; 6]],
    ) {
        let chunks: Vec<&Chunk> = self.chunks.iter().filter(|chunk| chunk.block == block).collect();
        let work = self.work(positions, history);
        let tasks = chunks.into_par_iter().zip(out.par_chunks_mut(ELEMENTS_PER_CHUNK));
        tasks.for_each(|(chunk, out)| chunk.mean_stress(&work, out));
    }

    /// Weighted sum of the mean Cauchy stresses of elements of a block: XX YY ZZ XY YZ XZ \[Pa\]. `elements`: index and
    /// weight. Only chunks with these elements are evaluated, each of them once if the indices ascend.
    pub fn weighted_cauchy_stress(
        &self,
        positions: &[Vec3],
        history: &MaterialHistory,
        block: usize,
        elements: impl Iterator<Item = (usize, f64)>,
    ) -> [f64; 6] {
        let chunks: Vec<&Chunk> = self.chunks.iter().filter(|chunk| chunk.block == block).collect();
        let (mut stresses, mut computed) = (vec![[0.0; 6]; ELEMENTS_PER_CHUNK], None);
        let mut sum = [0.0; 6];
        for (element, weight) in elements {
            let number = element / ELEMENTS_PER_CHUNK;
            let Some(chunk) = chunks.get(number) else { break };
            if computed.replace(number) != Some(number) {
                chunk.mean_stress(&self.work(positions, history), &mut stresses);
            }
            for (sum, stress) in sum.iter_mut().zip(stresses[element % ELEMENTS_PER_CHUNK]) {
                *sum += weight * stress;
            }
        }
        sum
    }

    fn work<'a>(&'a self, positions: &'a [Vec3], history: &'a MaterialHistory) -> ChunkWork<'a> {
        let (blocks, nodes, registers) = (&self.blocks, &self.nodes, self.registers);
        ChunkWork { blocks, nodes, positions, history: history.now(), time_step: 0.0, registers }
    }
}

struct ChunkWork<'a> {
    blocks: &'a [ElementBlock],
    nodes: &'a [u32],
    positions: &'a [Vec3],
    /// For `compute`, the history at the beginning of the step; otherwise, the history at the end of the latest step.
    history: &'a [Row],
    /// Length of the step for `compute` \[s\], otherwise zero.
    time_step: f64,
    registers: Registers,
}

impl ChunkWork<'_> {
    fn compute(&self, chunks: &mut [Chunk], sums: ChunkSums<'_>) {
        if let [chunk] = chunks {
            chunk.compute(self, sums);
        } else if !chunks.is_empty() {
            let (first, second) = chunks.split_at_mut(chunks.len() / 2);
            let num_own = first.iter().map(|chunk| chunk.owned_range().len()).sum();
            let num_halo_nodes = first.iter().map(Chunk::num_halo_nodes).sum();
            let num_history_rows = first.iter().map(|chunk| chunk.history_range().len()).sum();
            let (sums, other_sums) = sums.split(num_own, num_halo_nodes, num_history_rows);
            rayon::join(|| self.compute(first, sums), || self.compute(second, other_sums));
        }
    }
}

fn distribute_nodes(chunks: &mut [Chunk], nodes: &[u32], num_nodes: usize) {
    let (mut start, mut taken) = (0, vec![false; num_nodes]);
    for chunk in chunks.iter_mut() {
        chunk.settle(nodes, start, &mut taken);
        start = chunk.owned_range().end;
    }
    if let Some(last) = chunks.last_mut() {
        last.extend_owned_range(num_nodes);
    }
    debug_assert!(
        chunks.is_empty() || chunks.iter().map(|c| c.owned_range().len()).sum::<usize>() == num_nodes
    );
}
