//! A chunk of elements: the nodes it touches, its connectivity in them, and its forces.

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use std::ops::Range;

use super::{ElementFailure, FailureKind};
use crate::dynamics::element_block::{ElementBlock, ElementOperation};
use crate::dynamics::element_kernel::{ElementState, nodal_forces};
use crate::dynamics::interpolation::Interpolation;
use crate::material::Law;
use crate::math::Vec3;
use crate::math::real::{Kernel, LANES, Lanes, Real, Vectorised};

/// Groups of [`LANES`] elements in a chunk. Changing it changes the order of sums, hence the last bits.
const GROUPS_PER_CHUNK: usize = 256;

/// Elements of one block that are computed together.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// Index of the block.
    pub block: usize,
    /// Groups of the block.
    pub groups: Range<usize>,
    /// Force on each slot \[N\]; three components, the fourth pads.
    pub forces: Vec<Lanes>,
    /// Strain energy \[J\].
    pub energy: f64,
    /// The first failed element, if any.
    pub failure: Option<ElementFailure>,
    /// Node of each slot: those of its elements, ascending, then copies for the lanes past the last element.
    nodes: Vec<u32>,
    /// Slots that are not copies.
    num_own: usize,
    /// Slots of each group, by node then lane.
    slots: Vec<[u16; LANES]>,
    positions: Vec<Lanes>,
    /// Elements of the last group that exist.
    last_lanes: usize,
}

impl Chunk {
    /// Cuts a block into chunks.
    pub fn cut(index: usize, block: &ElementBlock) -> Vec<Self> {
        let groups = block.num_groups();
        (0..groups.div_ceil(GROUPS_PER_CHUNK))
            .map(|c| {
                let first = c * GROUPS_PER_CHUNK;
                Self::new(index, block, first..(first + GROUPS_PER_CHUNK).min(groups))
            })
            .collect()
    }

    fn new(index: usize, block: &ElementBlock, groups: Range<usize>) -> Self {
        let num_nodes = block.kind().num_nodes();
        let elements = groups.start * LANES..(groups.end * LANES).min(block.num_elements());
        let last_lanes = elements.len() - (groups.len() - 1) * LANES;
        let mut nodes: Vec<u32> = elements.flat_map(|element| block.nodes(element)).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let num_own = nodes.len();
        if last_lanes < LANES {
            nodes.extend(block.nodes(block.num_elements() - 1));
        }
        let slot_of = |group: usize, lane: usize, local: usize| {
            let copy = group + 1 == groups.end && lane >= last_lanes;
            let own =
                || nodes[..num_own].partition_point(|node| *node < block.group_node(group, lane, local));
            // At most LANES · GROUPS_PER_CHUNK · MAX_NODES + MAX_NODES < 2^16 slots.
            (if copy { num_own + local } else { own() }) as u16
        };
        let slots = groups
            .clone()
            .flat_map(|group| (0..num_nodes).map(move |local| (group, local)))
            .map(|(group, local)| std::array::from_fn(|lane| slot_of(group, lane, local)))
            .collect();
        let buffer = vec![Lanes::splat(0.0); nodes.len()];
        Self {
            block: index,
            groups,
            forces: buffer.clone(),
            energy: 0.0,
            failure: None,
            nodes,
            num_own,
            slots,
            positions: buffer,
            last_lanes,
        }
    }

    /// Nodes the chunk adds forces to, in the order of its slots.
    pub fn own_nodes(&self) -> &[u32] {
        &self.nodes[..self.num_own]
    }

    /// Forces and energy of the elements at current positions.
    pub fn compute(&mut self, block: &ElementBlock, positions: &[Vec3], vectorised: Vectorised) {
        for (slot, node) in self.positions.iter_mut().zip(&self.nodes) {
            let x = &positions[*node as usize];
            *slot = Lanes([x.x, x.y, x.z, 0.0]);
        }
        self.forces.fill(Lanes::splat(0.0));
        block.dispatch(ChunkForces { block, chunk: self, vectorised });
    }

    #[inline(always)]
    fn gather<const N: usize>(&self, slots: &[[u16; LANES]; N]) -> [[Lanes; 3]; N] {
        let mut x = [[Lanes::splat(0.0); 3]; N];
        for a in 0..N {
            let [i, j, k, l] = slots[a];
            let p = &self.positions;
            let corners = [p[i as usize], p[j as usize], p[k as usize], p[l as usize]];
            let [first, second, third, _] = Lanes::transpose(corners);
            x[a] = [first, second, third];
        }
        x
    }

