//! Contact detection: geometry and kinematics only, without forces or materials.
//!
//! A detector predicts *when* two surfaces in flight first touch ([`Detector::first_impact`]). In contact, it finds
//! *which* nodes have penetrated which faces, and which edges have crossed ([`Detector::detect`]). [`Engine`] is the
//! hierarchical detection of Aragón & Molinari. [`Buckets`] sorts nodes and faces into grid cells. [`AllPairs`] tests
//! all pairs and serves as the reference in tests.
//!
//! | Aragón & Molinari 2014 | here |
//! |---|---|
//! | Algorithm 1, the engine; in flight, the queue of predicted contact times | [`Engine`], `engine/flight`, `engine/queue` |
//! | level 1: predicted trajectories of bounding spheres, eq. (12) | [`trajectory`], `math::RigidMotion`, `engine/flying/vertex_volumes`, `engine/flight` |
//! | level 1: velocities and accelerations from the positions in the first steps of a flight | `trajectory/root_motion`, `engine/flying/first_steps` |
//! | level 2 in flight: hierarchies of bounding spheres, §3.1 | [`tree::hierarchy`]; `Engine::open` in `engine/mod`, called in `engine/flight`, replaces a vertex of a pair by its children |
//! | level 2 in contact: pairs of patch boxes and Verlet lists instead of the hierarchy and the queue | `engine/contact` (order of the searches), `engine/body_pair` (active patch pairs), `engine/patches`, `engine/patch_lists` (Verlet lists), `engine/traversal` |
//! | level 2: leaves refined through tighter volumes (the ladder), §3.2, eqs. (13)–(15) | [`volume`]; in contact, `engine/traversal` applies the ladder, by default only to curved faces |
//! | level 3: closest point of a face (Aragón, Yastrebov & Molinari 2013) | [`face::closest_point`]; four triangles at once in `primitive/node_face/batch` |
//! | level 3 in flight: time of impact of two faces | `primitive/time_of_impact`, called by `Flight::impact_of_faces` in `trajectory/flight` |
//! | level 3 in contact: from candidates to constraints | `primitive/node_face`, `primitive/edge_edge` |
//! | contacts found: gap, normal, weights | [`Constraints`](super::Constraints) in `constraint`, filled by [`Detector::detect`] |
//! | cost model, eq. (19) | [`DetectionStatistics`] |
//! | contact response | [`response`](super::response) |
//!
//! Beyond the paper: entry faces ([`EntryFaces`]), impacts within a step ([`StepImpactSearch`]), overlap and ties
//! before the first step (`initial`), rigid walls ([`WallDetector`]), distance fields ([`distance_field`]). The module
//! [`contact`](super) has a glossary. In the drawing, an arrow points from a module to a module that it uses.
//!
//! ```text
//! volume ◄─ face ◄─ tree ◄─ model ◄─ primitive ◄─ trajectory, entry_face, initial ◄─ step_impact
//!                              ▲                       ▲                              ▲
//!                            report ◄──────────── detector ◄──────────── engine ◄──── detectors
//! ```
//!
//! # Source
//! Aragón & Molinari, CMAME 268 (2014) 574–588; Aragón, Yastrebov & Molinari, IJNME 96 (2013) 323–338.

mod detector;
mod detectors;
pub mod distance_field;
mod engine;
mod entry_face;
pub mod face;
mod initial;
mod model;
pub mod primitive;
mod report;
mod step_impact;
#[cfg(test)]
mod tests;
pub mod trajectory;
pub mod tree;
pub mod volume;

pub use detector::{
    BuildResult, DetectionMemory, Detector, DetectorOptions, DetectorSetup, EngineOptions, ProjectionNormal,
    SortingOptions,
};
pub use detectors::{
    AllPairs, Buckets, DetectionMethod, GridCensus, NodeInElement, NodeInElementOptions, Sorting, Wall,
    WallDetector,
};
pub use engine::Engine;
pub use entry_face::EntryFaces;
pub use initial::TiedSurfaces;
pub use initial::overlap::{Entry, Penetration, penetrations, self_crossings};
pub use model::{Cells, Configuration, ContactModel, ContactPolicy, EdgeSelection};
pub use primitive::edge_edge::edges_have_passed;
pub use primitive::moved_pair::move_pair;
pub use primitive::node_face::{NodeFaceOptions, StartFrom, StartingPoint};
pub use report::{
    DetectionStatistics, Placement, Prediction, QueuedPair, StageCounts, StageSeconds, TreeStatistics,
};
pub use step_impact::{StepImpact, StepImpactSearch, StepPaths, TunnellingGuard};
#[cfg(test)]
use tests::samples;
pub use trajectory::{Flight, Impact, Kinematics, RootHistory};
