//! The detectors that scenarios can name.

use ictus_core::vocabulary;

use super::{AllPairs, Buckets, NodeInElement, Sorting};
use crate::detection::detector::{BuildResult, Detector, DetectorSetup, NamedDetector};
use crate::detection::engine::Engine;

/// Declares [`DetectionMethod`], with a variant for each detector, from the detectors and their words in scenarios.
macro_rules! detection_methods {
    ($($(#[$description:meta])* $detector:ident = $word:literal,)*) => {
        vocabulary! {
            /// Contact detection methods, with the names of their detectors.
            pub enum DetectionMethod { $($(#[$description])* $detector = $word,)* }
        }

        impl DetectionMethod {
            /// Builds the detector.
            ///
            /// # Errors
            /// The first body whose distance field cannot be computed.
            pub fn build(self, setup: DetectorSetup<'_>) -> BuildResult<Box<dyn Detector>> {
                Ok(match self { $(Self::$detector => Box::new($detector::build(setup)?),)* })
            }
        }
    };
}

detection_methods! {
    /// Hierarchies of bounding volumes, in three levels (AM14).
    Engine = "hierarchy",
    /// A uniform grid of buckets.
    Buckets = "buckets",
    /// Sorting by a binary space partition.
    Sorting = "sorting",
    /// Nodes against elements, by the distance field of the target.
    NodeInElement = "distance-field",
    /// All pairs of faces.
    AllPairs = "all-pairs",
}
