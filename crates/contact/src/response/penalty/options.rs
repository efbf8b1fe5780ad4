//! Options of the penalty response.

use serde::{Deserialize, Serialize};

use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;

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
