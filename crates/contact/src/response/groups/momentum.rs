//! Accelerated iteration: the result of each sweep is extrapolated along its change since the previous sweep. The
//! extrapolation restarts if a sweep from an extrapolated start moves back, against this change.
//!
//! # Source
//! Beck & Teboulle, SIAM J. Imaging Sci. 2 (2009) 183–202, §4; O'Donoghue & Candès, Found. Comput. Math. 15 (2015)
//! 715–732, §3.2 (restart).

#[derive(Clone, Copy, Debug)]
pub(crate) struct Momentum {
    /// Parameter t of the source: 1 at a restart; grows by about one half per sweep.
    inertia: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { inertia: 1.0 }
    }
}

impl Momentum {
    /// Extrapolation factor of the change since the previous sweep \[-\].
    pub fn farther(&mut self) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.inertia * self.inertia).sqrt());
        (std::mem::replace(&mut self.inertia, next) - 1.0) / next
    }

    /// Restarts the extrapolation if `back` > 0. `back` is the inner product of two differences: extrapolated start
    /// minus result of this sweep, and result of this sweep minus result of the previous sweep.
    pub fn end(&mut self, back: f64) {
        if back > 0.0 {
            *self = Self::default();
        }
    }
}
