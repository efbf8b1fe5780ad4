//! The corrector of a step.
//!
//! One pass over the nodes of a body makes their accelerations and velocities and the balance of the body: memory is what
//! nodes cost.

use std::ops::Range;
use std::time::Instant;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::contact::response::ContactAction;
use crate::dynamics::{InternalForce, Support};
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};
use crate::math::reduction::nodes_per_task;

use super::account::BodyBalance;
use super::model::Guide;
use super::nodal_sums::{NodalKernel, NodalSums};
use super::supports::SupportedComponent;
use super::{Forces, Simulation};

/// Nodes that are done at a time: what they have stays in the first-level cache meanwhile.
const PIECE: usize = 256;

impl Simulation {
    /// Accelerations, velocities and balances at the end of the step.
    pub(super) fn correct(&mut self, dt: f64) {
        let start = Instant::now();
        self.guide();
        self.note_reactions();
        for body in 0..self.model.bodies.len() {
            if self.model.bodies[body].is_rigid() {
                self.correct_rigid(body, dt);
            } else {
                self.correct_nodes(body, dt);
            }
            if let Some(carrier) = &self.carriers[body] {
                self.balances[body] = BodyBalance::of_carrier(carrier);
            }
        }
        std::mem::swap(&mut self.state.positions, &mut self.positions_next);
        self.wall.integration += start.elapsed().as_secs_f64();
    }

    /// f_ext − f_int + f_c on a node \[N\].
    pub(super) fn resultant_on(&self, node: usize) -> Vec3 {
        Resultants::new(&self.forces, &self.internal, &self.action).on(node)
    }

    /// Accelerations, velocities and balance of a body that is not rigid.
    fn correct_nodes(&mut self, body: usize, dt: f64) {
        let nodes = self.model.bodies[body].nodes.clone();
        let mass = self.model.bodies[body].mass;
        let corrector = Corrector {
            half_step: 0.5 * dt,
            // Nothing accelerates a body without mass: a wall whose velocity is given.
            has_mass: mass > 0.0,
            resultants: Resultants::new(&self.forces, &self.internal, &self.action),
            touched: &self.action.nodes,
            guides: (&self.model.guides, &self.forces.guides),
            supports: (&self.model.supports, &self.forces.supported),
            masses: &self.model.mass,
            positions: &self.positions_next,
        };
        let registers = Registers::default();
        let least = nodes_per_task(nodes.len()) / PIECE;
        let accelerations = self.state.accelerations[nodes.clone()].par_chunks_mut(PIECE);
        let velocities = self.state.velocities[nodes.clone()].par_chunks_mut(PIECE);
        let pieces = accelerations.zip(velocities).with_min_len(least).enumerate();
        let pieces = pieces.map(|(piece, (accelerations, velocities))| {
            let first = nodes.start + piece * PIECE;
            let range = first..first + velocities.len();
            registers.run(Piece { corrector: &corrector, range, accelerations, velocities })
        });
        pieces.collect_into_vec(&mut self.nodal_sums);
        if let Some(sums) = self.nodal_sums.drain(..).reduce(|sum, piece| sum + piece) {
            self.balances[body] = BodyBalance::of_nodes(&sums, mass, self.positions_next[nodes.start]);
        }
    }
}

/// The forces on all nodes \[N\].
pub(super) struct Resultants<'a> {
    /// None where no body is driven.
    external: &'a [Vec3],
    internal: &'a [Vec3],
    contact: &'a [Vec3],
}

impl<'a> Resultants<'a> {
    /// Of these parts.
    pub fn new(forces: &'a Forces, internal: &'a InternalForce, contact: &'a ContactAction) -> Self {
        Self { external: &forces.external, internal: internal.forces(), contact: &contact.forces }
    }

    /// f_ext − f_int + f_c on a node \[N\].
    pub fn on(&self, node: usize) -> Vec3 {
        let external = self.external.get(node).copied().unwrap_or_else(Vec3::zeros);
        external - self.internal[node] + self.contact[node]
    }

    /// Acceleration of a node by them; a wall whose velocity is given has no mass, and keeps its own.
    pub fn accelerate(&self, node: u32, masses: &[f64], accelerations: &mut [Vec3]) {
        let node = node as usize;
        if masses[node] > 0.0 {
            accelerations[node] = self.on(node) * (1.0 / masses[node]);
        }
    }
}

/// What the corrector knows of all nodes; they are numbered through.
struct Corrector<'a> {
    /// Half the step \[s\].
    half_step: f64,
    /// Whether forces accelerate the body.
    has_mass: bool,
    resultants: Resultants<'a>,
    /// Nodes that contact acts on, ascending.
    touched: &'a [u32],
    /// Guides, and their reactions \[N\].
    guides: (&'a [Guide], &'a [Vec3]),
    supports: (&'a [Support], &'a [Vec<SupportedComponent>]),
    /// Of the nodes \[kg\].
    masses: &'a [f64],
    /// Of the nodes at the end of the step \[m\].
    positions: &'a [Vec3],
}

/// Some of the nodes.
struct Piece<'a> {
    corrector: &'a Corrector<'a>,
    range: Range<usize>,
    accelerations: &'a mut [Vec3],
    velocities: &'a mut [Vec3],
}

impl WithSimd for Piece<'_> {
    type Output = NodalSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> NodalSums {
        let Self { corrector, range, accelerations, velocities } = self;
        let Corrector { half_step, resultants, guides, supports, masses, positions, .. } = corrector;
        let first = range.start;
        if corrector.has_mass {
            accelerate(resultants, &masses[range.clone()], first, accelerations);
            for &node in &corrector.touched[within(corrector.touched, &range)] {
                let node = node as usize;
                accelerations[node - first] = resultants.on(node) * (1.0 / masses[node]);
            }
            for (guide, reaction) in guides.0.iter().zip(guides.1) {
                let node = guide.node as usize;
                if range.contains(&node) {
                    accelerations[node - first] = (resultants.on(node) + reaction) * (1.0 / masses[node]);
                }
            }
        }
        for k in 0..velocities.len() {
            for i in 0..3 {
                velocities[k][i] += accelerations[k][i] * half_step;
            }
        }
        for (support, components) in supports.0.iter().zip(supports.1) {
            let these = within(&support.nodes, &range);
            for (&node, component) in support.nodes[these.clone()].iter().zip(&components[these]) {
                let k = node as usize - first;
                accelerations[k][support.axis] = component.end.acceleration;
                velocities[k][support.axis] = component.end.velocity;
            }
        }
        NodalKernel { masses: &masses[range.clone()], positions: &positions[range], velocities }
            .with_simd(simd)
    }
}

/// a = M⁻¹ (f_ext − f_int) of the nodes from `first` on.
#[inline(always)]
fn accelerate(resultants: &Resultants<'_>, masses: &[f64], first: usize, accelerations: &mut [Vec3]) {
    let range = first..first + masses.len();
    let (internal, external) = (&resultants.internal[range.clone()], resultants.external.get(range));
    let mut inverse = [0.0; WIDTH];
    for (row, accelerations) in accelerations.chunks_mut(WIDTH).enumerate() {
        let masses = &masses[row * WIDTH..][..accelerations.len()];
        let internal = &internal[row * WIDTH..][..accelerations.len()];
        // As many at a time as the processor divides by.
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

/// Places of those of the nodes, which ascend, that are in a range.
fn within(nodes: &[u32], range: &Range<usize>) -> Range<usize> {
    let [start, end] =
        [range.start, range.end].map(|end| nodes.partition_point(|&node| (node as usize) < end));
    start..end
}
