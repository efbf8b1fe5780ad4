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

mod all_pairs;
mod body_tree;
mod bounds;
mod box_tree;
mod buckets;
mod candidate;
pub mod closest_face;
pub mod closest_point;
mod compact_order;
mod configuration;
mod contact_model;
mod control_points;
mod detector;
mod edge_edge;
mod engine;
mod entry_face;
mod face_groups;
mod feature_edges;
mod flight;
pub mod hierarchy;
mod node_face;
mod overlap;
mod patch;
mod queued_pair;
#[cfg(test)]
mod samples;
mod self_contact;
mod stars;
mod statistics;
mod step_impact;
#[cfg(test)]
mod tests;
mod tied;
pub mod time_of_impact;
pub mod trajectory;
mod tunnelling;
pub mod volume;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use compact_order::compact_order;
pub use configuration::Configuration;
pub use contact_model::ContactModel;
pub use detector::Detector;
pub use edge_edge::edges_have_passed;
pub use engine::{Engine, EngineOptions};
pub use entry_face::EntryFaces;
pub use feature_edges::EdgeSelection;
pub use flight::{Flight, Impact};
pub use node_face::{NodeFaceOptions, StartFrom};
pub use overlap::{Entry, Penetration, penetrations, self_crossings};
pub use queued_pair::{Placement, QueuedPair};
pub use stars::Cells;
pub use statistics::{DetectionStatistics, Prediction, StageCounts, StageSeconds, TreeStatistics};
pub use step_impact::{StepImpact, StepImpactSearch, StepPaths};
pub use tied::TiedSurfaces;
pub use tunnelling::TunnellingGuard;
pub use wall::{Wall, WallDetector};
