//! A chunk of elements: the nodes it touches, its connectivity in them, and the sums of its forces.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::{ElementFailure, FailureKind};
use crate::dynamics::element_block::{ElementBlock, ElementOperation};
use crate::dynamics::element_formulation::{ElementFormulation, Evaluation};
use crate::dynamics::group::{element_of, groups_of_chunk};
use crate::material::Law;
use crate::math::Vec3;
use crate::math::pack::{Pack, Padded, Registers, Row, WIDTH};
use crate::math::real::Real;

/// Elements of one block that are computed together.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// Index of the block.
    pub block: usize,
    /// Index of the chunk in the block.
    pub index: usize,
    /// Strain energy \[J\].
    pub energy: f64,
    /// Energy of hourglass control \[J\].
    pub hourglass: f64,
    /// The first failed element, if any.
    pub failure: Option<ElementFailure>,
    groups: Range<usize>,
    /// Node of each slot, ascending.
    nodes: Vec<u32>,
    /// Slots of each group, by node then lane.
    slots: Vec<[u16; WIDTH]>,
    /// Whether lanes of some groups are past the last element.
    padded: bool,
}

impl Chunk {
    /// A chunk of a block.
    pub fn new(block: &ElementBlock, block_index: usize, index: usize) -> Self {
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
                // At most ELEMENTS_PER_CHUNK · MAX_NODES < 2^16 slots.
                slots[place / WIDTH * num_nodes + local][lane] = nodes.partition_point(|n| n < node) as u16;
            }
        }
        let padded = !lanes().all(|(group, lane)| exists(group, lane));
        Self {
            block: block_index,
            index,
            energy: 0.0,
            hourglass: 0.0,
            failure: None,
            groups,
            nodes,
            slots,
            padded,
        }
    }

    /// Nodes the chunk adds forces to, in the order of its slots.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Forces and energies of the elements at current positions; `gathered` is scratch for those of the slots.
    pub fn compute(
        &mut self,
        block: &ElementBlock,
        positions: &[Vec3],
        gathered: &mut Vec<Padded>,
        forces: &mut [Padded],
        registers: Registers,
    ) {
        gathered.clear();
        gathered.extend(self.nodes.iter().map(|&node| {
            let x = &positions[node as usize];
            Padded::from_vector([x.x, x.y, x.z])
        }));
        let quick = ChunkForces { block, chunk: self, positions: gathered, forces, registers, search: false };
        if block.dispatch(quick) == Some(false) {
            block.dispatch(ChunkForces {
                block,
                chunk: self,
                positions: gathered,
                forces,
                registers,
                search: true,
            });
        }
    }
}

/// Forces of a chunk as an operation on elements; whether all of them are sound.
struct ChunkForces<'a> {
    block: &'a ElementBlock,
    chunk: &'a mut Chunk,
    /// By slot \[m\].
    positions: &'a [Padded],
    /// By slot \[N\].
    forces: &'a mut [Padded],
    registers: Registers,
    /// Whether to look which element fails.
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
        let ChunkForces { block, chunk, positions, forces: sums, search, .. } = work;
        let zero = Pack::splat(simd, 0.0);
        sums.fill(Padded::splat(0.0));
        let mut totals = [Row::splat(0.0); 2];
        let mut failure = None;
        // J of an element and its energy: neither may be infinite, and J must be positive.
        let (mut smallest, mut finite) = (Pack::splat(simd, f64::INFINITY), zero);
        let mut state = F::state(simd);
        let (mut x, mut forces) = ([[zero; 3]; N], [[zero; 3]; N]);
        let mut rows = [[Row::splat(0.0); 3]; N];
        for (group, slots) in chunk.groups.clone().zip(chunk.slots.as_chunks::<N>().0) {
            block.prefetch(group);
            let presence = chunk.padded.then(|| presence(group, block.num_elements()));
            for part in 0..Pack::<S>::PARTS {
                for a in 0..N {
                    x[a] = Pack::gather(simd, positions, &slots[a], part);
                }
                let data = block.part(simd, group, part);
                let Evaluation { mut energy, mut hourglass, jacobian } =
                    formulation.forces(law, &data, &x, &mut state, &mut forces);
                smallest = smallest.min(jacobian);
                finite += energy * 0.0 + jacobian * 0.0;
                if search {
                    let first_lane = part * Pack::<S>::LANES;
                    let place = (group, first_lane, block.num_elements());
                    note_failures(&mut failure, place, energy.lanes(), jacobian.lanes());
                }
                if let Some(presence) = &presence {
                    let presence = Pack::load(simd, presence, part);
                    (energy, hourglass) = (energy * presence, hourglass * presence);
                    for force in forces.as_flattened_mut() {
                        *force = *force * presence;
                    }
                }
                for a in 0..N {
                    for i in 0..3 {
                        forces[a][i].store(&mut rows[a][i], part);
                    }
                }
                for (total, energy) in totals.iter_mut().zip([energy, hourglass]) {
                    (Pack::load(simd, total, part) + energy).store(total, part);
                }
            }
            // Node after node, lane after lane: on all registers in the same order.
            for (rows, slots) in rows.iter().zip(slots) {
                for part in 0..Pack::<S>::PARTS {
                    let [x, y, z] = rows;
                    let vector =
                        [Pack::load(simd, x, part), Pack::load(simd, y, part), Pack::load(simd, z, part)];
                    Pack::scatter_add(&vector, sums, slots, part);
                }
            }
        }
        chunk.failure = failure.map(|(element, kind)| ElementFailure { block: chunk.block, element, kind });
        [chunk.energy, chunk.hourglass] = totals.map(|row| row.0.iter().sum());
        smallest.lanes().iter().all(|&jacobian| jacobian > 0.0)
            && finite.lanes().iter().all(|&zero| zero == 0.0)
    }
}

/// 1 in lanes with an element, 0 in those past the last one.
fn presence(group: usize, num_elements: usize) -> Row {
    Row::from_fn(|lane| f64::from(u8::from(element_of(group, lane, num_elements).is_some())))
}

/// Keeps the failure of the element with the lowest number, out of those from a group and lane of a block on.
#[cold]
fn note_failures(
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
