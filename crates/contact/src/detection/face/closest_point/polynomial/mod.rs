//! A face as a polynomial of its natural coordinates, relative to the query point r.
//!
//! x(ξ) − r = Σ c_ij ξⁱ ηʲ. The query is first subtracted from the nodes, against cancellation far from the origin.
//! A part of a face ([`FacePolynomial::part`]) is a polynomial of the same type as the face, on the same domain. Its
//! bounds are therefore computed like those of a whole face.

mod face_polynomial;
mod linear;
mod quadratic;

#[cfg(test)]
mod tests;

pub use face_polynomial::{Cell, Derivatives, Expansion, FacePolynomial};
pub use linear::{Bilinear, Segment, Triangle};
pub use quadratic::{Biquadratic, QuadraticSegment, Serendipity, SixNodeTriangle};

use crate::math::Vec3;
use crate::mesh::CellKind;

/// A computation on a face polynomial of any kind.
pub trait Visitor {
    /// Result of the computation.
    type Output;
    /// Performs the computation.
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> Self::Output;
}

/// Passes the polynomial of a face to a visitor; `None` for points, for solids, and for too few nodes.
#[inline]
pub fn visit<V: Visitor>(kind: CellKind, nodes: &[Vec3], query: &Vec3, visitor: V) -> Option<V::Output> {
    macro_rules! polynomial {
        ($type:ty) => {
            Some(visitor.visit(&<$type>::new(nodes.first_chunk()?, query)))
        };
    }
    match kind {
        CellKind::Line2 => polynomial!(Segment),
        CellKind::Line3 => polynomial!(QuadraticSegment),
        CellKind::Tri3 => polynomial!(Triangle),
        CellKind::Quad4 => polynomial!(Bilinear),
        CellKind::Tri6 => polynomial!(SixNodeTriangle),
        CellKind::Quad8 => polynomial!(Serendipity),
        CellKind::Quad9 => polynomial!(Biquadratic),
        CellKind::Point1
        | CellKind::Tet4
        | CellKind::Wedge6
        | CellKind::Hex8
        | CellKind::Tet10
        | CellKind::Hex20
        | CellKind::Hex27 => None,
    }
}
