//! Signal processing: channel filters of impact tests, resampling and injury criteria, independent of the model.
//!
//! A signal is a list of samples, one per instant. [`ChannelClass`] filters evenly spaced samples; [`Grid`] resamples
//! others to even instants and back. Times are in seconds, in which the classes and criteria are defined.

mod channel_class;
mod grid;
mod head_injury;
mod moving_mean;

pub use channel_class::{ChannelClass, TooFewSamples};
pub use grid::Grid;
pub use head_injury::{HeadInjury, head_injury};
pub use moving_mean::moving_mean;
