//! Signal processing: channel filters of impact tests, resampling and injury criteria, independent of the model.
//!
//! A signal is a list of samples, one per instant. [`ChannelClass`] filters evenly spaced samples; [`Grid`] resamples
//! unevenly spaced samples to evenly spaced instants and back. Times are in seconds, because the standards define the
//! classes and criteria in seconds.

mod channel_class;
mod grid;
mod head_injury;
mod moving_mean;

pub use channel_class::{ChannelClass, TooFewSamples};
pub use grid::Grid;
pub use head_injury::{HeadInjury, head_injury};
pub use moving_mean::moving_mean;
