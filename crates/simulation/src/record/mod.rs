//! Output of a run: frames, tables, checkpoints and the summary.

pub(crate) mod checkpoints;
mod frame;
pub(crate) mod nodal_distances;
pub(crate) mod probes;
pub(crate) mod recorder;
pub(crate) mod schedule;
pub(crate) mod side_tables;
pub(crate) mod summary;
pub(crate) mod volumes;
pub(crate) mod wall_frames;
