//! From candidate pairs of edges to contact constraints.
//!
//! Where two convex edges cross, contact acts along the common perpendicular of their tangents d₁ and d₂:
//!
//! ```text
//! n = ±(d₁ × d₂)/|d₁ × d₂|
//! ```
//!
//! The vector n is the contact normal if n points into neither face of the target edge, and −n into neither face of the
//! contactor edge. The arcs of the edges on the Gauss map then intersect. This condition excludes contact around a
//! corner and with the far side of a penetrated body.
//!
//! ```text
//!         contactor
//!     ╲        ╱
//!      ╲______╱       n·(into either face of the target) ≤ 0, n·(into either face of the contactor) ≥ 0
//!          n↑
//!        ╱────╲
//!       ╱      ╲
//!        target
//! ```
//! Curved edges are parabolas through their middle nodes, with closest points by Newton's method. If two curved edges
//! approach each other at two places, the method finds only one.
//!
//! If the angle between two edges is below 0.6°, node–face contact replaces their edge contact. It also replaces an
//! edge contact within a hundredth of the edge length from an end, if the node at this end is in contact with the other
//! body. If this node is not in contact, only edge contact supports the corner.
//!
//! A crossing next to an end is also no contact if the edges have passed each other outside the bodies. In this case,
//! the node at this end lies in front of a face of the other edge. An example is a leaning block that slides over the
//! rim of a lower slab.
//!
//! # Source
//! Cirak & West 2005, IJNME 64, 1078–1110 (constraint with the normal d₁ × d₂ and the weights 1 − α, α, −(1 − β), −β);
//! Gottschalk, Lin & Manocha 1996, and Gregorius 2013, "The separating axis test between convex polyhedra" (arcs of the
//! Gauss map); Ericson, Real-Time Collision Detection, §5.1.9 (closest points).

mod crossing;
mod curve;
mod pair;
mod passed;
mod redundant;

use rayon::prelude::*;

use crate::Constraints;
use crate::detection::model::ContactModel;
use crate::math::Vec3;
use crossing::{Crossing, are_parallel, crossing, push};
use redundant::RedundantCrossings;

pub(crate) use crossing::normal_of_crossing;
pub(crate) use curve::{Curve, bounds_of_edge, closest_places};
pub(crate) use pair::{EdgePair, near_edges};
pub use passed::edges_have_passed;

const PAIRS_PER_TASK: usize = 256;

/// Candidates and workspace of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeEdgeSearch {
    candidates: Vec<EdgePair>,
    /// End nodes of the two edges of each candidate; `None` if an edge is curved, because its chord can be parallel to
    /// the other edge although the edges cross.
    ends: Vec<Option<[[u32; 2]; 2]>>,
    found: Vec<Vec<Crossing>>,
    crossings: Vec<Crossing>,
    redundant_crossings: RedundantCrossings,
}

impl EdgeEdgeSearch {
    /// Replaces the candidates. The new candidates may be in any order and repeated.
    pub fn set(&mut self, model: &ContactModel, candidates: impl IntoIterator<Item = EdgePair>) {
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.candidates.par_sort_unstable();
        self.candidates.dedup();
        let ends = |pair: &EdgePair| {
            let edges = pair.edges(model);
            edges.iter().all(|edge| edge.middle.is_none()).then(|| edges.map(|edge| edge.nodes))
        };
        self.ends.clear();
        self.ends.extend(self.candidates.iter().map(ends));
    }

    /// Number of candidates.
    pub fn num_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Adds the constraints of crossed edges to `constraints`, which already contain the node constraints. Redundant
    /// (`redundant`) and covered (`Crossing::is_covered`) crossings give no constraint.
    pub fn find(&mut self, model: &ContactModel, positions: &[Vec3], constraints: &mut Constraints) {
        let tasks = self.candidates.par_chunks(PAIRS_PER_TASK).zip(self.ends.par_chunks(PAIRS_PER_TASK));
        let chord = |[from, to]: [u32; 2]| positions[to as usize] - positions[from as usize];
        let may_cross = |ends: &Option<[[u32; 2]; 2]>| {
            ends.is_none_or(|[first, second]| !are_parallel(&chord(first), &chord(second)))
        };
        self.found.resize_with(tasks.len(), Vec::new);
        self.found.par_iter_mut().zip(tasks).for_each(|(found, (pairs, ends))| {
            let pairs = pairs.iter().zip(ends).filter(|(_, ends)| may_cross(ends));
            found.clear();
            found.extend(pairs.filter_map(|(pair, _)| crossing(model, pair, positions)));
        });
        self.crossings.clear();
        self.crossings.extend(self.found.iter().flatten());
        let is_redundant = self.redundant_crossings.find(model, positions, &self.crossings);
        for (crossing, &is_redundant) in self.crossings.iter().zip(is_redundant) {
            if crossing.is_contact && !is_redundant && !crossing.is_covered(model, positions, constraints) {
                push(model, crossing, constraints);
            }
        }
    }
}

#[cfg(test)]
mod tests;
