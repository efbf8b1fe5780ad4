//! Penalty response: springs that push penetrating nodes out.

use super::{Bodies, ContactAction, Response};
use crate::contact::{Constraint, Constraints, ContactKey};

/// Constants of the penalty response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyOptions {
    /// Factor f of the stiffness κ = f m_eff / dt² \[-\].
    pub factor: f64,
    /// Damping as a fraction of critical, ζ of c = 2 ζ √(κ m_eff) \[-\].
    pub damping: f64,
}

/// Penalty response with a stiffness frozen for the life of each contact.
///
/// p = max(0, κ δ + c dδ/dt) with δ = −g > 0, κ = f m_eff/dt² of the step in which the contact begins. Contacts
/// are kept whichever body is contactor, so both surfaces are checked against each other at full stiffness.
///
/// # Source
/// Hallquist, LS-DYNA Theory Manual, "soft constraint penalty formulation" for the scaling with m/dt²; here
/// m_eff = 1/Σ(w²/m) replaces the smaller nodal mass.
#[derive(Clone, Debug)]
pub struct Penalty {
    options: PenaltyOptions,
    springs: Vec<Spring>,
    previous: Vec<Spring>,
    node_stiffness: Vec<f64>,
}

/// The spring of one contact.
#[derive(Clone, Copy, Debug)]
struct Spring {
    key: ContactKey,
    stiffness: f64,
}

impl Penalty {
    /// A response for a model of `num_nodes` nodes.
    pub fn new(options: PenaltyOptions, num_nodes: usize) -> Self {
        Self { options, springs: Vec::new(), previous: Vec::new(), node_stiffness: vec![0.0; num_nodes] }
    }

    /// Springs of these constraints: the old one of a contact that goes on, a new one otherwise.
    fn carry_springs(&mut self, constraints: &Constraints, inverse_mass: &[f64], time_step: f64) {
        std::mem::swap(&mut self.springs, &mut self.previous);
        self.springs.clear();
        let mut old = self.previous.iter().peekable();
        for constraint in constraints.iter() {
            while old.next_if(|spring| spring.key < constraint.key).is_some() {}
            let carried = old.next_if(|spring| spring.key == constraint.key);
            let stiffness = carried.map_or_else(
                || self.options.factor * finite_mass(&constraint, inverse_mass) / (time_step * time_step),
                |spring| spring.stiffness,
            );
            self.springs.push(Spring { key: constraint.key, stiffness });
        }
    }

    /// Bound on the square of the frequency that the springs add: max over nodes of (1/m_a) Σ κ |w_a| Σ_b |w_b|, from
    /// Gershgorin's theorem on the assembled contact stiffness. Σ_b |w_b| is 2 where shape functions are positive,
    /// and up to 4 on quadratic faces.
    fn frequency_bound(&mut self, constraints: &Constraints, inverse_mass: &[f64], nodes: &[u32]) -> f64 {
        for (constraint, spring) in constraints.iter().zip(&self.springs) {
            let sum: f64 = constraint.weights.iter().map(|weight| weight.abs()).sum();
            for (&node, weight) in constraint.nodes.iter().zip(constraint.weights) {
                self.node_stiffness[node as usize] += spring.stiffness * weight.abs() * sum;
            }
        }
        let mut bound: f64 = 0.0;
        for &node in nodes {
            bound = bound.max(inverse_mass[node as usize] * self.node_stiffness[node as usize]);
            self.node_stiffness[node as usize] = 0.0;
        }
        bound
    }
}

/// Effective mass of a contact; zero, hence no force, where neither side can move.
fn finite_mass(constraint: &Constraint<'_>, inverse_mass: &[f64]) -> f64 {
    let mass = constraint.effective_mass(inverse_mass);
    if mass.is_finite() { mass } else { 0.0 }
}

