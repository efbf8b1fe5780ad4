//! Options of the search for closest faces, and starting points of iterative methods.

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

/// Starting point of an iterative method on a candidate face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFrom {
    /// The point nearest to the contactor among the nodes and the centre of the face.
    #[default]
    Nearest,
    /// The centre of the face.
    Centre,
    /// The closest point of the last step, if the candidate face was the closest face in the last step. On any other
    /// face, as `Nearest`.
    Previous,
}

impl StartFrom {
    /// Starting point on a face, given the closest point of the last step.
    pub(super) fn on(self, face: u32, last: Option<StartingPoint>) -> Start {
        match (self, last) {
            (Self::Centre, _) => Start::Centre,
            (Self::Previous, Some(last)) if last.face == face => Start::Previous(last.xi),
            (Self::Nearest | Self::Previous, _) => Start::Nearest,
        }
    }
}

/// Closest face of a node in the last step, and the closest point on this face. With [`StartFrom::Previous`], the next
/// search starts from this point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartingPoint {
    pub(super) key: NodeOnSurface,
    pub(super) face: u32,
    pub(super) xi: [f64; 2],
}
