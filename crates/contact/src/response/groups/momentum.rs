//! Accelerated iteration. The result of each sweep is extrapolated along the difference between this result and the
//! result of the previous sweep. The extrapolation restarts when a sweep moves against this difference.
//!
//! # Source
//! Beck & Teboulle, SIAM J. Imaging Sci. 2 (2009) 183–202, §4; O'Donoghue & Candès, Found. Comput. Math. 15 (2015)
//! 715–732, §3.2 (restart).

/// Extrapolation of an iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Momentum {
    /// Parameter of the extrapolation, which grows by about one half per sweep.
    inertia: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { inertia: 1.0 }
    }
}

impl Momentum {
    /// Factor on the difference between the results of the current and the previous sweep, for the extrapolation of the
    /// current result \[-\].
    pub fn farther(&mut self) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.inertia * self.inertia).sqrt());
        (std::mem::replace(&mut self.inertia, next) - 1.0) / next
    }

    /// Ends a sweep. The extrapolation restarts if `back` is positive. `back` is an inner product of two changes: from
    /// the result of the sweep back to its extrapolated start, and from the result of the previous sweep to the result
    /// of this sweep.
    pub fn end(&mut self, back: f64) {
        if back > 0.0 {
            *self = Self::default();
        }
    }
}
