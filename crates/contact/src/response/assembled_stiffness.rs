//! Assembled stiffness of all contact springs of a step, by node and rigid body.
//!
//! Contact k has a spring of stiffness κ_k. K is the diagonal matrix of the κ_k, and W = G M⁻¹ Gᵀ is the compliance of
//! the contacts: G maps velocities to relative velocities, and M is the mass matrix of the model. λ(K W) is the largest
//! eigenvalue of K W. Without elements, time steps dt are stable if λ dt² is less than 4.
//!
//! Deformable nodes contribute W_nodes to W, and rigid bodies W_rigid. Node a has the mass m_a, and the weight w_ka in
//! contact k. A rigid body has the 6 × 6 mass matrix M_r. In contact k with the normal n, h_k = (n, r × n), where r is
//! the vector from the centre of the body to the contact. The bounds on λ are
//!
//! ```text
//! both     λ(K W) ≤ λ(K W_nodes) + λ(K W_rigid)
//! nodes    λ(K W_nodes) ≤ max_a (1/m_a) Σ_k κ_k |w_ka| Σ_b |w_kb|    Gershgorin on the assembled stiffness
//! rigid    λ(K W_rigid) ≤ max_i Σ_bodies (tr A⁸)^⅛,  A = M_r⁻¹ Σ_k κ_k h_k h_kᵀ
//! ```
//! Σ_b is over the nodes b of contact k, Σ_bodies over the two bodies of contact i, and Σ_k over the contacts of node a
//! or of the rigid body. (tr A⁸)^⅛ is at most 6^⅛ < 1.26 times the largest eigenvalue of A.
//!
//! # Source
//! Derived.

use nalgebra::{SMatrix, SVector};

use crate::Constraint;
use crate::math::Vec3;

use super::Bodies;
use super::mobility::{Mobility, RigidMobility};
use super::row::{compliance_along_normal, deformable_sides, is_rigid_contact, rigid_sides};

type Mat6 = SMatrix<f64, 6, 6>;
type Vec6 = SVector<f64, 6>;

const NONE: u32 = u32::MAX;

/// Limit on λ dt² of all springs on rigid bodies together. At this limit, an impact lasts ten steps, with an energy
/// error of 6e-4.
pub const MAX_ON_RIGID_BODIES: f64 = 0.1;

/// Ratio ω²/λ, where ω² is the squared frequency that the step control receives for rigid bodies with the bound λ. With
/// this ratio, steps of 1.9/ω have λ dt² = `MAX_ON_RIGID_BODIES`.
const FREQUENCY_RATIO: f64 = 3.6 / MAX_ON_RIGID_BODIES;

/// Limit on λ dt² of all springs on deformable nodes together. Elements at 0.8 of their critical step add λ dt² = 1.6²;
/// 1.4 + 1.6² is below the stability limit of 4.
const MAX_ON_NODES: f64 = 1.4;

/// Limit on λ dt² m_c/m, with the mass m of a body and the mass m_c of its nodes in contact. At this limit, the energy
/// error of an impact is a twentieth of the energy of the body.
const MAX_OF_BODY_ENERGY: f64 = 0.2;

/// Lower limit on the squared frequency of a spring between rigid bodies, coupled to other springs, as a ratio to the
/// squared frequency of the spring alone. For a plate on two springs at its ends, the ratio is 0.5.
const MIN_COUPLED_RATIO: f64 = 0.25;

/// Smallest weight for which the whole mass of a node counts as in contact. Below this weight, the mass in contact is
/// proportional to the weight. Therefore the mass in contact changes continuously when a contact reaches a node.
const FULL_WEIGHT: f64 = 1e-3;

fn part(weight: f64) -> f64 {
    (weight.abs() / FULL_WEIGHT).min(1.0)
}

