//! What a detector looks at next, to be looked at by people.

use crate::math::RigidMotion;

use crate::contact::detection::model::Configuration;
use crate::contact::detection::volume::Sphere;

/// Two bounding volumes of two bodies that cannot meet before some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueuedPair {
    /// The two bodies, first < second.
    pub bodies: [u32; 2],
    /// They cannot meet before \[s\]: then they are looked at again.
    pub time: f64,
    /// Depth below the root of the two tree vertices.
    pub depth: [u32; 2],
    /// Number of faces below them.
    pub num_faces: [u32; 2],
    /// Their spheres at present.
    pub spheres: [Sphere; 2],
}

/// Where all bodies are at an instant.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// They fly.
    Flying {
        /// The instant \[s\].
        time: f64,
        /// Motion of every body, counted from then on.
        motions: &'a [RigidMotion],
    },
    /// They are where their nodes are.
    Deforming(Configuration<'a>),
}

impl Placement<'_> {
    /// The instant \[s\].
    pub fn time(&self) -> f64 {
        match self {
            Self::Flying { time, .. } => *time,
            Self::Deforming(configuration) => configuration.time,
        }
    }
}
