//! Wall-clock durations of the stages of a run.

use std::time::Instant;

/// Total wall-clock duration of each stage \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Reading meshes and building the model.
    pub read: f64,
    /// The set-up, without its parts counted in `read`, `hierarchy` and `integration`.
    pub setup: f64,
    /// Construction of the hierarchies.
    pub hierarchy: f64,
    /// Contact detection.
    pub detection: f64,
    /// Contact response.
    pub response: f64,
    /// Internal forces of the elements.
    pub internal_force: f64,
    /// Computation of critical steps.
    pub critical_step: f64,
    /// Time integration, momenta, loads, supports and flight.
    pub integration: f64,
    /// Audit of energy and momentum.
    pub account: f64,
    /// Output, as far as time stepping waits for it.
    pub output: f64,
}

pub(crate) fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}
