//! All detectors except the engine, and the enum [`DetectionMethod`] of the detectors that scenarios can name:
//!
//! - `all_pairs`: all pairs, the oracle of the tests
//! - `buckets`: nodes and faces sorted into the cells of a grid
//! - `sorting`: a binary tree of the surface nodes
//! - `node_in_element`: nodes in elements, by distance fields
//! - `wall`: rigid walls
//!
//! Each detector that scenarios can name implements [`Detector`] and `NamedDetector`, and has a row in
//! `detection_methods!`.

mod all_pairs;
mod buckets;
mod node_in_element;
mod sorted_body;
mod sorting;
mod wall;

use ictus_core::vocabulary;

use super::detector::{BuildResult, Detector, DetectorSetup, NamedDetector};
use super::engine;
pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use node_in_element::{NodeInElement, NodeInElementOptions};
pub use sorting::Sorting;
pub use wall::{Wall, WallDetector};

/// Declares [`DetectionMethod`] from the types of the detectors and their words in scenarios.
macro_rules! detection_methods {
    ($($(#[$description:meta])* $module:ident::$detector:ident = $word:literal,)*) => {
        vocabulary! {
            /// Contact detection methods, named after their detectors.
            pub enum DetectionMethod { $($(#[$description])* $detector = $word,)* }
        }

        impl DetectionMethod {
            /// Builds the detector.
            ///
            /// # Errors
            /// The first body whose distance field cannot be computed, and the reason.
            pub fn build(self, setup: DetectorSetup<'_>) -> BuildResult<Box<dyn Detector>> {
                Ok(match self { $(Self::$detector => Box::new($module::$detector::build(setup)?),)* })
            }
        }
    };
}

detection_methods! {
    /// Hierarchies of bounding volumes, in three levels (AM14).
    engine::Engine = "hierarchy",
    /// A uniform grid of buckets.
    buckets::Buckets = "buckets",
    /// Sorting by a binary space partition.
    sorting::Sorting = "sorting",
    /// Nodes against elements, by the distance field of the target.
    node_in_element::NodeInElement = "distance-field",
    /// All pairs: of nodes and faces in contact, of faces in flight.
    all_pairs::AllPairs = "all-pairs",
}
