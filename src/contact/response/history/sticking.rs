//! Pairs of rigid bodies that stick.

use crate::contact::Constraints;
use crate::contact::response::mobility::Mobility;
use crate::contact::response::row::swings_rigidly;
use crate::contact::response::{ContactResult, Status};

/// Pairs of rigid bodies with a contact that sticks. Where one does, the others do not slide, though friction of some is at
/// its bound: they give way as far as the springs of those that hold, or not at all, and have the coefficient at rest. Two
/// rigid bodies come to slide when all of their contacts are at their bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct StickingPairs {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::response::mobility::RigidMobility;
    use crate::contact::response::samples::{INVERSE_MASS, free_nodes, node_on_face};
    use crate::math::{Mat3, Vec3};

    fn results(statuses: &[Status]) -> Vec<ContactResult> {
        statuses.iter().map(|&status| ContactResult { status, ..ContactResult::default() }).collect()
    }

    /// A node that lands sticks in its first step, as its spring across the normal is not stretched yet: that holds its pair
    /// of rigid bodies, once, in the step after, and no longer where it slides then as all others do. Bodies of which nodes
    /// give way are not held.
    #[test]
    fn a_landing_node_holds_its_pair_for_one_step() {
        let mut mobility = free_nodes(&INVERSE_MASS);
        let zero = Vec3::zeros();
        let rigid = RigidMobility {
            centre: zero,
            inverse_mass: Vec3::repeat(1.0),
            inverse_inertia: Mat3::identity(),
            velocity: zero,
            angular_velocity: zero,
            acceleration: zero,
            angular_acceleration: zero,
        };
        let (mut one, mut two) = (Constraints::default(), Constraints::default());
        node_on_face(&mut one, 3, -0.1);
        [3, 4].iter().for_each(|&node| node_on_face(&mut two, node, -0.1));
        let mut pairs = StickingPairs::default();
        mobility.set_rigid(1, rigid);
        pairs.note(&one, &results(&[Status::Stick]), &mobility);
        assert!(!pairs.hold([0, 1]), "the node of body 0 gives way");
        mobility.set_rigid(0, rigid);
        pairs.note(&one, &results(&[Status::Slip]), &mobility);
        assert!(!pairs.hold([0, 1]));
        pairs.note(&two, &results(&[Status::Slip, Status::Stick]), &mobility);
        assert!(pairs.hold([0, 1]) && pairs.hold([1, 0]) && !pairs.hold([0, 2]));
        pairs.note(&two, &results(&[Status::Stick, Status::Stick]), &mobility);
        assert_eq!(pairs.pairs, [[0, 1]], "once");
        pairs.note(&two, &results(&[Status::Slip, Status::Slip]), &mobility);
        assert!(!pairs.hold([0, 1]), "all slide");
    }
}
