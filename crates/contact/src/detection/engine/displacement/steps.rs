//! Bounds on the displacements of surface points in a step.

use rayon::prelude::*;

use crate::detection::face::bounds::Bounds;
use crate::detection::model::Configuration;

const NODES_PER_TASK: usize = 16_384;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    /// On a curved face, displacements leave the range of the nodal displacements by at most this fraction of the range
    /// \[-\].
    pub overshoot: f64,
    /// Bound on the rounding of a displacement \[m\].
    pub rounding: f64,
}

impl Steps {
    /// Bounds on the displacements in a step, for all points of the faces whose nodes are in `nodes`.
    #[inline(always)]
    pub fn of(&self, nodes: &[u32], configuration: &Configuration<'_>) -> Bounds {
        let of_nodes =
            |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| configuration.displacement(node)), 0.0);
        let step = bounds_of_chunks(nodes, of_nodes).beyond(self.overshoot);
        if step.is_zero() { step } else { step.widened(self.rounding) }
    }
}

/// Union of `bounds(part)` over the parts into which `nodes` is divided.
pub(crate) fn bounds_of_chunks(nodes: &[u32], bounds: impl Fn(&[u32]) -> Bounds + Sync + Send) -> Bounds {
    if nodes.len() <= NODES_PER_TASK {
        return bounds(nodes);
    }
    nodes.par_chunks(NODES_PER_TASK).map(bounds).reduce(|| Bounds::EMPTY, |a, b| a.union(&b))
}
