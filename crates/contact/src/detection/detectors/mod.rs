//! All detectors except the engine:
//!
//! - `all_pairs`: all pairs, the oracle of the tests
//! - `buckets`: cells of a grid
//! - `sorting`: a binary tree of the surface nodes
//! - `node_in_element`: nodes in elements, by distance fields
//! - `wall`: rigid walls

mod all_pairs;
mod buckets;
mod node_in_element;
mod sorted_body;
mod sorting;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use node_in_element::{NodeInElement, NodeInElementOptions, ProjectionNormal};
pub use sorting::{Sorting, SortingOptions};
pub use wall::{Wall, WallDetector};
