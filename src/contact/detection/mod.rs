//! Contact detection: geometry and kinematics only; nothing of forces, elements or materials.
//!
//! A detector answers two questions. While every body flies free it tells *when* the first two surfaces touch
//! ([`Detector::first_impact`]); once bodies deform it tells, step by step, *who* has penetrated whom
//! ([`Detector::detect`]). [`Engine`] answers both through three levels: predicted trajectories of bounding
//! spheres in a queue of times, hierarchies of bounding volumes, closest points of faces. [`Buckets`] sorts nodes and
//! faces into the cells of a grid, as most codes do. [`AllPairs`] looks at every pair of faces and is the oracle of the
//! tests.
//!
//! Source: Aragón & Molinari, CMAME 268 (2014) 574–588.

mod detector;
mod detectors;
mod engine;
mod entry_face;
pub mod face;
mod initial;
mod model;
pub mod primitive;
mod report;
#[cfg(test)]
mod samples;
mod step_impact;
#[cfg(test)]
mod tests;
pub mod trajectory;
pub mod tree;
pub mod volume;

pub use detector::Detector;
pub use detectors::{AllPairs, Buckets, GridCensus, Wall, WallDetector};
pub use engine::{Engine, EngineOptions};
pub use entry_face::EntryFaces;
pub use initial::TiedSurfaces;
pub use initial::overlap::{Entry, Penetration, penetrations, self_crossings};
pub use model::{Cells, Configuration, ContactModel, EdgeSelection};
pub use primitive::edge_edge::edges_have_passed;
pub use primitive::node_face::{NodeFaceOptions, StartFrom};
pub use report::{
    DetectionStatistics, Placement, Prediction, QueuedPair, StageCounts, StageSeconds, TreeStatistics,
};
pub use step_impact::{StepImpact, StepImpactSearch, StepPaths, TunnellingGuard};
pub use trajectory::{Flight, Impact};
