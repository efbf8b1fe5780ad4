//! Constitutive laws, generic over [`Real`](crate::math::real::Real): for single points and for SIMD lanes.
//!
//! The argument of a law is the displacement gradient H instead of F, because the subtraction F − I would lose
//! significant digits at small strain.
//!
//! A new law needs a file, a variant of [`Material`], an entry of [`LAWS`], and an arm in the `match` over materials in
//! `dynamics/src/elements/block`. A law without history implements [`Hyperelastic`], a law with history [`Law`].

use std::fmt;

mod elasticity;
mod law;
mod linear_elastic;
mod neo_hookean;
mod st_venant_kirchhoff;

#[cfg(feature = "test-law")]
mod maxwell;
#[cfg(test)]
mod tests;

pub use elasticity::{Elasticity, ElasticityError};
pub use law::{Hyperelastic, Law, MaterialResponse, PointHistory, Response, TangentBound};
pub use linear_elastic::LinearElastic;
#[cfg(feature = "test-law")]
pub use maxwell::{Maxwell, RELAXATION_TIME};
pub use neo_hookean::NeoHookean;
pub use st_venant_kirchhoff::StVenantKirchhoff;

/// A law and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// Small-strain isotropic elasticity.
    LinearElastic(Elasticity),
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff(Elasticity),
    /// Compressible neo-Hookean.
    NeoHookean(Elasticity),
    /// A law with history.
    #[cfg(feature = "test-law")]
    Maxwell(Elasticity),
}

/// A law and its name in scenarios.
#[derive(Clone, Copy)]
pub struct NamedLaw {
    /// Name in scenarios; identifies the law.
    pub name: &'static str,
    /// Whether a superposed rigid rotation leaves the energy unchanged.
    pub is_objective: bool,
    /// Constructor of the law from its constants.
    pub material: fn(Elasticity) -> Material,
}

impl fmt::Debug for NamedLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for NamedLaw {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All laws that scenarios can name.
pub const LAWS: [NamedLaw; 3] = [
    NamedLaw { name: "linear-elastic", is_objective: false, material: Material::LinearElastic },
    NamedLaw { name: "st-venant-kirchhoff", is_objective: true, material: Material::StVenantKirchhoff },
    NamedLaw { name: "neo-hookean", is_objective: true, material: Material::NeoHookean },
];

impl Material {
    /// Elastic constants of the undeformed material.
    pub fn elasticity(&self) -> Elasticity {
        match *self {
            Self::LinearElastic(e) | Self::StVenantKirchhoff(e) | Self::NeoHookean(e) => e,
            #[cfg(feature = "test-law")]
            Self::Maxwell(e) => e,
        }
    }
}
