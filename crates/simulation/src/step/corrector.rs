//! The corrector of a step.
//!
//! Memory bandwidth limits the nodal updates. One pass over the nodes therefore computes accelerations, velocities, and
//! the balance of each body: its momentum, kinetic energy and centre of mass.

use std::ops::Range;
use std::time::Instant;

use pulp::{Simd, WithSimd};

use crate::dynamics::Support;
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};
use crate::math::reduction::nodes_per_task;

use crate::Simulation;
use crate::account::energy_audit::BodyBalance;
use crate::account::nodal_sums::{NodalKernel, NodalSums};
use crate::account::resultants::Resultants;
use crate::forces::SupportedComponent;
use crate::model::{Body, Model, Slider};

/// The data of this number of nodes fit in the first-level cache.
const NODES_PER_CHUNK: usize = 256;

/// Up to `NODES_PER_CHUNK` consecutive nodes of one deformable body or wall.
#[derive(Clone, Debug)]
pub(crate) struct NodeChunk {
    body: usize,
    /// Whether forces accelerate the body.
    has_mass: bool,
    nodes: Range<usize>,
    /// Index of each support of the chunk, and range of the chunk's nodes in the node list of this support.
    supports: Vec<(usize, Range<usize>)>,
}

/// Chunks of all bodies that are not rigid, in ascending order of nodes.
pub(crate) fn chunks_of(model: &Model) -> Vec<NodeChunk> {
    let bodies = model.bodies.iter().enumerate().filter(|(_, body)| !body.is_rigid());
    let chunks = bodies.flat_map(|(body, Body { nodes, mass, .. })| {
        nodes.clone().step_by(NODES_PER_CHUNK).map(move |start| NodeChunk {
            body,
            has_mass: *mass > 0.0,
            nodes: start..nodes.end.min(start + NODES_PER_CHUNK),
            supports: Vec::new(),
        })
    });
    let mut chunks: Vec<NodeChunk> = chunks.collect();
    for (index, support) in model.supports.iter().enumerate() {
        for (place, &node) in support.nodes.iter().enumerate() {
            let chunk = chunks.partition_point(|chunk| chunk.nodes.end <= node as usize);
            match chunks[chunk].supports.last_mut() {
                Some((of, places)) if *of == index => places.end = place + 1,
                _ => chunks[chunk].supports.push((index, place..place + 1)),
            }
        }
    }
    chunks
}

/// Supports in the chunks of the body with the nodes `nodes`. `chunks` are the chunks of all bodies.
pub(crate) fn supports_of<'a>(
    chunks: &'a [NodeChunk],
    nodes: &Range<usize>,
) -> impl Iterator<Item = &'a (usize, Range<usize>)> + use<'a> {
    chunks[within(chunks, |chunk| chunk.nodes.start as u32, nodes)].iter().flat_map(|chunk| &chunk.supports)
}

impl Simulation {
    /// Computes accelerations, velocities and balances at the end of a step of length `dt` \[s\].
    pub(crate) fn correct(&mut self, dt: f64) {
        let start = Instant::now();
        self.constrain_sliders();
        self.note_reactions(dt);
        self.correct_nodes(dt);
        for body in 0..self.model.bodies.len() {
            if self.model.bodies[body].is_rigid() {
                self.correct_rigid(body, dt);
            }
            if let Some(rigid_state) = &self.state.rigid_bodies[body] {
                let force_acceleration = self.rigid_force_acceleration(body);
                self.state.ledger.balances[body] =
                    BodyBalance { force_acceleration, ..BodyBalance::of_rigid_state(rigid_state) };
            }
        }
        self.note_load_accelerations();
        std::mem::swap(&mut self.state.nodes.positions, &mut self.scratch.positions_next);
        self.timings.integration += start.elapsed().as_secs_f64();
    }

