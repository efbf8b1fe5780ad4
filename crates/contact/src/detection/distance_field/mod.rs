//! Distance fields on the element mesh: the distance of the points of a body from its surface (Wolff & Bucher 2013).
//!
//! The distance d is defined in the reference configuration: d > 0 inside, d = 0 on the surface. The elements
//! interpolate the distance and, separately, an assumed gradient of the distance. Distances at the nodes alone would
//! interpolate to zero in an element with all nodes on the surface. The elements therefore have additional points on
//! edges, on faces and in centres. These points and the nodes are the *support points*. The geometry of the elements is
//! unchanged.
//!
//! | module | in the paper |
//! |---|---|
//! | `marching` | closest-feature front marching, Algorithm 1 |
//! | `gradient` | assumed gradients by lumped least squares, eqs. (11)–(13) |
//! | `boundary` | normals at the support points on the surface, eq. (14) |
//! | `sample` | push-forward (15), linearised projection (17)–(20) |
//! | `field` | curvature (16) |
//! | `comparison` | plain nodal, low-order and piecewise linear interpolation |
//!
//! # Source
//! Wolff & Bucher, CMAME 259 (2013) 77–92. By default the distances are exact, and face normals are weighted by the
//! angles of the faces. [`DistanceFieldOptions`] also offers the choices of the paper. [`FieldSample::projection`]
//! computes the depth from the gradient of the interpolated distance, except near the medial axis;
//! [`FieldSample::published_projection`] is the projection of the paper.

mod boundary;
mod closest;
mod comparison;
mod enriched;
mod error;
mod fast_marching;
mod field;
mod gradient;
mod marching;
mod options;
mod sample;
mod sub_simplices;
mod support;
mod target;
#[cfg(test)]
mod tests;

pub use enriched::Enriched;
pub use error::DistanceFieldError;
pub use field::DistanceField;
pub use options::{Band, DistanceAlgorithm, DistanceFieldOptions, NormalWeight};
pub use sample::{FieldSample, Projection, newton_projection};
pub use support::Solid;
