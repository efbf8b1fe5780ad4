//! Sticking pairs of rigid bodies.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::Constraints;
use crate::response::mobility::Mobility;
use crate::response::row::is_rigid_contact;
use crate::response::{ContactResult, Status};

/// Pairs of rigid bodies with a sticking contact. A deformable body counts as rigid in a contact in which all its nodes
/// are fixed.
///
/// A sticking contact prevents the relative motion of its two bodies, except by the deformation of its spring.
/// Therefore, in the next step, the static coefficient of friction applies to every contact of the pair whose slip is
/// small: at most the stretch of its spring at the static bound, or, with impulses, a slip that static friction stops.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StickingPairs {
    /// Sorted; the lower body number of each pair is first.
    pairs: Vec<[u32; 2]>,
}

clone_by_field!(StickingPairs { pairs });

impl StickingPairs {
    pub fn note(&mut self, constraints: &Constraints, results: &[ContactResult], mobility: &Mobility) {
        let contacts = constraints.iter().zip(results);
        let sticking = contacts.filter(|(constraint, result)| {
            result.status == Status::Stick && is_rigid_contact(constraint, mobility)
        });
        self.clear();
        self.pairs.extend(sticking.map(|(constraint, _)| ascending(constraint.bodies)));
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Whether two bodies were a sticking pair at the last call of `note`.
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
    use crate::math::{Mat3, Vec3};
    use crate::response::mobility::RigidMobility;
    use crate::response::samples::{INVERSE_MASS, free_nodes, node_on_face};

    fn results(statuses: &[Status]) -> Vec<ContactResult> {
        statuses.iter().map(|&status| ContactResult { status, ..ContactResult::default() }).collect()
    }

    /// A node sticks in its first step of contact, because its tangential spring is unstretched. A contact with movable
    /// deformable nodes never makes a sticking pair.
    #[test]
    fn a_landing_node_makes_its_pair_stick_for_one_step() {
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
        assert!(!pairs.hold([0, 1]), "body 0 is deformable");
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