    fn correct_nodes(&mut self, dt: f64) {
        let corrector = Corrector {
            half_step: 0.5 * dt,
            resultants: Resultants::new(
                &self.state.forces,
                &self.caches.internal,
                &self.state.contact.action,
            ),
            touched: &self.state.contact.action.nodes,
            sliders: (&self.model.sliders, &self.state.forces.sliders),
            supports: (&self.model.supports, &self.state.forces.supported),
            masses: &self.model.mass,
            positions: &self.scratch.positions_next,
            registers: Registers::default(),
            nodes_per_task: nodes_per_task(self.model.mass.len()),
        };
        let nodes = Nodes {
            first: 0,
            accelerations: &mut self.state.nodes.accelerations,
            velocities: &mut self.state.nodes.velocities,
        };
        corrector.correct(&self.settings.chunks, nodes, &mut self.scratch.nodal_sums);
        let mut sums = self.scratch.nodal_sums.iter();
        for chunks in self.settings.chunks.chunk_by(|a, b| a.body == b.body) {
            let body = &self.model.bodies[chunks[0].body];
            let of_body = sums.by_ref().take(chunks.len()).copied().reduce(|sum, chunk| sum + chunk);
            if let Some(of_body) = of_body {
                let first = self.scratch.positions_next[body.nodes.start];
                let from_outside = self.acceleration_from_outside(chunks[0].body);
                self.state.ledger.balances[chunks[0].body] =
                    BodyBalance::of_nodes(&of_body, body, first, from_outside);
            }
        }
    }
}

/// Nodal arrays are indexed by global node number.
struct Corrector<'a> {
    half_step: f64,
    resultants: Resultants<'a>,
    /// Nodes with contact or tie forces, in ascending order.
    touched: &'a [u32],
    /// Sliders in ascending order of nodes, and the reaction of each slider \[N\].
    sliders: (&'a [Slider], &'a [Vec3]),
    supports: (&'a [Support], &'a [Vec<SupportedComponent>]),
    masses: &'a [f64],
    /// Positions at the end of the step \[m\].
    positions: &'a [Vec3],
    registers: Registers,
    nodes_per_task: usize,
}

/// Output of the corrector for the global nodes from `first` on.
struct Nodes<'a> {
    first: usize,
    accelerations: &'a mut [Vec3],
    velocities: &'a mut [Vec3],
}

impl<'a> Nodes<'a> {
    /// Splits at the global node `node`.
    fn split_at(self, node: usize) -> [Self; 2] {
        let count = node - self.first;
        let (accelerations, later_accelerations) = self.accelerations.split_at_mut(count);
        let (velocities, later_velocities) = self.velocities.split_at_mut(count);
        [
            Self { first: self.first, accelerations, velocities },
            Self { first: node, accelerations: later_accelerations, velocities: later_velocities },
        ]
    }
}

impl Corrector<'_> {
    /// Corrects the nodes of `chunks`. `nodes` contains at least these nodes.
    fn correct(&self, chunks: &[NodeChunk], nodes: Nodes<'_>, sums: &mut [NodalSums]) {
        let [Some(begin), Some(end)] =
            [chunks.first().map(|chunk| chunk.nodes.start), chunks.last().map(|chunk| chunk.nodes.end)]
        else {
            return;
        };
        if chunks.len() == 1 || end - begin <= self.nodes_per_task {
            let mut nodes = nodes;
            for (chunk, sums) in chunks.iter().zip(sums) {
                let [_, from] = nodes.split_at(chunk.nodes.start);
                let [these, rest] = from.split_at(chunk.nodes.end);
                *sums = self.registers.run(CorrectChunk { corrector: self, chunk, nodes: these });
                nodes = rest;
            }
            return;
        }
        let half = chunks.len() / 2;
        let (early, late) = chunks.split_at(half);
        let (early_sums, late_sums) = sums.split_at_mut(half);
        let [before, after] = nodes.split_at(late[0].nodes.start);
        rayon::join(|| self.correct(early, before, early_sums), || self.correct(late, after, late_sums));
    }
}

struct CorrectChunk<'a> {
    corrector: &'a Corrector<'a>,
    chunk: &'a NodeChunk,
    nodes: Nodes<'a>,
}

impl WithSimd for CorrectChunk<'_> {
    type Output = NodalSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> NodalSums {
        let Self { corrector, chunk, nodes: Nodes { first, accelerations, velocities } } = self;
        let Corrector { half_step, resultants, sliders, supports, masses, positions, .. } = corrector;
        let range = chunk.nodes.clone();
        if chunk.has_mass {
            accelerate(resultants, &masses[range.clone()], first, accelerations);
            for &node in &corrector.touched[within(corrector.touched, |&node| node, &range)] {
                let node = node as usize;
                accelerations[node - first] = resultants.on(node) * (1.0 / masses[node]);
            }
            let these = within(sliders.0, |slider| slider.node, &range);
            for (slider, reaction) in sliders.0[these.clone()].iter().zip(&sliders.1[these]) {
                let node = slider.node as usize;
                accelerations[node - first] = (resultants.on(node) + reaction) * (1.0 / masses[node]);
            }
        }
        for k in 0..velocities.len() {
            for i in 0..3 {
                velocities[k][i] += accelerations[k][i] * half_step;
            }
        }
        for (support, places) in &chunk.supports {
            let (support, components) = (&supports.0[*support], &supports.1[*support]);
            for (&node, component) in support.nodes[places.clone()].iter().zip(&components[places.clone()]) {
                let k = node as usize - first;
                accelerations[k][support.axis] = component.end.acceleration;
                velocities[k][support.axis] = component.end.velocity;
            }
        }
        let (masses, positions) = (&masses[range.clone()], &positions[range]);
        NodalKernel { masses, positions, velocities, accelerations }.with_simd(simd)
    }
}

