//! Contact history: the states of the contacts, kept from step to step under the keys of the contacts.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::{Constraint, Constraints, ContactKey};

/// States of the contacts, sorted by key like the constraints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Serialize", deserialize = "S: Deserialize<'de>"))]
pub(crate) struct ContactHistory<S> {
    now: States<S>,
    #[serde(skip)]
    before: States<S>,
    /// Workspace: keys and indices of states.
    #[serde(skip)]
    order: Vec<(ContactKey, u32)>,
}

clone_by_field!(ContactHistory<S> { now, before, order });

#[derive(Debug, Serialize, Deserialize)]
struct States<S> {
    keys: Vec<ContactKey>,
    states: Vec<S>,
}

clone_by_field!(States<S> { keys, states });

impl<S> Default for ContactHistory<S> {
    fn default() -> Self {
        Self { now: States::default(), before: States::default(), order: Vec::new() }
    }
}

impl<S> Default for States<S> {
    fn default() -> Self {
        Self { keys: Vec::new(), states: Vec::new() }
    }
}

impl<S: Copy> ContactHistory<S> {
    /// Whether each key has a state and the keys are sorted.
    pub fn is_consistent(&self) -> bool {
        self.now.keys.len() == self.now.states.len() && self.now.keys.is_sorted()
    }

    /// Replaces the keys by the keys of `constraints`. A continuing contact keeps its state, `begin` creates the state
    /// of a new contact, and `end` receives the state of an ended contact.
    pub fn update(
        &mut self,
        constraints: &Constraints,
        mut begin: impl FnMut(&Constraint<'_>) -> S,
        mut end: impl FnMut(ContactKey, &S),
    ) {
        if self.now.keys == constraints.keys() {
            return; // all contacts continue
        }
        std::mem::swap(&mut self.now, &mut self.before);
        let Self { now, before, .. } = self;
        now.keys.clear();
        now.states.clear();
        let keys = constraints.keys();
        let mut old = 0;
        while now.keys.len() < keys.len() {
            let new = now.keys.len();
            while before.keys.get(old).is_some_and(|key| *key < keys[new]) {
                end(before.keys[old], &before.states[old]);
                old += 1;
            }
            let continuing = keys[new..].iter().zip(&before.keys[old..]).take_while(|(a, b)| a == b).count();
            if continuing == 0 {
                now.keys.push(keys[new]);
                now.states.push(begin(&constraints.get(new)));
            } else {
                now.keys.extend_from_slice(&keys[new..new + continuing]);
                now.states.extend_from_slice(&before.states[old..old + continuing]);
                old += continuing;
            }
        }
        before.keys[old..].iter().zip(&before.states[old..]).for_each(|(key, state)| end(*key, state));
    }

    /// Replaces every key by `name(key)`; the new keys must be distinct.
    pub fn rename(&mut self, name: impl Fn(ContactKey) -> ContactKey) {
        let Self { now, before, order } = self;
        order.clear();
        order.extend(now.keys.iter().map(|&key| name(key)).zip(0..));
        order.sort_unstable();
        debug_assert!(order.windows(2).all(|pair| pair[0].0 < pair[1].0), "two contacts of one name");
        before.keys.clear();
        before.states.clear();
        before.keys.extend(order.iter().map(|&(key, _)| key));
        before.states.extend(order.iter().map(|&(_, place)| now.states[place as usize]));
        std::mem::swap(now, before);
    }

    pub fn holds(&self, key: ContactKey) -> bool {
        self.now.keys.binary_search(&key).is_ok()
    }

    pub fn of_mut(&mut self, key: ContactKey) -> Option<&mut S> {
        let k = self.now.keys.binary_search(&key).ok()?;
        self.now.states.get_mut(k)
    }

    /// Returns each constraint with its state. `constraints` must be a subset of the constraints of the last call of
    /// `update`.
    pub fn beside<'a>(
        &'a mut self,
        constraints: &'a Constraints,
    ) -> impl Iterator<Item = (Constraint<'a>, &'a mut S)> {
        let mut states = self.now.keys.iter().zip(&mut self.now.states);
        constraints.iter().filter_map(move |constraint| {
            let found = states.find(|(key, _)| **key == constraint.key);
            debug_assert!(found.is_some(), "a constraint without a state");
            let (_, state) = found?;
            Some((constraint, state))
        })
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.now.states.iter_mut()
    }

    pub fn get(&self, k: usize) -> &S {
        &self.now.states[k]
    }

    pub fn iter(&self) -> impl Iterator<Item = &S> {
        self.now.states.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::samples::{key, node_on_face};

    #[test]
    fn states_follow_their_contacts() {
        let constraints = |contactors: &[u32]| {
            let mut constraints = Constraints::default();
            contactors.iter().for_each(|&node| node_on_face(&mut constraints, node, -1.0));
            constraints
        };
        let mut history: ContactHistory<u32> = ContactHistory::default();
        let mut ended = Vec::new();
        history.update(&constraints(&[3, 5, 8]), |_| 1, |_, _| ());
        history.update(&constraints(&[4, 5, 9]), |_| 2, |key, state| ended.push((key, *state)));
        assert_eq!(history.iter().copied().collect::<Vec<_>>(), [2, 1, 2]);
        assert_eq!(ended, [(key(3), 1), (key(8), 1)]);
        history.update(&constraints(&[]), |_| 3, |key, state| ended.push((key, *state)));
        assert_eq!(ended.len(), 5);
    }

    #[test]
    fn states_are_renamed() {
        let mut constraints = Constraints::default();
        [3, 5, 8].iter().for_each(|&node| node_on_face(&mut constraints, node, -1.0));
        let mut history: ContactHistory<u32> = ContactHistory::default();
        let mut number = 0;
        let mut count = |_: &Constraint<'_>| {
            number += 1;
            number
        };
        history.update(&constraints, &mut count, |_, _| ());
        history.rename(|name| if name == key(3) { key(6) } else { name });
        assert_eq!(history.iter().copied().collect::<Vec<_>>(), [2, 1, 3]);
        assert_eq!(history.of_mut(key(6)), Some(&mut 1));
        assert_eq!(history.of_mut(key(3)), None);
    }
}
