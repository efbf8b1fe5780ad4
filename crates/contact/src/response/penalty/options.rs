//! Options of the penalty response.

use serde::{Deserialize, Serialize};

use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;

/// Stiffness rule of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// From masses and time step dt: κ = f m_eff/dt² with the factor f, stable for any material. m_eff is the effective
    /// mass: 1/m_eff is the sum of w_a²/m_a over the deformable nodes a, plus the sum of n · H n over the rigid bodies.
    /// w_a and m_a are nodal weights and masses, n is the normal, and H the compliance matrix of a rigid body at the
    /// contact \[1/kg\].
    Mass,
    /// From the elements behind the surface: κ = f k with the factor f and 1/k = Σ w_a²/k_a over the nodes a. The
    /// vector contains the stiffness k_a = K A²/V of every node \[N/m\], from the bulk modulus K, face area A and
    /// volume V of the elements. k_a is infinite on rigid bodies; between two rigid bodies the rule [`Stiffness::Mass`]
    /// applies. Contacts stiffer than the elements reduce the time step.
    Segment(Vec<f64>),
    /// The same stiffness κ for all contacts \[N/m\]; the factor f has no effect.
    Given(f64),
}

/// Parameters of the penalty response for a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PenaltyOptions {
    /// Factor f of the stiffness \[-\].
    pub factor: f64,
    /// Damping of the normal spring.
    pub damping: Damping,
    /// Damping of the tangential spring of friction.
    pub tangential_damping: Damping,
    /// Friction law.
    pub friction: FrictionLaw,
    /// Time in which new springs reach their full stiffness \[s\]; 0 for full stiffness from the beginning.
    pub soft_start: f64,
}
