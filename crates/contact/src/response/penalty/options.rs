//! Options of the penalty response.

use serde::{Deserialize, Serialize};

use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;

/// Stiffness rule of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// From masses and time step dt: κ = f m_eff/dt², where 1/m_eff is Σ w²/m over deformable nodes plus n · H n over
    /// rigid bodies. Here w and m are nodal weights and masses, n is the normal, and H the compliance of a rigid body
    /// at the contact. Stable for any material.
    Mass,
    /// From the elements behind the surface: κ = f k with 1/k = Σ w²/k_a. The values are the stiffness k_a = K A²/V of
    /// every node, from the bulk modulus K, face area A and volume V of the elements \[N/m\]; infinite for nodes of
    /// rigid bodies. The time step decreases if the contact is stiffer than the elements.
    Segment(Vec<f64>),
    /// Constant for all contacts \[N/m\].
    Given(f64),
}

/// Parameters of the penalty response for a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PenaltyOptions {
    /// Factor f of the stiffness \[-\].
    pub factor: f64,
    /// Normal damping.
    pub damping: Damping,
    /// Damping of the tangential spring of friction.
    pub tangential_damping: Damping,
    /// Friction law.
    pub friction: FrictionLaw,
    /// Time in which the springs of a new contact reach their full stiffness \[s\].
    pub soft_start: f64,
}
