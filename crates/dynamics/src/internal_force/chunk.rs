//! A chunk of elements: nodes, local connectivity, and sums of element forces.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use std::cell::RefCell;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::mean_stress::MeanStress;
use super::memory::{ChunkSums, GatherNodes, Prefetcher, ScatterForces};
use super::shape::Shape;
use super::{ChunkWork, ElementFailure, FailureKind};
use crate::critical_step::{ChunkBound, CriticalStep};
use crate::element::MAX_NODES;
use crate::elements::block::{ElementBlock, ElementOperation};
use crate::elements::formulation::{ElementFormulation, Evaluation, history_rows};
use crate::elements::group::{ELEMENTS_PER_CHUNK, element_of, groups_of_chunk};
use crate::elements::history::{HistoryOverStep, PresentHistory};
use crate::material::Law;
use crate::math::pack::{NUM_SLOTS, Pack, Padded, QUARTET, Registers, Row, Slots, WIDTH};
use crate::math::real::Real;

/// Loop over nodes, unrolled for the first four nodes. Without unrolling, the gathered values would pass through
/// memory. With more unrolled nodes, the values would exceed the registers.
macro_rules! for_each_node {
    ($a:ident < $count:ident, $statement:expr) => {
        for_each_node!(@written 0 1 2 3, $a < $count, $statement);
        for $a in 4..$count {
            $statement;
        }
    };
    (@written $($first:literal)*, $a:ident < $count:ident, $statement:expr) => {
        $(if $count > $first {
            let $a = $first;
            $statement;
        })*
    };
}

/// Elements of one block that one task computes.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub block: usize,
    /// Strain energy \[J\].
    pub energy: f64,
    /// Hourglass energy \[J\].
    pub hourglass: f64,
    pub failure: Option<ElementFailure>,
    shape: Shape,
    /// Shear modulus times volume of the chunk \[J\]. The volume is estimated from the mean element volume of the
    /// block.
    stiffness: f64,
    groups: Range<usize>,
    history_rows_per_group: usize,
    history: Range<usize>,
    /// Range of this chunk in the list of the nodes of all chunks. The nodes in this range ascend. A slot is an index
    /// within this range.
    nodes: Range<usize>,
    /// Slots of the owned nodes.
    owned: Range<usize>,
    /// Nodes from the end of the previous chunk's owned range to the last owned node; in the last chunk, to the last
    /// node of the mesh.
    owned_range: Range<usize>,
    /// Slots of each group, by node of the element, then lane.
    slots: Vec<[u16; WIDTH]>,
    padded: bool,
}

impl Chunk {
    /// Also returns the nodes of the chunk.
    pub fn new(block: &ElementBlock, block_index: usize, index: usize) -> (Self, Vec<u32>) {
        let groups = groups_of_chunk(index, block.num_elements());
        let lanes = || groups.clone().flat_map(|group| (0..WIDTH).map(move |lane| (group, lane)));
        let mut nodes: Vec<u32> =
            lanes().flat_map(|(group, lane)| block.lane_nodes(group, lane)).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let exists = |group, lane| element_of(group, lane, block.num_elements()).is_some();
        let num_nodes = block.kind().num_nodes();
        let mut slots = vec![[0; WIDTH]; groups.len() * num_nodes];
        for ((group, lane), place) in lanes().zip(0..) {
            for (local, node) in block.lane_nodes(group, lane).iter().enumerate() {
                slots[place / WIDTH * num_nodes + local][lane] = nodes.partition_point(|n| n < node) as u16;
            }
        }
        const { assert!(ELEMENTS_PER_CHUNK * MAX_NODES <= NUM_SLOTS) };
        let num_present = lanes().filter(|&(group, lane)| exists(group, lane)).count() as f64;
        let padded = !lanes().all(|(group, lane)| exists(group, lane));
        let chunk = Self {
            block: block_index,
            energy: 0.0,
            hourglass: 0.0,
            failure: None,
            shape: Shape::UNDEFORMED,
            stiffness: block.material().elasticity().mu * block.volume() * num_present
                / block.num_elements() as f64,
            groups,
            history_rows_per_group: block.history_rows_per_group(),
            history: 0..0,
            nodes: 0..nodes.len(),
            owned: 0..0,
            owned_range: 0..0,
            slots,
            padded,
        };
        (chunk, nodes)
    }

