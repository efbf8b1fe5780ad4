//! Gradient of the gap: nodal vectors G_a, such that the pressure p acts on node a as the force p G_a.
//!
//! In most contacts, G_a = w_a n with the weight w_a of the node, negative on the target, and the normal n. With the
//! nodal positions x_a, r = Σ w_a x_a is the vector from the target point to the contactor. In lost contacts and at
//! edges, r is not parallel to n, and the vectors w_a n have the moment r × n. A correction with a constant vector q
//! then removes this moment; x̄ is the mean of the nodal positions:
//!
//! ```text
//! G_a = w_a n + q × (x_a − x̄)
//! ```
//! The sum of the nodal vectors remains zero.

use crate::Constraint;
use crate::math::Vec3;
use crate::response::Bodies;
use crate::response::groups::couple::Couple;
use crate::response::mobility::Mobility;
use crate::response::row::{Motion, sides};

/// Largest sine of the angle between r and n at which the moment counts as rounding.
const ROUNDING: f64 = 1e-13;

/// Gap gradient of one contact. Its nodal vectors begin at `first` in the list of the nodal vectors of all contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gradient {
    first: usize,
    /// For each rigid side, the sum of the nodal vectors and their moment about the centre of the body.
    rigid: [Option<(Vec3, Vec3)>; 2],
}

impl Gradient {
    /// Appends the nodal vectors of a constraint to the list.
    pub fn new(constraint: &Constraint<'_>, bodies: &Bodies<'_>, list: &mut Vec<Vec3>) -> Self {
        let first = list.len();
        list.extend(constraint.weights.iter().map(|&weight| constraint.normal * weight));
        remove_moment(constraint, bodies.positions, &mut list[first..]);
        Self::of_nodal_vectors(first, constraint, bodies, list)
    }

    /// Appends nodal forces with zero sum that balance the moment of two forces: `force` on the contactor, and its
    /// reaction on the target. `None` if the moment is zero, or if the target has only one node, like a wall.
    pub fn against_moment(
        force: &Vec3,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        list: &mut Vec<Vec3>,
    ) -> Option<Self> {
        let moment = force.cross(&constraint.jump(bodies.positions));
        if !constraint.can_take_couple() || moment == Vec3::zeros() {
            return None;
        }
        let first = list.len();
        let positions = constraint.nodes.iter().map(|&node| bodies.positions[node as usize]);
        let couple = Couple::new(positions.clone(), &moment);
        list.extend(positions.map(|position| couple.at(&position)));
        Some(Self::of_nodal_vectors(first, constraint, bodies, list))
    }

    fn of_nodal_vectors(
        first: usize,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        list: &[Vec3],
    ) -> Self {
        let mut rigid = [None; 2];
        let mut at = first;
        for (part, (body, nodes, _)) in rigid.iter_mut().zip(sides(constraint)) {
            if let Some(found) = bodies.mobility.rigid(body) {
                let gradients = &list[at..at + nodes.len()];
                let resultant = gradients.iter().sum();
                let moment = |(&node, gradient): (&u32, &Vec3)| {
                    (bodies.positions[node as usize] - found.centre).cross(gradient)
                };
                *part = Some((resultant, nodes.iter().zip(gradients).map(moment).sum()));
            }
            at += nodes.len();
        }
        Self { first, rigid }
    }

    /// Rate Σ G_a · v_a of the gap.
    pub fn rate(
        &self,
        constraint: &Constraint<'_>,
        list: &[Vec3],
        mobility: &Mobility,
        motion: &Motion,
    ) -> f64 {
        let mut rate = 0.0;
        let mut at = self.first;
        for (part, (body, nodes, _)) in self.rigid.iter().zip(sides(constraint)) {
            if let (Some((force, moment)), Some(_)) = (part, mobility.rigid(body)) {
                let b = body as usize;
                rate += force.dot(&motion.translations[b]) + moment.dot(&motion.rotations[b]);
            } else {
                let gradients = &list[at..at + nodes.len()];
                rate +=
                    nodes.iter().zip(gradients).map(|(&n, g)| g.dot(&motion.nodes[n as usize])).sum::<f64>();
            }
            at += nodes.len();
        }
        rate
    }

    pub fn push(
        &self,
        constraint: &Constraint<'_>,
        list: &[Vec3],
        mobility: &Mobility,
        motion: &mut Motion,
        impulse: f64,
    ) {
        let mut at = self.first;
        for (part, (body, nodes, _)) in self.rigid.iter().zip(sides(constraint)) {
            if let (Some((force, moment)), Some(rigid)) = (part, mobility.rigid(body)) {
                motion.translations[body as usize] += rigid.inverse_mass.component_mul(force) * impulse;
                motion.rotations[body as usize] += rigid.inverse_inertia * moment * impulse;
            } else {
                for (&node, gradient) in nodes.iter().zip(&list[at..at + nodes.len()]) {
                    motion.nodes[node as usize] += mobility.velocity_jump(node, gradient) * impulse;
                }
            }
            at += nodes.len();
        }
    }

    /// Compliance G M⁻¹ Gᵀ \[1/kg\], with the row G of all G_a and the mass matrix M.
    pub fn compliance(&self, constraint: &Constraint<'_>, list: &[Vec3], mobility: &Mobility) -> f64 {
        let mut compliance = 0.0;
        let mut at = self.first;
        for (part, (body, nodes, _)) in self.rigid.iter().zip(sides(constraint)) {
            if let (Some((force, moment)), Some(rigid)) = (part, mobility.rigid(body)) {
                compliance += force.dot(&rigid.inverse_mass.component_mul(force));
                compliance += moment.dot(&(rigid.inverse_inertia * moment));
            } else {
                for (&node, gradient) in nodes.iter().zip(&list[at..at + nodes.len()]) {
                    compliance += gradient.dot(&mobility.velocity_jump(node, gradient));
                }
            }
            at += nodes.len();
        }
        compliance
    }
}

/// Adds nodal vectors that remove the moment of `gradients`: those with the smallest sum of squares. If the nodes are
/// collinear, the component of the moment along their line remains.
fn remove_moment(constraint: &Constraint<'_>, positions: &[Vec3], gradients: &mut [Vec3]) {
    let apart = constraint.jump(positions);
    let moment = apart.cross(&constraint.normal);
    if !constraint.can_take_couple() || moment.norm() <= ROUNDING * apart.norm() {
        return;
    }
    let position = |&node: &u32| positions[node as usize];
    let couple = Couple::new(constraint.nodes.iter().map(position), &-moment);
    for (node, gradient) in constraint.nodes.iter().zip(gradients) {
        *gradient += couple.at(&position(node));
    }
}