/// a = M⁻¹ (f_ext − f_int) without contact and tie forces, with the lumped masses M. `masses` and `accelerations` begin
/// with the global node `first`.
#[inline(always)]
fn accelerate(resultants: &Resultants<'_>, masses: &[f64], first: usize, accelerations: &mut [Vec3]) {
    let range = first..first + masses.len();
    let (internal, external) = (&resultants.internal[range.clone()], resultants.external.get(range));
    let mut inverse = [0.0; WIDTH];
    for (row, accelerations) in accelerations.chunks_mut(WIDTH).enumerate() {
        let masses = &masses[row * WIDTH..][..accelerations.len()];
        let internal = &internal[row * WIDTH..][..accelerations.len()];
        // A separate loop lets the compiler vectorise the divisions.
        for k in 0..masses.len() {
            inverse[k] = 1.0 / masses[k];
        }
        for k in 0..masses.len() {
            for i in 0..3 {
                let external = external.map_or(0.0, |forces| forces[row * WIDTH + k][i]);
                accelerations[k][i] = (external - internal[k][i]) * inverse[k];
            }
        }
    }
}

/// Indices of the `things` whose nodes are in `range`. The things are in ascending order of nodes.
pub(crate) fn within<T>(things: &[T], node_of: impl Fn(&T) -> u32, range: &Range<usize>) -> Range<usize> {
    let [start, end] =
        [range.start, range.end].map(|end| things.partition_point(|thing| (node_of(thing) as usize) < end));
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::Prescribed;
    use crate::model::{Behaviour, WallMotion};

    /// Two deformable bodies, a rigid body with the node numbers between theirs, and a wall. Each node of a body that
    /// is not rigid is in exactly one chunk. The supports of a chunk refer to its nodes.
    #[test]
    fn chunks_hold_all_nodes_and_supports() {
        let deformable = || Behaviour::Deformable { supported: true, moved: false };
        let wall = Behaviour::Wall { normal: Vec3::x(), motion: WallMotion::Steady };
        let behaviours = [
            (300, 1.0, deformable()),
            (700, 1.0, Behaviour::Rigid { support: None }),
            (520, 1.0, deformable()),
            (1, 0.0, wall),
        ];
        let mut model = Model::default();
        let mut first = 0;
        for (count, mass, behaviour) in behaviours {
            model.bodies.push(Body {
                name: String::new(),
                nodes: first..first + count,
                blocks: Vec::new(),
                num_faces: 0,
                material: None,
                mass,
                gravity: Vec3::zeros(),
                peak_gravity: 0.0,
                behaviour,
                loaded: false,
                mass_damping: None,
            });
            first += count;
        }
        let support = |nodes: &[u32], axis: usize| Support {
            nodes: nodes.into(),
            axis,
            motion: Prescribed::Fixed,
            account: 0,
        };
        model.supports = vec![
            support(&[250, 255, 256, 299], 0),
            support(&[3, 255], 1),
            support(&[1000, 1300, 1519], 2),
            support(&[1520], 0),
        ];
        let chunks = chunks_of(&model);
        let ranges: Vec<_> = chunks.iter().map(|chunk| (chunk.body, chunk.nodes.clone())).collect();
        let expected =
            [(0, 0..256), (0, 256..300), (2, 1000..1256), (2, 1256..1512), (2, 1512..1520), (3, 1520..1521)];
        assert_eq!(ranges, expected);
        let supports: Vec<_> = chunks.iter().map(|chunk| chunk.supports.clone()).collect();
        let expected = [
            vec![(0, 0..2), (1, 0..2)],
            vec![(0, 2..4)],
            vec![(2, 0..1)],
            vec![(2, 1..2)],
            vec![(2, 2..3)],
            vec![(3, 0..1)],
        ];
        assert_eq!(supports, expected);
        assert_eq!(
            chunks.iter().map(|chunk| chunk.has_mass).collect::<Vec<_>>(),
            [true, true, true, true, true, false]
        );
    }
}
