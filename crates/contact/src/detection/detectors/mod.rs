//! All detectors except the engine, and the enum [`DetectionMethod`] of the detectors that scenarios can name:
//!
//! - `all_pairs`: all pairs, the oracle of the tests
//! - `buckets`: nodes and faces sorted into the cells of a grid
//! - `sorting`: a binary tree of the surface nodes
//! - `node_in_element`: nodes in elements, by distance fields
//! - `wall`: rigid walls
//!
//! Each detector that scenarios can name implements [`Detector`] and `SelectableDetector`, and has a row in
//! `detection_methods!`.

mod all_pairs;
mod buckets;
mod node_in_element;
mod sorted_body;
mod sorting;
mod wall;

use ictus_core::vocabulary;

use super::detector::{BuildResult, Detector, DetectorSetup, SelectableDetector};
use super::engine;
pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use node_in_element::{NodeInElement, NodeInElementOptions};
pub use sorting::Sorting;
pub use wall::{Wall, WallDetector};

/// Declares [`DetectionMethod`] from the detectors, their words in scenarios and short descriptions.
macro_rules! detection_methods {
    ($($method:ident: $module:ident::$detector:ident = $word:literal, $description:literal;)*) => {
        vocabulary! {
            /// Contact detection methods.
            pub enum DetectionMethod { $(#[doc = $description] $method = $word,)* }
        }

        impl DetectionMethod {
            /// Builds the detector.
            ///
            /// # Errors
            /// The first body whose distance field cannot be computed.
            pub fn build(self, setup: DetectorSetup<'_>) -> BuildResult<Box<dyn Detector>> {
                Ok(match self { $(Self::$method => Box::new($module::$detector::build(setup)?),)* })
            }

            /// Short description for the key reference.
            pub fn description(self) -> &'static str {
                match self { $(Self::$method => $description,)* }
            }
        }
    };
}

detection_methods! {
    Hierarchy: engine::Engine = "hierarchy", "hierarchies of bounding volumes";
    Buckets: buckets::Buckets = "buckets", "cells of a grid";
    Sorting: sorting::Sorting = "sorting", "binary space partition";
    DistanceField: node_in_element::NodeInElement = "distance-field", "nodes in elements";
    AllPairs: all_pairs::AllPairs = "all-pairs", "slow, for comparison";
}
