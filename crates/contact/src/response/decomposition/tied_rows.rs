//! Rows of [`Operator`] for contacts on tied nodes.

use super::operator::{Mover, Operator, Term, part, tied_part};
use crate::Constraint;
use crate::math::{Mat3, Vec3};
use crate::response::Bodies;
use crate::response::mobility::Mobility;
use crate::response::row::deformable_sides;

/// Largest omitted weight of a tied node. Weights decrease along the ties with the distance from the contact.
const NEGLIGIBLE_SHARE: f64 = 1e-24;

impl Operator {
    pub(super) fn append_tied(&mut self, constraint: &Constraint<'_>, mobility: &Mobility) {
        for (place, (group, ..)) in tied_terms(constraint, mobility).enumerate() {
            if tied_terms(constraint, mobility).take(place).all(|(other, ..)| other != group) {
                self.append_group(group, constraint, mobility);
            }
        }
    }

    fn append_group(&mut self, group: u32, constraint: &Constraint<'_>, mobility: &Mobility) {
        let terms = || tied_terms(constraint, mobility).filter(|(other, ..)| *other == group);
        let weight = |node: u32| terms().filter(|term| term.1 == node).map(|term| term.2).sum::<f64>();
        let impulses = terms().map(|(_, node, weight)| (node, Vec3::repeat(weight)));
        let mut distribution = std::mem::take(&mut self.distribution);
        let distributed = mobility.tied().distribute(group, impulses, &mut distribution);
        for (node, share) in distributed.filter(|(_, share)| share.amax() > NEGLIGIBLE_SHARE) {
            let held = mobility.node(node).map(|inverse| f64::from(inverse == 0.0));
            if held != Vec3::zeros() {
                self.reactions.push((node, share.add_scalar(-weight(node)).component_mul(&held)));
            }
            if mobility.is_movable(node) {
                let mover = self.node_mover(node, mobility);
                self.shares.push((mover, share));
            }
        }
        self.distribution = distribution;
    }

    /// Movers of tied nodes, and their weights along each axis.
    #[inline]
    pub(super) fn shares(&self, k: u32) -> &[Term<Vec3>] {
        part(&self.shares, self.rows[k as usize].shares)
    }

    /// Tied nodes with fixed components, and the tie impulses on these components for a contact impulse \[N·s\].
    pub(super) fn tie_reactions(&self, k: u32, impulse: Vec3) -> impl Iterator<Item = (u32, Vec3)> {
        let reactions = part(&self.reactions, self.rows[k as usize].reactions).iter();
        reactions.map(move |(node, share)| (*node, share.component_mul(&impulse)))
    }

    /// Part of the relative velocity that is due to tied nodes, but not to movers \[m/s\]: motion of fixed nodes, and
    /// rounding errors of tied velocities.
    pub(super) fn tied_drift(
        &self,
        k: u32,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        field: &[Vec3],
    ) -> Vec3 {
        let terms = tied_terms(constraint, bodies.mobility);
        let whole: Vec3 = terms.map(|(_, node, weight)| bodies.velocities[node as usize] * weight).sum();
        whole - tied_part(self.shares(k), field)
    }

    /// Change Σ m_a Δx_a × v_a of the angular momentum of tied nodes a due to the projection impulse `push_out`
    /// \[kg·m\].
    pub(super) fn gained_by_tied(&self, k: u32, bodies: &Bodies<'_>, push_out: &Vec3) -> Vec3 {
        let of_mover = |(mover, share): &Term<Vec3>| match self.movers()[*mover as usize] {
            Mover::Node(node) => {
                let push = bodies.mobility.free_part(node, &share.component_mul(push_out));
                push.cross(&bodies.velocities[node as usize])
            }
            _ => Vec3::zeros(),
        };
        self.shares(k).iter().map(of_mover).sum()
    }

    /// Distributes the impulses `impulse(node, mover)` over the nodes of the groups of ties of the contact. Adds the
    /// velocity changes to `field`, and the tie impulses on fixed components of nodes to `fixed` \[N·s\]. Returns the
    /// work of the impulses \[J\].
    pub(super) fn push_tied(
        &mut self,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        impulse: impl Fn(u32, usize) -> Vec3,
        field: &mut [Vec3],
        fixed: &mut Vec<(u32, Vec3)>,
    ) -> f64 {
        let mobility = bodies.mobility;
        let mut distribution = std::mem::take(&mut self.distribution);
        let mut given = 0.0;
        for (place, (group, ..)) in tied_terms(constraint, mobility).enumerate() {
            if tied_terms(constraint, mobility).take(place).any(|(other, ..)| other == group) {
                continue;
            }
            let terms = tied_terms(constraint, mobility).filter(|(other, ..)| *other == group);
            let impulses =
                terms.filter_map(|(_, node, _)| Some((node, impulse(node, self.mover_of_node(node)?))));
            for (node, share) in mobility.tied().distribute(group, impulses, &mut distribution) {
                if mobility.node(node).min() == 0.0 {
                    let held = mobility.node(node).map(|inverse| f64::from(inverse == 0.0));
                    fixed.push((node, share.component_mul(&held)));
                }
                let Some(mover) = self.mover_of_node(node) else {
                    given += share.dot(&bodies.velocities[node as usize]);
                    continue;
                };
                let jump = mobility.velocity_jump(node, &share);
                given += share.dot(&(field[mover] + 0.5 * jump));
                field[mover] += jump;
            }
        }
        self.distribution = distribution;
        given
    }

    pub(super) fn compliance_of(&self, shares: &[Term<Vec3>]) -> Mat3 {
        let of_mover = |(mover, share): &Term<Vec3>| {
            let weights = Mat3::from_diagonal(share);
            weights * self.inverse_mass[*mover as usize] * weights
        };
        shares.iter().map(of_mover).sum()
    }
}

/// For each tied node of a contact: its group of ties, its index and its weight.
fn tied_terms<'a>(
    constraint: &'a Constraint<'a>,
    mobility: &'a Mobility,
) -> impl Iterator<Item = (u32, u32, f64)> + 'a {
    deformable_sides(constraint, mobility).flat_map(move |(_, nodes, weights)| {
        let terms = nodes.iter().zip(weights);
        terms.filter_map(move |(&node, &weight)| Some((mobility.tied().group(node)?, node, weight)))
    })
}
