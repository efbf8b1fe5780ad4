//! Reports of detection: counts and times by stage, predictions, hierarchies, and the queued pairs with the earliest
//! predicted contacts.

mod queued_pair;
mod statistics;

pub use queued_pair::{Placement, QueuedPair};
pub use statistics::{DetectionStatistics, Prediction, StageCounts, StageSeconds, TreeStatistics};
pub(crate) use statistics::{Stage, StageClock};
