//! Signals over time: channel filters of impact tests, resampling and injury criteria. Nothing here knows what is measured.
//!
//! A signal is a list of samples, one an instant. [`ChannelClass`] filters evenly spaced ones; [`Grid`] brings others on
//! even instants and back. Times are in seconds here, as the classes and criteria are defined with them.

mod channel_class;
mod grid;
mod head_injury;
mod moving_mean;

pub use channel_class::{ChannelClass, TooFewSamples};
pub use grid::Grid;
pub use head_injury::{HeadInjury, head_injury};
pub use moving_mean::moving_mean;