    pub fn append_nodes(&mut self, of_chunk: &[u32], nodes: &mut Vec<u32>) {
        self.nodes = nodes.len()..nodes.len() + of_chunk.len();
        nodes.extend_from_slice(of_chunk);
    }

    /// Places the history of this chunk from row `first` on; returns the row after the history.
    pub fn place_history(&mut self, first: usize) -> usize {
        self.history = first..first + self.groups.len() * self.history_rows_per_group;
        self.history.end
    }

    pub fn history_range(&self) -> Range<usize> {
        self.history.clone()
    }

    fn history<'a>(&self, work: &ChunkWork<'a>) -> &'a [Row] {
        &work.history[self.history.clone()]
    }

    fn nodes<'a>(&self, nodes: &'a [u32]) -> &'a [u32] {
        &nodes[self.nodes.clone()]
    }

    /// Sets the owned nodes: among the nodes of this chunk that are not `taken` and not below `start`, the longest run
    /// of consecutive nodes. Sets the owned range, from `start` to the last owned node. Marks all nodes of this chunk
    /// as taken.
    pub fn settle(&mut self, nodes: &[u32], start: usize, taken: &mut [bool]) {
        let nodes = self.nodes(nodes);
        let mut run = 0..0;
        for (slot, &node) in nodes.iter().enumerate() {
            let free = node as usize >= start && !taken[node as usize];
            let follows = free && slot > 0 && run.end == slot && nodes[slot - 1] + 1 == node;
            if !follows {
                run.start = slot;
            }
            if free {
                run.end = slot + 1;
                if run.len() > self.owned.len() {
                    self.owned = run.clone();
                }
            }
            taken[node as usize] = true;
        }
        let end = self.owned.clone().last().map_or(start, |slot| nodes[slot] as usize + 1);
        self.owned_range = start..end;
    }

    pub fn extend_owned_range(&mut self, end: usize) {
        self.owned_range.end = end;
    }

    /// Nodes whose force sums this chunk writes: the owned nodes, and nodes without an owner, which get zero.
    pub fn owned_range(&self) -> Range<usize> {
        self.owned_range.clone()
    }

    pub fn num_halo_nodes(&self) -> usize {
        self.nodes.len() - self.owned.len()
    }

    /// Halo nodes, ascending.
    pub fn halo_nodes<'a>(&self, nodes: &'a [u32]) -> impl Iterator<Item = u32> + use<'a> {
        let nodes = self.nodes(nodes);
        nodes[..self.owned.start].iter().chain(&nodes[self.owned.end..]).copied()
    }

    /// Computes forces, energies and history at the end of a step. If an element has failed, a second pass searches for
    /// the failed element of lowest index.
    pub fn compute(&mut self, work: &ChunkWork<'_>, mut sums: ChunkSums<'_>) {
        let (before, now) = (self.history(work), std::mem::take(&mut sums.history));
        let (block, registers) = (&work.blocks[self.block], work.registers);
        with_scratch(|[positions, forces]| {
            self.gather(work, positions);
            for search in [false, true] {
                let ahead = Prefetcher::new((&self.groups, &self.nodes), work, &sums);
                let history = StepRows { before, now: &mut *now, time_step: work.time_step };
                let work =
                    ChunkForces { block, chunk: self, ahead, positions, forces, history, registers, search };
                if block.dispatch(work) != Some(false) {
                    break;
                }
            }
            let forces = &forces[..self.nodes.len()];
            registers.run(ScatterForces {
                forces,
                owned: self.owned.clone(),
                first: self.first_owned(work.nodes),
                sums,
            });
        });
    }

    pub fn reset(&mut self) {
        (self.shape, self.energy, self.hourglass) = (Shape::UNDEFORMED, 0.0, 0.0);
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub fn critical_step(&self, work: &ChunkWork<'_>) -> Option<CriticalStep> {
        let (block, registers) = (&work.blocks[self.block], work.registers);
        let worst = with_scratch(|[positions, _]| {
            self.gather(work, positions);
            let (groups, slots, history) = (self.groups.clone(), &self.slots, self.history(work));
            block.dispatch(ChunkBound { block, groups, slots, positions, history, registers })
        });
        Some(worst.flatten().flatten()?.into_step(self.block))
    }

    /// Mean Cauchy stress of each element \[Pa\].
    pub fn mean_stress(&self, work: &ChunkWork<'_>, out: &mut [[f64; 6]]) {
        let (block, registers) = (&work.blocks[self.block], work.registers);
        with_scratch(|[positions, _]| {
            self.gather(work, positions);
            let (groups, slots, history) = (self.groups.clone(), &self.slots, self.history(work));
            block.dispatch(MeanStress { block, groups, slots, positions, history, out, registers })
        });
    }

    fn gather(&self, work: &ChunkWork<'_>, gathered: &mut Slots) {
        let nodes = self.nodes(work.nodes);
        work.registers.run(GatherNodes { nodes, positions: work.positions, gathered });
    }

    /// Index of the first owned node within the owned range.
    fn first_owned(&self, nodes: &[u32]) -> usize {
        let owned = &self.nodes(nodes)[self.owned.clone()];
        owned.first().map_or(0, |&node| node as usize - self.owned_range.start)
    }
}

