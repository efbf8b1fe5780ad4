//! All detectors except the engine:
//!
//! - `all_pairs`: all pairs, the oracle of the tests
//! - `buckets`: cells of a grid
//! - `sorting`: a binary tree of the surface nodes
//! - `node_in_element`: nodes in elements, by distance fields
//! - `wall`: rigid walls
//!
//! `method` has a row for each detector that scenarios can name, the engine included.

mod all_pairs;
mod buckets;
mod method;
mod node_in_element;
mod sorted_body;
mod sorting;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use method::DetectionMethod;
pub use node_in_element::{NodeInElement, NodeInElementOptions};
pub use sorting::Sorting;
pub use wall::{Wall, WallDetector};
