//! Probes: quantities sampled at points, groups and bodies during a run, written to `probes.csv`.

mod evaluation;
mod post_processing;
mod probe;
mod writer;

pub(crate) use probe::{ElementSample, Probe, Spot};
pub(crate) use writer::{ProbePosition, ProbeWriter};
