//! Queued pairs of bounding volumes and placements of the bodies, for visualisation.

use crate::math::RigidMotion;

use crate::detection::model::Configuration;
use crate::detection::volume::Sphere;

/// An entry of the queue of predicted contacts: two bounding volumes, one of each body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueuedPair {
    /// The two bodies, first < second.
    pub bodies: [u32; 2],
    /// Lower bound on the time of contact of the volumes \[s\].
    pub time: f64,
    /// Depth of the vertex of each volume in its hierarchy; 0 for the root.
    pub depth: [u32; 2],
    /// Number of faces below the two vertices.
    pub num_faces: [u32; 2],
    /// Current spheres of the two vertices.
    pub spheres: [Sphere; 2],
}

/// Positions of all bodies at an instant.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// Bodies in rigid motion in flight.
    Flying {
        /// The instant \[s\].
        time: f64,
        /// Motion of every body from this instant onwards.
        motions: &'a [RigidMotion],
    },
    /// Deforming bodies at their nodal positions.
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
