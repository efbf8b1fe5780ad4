//! Momentum of an iteration: the next sweep begins beyond what the present one has found, as far as the way from the one before
//! still leads on.
//!
//! # Source
//! Beck & Teboulle, SIAM J. Imaging Sci. 2 (2009) 183–202, §4; O'Donoghue & Candès, Found. Comput. Math. 15 (2015) 715–732, §3.2
//! (when it begins anew).

/// How far beyond what a sweep has found the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Momentum {
    /// Grows by a half a sweep.
    inertia: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { inertia: 1.0 }
    }
}

impl Momentum {
    /// Part of the way from the sweep before to the present one by which the next begins beyond this.
    pub fn farther(&mut self) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.inertia * self.inertia).sqrt());
        (std::mem::replace(&mut self.inertia, next) - 1.0) / next
    }

    /// A sweep has ended that has gone `back` along the way by so much: if it has, the way begins anew.
    pub fn end(&mut self, back: f64) {
        if back > 0.0 {
            *self = Self::default();
        }
    }
}
