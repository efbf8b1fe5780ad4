//! The closest point of a whole surface, for many query points.
//!
//! Leaves of up to four faces lie below a tree of nodes with eight boxes each. The boxes are in single precision and
//! rounded outward. One vector instruction processes eight boxes or four triangles.
//!
//! ```text
//! nodes    [□ □ □ □ □ □ □ □]                     complete tree: the children of a node are consecutive
//!           │ └──────────────────┐
//!          [□ □ □ □ □ □ □ □]    [□ □ □ □ □ □ □ □] …
//!           │
//! leaves   [△ △ △ △]                             four triangles, or four faces of other kinds
//! ```
//! Every result is bitwise equal to the result of a search over all faces. Of equally close faces, the result is the
//! face with the lowest number.
//!
//! # Source
//! Roussopoulos, Kelley & Vincent 1995, "Nearest neighbor queries", for the branch and bound over boxes.

mod batch;
mod layout;
mod search;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use crate::Surface;
use crate::detection::face::closest_point::batch::TriangleLanes;
use crate::detection::face::closest_point::{ClosestPoint, Method, Start, closest_point};
use crate::math::Vec3;
use crate::math::eight_lanes::{Boxes, WIDTH};
use crate::math::real::{LANES, Lanes, Real};
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;

const CHILDREN: usize = WIDTH;

/// The face of a surface that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestFace {
    /// Number of the face in the surface.
    pub face: u32,
    /// The point of the face that is closest to the query.
    pub point: ClosestPoint,
}

/// The faces of a surface in one configuration, ordered for searches of the closest face.
#[derive(Clone, Debug)]
pub struct ClosestFaceIndex {
    vectorised: Vectorised,
    origin: Vec3,
    /// Level by level, from the lowest level to the root.
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// Points on the faces below each lowest-level node. They give upper bounds on the distances of queries.
    samples: Vec<Sample>,
    /// Consecutive queries form a group with one list of nodes (`batch`) if their coordinates differ by at most `span`
    /// \[m\] from those of the first query of the group.
    span: f64,
    /// Kind of each face in [`Shapes::Others`], and index of its first node in `other_nodes`.
    other_faces: Vec<(CellKind, u32)>,
    /// Positions of the nodes of the faces in `other_faces` \[m\].
    other_nodes: Vec<Vec3>,
}

/// Boxes of eight children, rounded outward; NaN for a missing child.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    boxes: Boxes,
    /// Number of the first child. Leaves and nodes are numbered together, leaves first.
    first: u32,
}

/// One point on a face of each leaf of a node, by coordinate and leaf; NaN for a missing leaf.
type Sample = [[f64; CHILDREN]; 3];

/// Up to four faces in ascending order. A leaf with fewer faces repeats a face. In a leaf without faces, all four
/// numbers are `u32::MAX`.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    faces: [u32; LANES],
    shapes: Shapes,
}

#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a pointer would cost a load for triangles, the most frequent leaves"
)]
enum Shapes {
    /// Four triangles, none of them nearly degenerate (a sliver); zeros in a leaf without faces.
    Triangles(TriangleLanes),
    /// The faces of any other leaf, as indices into `other_faces`.
    Others([u32; LANES]),
}

#[inline(always)]
fn is_finite(point: &Vec3) -> bool {
    point.x.is_finite() && point.y.is_finite() && point.z.is_finite()
}
