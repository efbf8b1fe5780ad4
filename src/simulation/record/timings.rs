//! Wall time by part of the program.

use std::time::Instant;

/// Wall time \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallTimes {
    /// Reading meshes and building the model.
    pub read: f64,
    /// Checking for overlaps and preparing elements and contact.
    pub setup: f64,
    /// Building hierarchies.
    pub hierarchy: f64,
    /// Contact detection.
    pub detection: f64,
    /// Contact response.
    pub response: f64,
    /// Internal forces of the elements.
    pub internal_force: f64,
    /// Critical steps.
    pub critical_step: f64,
    /// Time integration with the momenta of the bodies, loads, supports and flight.
    pub integration: f64,
    /// The audit of energy and momentum.
    pub account: f64,
    /// Output, as far as the steps had to wait for it.
    pub output: f64,
}

/// Adds the time that `work` takes to a counter.
pub(crate) fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}
