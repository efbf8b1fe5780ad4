//! Transfer of contacts from one body to the next over flush surfaces.
//!
//! ```text
//!        block ┆ → slides       A node that slides over a flush seam changes its target body. The contact with b
//!   ───────●───┆────────        takes over the spring of the contact with a: a new spring would have another stiffness
//!     a    ┆   b                and no stored energy, so that the block would tilt and be pushed forward.
//! ```
//! When a contact ends, a new contact of the same node takes over the old state under three conditions:
//! - The old gap, extrapolated over the step, is negative.
//! - The angle between the two normals is at most about 1°.
//! - The new penetration is at most twice the extrapolated old penetration.
//!
//! # Source
//! Derived.

use super::contact_history::ContactHistory;
use crate::flush::continues;
use crate::math::Vec3;
use crate::{Constraint, Constraints, ContactKey};

#[derive(Clone, Debug, Default)]
pub(crate) struct ContactTransfers {
    /// Key of each ended contact, and key of the new contact that takes over its state.
    found: Vec<[ContactKey; 2]>,
}

impl ContactTransfers {
    /// Finds the transfers from `before` to `now`, and returns whether any was found. A contact of `now` is new if
    /// `before` does not contain its key, and `is_remembered` is false for the key. The nodal `velocities` \[m/s\]
    /// extrapolate the gaps of `before`.
    pub fn find(
        &mut self,
        before: &Constraints,
        now: &Constraints,
        is_remembered: impl Fn(ContactKey) -> bool,
        velocities: &[Vec3],
        time_step: f64,
    ) -> bool {
        self.found.clear();
        if before.keys() == now.keys() {
            return false;
        }
        let mut old_keys = before.keys().iter().peekable();
        for (k, &key) in now.keys().iter().enumerate() {
            let ContactKey::Node(of_node) = key else { break };
            while old_keys.next_if(|&&old| old < key).is_some() {}
            if old_keys.peek() == Some(&&key) || is_remembered(key) {
                continue;
            }
            let new = now.get(k);
            let hands_over = |old: &Constraint<'_>| {
                let gap = extrapolated_gap(old, velocities, time_step);
                gap < 0.0 && continues([&old.normal, &new.normal], [gap, new.gap])
            };
            let is_over =
                |old: &Constraint<'_>| !now.contains(old.key) && self.renamed_key(old.key) == old.key;
            let old = before.of_contactor(of_node.contactor).find(|old| is_over(old) && hands_over(old));
            self.found.extend(old.map(|old| [old.key, key]));
        }
        !self.found.is_empty()
    }

    /// Key of a contact after its transfer; `key` without a transfer.
    pub fn renamed_key(&self, key: ContactKey) -> ContactKey {
        self.found.iter().find(|[old, _]| *old == key).map_or(key, |&[_, new]| new)
    }

    /// Key of a contact before its transfer; `key` without a transfer.
    pub fn original_key(&self, key: ContactKey) -> ContactKey {
        self.found.iter().find(|[_, new]| *new == key).map_or(key, |&[old, _]| old)
    }

    /// Renames the keys of the transferred states in `history`. `take_over` then adapts each of these states to its new
    /// contact.
    pub fn apply<S: Copy>(
        &self,
        now: &Constraints,
        history: &mut ContactHistory<S>,
        mut take_over: impl FnMut(&Constraint<'_>, &mut S),
    ) {
        history.rename(|key| self.renamed_key(key));
        for &[_, new] in &self.found {
            if let Some((constraint, state)) = now.of(new).zip(history.of_mut(new)) {
                take_over(&constraint, state);
            }
        }
    }
}

/// Gap extrapolated over a step \[m\].
pub(crate) fn extrapolated_gap(contact: &Constraint<'_>, velocities: &[Vec3], time_step: f64) -> f64 {
    contact.gap + contact.normal.dot(&contact.jump(velocities)) * time_step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeOnSurface, Side};

    const VELOCITIES: [Vec3; 2] = [Vec3::new(3.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.0)];

    fn key(target: u32) -> ContactKey {
        ContactKey::Node(NodeOnSurface { contactor: 0, target })
    }

    fn contacts(of: &[(u32, f64, Vec3)]) -> Constraints {
        let mut constraints = Constraints::default();
        for &(target, gap, normal) in of {
            let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
            constraints.push(key(target), gap, normal, side(0, &[0]), side(target, &[1]));
        }
        constraints
    }

    /// Target body of a contact after the step. Before the step, the target is body 1.
    fn target_after(now: &[(u32, f64, Vec3)]) -> u32 {
        let mut transfers = ContactTransfers::default();
        let before = contacts(&[(1, -0.1, Vec3::z())]);
        transfers.find(&before, &contacts(now), |key| before.contains(key), &VELOCITIES, 0.1);
        assert!(transfers.found.len() < 2);
        match transfers.renamed_key(key(1)) {
            ContactKey::Node(name) => name.target,
            ContactKey::Edges(_) => unreachable!(),
        }
    }

    #[test]
    fn contacts_transfer_over_flush_surfaces() {
        let (up, aside) = (Vec3::z(), Vec3::x());
        // The penetration, extrapolated over the step, increases by 0.05 to 0.15.
        assert_eq!(target_after(&[(2, -0.15, up)]), 2);
        assert_eq!(target_after(&[(2, -0.05, up)]), 2);
        assert_eq!(target_after(&[(2, -0.15, up), (3, -0.15, up)]), 2);
        assert_eq!(target_after(&[(2, -0.31, up)]), 1);
        assert_eq!(target_after(&[(2, -0.15, aside)]), 1);
        assert_eq!(target_after(&[(1, -0.15, up), (2, -0.15, up)]), 1);
    }
}
