//! Detectors besides the engine: all pairs, the oracle of tests; buckets; sorting by a binary
//! tree; rigid walls.

mod all_pairs;
mod buckets;
mod sorted_body;
mod sorting;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use sorting::{Sorting, SortingOptions};
pub use wall::{Wall, WallDetector};
