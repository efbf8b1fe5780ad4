//! How far the points of a surface go in a step.

use rayon::prelude::*;

use crate::contact::detection::face::bounds::Bounds;
use crate::contact::detection::model::Configuration;

/// Nodes looked at by one task.
const NODES_PER_TASK: usize = 16_384;

/// Bounds on the displacements of the points of surfaces in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    /// How far a curved face may leave the range of what its nodes do, relative to that.
    pub overshoot: f64,
    /// What a coordinate may be off by \[m\].
    pub rounding: f64,
}

impl Steps {
    /// Of the points whose faces have these nodes.
    #[inline(always)]
    pub fn of(&self, nodes: &[u32], configuration: &Configuration<'_>) -> Bounds {
        let velocities = configuration.velocities;
        let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| velocities[node as usize]), 0.0);
        let step = in_pieces(nodes, of_nodes).beyond(self.overshoot).times(configuration.time_step);
        if step.is_zero() { step } else { step.widened(self.rounding) }
    }
}

/// Bounds of all pieces of a list of nodes, in parallel where there are many.
pub(super) fn in_pieces(nodes: &[u32], bounds: impl Fn(&[u32]) -> Bounds + Sync + Send) -> Bounds {
    if nodes.len() <= NODES_PER_TASK {
        return bounds(nodes);
    }
    nodes.par_chunks(NODES_PER_TASK).map(bounds).reduce(|| Bounds::EMPTY, |a, b| a.union(&b))
}