#[derive(Clone, Debug, Default)]
pub(super) struct AssembledStiffness {
    nodes: Vec<OnNode>,
    contact_nodes: Vec<u32>,
    /// Mass of each body \[kg\].
    masses: Vec<f64>,
    /// Mass of the deformable nodes in contact, by body \[kg\].
    touched_masses: Vec<f64>,
    rigid: Vec<OnRigid>,
    /// Index in `rigid`, by body; `NONE` without contact springs.
    places: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct OnNode {
    /// Σ_k κ_k |w_ka| Σ_b |w_kb| over the contacts k of the node a \[N/m\].
    stiffness: f64,
    /// Σ_k κ_k w_ka n_k over the normal springs \[N/m\].
    resultant: Vec3,
    /// Fraction of the nodal mass that counts as in contact \[-\].
    part: f64,
}

#[derive(Clone, Debug)]
struct OnRigid {
    body: u32,
    /// Σ κ h hᵀ over the normal and tangential springs, with the row h computed by `row`.
    stiffness: Mat6,
    /// Σ κ h of the normal springs.
    resultant: Vec6,
    /// Bound on the eigenvalues of A = M_r⁻¹ Σ κ h hᵀ \[1/s²\].
    bound: f64,
}

/// Bounds on λ(K W) of the springs coupled to a contact \[1/s²\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bound {
    pub nodes: f64,
    pub rigid: f64,
    /// Largest ratio of a bound to the limit on λ dt² for this bound \[1/s²\].
    over_allowed: f64,
}

/// Squared frequencies ω² of a contact spring \[rad²/s²\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactFrequency {
    /// ω² of the spring coupled to all contacts on the same nodes or rigid bodies.
    pub square: f64,
    pub alone: f64,
    pub is_of_rigid_bodies: bool,
}

impl Bound {
    /// Largest fraction of the stiffness, at most 1, for which steps of `time_step` \[s\] are stable and conserve the
    /// energy of impacts accurately.
    pub fn share(&self, time_step: f64) -> f64 {
        let over = self.over_allowed * time_step * time_step;
        if over > 1.0 { 1.0 / over } else { 1.0 }
    }

    pub fn shared(self, share: f64) -> Self {
        Self { nodes: self.nodes * share, rigid: self.rigid * share, over_allowed: self.over_allowed * share }
    }

    /// Squared frequency for the step control \[rad²/s²\]. `lowering` is the ratio of the stable step with damping to
    /// the stable step without damping, and applies to springs on nodes. Springs on rigid bodies are far from the
    /// stability limit and need no such factor.
    pub fn frequency_squared(&self, lowering: f64) -> f64 {
        self.nodes / (lowering * lowering) + FREQUENCY_RATIO * self.rigid
    }

    pub fn max(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.max(other.nodes),
            rigid: self.rigid.max(other.rigid),
            over_allowed: self.over_allowed.max(other.over_allowed),
        }
    }
}

impl AssembledStiffness {
    pub fn new(masses: Vec<f64>) -> Self {
        Self { touched_masses: vec![0.0; masses.len()], masses, ..Self::default() }
    }

    pub fn clear(&mut self, mobility: &Mobility) {
        self.contact_nodes.drain(..).for_each(|node| self.nodes[node as usize] = OnNode::default());
        self.touched_masses.fill(0.0);
        self.rigid.drain(..).for_each(|rigid| self.places[rigid.body as usize] = NONE);
        self.nodes.resize(mobility.num_nodes(), OnNode::default());
        self.places.resize(mobility.num_bodies(), NONE);
    }

