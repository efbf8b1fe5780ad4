//! The closest point of a whole surface, for many query points.
//!
//! An index stores the faces of a surface in one configuration. Leaves of up to four faces lie below a tree of nodes
//! with eight boxes each. The boxes are in single precision and rounded outward. One vector instruction processes eight
//! boxes or four triangles.
//!
//! ```text
//! nodes    [□ □ □ □ □ □ □ □]                     complete tree: the children of a node are consecutive
//!           │ └──────────────────┐
//!          [□ □ □ □ □ □ □ □]    [□ □ □ □ □ □ □ □] …
//!           │
//! leaves   [△ △ △ △]                             four triangles, or four faces of other kinds
//! ```
//! The tree has at least 15 % more leaves than its faces would fill, so some leaves have fewer than four faces.
//!
//! Every result is bitwise equal to the result of a search over all faces. The rounded boxes exclude only faces that
//! are farther than the closest face found so far. Of equally close faces, the result is the face with the lowest
//! number. The result therefore does not depend on the order of the search or on the number of threads.
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

/// Number of children of a node.
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
    /// Origin of the coordinates of the boxes.
    origin: Vec3,
    /// Nodes level by level, from the lowest level to the root.
    nodes: Vec<Node>,
    /// Leaves in the order of the tree: the children of the lowest-level nodes.
    leaves: Vec<Leaf>,
    /// For each lowest-level node, sample points on the faces of its leaves.
    samples: Vec<Sample>,
    /// Largest difference in each coordinate between the first query of a group and another query \[m\]. The value is
    /// twice the mean over the lowest-level nodes of the longest side of the node.
    span: f64,
    /// Kind of each face of the leaves with [`Shapes::Others`], and index of its first node in `other_nodes`.
    other_faces: Vec<(CellKind, u32)>,
    /// Positions of the nodes of these faces \[m\].
    other_nodes: Vec<Vec3>,
    /// Largest margin of the box of a leaf \[m\]; the margin covers the rounding of computed closest points.
    margin: f64,
}

/// Boxes of eight children in single precision, rounded outward; NaN for a missing child.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    boxes: Boxes,
    /// Number of the first child; leaves and nodes are numbered together, leaves first.
    first: u32,
}

/// One point on a face of each of the eight leaves of a node, by coordinate and leaf; NaN for a missing leaf.
type Sample = [[f64; CHILDREN]; 3];

/// Up to four faces in ascending order. A leaf with fewer faces repeats a face; a leaf without faces has the numbers
/// `u32::MAX`.
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
    /// Four triangles, none of them a sliver; zeros in a leaf without faces.
    Triangles(TriangleLanes),
    /// The faces of any other leaf, as indices into `other_faces`.
    Others([u32; LANES]),
}

#[inline(always)]
fn is_finite(point: &Vec3) -> bool {
    point.x.is_finite() && point.y.is_finite() && point.z.is_finite()
}
