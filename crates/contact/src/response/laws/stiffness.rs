//! Stiffness of contact springs.

use crate::Constraint;

/// Stiffness rule of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// From masses and time step dt: κ = f m_eff/dt² with the factor f, stable for any material. m_eff is the effective
    /// mass: 1/m_eff is the sum of w_a²/m_a over the deformable nodes a, plus the sum of n · H n over the rigid bodies.
    /// w_a and m_a are nodal weights and masses, n is the normal. H \[1/kg\] maps an impulse on a rigid body at the
    /// contact to the velocity change there.
    Mass,
    /// From the elements behind the surface: κ = f k with the factor f and 1/k = Σ w_a²/k_a over the nodes a. The
    /// vector contains the stiffness k_a = K A²/V of every node \[N/m\], from the bulk modulus K, face area A and
    /// volume V of the elements. k_a is infinite on rigid bodies; between two rigid bodies the rule [`Stiffness::Mass`]
    /// applies. Contacts stiffer than the elements reduce the time step.
    Segment(Vec<f64>),
    /// The same stiffness κ for all contacts \[N/m\]; the factor f has no effect.
    Given(f64),
}

impl Stiffness {
    /// Stiffness \[N/m\] of a new contact with the effective mass `mass` \[kg\].
    pub(crate) fn of(&self, constraint: &Constraint<'_>, factor: f64, mass: f64, time_step: f64) -> f64 {
        match self {
            Self::Mass => factor * mass / (time_step * time_step),
            Self::Segment(nodal) => {
                let nodes = constraint.nodes.iter().zip(constraint.weights);
                let softness: f64 = nodes.map(|(&node, w)| w * w / nodal[node as usize]).sum();
                // Between two rigid bodies `softness` is zero, and the rule `Stiffness::Mass` applies.
                if softness > 0.0 { factor / softness } else { factor * mass / (time_step * time_step) }
            }
            Self::Given(stiffness) => *stiffness,
        }
    }
}