thread_local! {
    /// Positions and forces by slot, reused to stay in the cache.
    static SCRATCH: RefCell<Vec<Padded>> = RefCell::new(vec![Padded::splat(0.0); 2 * NUM_SLOTS]);
}

/// Result of `work`; never `None`, because the scratch memory has room for two arrays of slots.
fn with_scratch<R>(work: impl FnOnce(&mut [Slots; 2]) -> R) -> Option<R> {
    SCRATCH.with_borrow_mut(|scratch| scratch.as_chunks_mut().0.first_chunk_mut().map(work))
}

struct StepRows<'a> {
    /// Rows at the beginning of the step.
    before: &'a [Row],
    /// Rows at the end of the step.
    now: &'a mut [Row],
    /// Length of the step \[s\].
    time_step: f64,
}

impl StepRows<'_> {
    /// History of part `part` of group number `index`, which has `num_rows` rows.
    #[inline(always)]
    fn part<S: Simd>(
        &mut self,
        simd: S,
        index: usize,
        num_rows: usize,
        part: usize,
    ) -> HistoryOverStep<'_, S> {
        HistoryOverStep {
            before: PresentHistory::of_group(simd, self.before, index, num_rows, part),
            now: &mut self.now[index * num_rows..(index + 1) * num_rows],
            time_step: self.time_step,
        }
    }
}

/// Computation of the forces of the elements of a chunk. Its output is true if no element has failed.
struct ChunkForces<'a> {
    block: &'a ElementBlock,
    chunk: &'a mut Chunk,
    ahead: Prefetcher<'a>,
    /// Positions by slot \[m\].
    positions: &'a Slots,
    /// Forces by slot \[N\].
    forces: &'a mut Slots,
    history: StepRows<'a>,
    registers: Registers,
    search: bool,
}

impl ElementOperation for ChunkForces<'_> {
    type Output = bool;

    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(self, formulation: &F, law: L) -> bool {
        self.registers.run(ChunkKernel::<F, L, N> { work: self, formulation, law })
    }
}

struct ChunkKernel<'a, F, L, const N: usize> {
    work: ChunkForces<'a>,
    formulation: &'a F,
    law: L,
}

