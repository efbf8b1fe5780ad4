//! Contact: the surfaces that can touch, how contact is found, and how it is answered.
//!
//! ```text
//! surfaces ─► detection (who touches whom) ─► constraints ─► response (forces) ─► the step applies them
//! ```
//! Words of the sources and ours: the *slave* node of the literature is the `contactor` node, its *master* face
//! the `target` face. The gap is negative when the contactor has penetrated; normals point out of the target.

mod constraint;
pub mod detection;
pub mod flush;
pub mod response;
mod surface;
mod surface_pair;

pub use constraint::{Constraint, Constraints, ContactKey, EdgeOnEdge, NodeOnSurface, Side};
pub use surface::{Edge, Surface};
pub use surface_pair::SurfacePair;