impl Response for Penalty {
    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        time_step: f64,
        action: &mut ContactAction,
    ) {
        action.clear();
        self.carry_springs(constraints, bodies.inverse_mass, time_step);
        for (constraint, spring) in constraints.iter().zip(&self.springs) {
            let penetration = (-constraint.gap).max(0.0);
            let penetration_rate = -constraint.normal.dot(&constraint.jump(bodies.velocities));
            let mass = finite_mass(&constraint, bodies.inverse_mass);
            let damping = 2.0 * self.options.damping * (spring.stiffness * mass).sqrt();
            let elastic = spring.stiffness * penetration;
            let force = (elastic + damping * penetration_rate).max(0.0);
            for (&node, &weight) in constraint.nodes.iter().zip(constraint.weights) {
                action.forces[node as usize] += constraint.normal * (force * weight);
            }
            action.nodes.extend_from_slice(constraint.nodes);
            action.stored_energy += 0.5 * elastic * penetration;
            action.damping_power += (force - elastic) * penetration_rate;
        }
        action.nodes.sort_unstable();
        action.nodes.dedup();
        // Damping at mid-step velocities lowers the stable step to (2/ω) (√(1 + ζ²) − ζ).
        let zeta = self.options.damping;
        let lowering = zeta.hypot(1.0) - zeta;
        action.frequency_squared =
            self.frequency_bound(constraints, bodies.inverse_mass, &action.nodes) / (lowering * lowering);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{NodeOnSurface, Side};
    use crate::math::Vec3;

    fn constraint_at(gap: f64) -> Constraints {
        let mut constraints = Constraints::default();
        let key = ContactKey::Node(NodeOnSurface { contactor: 3, target: 1 });
        let contactor = Side { body: 0, nodes: &[3], shape_values: &[1.0] };
        let target = Side { body: 1, nodes: &[0, 1, 2], shape_values: &[0.2, 0.3, 0.5] };
        constraints.push(key, gap, Vec3::z(), contactor, target);
        constraints
    }

    const INVERSE_MASS: [f64; 4] = [0.5, 1.0, 1.0 / 1.5, 1.25];

    /// m_eff of the reference case 2, 1, 1.5, 0.8 kg with weights (0.2, 0.3, 0.5, −1): 0.655021834061
    /// (40-digit arithmetic), the force f m_eff δ / dt² and no resultant force or, as the contactor stands above
    /// the weighted point, no moment.
    #[test]
    fn force_follows_the_effective_mass_and_sums_to_zero() {
        let constraints = constraint_at(-1e-3);
        let velocities = [Vec3::zeros(); 4];
        let bodies = Bodies { velocities: &velocities, inverse_mass: &INVERSE_MASS };
        let mut response = Penalty::new(PenaltyOptions { factor: 0.4, damping: 0.0 }, 4);
        let mut action = ContactAction::new(4);
        response.respond(&constraints, &bodies, 1e-3, &mut action);
        let expected = 0.4 * 0.655021834061 / 1e-6 * 1e-3;
        assert!((action.forces[3].z - expected).abs() < 1e-9 * expected);
        assert!(action.forces.iter().sum::<Vec3>().norm() < 1e-12 * expected);
        assert!((action.stored_energy - 0.5 * expected * 1e-3).abs() < 1e-9 * expected);
    }

    /// The stiffness stays what it was when the contact began though the step shrinks, and is new after a gap.
    #[test]
    fn stiffness_is_frozen_for_the_life_of_a_contact() {
        let velocities = [Vec3::zeros(); 4];
        let bodies = Bodies { velocities: &velocities, inverse_mass: &INVERSE_MASS };
        let mut response = Penalty::new(PenaltyOptions { factor: 0.4, damping: 0.0 }, 4);
        let mut action = ContactAction::new(4);
        response.respond(&constraint_at(-1e-3), &bodies, 1e-3, &mut action);
        let begun = action.forces[3].z;
        response.respond(&constraint_at(-1e-3), &bodies, 0.5e-3, &mut action);
        assert_eq!(action.forces[3].z, begun);
        response.respond(&Constraints::default(), &bodies, 0.5e-3, &mut action);
        assert_eq!(action.forces[3], Vec3::zeros());
        response.respond(&constraint_at(-1e-3), &bodies, 0.5e-3, &mut action);
        assert!((action.forces[3].z / begun - 4.0).abs() < 1e-12);
    }

    /// The bound on the frequency is above the exact one of a single contact, κ Σ w²/m.
    #[test]
    fn frequency_bound_holds_for_one_contact() {
        let velocities = [Vec3::zeros(); 4];
        let bodies = Bodies { velocities: &velocities, inverse_mass: &INVERSE_MASS };
        let mut response = Penalty::new(PenaltyOptions { factor: 1.0, damping: 0.0 }, 4);
        let mut action = ContactAction::new(4);
        response.respond(&constraint_at(-1e-3), &bodies, 1e-3, &mut action);
        assert!(action.frequency_squared >= 1.0 / 1e-6 * (1.0 - 1e-12));
        assert!(action.frequency_squared <= 4.0 / 1e-6);
    }

    /// The same at the centre of an eight-node face, whose corners have negative shares, for random masses and for a
    /// contactor that cannot move.
    #[test]
    fn frequency_bound_holds_on_quadratic_faces() {
        let shares = [-0.25, -0.25, -0.25, -0.25, 0.5, 0.5, 0.5, 0.5];
        let mut constraints = Constraints::default();
        let key = ContactKey::Node(NodeOnSurface { contactor: 8, target: 1 });
        let contactor = Side { body: 0, nodes: &[8], shape_values: &[1.0] };
        let target = Side { body: 1, nodes: &[0, 1, 2, 3, 4, 5, 6, 7], shape_values: &shares };
        constraints.push(key, -1e-3, Vec3::z(), contactor, target);
        for of_contactor in [0.0, 1.0, 3.0] {
            let corner = 16.0 / 3.0;
            let inverse_mass = [corner, corner, corner, corner, 4.0, 4.0, 4.0, 4.0, of_contactor];
            let velocities = [Vec3::zeros(); 9];
            let bodies = Bodies { velocities: &velocities, inverse_mass: &inverse_mass };
            let mut response = Penalty::new(PenaltyOptions { factor: 1.0, damping: 0.0 }, 9);
            let mut action = ContactAction::new(9);
            response.respond(&constraints, &bodies, 1e-3, &mut action);
            // κ Σ w²/m is 1/dt² by the choice of κ.
            assert!(action.frequency_squared >= 1.0 / 1e-6 * (1.0 - 1e-12), "{}", action.frequency_squared);
        }
    }
}
