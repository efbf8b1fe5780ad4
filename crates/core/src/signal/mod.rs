//! Signal processing: channel filters of impact tests, resampling and injury criteria.
//!
//! A signal is a list of samples, one per instant. Times are in seconds, as in the standards of impact tests.

mod channel_class;
mod grid;
mod head_injury;
mod moving_mean;

pub use channel_class::{ChannelClass, TooFewSamples};
pub use grid::Grid;
pub use head_injury::{HeadInjury, head_injury};
pub use moving_mean::moving_mean;
