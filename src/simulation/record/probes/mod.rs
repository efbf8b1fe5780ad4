//! Probes: what a run measures of points, groups and bodies, in `probes.csv`.

mod evaluation;
mod post_processing;
mod probe;
mod writer;

pub(crate) use probe::{ElementSample, Probe, Spot};
pub(crate) use writer::ProbeWriter;
