//! Scalar functions of time for loads and prescribed motion.

use std::sync::Arc;

/// A scalar function of time.
#[derive(Clone, Debug)]
pub enum TimeFunction {
    /// The same value at all times.
    Constant(f64),
    /// Piecewise linear through (t \[s\], value); constant before the first and after the last point.
    Table(Arc<[(f64, f64)]>),
}

/// Why an expression of `t` could not be read.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum TimeFunctionError {
    /// The table is empty.
    #[error("a table needs at least one point")]
    EmptyTable,
}

impl TimeFunction {
    /// Value at time `t` \[s\].
    pub fn value(&self, t: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Table(points) => points.iter().take_while(|p| p.0 <= t).last().map_or(0.0, |p| p.1),
        }
    }
}
