//! Options of the search for closest faces, and starting points of iterative closest-point methods.

use ictus_core::vocabulary;
use serde::{Deserialize, Serialize};

use crate::NodeOnSurface;
use crate::detection::face::closest_point::{Method, Start};

/// Options of the closest-point computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeFaceOptions {
    /// Method for closest points.
    pub method: Method,
    /// Starting point of an iterative method.
    pub start: StartFrom,
}

vocabulary! {
    /// Starting point of an iterative closest-point method on a candidate face.
    pub enum StartFrom {
        /// The node or the centre of the face, whichever is nearest to the contactor.
        Nearest = "nearest",
        /// The centre of the face.
        Centre = "centre",
        /// The closest point of the previous step, if on the same face; otherwise as `Nearest`.
        Previous = "previous",
    }
}

impl StartFrom {
    pub(super) fn on(self, face: u32, last: Option<StartingPoint>) -> Start {
        match (self, last) {
            (Self::Centre, _) => Start::Centre,
            (Self::Previous, Some(last)) if last.face == face => Start::Previous(last.xi),
            (Self::Nearest | Self::Previous, _) => Start::Nearest,
        }
    }
}

/// Closest face of a node in the previous step, and closest point on this face: the start for [`StartFrom::Previous`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartingPoint {
    pub(super) key: NodeOnSurface,
    pub(super) face: u32,
    pub(super) xi: [f64; 2],
}
