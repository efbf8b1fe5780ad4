//! Distance fields on the element mesh: the distance of the points of a body from its surface (Wolff & Bucher 2013).
//!
//! The distance d is defined in the reference configuration: d > 0 inside, d = 0 on the surface. The elements
//! interpolate the distance and, separately, an assumed gradient of the distance. Nodal distances alone would
//! interpolate to zero in an element with all nodes on the surface. The elements therefore have *support points* on
//! their edges, on their faces and in their centres. Their geometry is unchanged.
//!
//! | module | contents |
//! |---|---|
//! | `enriched` | support points and shape functions of each kind of element (tetrahedra 15, hexahedra 27, …) |
//! | `support` | support points of a body and the narrow band |
//! | `boundary` | normals at the support points on the surface, eq. (14) |
//! | `closest` | closest points of the surface by each algorithm |
//! | `marching` | closest-feature front marching: as published (Algorithm 1), or with a walk over neighbouring faces |
//! | `fast_marching` | fast marching |
//! | `sub_simplices` | division of an enriched element into triangles or tetrahedra |
//! | `gradient` | assumed gradients by lumped least squares, eqs. (11)–(13) |
//! | `field` | [`DistanceField`]: construction, samples, curvature (16) |
//! | `sample` | [`FieldSample`]: push-forward (15), depth, linearised projection (17)–(20) |
//! | `comparison` | interpolations that the paper compares: plain nodal, low-order and piecewise linear |
//!
//! # Source
//! Wolff & Bucher, CMAME 259 (2013) 77–92. By default the distances are exact, and the angles of the faces weight the
//! normals. [`DistanceFieldOptions`] also offers the choices of the paper. [`FieldSample::projection`] computes the
//! depth from the natural gradient, except near the medial axis. [`FieldSample::published_projection`] is the
//! projection of the paper, from the assumed gradient.

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