    /// Adds a normal spring and, with friction, tangential springs of the same stiffness.
    pub fn add(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>, stiffness: f64, friction: bool) {
        let mobility = bodies.mobility;
        let sum: f64 = deformable_sides(constraint, mobility).flat_map(|(.., w)| w).map(|w| w.abs()).sum();
        for (body, nodes, weights) in deformable_sides(constraint, mobility) {
            for (&node, weight) in nodes.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                let inverse_mass = bodies.inverse_mass[node as usize];
                let on_node = &mut self.nodes[node as usize];
                if on_node.stiffness == 0.0 {
                    self.contact_nodes.push(node);
                }
                let further = (part(*weight) - on_node.part).max(0.0);
                on_node.part += further;
                self.touched_masses[body as usize] +=
                    if inverse_mass > 0.0 { further / inverse_mass } else { 0.0 };
                on_node.stiffness += stiffness * weight.abs() * sum;
                on_node.resultant += constraint.normal * (stiffness * weight);
            }
        }
        for (body, total, arm) in rigid_sides(constraint, bodies) {
            let sum = self.of_body(body);
            let along = row(total, &arm, &constraint.normal);
            sum.resultant += along * stiffness;
            if friction {
                let axes = [0, 1, 2].map(|axis| row(total, &arm, &Vec3::ith(axis, 1.0)));
                axes.iter().for_each(|axis| sum.stiffness.ger(stiffness, axis, axis, 1.0));
            } else {
                sum.stiffness.ger(stiffness, &along, &along, 1.0);
            }
        }
    }

    fn of_body(&mut self, body: u32) -> &mut OnRigid {
        let place = &mut self.places[body as usize];
        if *place == NONE {
            *place = self.rigid.len() as u32;
            self.rigid.push(OnRigid { body, stiffness: Mat6::zeros(), resultant: Vec6::zeros(), bound: 0.0 });
        }
        &mut self.rigid[*place as usize]
    }

    /// Computes `OnRigid::bound` of each rigid body. Must be called after the last call of `add`.
    pub fn bound(&mut self, mobility: &Mobility) {
        for rigid in &mut self.rigid {
            let Some(of_body) = mobility.rigid(rigid.body) else { continue };
            let ratio = inverse_mass(of_body) * rigid.stiffness;
            let scale = ratio.trace();
            if scale > 0.0 {
                let fourth = (ratio / scale).pow(4);
                // The sum is tr (A⁴ A⁴) of the scaled A.
                rigid.bound = scale * fourth.component_mul(&fourth.transpose()).sum().powf(0.125);
            }
        }
    }

    /// Σ_j κ_j W_ij \[1/s²\]: ω² of contact i if all coupled springs j are equally compressed.
    fn coupled(&self, constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> f64 {
        let mobility = bodies.mobility;
        let of_body = |(body, total, arm): (u32, f64, Vec3)| {
            let resultant = self.rigid.get(self.places[body as usize] as usize)?.resultant;
            let own = row(total, &arm, &constraint.normal);
            Some(own.dot(&(inverse_mass(mobility.rigid(body)?) * resultant)))
        };
        let of_node = |(&node, weight): (&u32, &f64)| {
            let jump = mobility.velocity_jump(node, &self.nodes[node as usize].resultant);
            weight * constraint.normal.dot(&jump)
        };
        let rigid = rigid_sides(constraint, bodies).filter_map(of_body).sum::<f64>();
        let nodes =
            deformable_sides(constraint, mobility).flat_map(|(_, nodes, weights)| nodes.iter().zip(weights));
        rigid + nodes.map(of_node).sum::<f64>()
    }

    /// `stiffness` is κ \[N/m\]; `bound` has the bounds of the coupled springs. Contacts on opposite sides of a body
    /// reduce `coupled`, so `square` has a lower limit.
    pub fn contact_frequency(
        &self,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        stiffness: f64,
        bound: Bound,
    ) -> ContactFrequency {
        let alone = stiffness * compliance_along_normal(constraint, bodies);
        let coupled = self.coupled(constraint, bodies);
        if is_rigid_contact(constraint, bodies.mobility) {
            return ContactFrequency {
                square: coupled.max(MIN_COUPLED_RATIO * alone),
                alone,
                is_of_rigid_bodies: true,
            };
        }
        // Half of `bound.nodes`, because this bound is twice ω² if a single movable node touches a fixed deformable
        // face.
        ContactFrequency {
            square: alone.max(0.5 * bound.nodes).max(coupled),
            alone,
            is_of_rigid_bodies: false,
        }
    }

    pub fn of(&self, constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Bound {
        let of_node = |&node: &u32| self.nodes[node as usize].stiffness * bodies.inverse_mass[node as usize];
        let of_body = |&body: &u32| {
            self.rigid.get(self.places[body as usize] as usize).map_or(0.0, |rigid| rigid.bound)
        };
        let rigid = constraint.bodies.iter().map(of_body).sum();
        let mut bound = Bound { nodes: 0.0, rigid, over_allowed: rigid / MAX_ON_RIGID_BODIES };
        for (body, nodes, _) in deformable_sides(constraint, bodies.mobility) {
            let of_side = nodes.iter().map(of_node).fold(0.0, f64::max);
            let [whole, contact_nodes] =
                [&self.masses, &self.touched_masses].map(|masses| masses[body as usize]);
            let allowed = if contact_nodes > 0.0 {
                MAX_ON_NODES.min(MAX_OF_BODY_ENERGY * whole / contact_nodes)
            } else {
                MAX_ON_NODES
            };
            let side = Bound { nodes: of_side, rigid: 0.0, over_allowed: of_side / allowed };
            bound = bound.max(side);
        }
        bound
    }
}

/// Row h = (w n, r × n) for the direction n. `total` is w = Σ w_a and `arm` is r = Σ w_a (x_a − c), with the nodal
/// weights w_a, the nodal positions x_a and the centre c of the body.
fn row(total: f64, arm: &Vec3, direction: &Vec3) -> Vec6 {
    let (moved, turned) = (direction * total, arm.cross(direction));
    Vec6::new(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z)
}

fn inverse_mass(rigid: &RigidMobility) -> Mat6 {
    let mut inverse = Mat6::zeros();
    inverse.fixed_view_mut::<3, 3>(0, 0).set_diagonal(&rigid.inverse_mass);
    inverse.fixed_view_mut::<3, 3>(3, 3).copy_from(&rigid.inverse_inertia);
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::samples::{INVERSE_MASS, bodies, free_nodes, key, positions};
    use crate::{Constraints, Side};

    fn bound(shape_values: [f64; 3]) -> Bound {
        let (x, mobility) = (positions(0.0), free_nodes(&INVERSE_MASS));
        let velocities = [Vec3::zeros(); 4];
        let bodies = bodies(&x, &velocities, &INVERSE_MASS, &mobility);
        let mut constraints = Constraints::default();
        let target = Side { body: 1, nodes: &[0, 1, 2], shape_values: &shape_values };
        let contactor = Side { body: 0, nodes: &[3], shape_values: &[1.0] };
        constraints.push(key(3), 0.0, Vec3::z(), contactor, target);
        let mut assembled = AssembledStiffness::new(vec![4.0, 4.0]);
        assembled.clear(&mobility);
        assembled.add(&constraints.get(0), &bodies, 1.0, false);
        assembled.bound(&mobility);
        assembled.of(&constraints.get(0), &bodies)
    }

    /// Reference: the bound is 2.5 s⁻² for the contactor of 0.8 kg and 1 s⁻² for the target node of 2 kg. Each body has
    /// 4 kg, so the limits on λ dt² are 0.2 · 4/0.8 and 0.2 · 4/2. Both ratios of bound to limit are 2.5 s⁻².
    #[test]
    fn weights_by_rounding_have_no_effect() {
        for weight in [0.0, 1e-15] {
            let found = bound([1.0 - weight, 0.0, weight]);
            assert!((found.nodes - 2.5).abs() < 1e-9, "{found:?}");
            assert!((found.over_allowed - 2.5).abs() < 1e-9, "{found:?}");
        }
    }
}
