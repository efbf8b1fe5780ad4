//! Contact: the surfaces that can touch, how contact is found, and how it is answered.
//!
//! Words of the sources and ours: the *slave* node of the literature is the `contactor` node, its *master* face
//! the `target` face. The gap is negative when the contactor has penetrated; normals point out of the target.

pub mod detection;
mod surface;

pub use surface::{Edge, Surface};
