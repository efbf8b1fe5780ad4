//! Options of the penalty response.

use serde::{Deserialize, Serialize};

use crate::response::laws::damping::Damping;
use crate::response::laws::friction::FrictionLaw;

/// Parameters of the penalty response for a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PenaltyOptions {
    /// Factor by which the stiffness is multiplied \[-\].
    pub factor: f64,
    /// Damping of the normal spring.
    pub damping: Damping,
    /// Damping of the tangential spring of friction.
    pub tangential_damping: Damping,
    /// Friction law.
    pub friction: FrictionLaw,
    /// Time over which the stiffness of a new spring grows to its full value \[s\]; 0 for full stiffness at once.
    pub soft_start: f64,
}