    #[inline(always)]
    fn scatter<const N: usize>(&mut self, slots: &[[u16; LANES]; N], forces: &[[Lanes; 3]; N]) {
        for a in 0..N {
            let [x, y, z] = forces[a];
            let of_lane = Lanes::transpose([x, y, z, Lanes::splat(0.0)]);
            for lane in 0..LANES {
                self.forces[slots[a][lane] as usize] += of_lane[lane];
            }
        }
    }

    #[inline(always)]
    fn accumulate<I, L, const N: usize, const P: usize>(
        &mut self,
        block: &ElementBlock,
        interpolation: &I,
        law: L,
    ) where
        I: Interpolation<N, P>,
        L: Law,
    {
        let mut total = Lanes::splat(0.0);
        let mut state = ElementState::<P>::new();
        let mut forces = [[Lanes::splat(0.0); 3]; N];
        self.failure = None;
        for (index, group) in self.groups.clone().enumerate() {
            let Some(slots) = self.slots[index * N..].first_chunk::<N>().copied() else { return };
            let Some(geometry) = block.group_geometry(group).first_chunk::<P>() else { return };
            state.deform::<I, L, N>(interpolation, geometry, &self.gather(&slots));
            state.stress::<I, L>(law, geometry);
            nodal_forces(interpolation, geometry, &mut state.stresses, &mut forces);
            self.scatter(&slots, &forces);
            let last = group + 1 == self.groups.end;
            total += if last { self.without_copies(state.energy) } else { state.energy };
            if self.failure.is_none() {
                let smallest = smallest_jacobian(&state.jacobians);
                self.failure = failure_of(&smallest, &state.energy, self.block, group);
            }
        }
        self.energy = (total.0[0] + total.0[1]) + (total.0[2] + total.0[3]);
    }

    fn without_copies(&self, mut energy: Lanes) -> Lanes {
        energy.0[self.last_lanes..].fill(0.0);
        energy
    }
}

/// Smallest J over the points; not a number if any J is not finite.
#[inline(always)]
fn smallest_jacobian<const P: usize>(jacobians: &[Lanes; P]) -> Lanes {
    let (mut smallest, mut sum) = (jacobians[0], jacobians[0]);
    for jacobian in &jacobians[1..] {
        smallest = smallest.min(*jacobian);
        sum += *jacobian;
    }
    smallest + sum * 0.0
}

/// The first failed lane of a group.
#[inline(always)]
fn failure_of(smallest: &Lanes, energy: &Lanes, block: usize, group: usize) -> Option<ElementFailure> {
    let mut sound = true;
    for lane in 0..LANES {
        sound &= (smallest.0[lane] > 0.0) & (energy.0[lane].abs() < f64::INFINITY);
    }
    if sound { None } else { first_failure(smallest, energy, block, group) }
}

#[cold]
fn first_failure(smallest: &Lanes, energy: &Lanes, block: usize, group: usize) -> Option<ElementFailure> {
    let sound = |lane: usize| smallest.0[lane] > 0.0 && energy.0[lane].is_finite();
    (0..LANES).find(|lane| !sound(*lane)).map(|lane| {
        let jacobian = smallest.0[lane];
        let kind = if jacobian <= 0.0 { FailureKind::Inverted { jacobian } } else { FailureKind::NonFinite };
        ElementFailure { block, element: group * LANES + lane, kind }
    })
}

/// Forces of a chunk as an operation on elements.
struct ChunkForces<'a> {
    block: &'a ElementBlock,
    chunk: &'a mut Chunk,
    vectorised: Vectorised,
}

impl ElementOperation for ChunkForces<'_> {
    type Output = ();

    fn run<I, L, const N: usize, const P: usize>(self, interpolation: &I, law: L)
    where
        I: Interpolation<N, P>,
        L: Law,
    {
        self.vectorised.run(ChunkKernel::<I, L, N, P> {
            block: self.block,
            chunk: self.chunk,
            interpolation,
            law,
        });
    }
}

struct ChunkKernel<'a, I, L, const N: usize, const P: usize> {
    block: &'a ElementBlock,
    chunk: &'a mut Chunk,
    interpolation: &'a I,
    law: L,
}

impl<I: Interpolation<N, P>, L: Law, const N: usize, const P: usize> Kernel for ChunkKernel<'_, I, L, N, P> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.chunk.accumulate::<I, L, N, P>(self.block, self.interpolation, self.law);
    }
}
