//! The closest point of a whole surface, for many query points.
//!
//! An index holds the faces of a surface in one configuration: leaves of four faces, then a tree of four boxes a
//! node. A point meets four boxes or four triangles at a time, in lanes.
//!
//! ```text
//! nodes    [□ □ □ □]                     the tree is complete: node i of a level has the nodes (on the lowest
//!           │ └──────────┐               level, the leaves) 4 i … 4 i + 3 below it, and no links
//!          [□ □ □ □]    [□ □ □ □] …
//!           │
//! leaves   [△ △ △ △]                     four triangles, or boxes of four faces of other kinds
//! ```
//! Every answer is that of a search over all faces, bit for bit: bounds are rounded so that they exclude nothing
//! that is as close, and of equally close faces the first wins. So it depends neither on the order of the search
//! nor on the number of threads.
//!
//! # Source
//! Roussopoulos, Kelley & Vincent 1995, "Nearest neighbor queries", for the branch and bound over boxes.

mod layout;
mod search;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::closest_point::{ClosestPoint, Method, Start, batch::TriangleLanes, closest_point};
use crate::contact::Surface;
use crate::math::Vec3;
use crate::math::real::{LANES, Lanes, Real, Vectorised};
use crate::mesh::CellKind;

/// The face of a surface that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestFace {
    /// The face.
    pub face: u32,
    /// Its closest point.
    pub point: ClosestPoint,
}

/// The faces of a surface in one configuration, ordered for searches of the closest.
#[derive(Clone, Debug)]
pub struct ClosestFaceIndex {
    vectorised: Vectorised,
    /// Boxes of four children a node, level by level from the lowest, whose children are the leaves.
    nodes: Vec<Boxes>,
    /// First node of each level.
    levels: Vec<usize>,
    leaves: Vec<Leaf>,
    /// Kinds and node positions of the faces that are not plain triangles, by the first node of each.
    other_faces: Vec<(CellKind, u32)>,
    other_nodes: Vec<Vec3>,
}

/// Four boxes along the axes; one that holds nothing is at an infinite distance.
#[derive(Clone, Copy, Debug)]
struct Boxes {
    lower: [Lanes; 3],
    upper: [Lanes; 3],
}

/// Four faces; the last leaf repeats its last face.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    faces: [u32; LANES],
    shapes: Shapes,
}

#[derive(Clone, Copy, Debug)]
enum Shapes {
    /// Triangles, no sliver among them.
    Triangles(TriangleLanes),
    /// Any other faces: what bounds them, and their places in the list of such faces.
    Others(Boxes, [u32; LANES]),
}
