//! Accelerated iteration: extrapolates the result of each sweep along its difference from the result of the previous
//! sweep, and restarts when this difference is no longer a descent direction.
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
    /// Extrapolation factor on the difference between the current and the previous sweep.
    pub fn farther(&mut self) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.inertia * self.inertia).sqrt());
        (std::mem::replace(&mut self.inertia, next) - 1.0) / next
    }

    /// Ends a sweep. `back` is the component of the change in the sweep against the direction of extrapolation. The
    /// extrapolation restarts if `back` is positive.
    pub fn end(&mut self, back: f64) {
        if back > 0.0 {
            *self = Self::default();
        }
    }
}
