//! Assembled stiffness of all contact springs of a step, by node and rigid body.
//!
//! A single spring of stiffness κ on the effective mass m_eff is stable if κ dt²/m_eff is small; several springs on one
//! body are stable only if the sum of these values is small. Let W = G M⁻¹ Gᵀ be the compliance of the contacts, with
//! the mass matrix M and the map G from velocities to relative velocities, K the diagonal matrix of the stiffnesses
//! κ_k, and λ the largest eigenvalue. With W split into contributions of deformable nodes and rigid bodies, λ(K W) ≤
//! λ(K W_nodes) + λ(K W_rigid):
//!
//! ```text
//! nodes    λ ≤ max_a (1/m_a) Σ_k κ_k |w_ka| Σ_b |w_kb|               Gershgorin on the assembled stiffness
//! rigid    λ ≤ Σ over the two bodies of (tr A⁸)^⅛,  A = M⁻¹ Σ_k κ_k h_k h_kᵀ,  h = (n, r × n)
//! ```
//! Here w_ka is the weight of node a of mass m_a in contact k, n the contact normal, and r the vector from the centre
//! of the body to the contact. (tr A⁸)^⅛ is at least the largest eigenvalue of A and at most 1.25 times this
//! eigenvalue.
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

/// Marks bodies without contact springs.
const NONE: u32 = u32::MAX;

/// Largest total λ dt² of the springs on rigid bodies. At this value an impact lasts ten steps, and the energy error is
/// 6e-4 of the impact energy.
pub const MAX_ON_RIGID_BODIES: f64 = 0.1;

/// Ratio ω²/λ, with the squared frequency ω² reported to the step control and the bound λ of rigid bodies. In steps of
/// 1.9/ω, λ dt² is [`MAX_ON_RIGID_BODIES`].
const FREQUENCY_RATIO: f64 = 3.6 / MAX_ON_RIGID_BODIES;

/// Largest total λ dt² of the springs on deformable nodes. Elements at 0.8 of their critical step have λ dt² = 1.6²;
/// the sum 1.4 + 1.6² stays below the stability limit of 4. An impact begins between two steps. The energy of the nodes
/// in contact then has a relative error of up to λ dt²/4, until the opening of the contact balances this error. If the
/// nodes in contact are a large part of the mass of a body, as in coarse meshes, [`MAX_OF_BODY_ENERGY`] is the stricter
/// limit.
const MAX_ON_NODES: f64 = 1.4;

/// Largest λ dt² m_c/m, with the mass m of a body and the mass m_c of its nodes in contact. At this value the energy
/// error is a twentieth of the energy of the body.
const MAX_OF_BODY_ENERGY: f64 = 0.2;

/// Smallest ratio of the squared frequency of coupled springs to the squared frequency of a single spring. For a plate
/// on two springs at its ends, this ratio is 0.5.
const MIN_COUPLED_RATIO: f64 = 0.25;

/// Weight below which the mass of a node counts as in contact in proportion to the weight. The mass in contact then
/// changes continuously as a contact reaches a node, and weights by rounding have no effect.
const FULL_WEIGHT: f64 = 1e-3;

/// Part of the mass of a node that is in contact by this weight \[-\].
fn part(weight: f64) -> f64 {
    (weight.abs() / FULL_WEIGHT).min(1.0)
}

/// Sums over the springs of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct AssembledStiffness {
    /// Sums for every node; zero for nodes without springs.
    nodes: Vec<OnNode>,
    /// Nodes with springs.
    contact_nodes: Vec<u32>,
    /// Mass of every body \[kg\].
    masses: Vec<f64>,
    /// Mass of the deformable nodes in contact of every body \[kg\].
    touched_masses: Vec<f64>,
    /// Rigid bodies with contact springs.
    rigid: Vec<OnRigid>,
    /// Index of every body in `rigid`.
    places: Vec<u32>,
}

/// Springs on a node.
#[derive(Clone, Copy, Debug, Default)]
struct OnNode {
    /// Σ_k κ_k |w_ka| Σ_b |w_kb| over the springs k \[N/m\].
    stiffness: f64,
    /// Σ_k κ_k w_ka n_k over the normal springs \[N/m\].
    resultant: Vec3,
    /// Part of its mass that is in contact \[-\].
    part: f64,
}

/// Springs on a rigid body.
#[derive(Clone, Debug)]
struct OnRigid {
    body: u32,
    /// Σ κ h hᵀ with h = (n, r × n).
    stiffness: Mat6,
    /// Σ κ h of the normal springs.
    resultant: Vec6,
    /// Bound on the eigenvalues of M⁻¹ Σ κ h hᵀ \[1/s²\].
    bound: f64,
}

