//! Finite elements: stress, energy, forces and frequency bounds, vectorised over elements.

pub(crate) mod block;
pub(crate) mod formulation;
pub(crate) mod frequency_bound;
pub(crate) mod group;
pub(crate) mod history;
pub(crate) mod interpolation;
pub(crate) mod kernel;
pub(crate) mod mean_dilatation;
pub(crate) mod one_point_hexahedron;
pub(crate) mod reference_geometry;

pub use block::{ElementBlock, ElementError, Integration};
