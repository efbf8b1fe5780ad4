//! Groups of contacts coupled by common nodes or rigid bodies.

use crate::Constraints;
use crate::response::mobility::{Mobility, RigidMobility};
use crate::response::row::sides;

/// Impulses of one group do not change the relative velocities at the contacts of another group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    parent: Vec<u32>,
    /// An entry for each node, followed by an entry for each body: the most recent contact found on the node or body;
    /// `NONE` before the first contact. The entry of the first node of a group of ties also serves the whole group of
    /// ties.
    last: Vec<u32>,
    /// Contacts, group by group; ascending within a group.
    pub contacts: Vec<u32>,
    /// End of each group in `contacts`.
    pub ends: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Groups {
    /// Joins contacts that share a movable node of a deformable body, a group of ties, or a movable rigid body.
    pub fn find(&mut self, constraints: &Constraints, mobility: &Mobility) {
        self.find_with(constraints, mobility, |body| mobility.rigid(body).map(RigidMobility::can_move));
    }

    /// As `find`. `rigid_moves` returns whether a rigid body is movable; `None` for a deformable body.
    pub fn find_with(
        &mut self,
        constraints: &Constraints,
        mobility: &Mobility,
        rigid_moves: impl Fn(u32) -> Option<bool>,
    ) {
        self.parent.clear();
        self.parent.extend(0..constraints.len() as u32);
        self.last.resize(mobility.num_nodes() + mobility.num_bodies(), NONE);
        for (k, constraint) in constraints.iter().enumerate() {
            for (body, nodes, _) in sides(&constraint) {
                if let Some(moves) = rigid_moves(body) {
                    if moves {
                        self.join(mobility.num_nodes() + body as usize, k as u32);
                    }
                } else {
                    let moving = nodes.iter().filter(|&&node| mobility.is_movable(node));
                    moving.for_each(|&node| self.join(node as usize, k as u32));
                    // A group of ties joins the contacts of its nodes even if these nodes are not movable.
                    let tied = nodes.iter().filter_map(|&node| mobility.tied().group(node));
                    tied.for_each(|group| self.join(mobility.tied().first_node(group) as usize, k as u32));
                }
            }
        }
        for constraint in constraints.iter() {
            for (body, nodes, _) in sides(&constraint) {
                self.last[mobility.num_nodes() + body as usize] = NONE;
                nodes.iter().for_each(|&node| self.last[node as usize] = NONE);
                let tied = nodes.iter().filter_map(|&node| mobility.tied().group(node));
                tied.for_each(|group| self.last[mobility.tied().first_node(group) as usize] = NONE);
            }
        }
        self.collect();
    }

    fn join(&mut self, place: usize, contact: u32) {
        let other = std::mem::replace(&mut self.last[place], contact);
        if other != NONE {
            let (a, b) = (self.root(other), self.root(contact));
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }

    fn root(&mut self, mut contact: u32) -> u32 {
        while self.parent[contact as usize] != contact {
            let above = self.parent[self.parent[contact as usize] as usize];
            self.parent[contact as usize] = above;
            contact = above;
        }
        contact
    }

    fn collect(&mut self) {
        for contact in 0..self.parent.len() as u32 {
            self.parent[contact as usize] = self.root(contact);
        }
        self.contacts.clear();
        self.contacts.extend(0..self.parent.len() as u32);
        self.contacts.sort_unstable_by_key(|&contact| (self.parent[contact as usize], contact));
        self.ends.clear();
        for k in 0..self.contacts.len() {
            let group = |k: usize| self.parent[self.contacts[k] as usize];
            if k + 1 == self.contacts.len() || group(k) != group(k + 1) {
                self.ends.push(k as u32 + 1);
            }
        }
    }

    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        let first = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        first..self.ends[group] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use crate::math::Vec3;
    use crate::response::samples::{free_nodes, key};

    #[test]
    fn groups_are_joined_by_nodes() {
        let mut constraints = Constraints::default();
        for (contactor, target) in [(0, [5, 6]), (1, [7, 8]), (2, [6, 7]), (3, [9, 10]), (4, [9, 11])] {
            let nodes = [contactor];
            let side = Side { body: 0, nodes: &nodes, shape_values: &[1.0] };
            let target = Side { body: 1, nodes: &target, shape_values: &[0.5, 0.5] };
            constraints.push(key(contactor), -1.0, Vec3::z(), side, target);
        }
        let mut groups = Groups::default();
        for _ in 0..2 {
            groups.find(&constraints, &free_nodes(&[1.0; 12]));
            assert_eq!(groups.contacts, [0, 1, 2, 3, 4]);
            assert_eq!(groups.ends, [3, 5]);
            assert_eq!(groups.range(1), 3..5);
        }
        let mut held = [1.0; 12];
        (held[7], held[9]) = (0.0, 0.0);
        groups.find(&constraints, &free_nodes(&held));
        assert_eq!(groups.contacts, [0, 2, 1, 3, 4]);
        assert_eq!(groups.ends, [2, 3, 4, 5], "held nodes join nothing");
    }
}