impl<F: ElementFormulation<N>, L: Law, const N: usize> WithSimd for ChunkKernel<'_, F, L, N> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { work, formulation, law } = self;
        let ChunkForces { block, chunk, mut ahead, positions, forces: sums, mut history, search, .. } = work;
        let zero = Pack::splat(simd, 0.0);
        for slot in 0..chunk.nodes.len() {
            sums[slot] = Padded::splat(0.0);
        }
        let mut totals = [Row::splat(0.0); 2];
        let mut failure = None;
        // `finite` remains zero if J and the energy of each element are finite; otherwise it becomes NaN.
        let (mut smallest, mut finite) = (Pack::splat(simd, f64::INFINITY), zero);
        let mut state = F::state(simd);
        let mut forces = [[zero; 3]; N];
        let mut rows = [[Row::splat(0.0); 3]; N];
        let (slots, _) = chunk.slots.as_chunks::<N>();
        for index in 0..slots.len() {
            let (group, slots) = (chunk.groups.start + index, &slots[index]);
            block.prefetch(group);
            if index.is_multiple_of(Prefetcher::PERIOD) {
                ahead.prefetch();
            }
            let presence = chunk.padded.then(|| presence(group, block.num_elements()));
            for part in 0..Pack::<S>::PARTS {
                let x = gather(simd, positions, slots, part);
                let data = block.part(simd, group, part);
                let mut history = history.part(simd, index, history_rows::<F, L, N>(), part);
                let Evaluation { mut energy, mut hourglass, jacobian } =
                    formulation.forces(law, &data, &x, &mut state, &mut history, &mut forces);
                smallest = smallest.min(jacobian);
                finite += energy * 0.0 + jacobian * 0.0;
                if search {
                    let first_lane = part * Pack::<S>::LANES;
                    let place = (group, first_lane, block.num_elements());
                    record_failures(&mut failure, place, energy.lanes(), jacobian.lanes());
                }
                if let Some(presence) = &presence {
                    let presence = Pack::load(simd, presence, part);
                    (energy, hourglass) = (energy * presence, hourglass * presence);
                    for a in 0..N {
                        for i in 0..3 {
                            forces[a][i] = forces[a][i] * presence;
                        }
                    }
                }
                energy.add_to(&mut totals[0], part);
                hourglass.add_to(&mut totals[1], part);
                if Pack::<S>::LANES == 1 {
                    for a in 0..N {
                        for i in 0..3 {
                            forces[a][i].store(&mut rows[a][i], part);
                        }
                    }
                } else {
                    for quartet in 0..Pack::<S>::QUARTETS {
                        for_each_node!(a < N, Pack::scatter_add(&forces[a], sums, &slots[a], part, quartet));
                    }
                }
            }
            // For any register width, the order of the additions is by quartet of lanes, then node, then lane.
            if Pack::<S>::LANES == 1 {
                for first in (0..WIDTH).step_by(QUARTET) {
                    for a in 0..N {
                        for part in first..first + QUARTET {
                            let [x, y, z] = &rows[a];
                            let vector = [
                                Pack::load(simd, x, part),
                                Pack::load(simd, y, part),
                                Pack::load(simd, z, part),
                            ];
                            Pack::scatter_add(&vector, sums, &slots[a], part, 0);
                        }
                    }
                }
            }
        }
        chunk.failure = failure.map(|(element, kind)| ElementFailure { block: chunk.block, element, kind });
        [chunk.energy, chunk.hourglass] = totals.map(|row| row.0.iter().sum());
        let smallest_jacobian = smallest.lanes().iter().copied().fold(f64::INFINITY, f64::min);
        chunk.shape = Shape::new(smallest_jacobian, chunk.energy / chunk.stiffness);
        smallest.lanes().iter().all(|&jacobian| jacobian > 0.0)
            && finite.lanes().iter().all(|&zero| zero == 0.0)
    }
}

#[inline(always)]
fn gather<S: Simd, const N: usize>(
    simd: S,
    positions: &Slots,
    slots: &[[u16; WIDTH]; N],
    part: usize,
) -> [[Pack<S>; 3]; N] {
    let mut x = [[Pack::splat(simd, 0.0); 3]; N];
    for_each_node!(a < N, x[a] = Pack::gather(simd, positions, &slots[a], part));
    x
}

/// 1 in lanes with an element, 0 in lanes without an element.
fn presence(group: usize, num_elements: usize) -> Row {
    Row::from_fn(|lane| f64::from(u8::from(element_of(group, lane, num_elements).is_some())))
}

/// Updates `first`, the failure with the lowest element index so far, by the failures in a part of a group.
#[cold]
fn record_failures(
    first: &mut Option<(usize, FailureKind)>,
    (group, first_lane, num_elements): (usize, usize, usize),
    energies: &[f64],
    jacobians: &[f64],
) {
    for (lane, (&energy, &jacobian)) in (first_lane..).zip(energies.iter().zip(jacobians)) {
        let element = element_of(group, lane, num_elements);
        let (Some(element), Some(kind)) = (element, failure_of(energy, jacobian)) else { continue };
        if first.is_none_or(|(first, _)| element < first) {
            *first = Some((element, kind));
        }
    }
}

fn failure_of(energy: f64, jacobian: f64) -> Option<FailureKind> {
    if jacobian <= 0.0 {
        Some(FailureKind::Inverted { jacobian })
    } else if jacobian.is_finite() && energy.is_finite() {
        None
    } else {
        Some(FailureKind::NonFinite)
    }
}
