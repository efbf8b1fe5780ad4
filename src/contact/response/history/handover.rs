//! Contacts that one body hands over to the next.
//!
//! ```text
//!        block ┆ → slides          A node that slides over a flush seam is borne by another body, but as before: the contact
//!   ───────●───┆────────           with b takes the spring over that it had with a. A new one would have another stiffness,
//!     a    ┆   b                   and no energy: the block would lean, and be pushed along by what it leans on.
//! ```
//! A contact that ends in a step in which another one of its node begins hands over to that one if the two have the same
//! normal and if the new one is about as deep as the old one would be.
//!
//! # Source
//! Derived.

use super::carried::Carried;
use crate::contact::flush::continues;
use crate::contact::{Constraint, Constraints, ContactKey};
use crate::math::Vec3;

/// Contacts that go on with other bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handovers {
    /// Names of old contacts and of the new ones that take over.
    found: Vec<[ContactKey; 2]>,
}

impl Handovers {
    /// Finds those from the contacts `before`, which have moved over the step with these velocities \[m/s\], to those `now`
    /// of which nothing is remembered; whether there are any.
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
                let gap = followed_gap(old, velocities, time_step);
                gap < 0.0 && continues([&old.normal, &new.normal], [gap, new.gap])
            };
            let is_over = |old: &Constraint<'_>| !now.contains(old.key) && self.name_of(old.key) == old.key;
            let old = before.of_contactor(of_node.contactor).find(|old| is_over(old) && hands_over(old));
            self.found.extend(old.map(|old| [old.key, key]));
        }
        !self.found.is_empty()
    }

    /// The name by which a contact goes on.
    pub fn name_of(&self, key: ContactKey) -> ContactKey {
        self.found.iter().find(|[old, _]| *old == key).map_or(key, |&[_, new]| new)
    }

    /// The name by which a contact went before it was handed over.
    pub fn origin_of(&self, key: ContactKey) -> ContactKey {
        self.found.iter().find(|[_, new]| *new == key).map_or(key, |&[old, _]| old)
    }

    /// Lets what is remembered of the contacts follow them; `take_over` brings it in line with the new one.
    pub fn apply<S: Copy>(
        &self,
        now: &Constraints,
        carried: &mut Carried<S>,
        mut take_over: impl FnMut(&Constraint<'_>, &mut S),
    ) {
        carried.rename(|key| self.name_of(key));
        for &[_, new] in &self.found {
            if let Some((constraint, state)) = now.of(new).zip(carried.of_mut(new)) {
                take_over(&constraint, state);
            }
        }
    }
}

/// Gap of a contact that just goes on over a step with these velocities \[m\].
pub(crate) fn followed_gap(contact: &Constraint<'_>, velocities: &[Vec3], time_step: f64) -> f64 {
    contact.gap + contact.normal.dot(&contact.jump(velocities)) * time_step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{NodeOnSurface, Side};

    const VELOCITIES: [Vec3; 2] = [Vec3::new(3.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.0)];

    fn key(target: u32) -> ContactKey {
        ContactKey::Node(NodeOnSurface { contactor: 0, target })
    }

    /// Contacts of node 0 with these bodies, with their gaps and normals.
    fn contacts(of: &[(u32, f64, Vec3)]) -> Constraints {
        let mut constraints = Constraints::default();
        for &(target, gap, normal) in of {
            let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
            constraints.push(key(target), gap, normal, side(0, &[0]), side(target, &[1]));
        }
        constraints
    }

    /// The body with which the contact with body 1 goes on.
    fn heir(now: &[(u32, f64, Vec3)]) -> u32 {
        let mut handovers = Handovers::default();
        let before = contacts(&[(1, -0.1, Vec3::z())]);
        handovers.find(&before, &contacts(now), |key| before.contains(key), &VELOCITIES, 0.1);
        assert!(handovers.found.len() < 2);
        match handovers.name_of(key(1)) {
            ContactKey::Node(name) => name.target,
            ContactKey::Edges(_) => unreachable!(),
        }
    }

    #[test]
    fn contacts_are_handed_over_where_surfaces_are_flush() {
        let (up, aside) = (Vec3::z(), Vec3::x());
        // It sinks by 0.05 in the step.
        assert_eq!(heir(&[(2, -0.15, up)]), 2);
        assert_eq!(heir(&[(2, -0.05, up)]), 2);
        assert_eq!(heir(&[(2, -0.15, up), (3, -0.15, up)]), 2);
        assert_eq!(heir(&[(2, -0.31, up)]), 1);
        assert_eq!(heir(&[(2, -0.15, aside)]), 1);
        assert_eq!(heir(&[(1, -0.15, up), (2, -0.15, up)]), 1);
    }
}
