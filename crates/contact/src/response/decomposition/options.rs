//! Options of the decomposition response.

use crate::response::laws::friction::FrictionLaw;
use crate::response::laws::pairs::PairOptions;
use crate::response::setup::{AngularMomentum, Order};

/// Impact laws of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// Coefficient of restitution e of each contact, in \[0, 1\].
    pub restitution: f64,
    /// Friction law.
    pub friction: FrictionLaw,
}

/// Options of the decomposition contact response.
#[derive(Clone, Debug, PartialEq)]
pub struct DecompositionOptions {
    /// Impact laws of all pairs of bodies.
    pub pairs: PairOptions<ImpactOptions>,
    /// Order in which the contacts of a group are solved.
    pub order: Order,
    /// Number of steps from one contact solution to the next, at least 1.
    pub every: u32,
    /// Fraction of each detected penetration that the projection removes, in \[0, 1\].
    pub projection: f64,
    /// Treatment of the angular momentum that the projection changes.
    pub angular_momentum: AngularMomentum,
}
