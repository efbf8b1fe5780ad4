//! Hyperelastic laws over [`Real`](crate::math::real::Real): one source for single points and vectors of points.
//!
//! Laws use the displacement gradient H = F − I, not F: at small strain F − I would lose the significant digits, and
//! under a rigid rotation the strain E = ½(H + Hᵀ + HᵀH) vanishes to rounding, and the energy to its square.
//!
//! A new law needs a file, a row of [`Material`], and a row in the dispatch of element blocks.

mod elasticity;
mod law;
mod linear_elastic;
mod neo_hookean;
mod st_venant_kirchhoff;

#[cfg(test)]
mod tests;

pub use elasticity::{Elasticity, ElasticityError};
pub use law::{Law, MaterialResponse, Response, TangentBound};
pub use linear_elastic::LinearElastic;
pub use neo_hookean::NeoHookean;
pub use st_venant_kirchhoff::StVenantKirchhoff;

/// A law and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Material {
    /// Small-strain isotropic elasticity.
    LinearElastic(Elasticity),
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff(Elasticity),
    /// Compressible neo-Hookean.
    NeoHookean(Elasticity),
}

impl Material {
    /// Elastic constants of the undeformed material.
    pub fn elasticity(&self) -> Elasticity {
        match *self {
            Self::LinearElastic(e) | Self::StVenantKirchhoff(e) | Self::NeoHookean(e) => e,
        }
    }
}
