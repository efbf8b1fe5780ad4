//! Constitutive laws, generic over [`Real`](crate::math::real::Real): for single points and for SIMD lanes.
//!
//! The argument of a law is the displacement gradient H instead of F, because the subtraction F − I would lose
//! significant digits at small strain.
//!
//! A new law needs a file and a row of `laws!`. A law without history implements [`Hyperelastic`], a law with history
//! [`Law`].

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
pub use law::{Hyperelastic, Law, MaterialResponse, PointHistory, StrainResponse, TangentBound};
#[cfg(feature = "test-law")]
pub use maxwell::RELAXATION_TIME;

/// Declares [`Material`] and [`LAWS`] from the laws and their names in scenarios.
macro_rules! laws {
    ($($(#[doc = $description:literal])* $(#[cfg($condition:meta)])? $module:ident::$law:ident = $name:literal,)*) => {
        $($(#[cfg($condition)])? pub use $module::$law;)*

        /// A law and its constants.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Material { $($(#[doc = $description])* $(#[cfg($condition)])? $law(Elasticity),)* }

        /// All laws.
        pub const LAWS: &[NamedLaw] = &[$(
            $(#[cfg($condition)])?
            NamedLaw {
                name: $name,
                is_objective: !<$law as Law>::SMALL_STRAIN,
                material: Material::$law,
            },
        )*];

        impl Material {
            /// Elastic constants of the undeformed material.
            pub fn elasticity(&self) -> Elasticity {
                match *self { $($(#[cfg($condition)])? Self::$law(elasticity) => elasticity,)* }
            }

            /// Runs `operation` with the law.
            pub fn with_law<O: LawOperation>(self, operation: O) -> O::Output {
                match self { $($(#[cfg($condition)])? Self::$law(elasticity) => operation.run($law(elasticity)),)* }
            }
        }
    };
}

laws! {
    /// Small-strain isotropic elasticity.
    linear_elastic::LinearElastic = "linear-elastic",
    /// St. Venant–Kirchhoff.
    st_venant_kirchhoff::StVenantKirchhoff = "st-venant-kirchhoff",
    /// Compressible neo-Hookean.
    neo_hookean::NeoHookean = "neo-hookean",
    /// A law with history.
    #[cfg(feature = "test-law")]
    maxwell::Maxwell = "maxwell",
}

/// Operation that is generic over the law.
pub trait LawOperation {
    /// Result of the operation.
    type Output;

    /// Runs the operation.
    fn run<L: Law>(self, law: L) -> Self::Output;
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