/// Bounds on λ(K W) of the springs coupled to a contact \[1/s²\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bound {
    /// Contribution of deformable nodes.
    pub nodes: f64,
    /// Contribution of rigid bodies.
    pub rigid: f64,
    /// Largest ratio of a bound to its largest allowed λ dt² \[1/s²\].
    over_allowed: f64,
}

/// Frequency of a contact spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactFrequency {
    /// ω² with all coupled contacts on the same nodes or rigid bodies \[rad²/s²\].
    pub square: f64,
    /// ω² of the single spring \[rad²/s²\].
    pub alone: f64,
    /// Whether only rigid bodies move.
    pub is_of_rigid_bodies: bool,
}

impl Bound {
    /// Fraction of the spring stiffness at which, for steps of this length, the springs are stable and the energy of
    /// impacts is accurate.
    pub fn share(&self, time_step: f64) -> f64 {
        let over = self.over_allowed * time_step * time_step;
        if over > 1.0 { 1.0 / over } else { 1.0 }
    }

    /// Bounds for springs with the fraction `share` of their stiffness.
    pub fn shared(self, share: f64) -> Self {
        Self { nodes: self.nodes * share, rigid: self.rigid * share, over_allowed: self.over_allowed * share }
    }

    /// Squared frequency for the step control \[rad²/s²\]. Damping reduces the stable step of springs on nodes by the
    /// factor `lowering`; springs on rigid bodies are far from the stability limit.
    pub fn frequency_squared(&self, lowering: f64) -> f64 {
        self.nodes / (lowering * lowering) + FREQUENCY_RATIO * self.rigid
    }

    /// Componentwise maximum of two sets of bounds.
    pub fn max(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.max(other.nodes),
            rigid: self.rigid.max(other.rigid),
            over_allowed: self.over_allowed.max(other.over_allowed),
        }
    }
}

impl AssembledStiffness {
    /// Empty sums, for bodies of these masses \[kg\].
    pub fn new(masses: Vec<f64>) -> Self {
        Self { touched_masses: vec![0.0; masses.len()], masses, ..Self::default() }
    }

    /// Clears the sums of the previous step.
    pub fn clear(&mut self, mobility: &Mobility) {
        self.contact_nodes.drain(..).for_each(|node| self.nodes[node as usize] = OnNode::default());
        self.touched_masses.fill(0.0);
        self.rigid.drain(..).for_each(|rigid| self.places[rigid.body as usize] = NONE);
        self.nodes.resize(mobility.num_nodes(), OnNode::default());
        self.places.resize(mobility.num_bodies(), NONE);
    }

    /// Adds a normal spring and, with friction, a tangential spring of the same stiffness \[N/m\].
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

    /// Computes the bounds after all springs are added.
    pub fn bound(&mut self, mobility: &Mobility) {
        for rigid in &mut self.rigid {
            let Some(of_body) = mobility.rigid(rigid.body) else { continue };
            let ratio = inverse_mass(of_body) * rigid.stiffness;
            let scale = ratio.trace();
            if scale > 0.0 {
                let fourth = (ratio / scale).pow(4);
                // tr (A⁴ A⁴)
                rigid.bound = scale * fourth.component_mul(&fourth.transpose()).sum().powf(0.125);
            }
        }
    }

    /// Squared frequency Σ_j κ_j W_ij of contact i if all coupled springs j have equal compression \[1/s²\].
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

    /// Frequency ω of contact i with the given spring stiffness κ_i and bounds, coupled to other contacts. Opposing
    /// contacts, as on the two sides of a body between other bodies, reduce the frequency. Between rigid bodies, ω² is
    /// at least the fraction `MIN_COUPLED_RATIO` of κ_i W_ii; with deformable nodes, at least κ_i W_ii.
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
        // The bound of the nodes is up to twice the ω² of a single contact.
        ContactFrequency {
            square: alone.max(0.5 * bound.nodes).max(coupled),
            alone,
            is_of_rigid_bodies: false,
        }
    }

    /// Bounds of the springs coupled to a contact.
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

/// Row h = (w n, r × n) of a unit force in the direction n, with the total weight w and the arm r of the nodes.
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

    /// Bounds of a contact of node 3 with these shape values on a triangle, for bodies of 4 kg.
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

    /// The mass of a node with a weight by rounding is not in contact. Reference: λ is 2.5 1/s² by the contactor of
    /// 0.8 kg and 1 1/s² by the node of 2 kg. The limits of λ dt² are 0.2 · 4/0.8 and 0.2 · 4/2, so that both sides give
    /// the ratio 2.5 1/s².
    #[test]
    fn weights_by_rounding_have_no_effect() {
        for weight in [0.0, 1e-15] {
            let found = bound([1.0 - weight, 0.0, weight]);
            assert!((found.nodes - 2.5).abs() < 1e-9, "{found:?}");
            assert!((found.over_allowed - 2.5).abs() < 1e-9, "{found:?}");
        }
    }
}
