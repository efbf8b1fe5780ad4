//! Nodes in contact with two bodies while they pass from one body to the next.
//!
//! A node just past the rim of a body still has a contact with this body. If the node is already below a face of an
//! adjacent flush body, two contacts would act. The new contact is therefore removed until the existing contact ends.

use crate::flush::continues;
use crate::{Constraint, Constraints, ContactKey};

/// Removes each contact that is not in `before` but continues ([`continues`]) another contact of its node that is in
/// `before`. Overwrites `workspace`.
pub(super) fn drop_duplicates(
    before: &Constraints,
    constraints: &mut Constraints,
    workspace: &mut Constraints,
) {
    workspace.clear();
    for contact in constraints.iter() {
        let is_continuing = |other: &Constraint<'_>| {
            continues([&other.normal, &contact.normal], [other.gap, contact.gap])
                && before.contains(other.key)
        };
        let is_doubled = match contact.key {
            ContactKey::Node(name) if !before.contains(contact.key) => {
                constraints.of_contactor(name.contactor).any(|other| is_continuing(&other))
            }
            _ => false,
        };
        if !is_doubled {
            workspace.push_copy(&contact);
        }
    }
    std::mem::swap(constraints, workspace);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::{NodeOnSurface, Side};

    fn contacts(of: &[(f64, Vec3)]) -> Constraints {
        let mut constraints = Constraints::default();
        for (target, &(gap, normal)) in (1..).zip(of) {
            let side = |body, nodes| Side { body, nodes, shape_values: &[1.0] };
            let key = ContactKey::Node(NodeOnSurface { contactor: 0, target });
            constraints.push(key, gap, normal, side(0, &[0]), side(target, &[1]));
        }
        constraints
    }

    #[test]
    fn nodes_on_the_rims_of_flush_bodies_are_borne_once() {
        let (up, aside) = (Vec3::z(), Vec3::x());
        let left = |before: &Constraints, second: (f64, Vec3)| {
            let mut constraints = contacts(&[(-0.1, up), second]);
            drop_duplicates(before, &mut constraints, &mut Constraints::default());
            constraints.len()
        };
        let before = contacts(&[(-0.1, up)]);
        assert_eq!(left(&before, (-0.1, up)), 1);
        assert_eq!(left(&before, (-0.19, up)), 1);
        assert_eq!(left(&before, (-0.21, up)), 2);
        assert_eq!(left(&before, (-0.1, aside)), 2);
        // If both contacts are new, or neither is new, both remain.
        assert_eq!(left(&Constraints::default(), (-0.1, up)), 2);
        assert_eq!(left(&contacts(&[(-0.1, up), (-0.1, up)]), (-0.1, up)), 2);
    }
}
