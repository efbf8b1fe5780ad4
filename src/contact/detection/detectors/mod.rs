//! Detectors besides the engine: all pairs, the oracle of tests; buckets; rigid walls.

mod all_pairs;
mod buckets;
mod wall;

pub use all_pairs::AllPairs;
pub use buckets::{Buckets, GridCensus};
pub use wall::{Wall, WallDetector};
