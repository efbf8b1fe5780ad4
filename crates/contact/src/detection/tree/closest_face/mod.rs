//! The closest point of a whole surface, for many query points.
//!
//! An index stores the faces of a surface in one configuration: leaves of four faces below a tree with eight boxes per
//! node. The boxes are in single precision and rounded outward. One vector instruction tests a point against eight
//! boxes or four triangles.
//!
//! ```text
//! nodes    [□ □ □ □ □ □ □ □]                     complete tree: the children of a node are consecutive
//!           │ └──────────────────┐
//!          [□ □ □ □ □ □ □ □]    [□ □ □ □ □ □ □ □] …
//!           │
//! leaves   [△ △ △ △]                             four triangles, or four faces of other kinds
//! ```
//! The tree has at least 15 % more leaves than the faces require, so some leaves are not full.
//!
//! Every result is bitwise equal to the result of a search over all faces. The rounded bounds exclude only faces that
//! are farther than the closest face found so far. Among equally close faces, the face with the lowest number is the
//! result. The result is therefore independent of the order of the search and of the number of threads.
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

/// Children of a node.
const CHILDREN: usize = WIDTH;

/// The face of a surface that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestFace {
    /// The face.
    pub face: u32,
    /// The point of the face closest to the query.
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
    /// Leaves: the children of the nodes of the lowest level.
    leaves: Vec<Leaf>,
    /// Sample points on faces of the leaves of each lowest-level node.
    samples: Vec<Sample>,
    /// Largest extent of a group of queries \[m\]: twice the mean extent of a lowest-level node.
    span: f64,
    /// Kind of each face of the leaves with [`Shapes::Others`], and index of its first node in `other_nodes`.
    other_faces: Vec<(CellKind, u32)>,
    other_nodes: Vec<Vec3>,
    /// Bound on the rounding errors of distances \[m\].
    margin: f64,
}

/// Boxes of eight children in single precision, rounded outward; NaN for a missing child.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    boxes: Boxes,
    /// The first child; leaves are numbered before nodes.
    first: u32,
}

/// A point on a face of each of eight leaves, by coordinate and leaf; NaN for a missing leaf.
type Sample = [[f64; CHILDREN]; 3];

/// Up to four faces in ascending order; a leaf with fewer faces repeats a face.
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
    /// Four triangles, none a sliver; zeros in a leaf without faces.
    Triangles(TriangleLanes),
    /// The faces of any other leaf, by index in `other_faces`.
    Others([u32; LANES]),
}

#[inline(always)]
fn is_finite(point: &Vec3) -> bool {
    point.x.is_finite() && point.y.is_finite() && point.z.is_finite()
}
