//! Options of the penalty response.

use serde::{Deserialize, Serialize};

use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;

/// Stiffness rule of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// From masses and time step: κ = f m_eff/dt², 1/m_eff = Σ w²/m over deformable nodes + n · H n over rigid bodies.
    /// Stable for any material.
    Mass,
    /// From the elements behind the surface: κ = f k with 1/k = Σ w² / k_a and k_a = K A²/V of every node \[N/m\],
    /// infinite for nodes of rigid bodies. The time step decreases if the contact is stiffer than the elements.
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
    /// Tangential damping, of the friction spring.
    pub tangential_damping: Damping,
    /// Friction law.
    pub friction: FrictionLaw,
    /// Time in which the springs of a new contact reach their stiffness \[s\].
    pub soft_start: f64,
}
