//! What an element computes: stress, energy and forces of several elements at a time, and the bound of its highest frequency.

pub(crate) mod block;
pub(crate) mod formulation;
pub(crate) mod frequency_bound;
pub(crate) mod group;
pub(crate) mod interpolation;
pub(crate) mod kernel;
pub(crate) mod mean_dilatation;
pub(crate) mod one_point_hexahedron;
pub(crate) mod reference_geometry;

pub use block::{ElementBlock, ElementError, Integration};
