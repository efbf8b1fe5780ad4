//! Pairs of rigid bodies that stick.

use super::row::swings_rigidly;
use super::{ContactResult, Mobility, Status};
use crate::contact::Constraints;

/// Pairs of rigid bodies with a contact that sticks. Where one does, the others do not slide, though friction of some is at
/// its bound: they give way as far as the springs of those that hold, or not at all, and have the coefficient at rest. Two
/// rigid bodies come to slide when all of their contacts are at their bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct StickingPairs {
    /// Ascending.
    pairs: Vec<[u32; 2]>,
}

impl StickingPairs {
    /// Notes the pairs of a step.
    pub fn note(&mut self, constraints: &Constraints, results: &[ContactResult], mobility: &Mobility) {
        let contacts = constraints.iter().zip(results);
        let sticking = contacts.filter(|(constraint, result)| {
            result.status == Status::Stick && swings_rigidly(constraint, mobility)
        });
        self.clear();
        self.pairs.extend(sticking.map(|(constraint, _)| ascending(constraint.bodies)));
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Forgets the pairs.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Whether two bodies have stuck in the step before.
    pub fn hold(&self, bodies: [u32; 2]) -> bool {
        self.pairs.binary_search(&ascending(bodies)).is_ok()
    }
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
