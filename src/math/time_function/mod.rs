//! Scalar functions of time for loads and prescribed motion: a number, a table, or an expression of `t`.
//!
//! Derivatives are exact. An expression is evaluated on second-order Taylor jets (forward-mode automatic
//! differentiation, Griewank & Walther, *Evaluating Derivatives*, 2nd ed., §13.2), so that comparisons, `min`
//! and `abs` have derivatives too, and nothing is lost to a difference step. Where a function has a kink or a
//! jump, its derivatives are those from the right: the motion about to happen. The impulse of a jump is not in
//! them; a prescribed displacement that jumps moves its nodes without a matching velocity.
//!
//! Where it kinks and jumps is told by what it is made of ([`TimeFunction::first_break`]), and how it changes within a step
//! by ranges over intervals of time, so that nothing falls between two samples.

mod breaks;
mod enclosure;
mod expression;
mod jet;
mod over_step;
mod program;

use std::sync::Arc;

pub use expression::{EXPRESSION_NAMES, Expression};
use jet::Jet;
pub use over_step::{EndValues, Integrals};

/// A scalar function of time; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFunction {
    /// The same value at all times.
    Constant(f64),
    /// Piecewise linear through (t \[s\], value); constant before the first and after the last point.
    Table(Arc<[(f64, f64)]>),
    /// An expression of `t`.
    Expression(Arc<Expression>),
}

/// Why a table or an expression cannot be a function of time.
///
/// `at` is the byte of the expression where reading stopped.
#[non_exhaustive]
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum TimeFunctionError {
    /// A table without points.
    #[error("a table needs at least one point: write [[t, value], …]")]
    EmptyTable,
    /// A point that is NaN or infinite.
    #[error("row {row} of the table, ({time}, {value}), is not finite")]
    NotFinite {
        /// Row, from 1.
        row: usize,
        /// Its time.
        time: f64,
        /// Its value.
        value: f64,
    },
    /// Times that do not ascend.
    #[error(
        "row {row} of the table is at t = {time}, not after t = {previous} of the row before it: times ascend"
    )]
    NotAscending {
        /// Row, from 1.
        row: usize,
        /// Its time.
        time: f64,
        /// The time before it.
        previous: f64,
    },
    /// A word that is neither `t`, nor a constant, nor a function.
    #[error("`{text}` has the unknown name `{name}`; known are {EXPRESSION_NAMES}")]
    UnknownName {
        /// The expression.
        text: String,
        /// The word.
        name: String,
        /// Where.
        at: usize,
    },
    /// Something where something else has to stand.
    #[error("`{text}` has {found} where {expected} is expected")]
    Unexpected {
        /// The expression.
        text: String,
        /// What stands there.
        found: String,
        /// What could stand there.
        expected: &'static str,
        /// Where.
        at: usize,
    },
    /// `a < b < c`, which other languages read as `(a < b) < c`.
    #[error("`{text}` chains comparisons; write (a < b)*(b < c) for both")]
    ChainedComparison {
        /// The expression.
        text: String,
        /// Where.
        at: usize,
    },
    /// More nesting than is evaluated without allocation.
    #[error("the expression nests more than {limit} deep: use a table, or split it", limit = program::DEPTH_LIMIT)]
    TooDeep {
        /// Where.
        at: usize,
    },
}

impl TimeFunctionError {
    /// Byte of the expression where reading stopped; `None` for tables.
    pub fn at(&self) -> Option<usize> {
        match self {
            Self::UnknownName { at, .. }
            | Self::Unexpected { at, .. }
            | Self::ChainedComparison { at, .. }
            | Self::TooDeep { at } => Some(*at),
            Self::EmptyTable | Self::NotFinite { .. } | Self::NotAscending { .. } => None,
        }
    }
}

impl TimeFunction {
    /// Piecewise linear through (t \[s\], value).
    ///
    /// # Errors
    /// An empty table, a point that is not finite, times that do not strictly ascend.
    pub fn table(points: &[(f64, f64)]) -> Result<Self, TimeFunctionError> {
        if points.is_empty() {
            return Err(TimeFunctionError::EmptyTable);
        }
        for (index, &(time, value)) in points.iter().enumerate() {
            let row = index + 1;
            if !(time.is_finite() && value.is_finite()) {
                return Err(TimeFunctionError::NotFinite { row, time, value });
            }
            if index > 0 && time <= points[index - 1].0 {
                return Err(TimeFunctionError::NotAscending { row, time, previous: points[index - 1].0 });
            }
        }
        Ok(Self::Table(points.into()))
    }

    /// An expression of `t` \[s\], such as `1e5*(t < 1e-3)`; see [`EXPRESSION_NAMES`] for what it can use.
    ///
    /// `^` binds tighter than a sign and groups to the right, as in mathematics: `-t^2` is −(t²). Comparisons
    /// give 0 or 1. An expression without `t` becomes a [`TimeFunction::Constant`].
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn expression(text: &str) -> Result<Self, TimeFunctionError> {
        let expression = Expression::parse(text)?;
        if expression.uses_time() {
            Ok(Self::Expression(Arc::new(expression)))
        } else {
            Ok(Self::Constant(expression.evaluate(Jet::constant(0.0)).value))
        }
    }

    /// Value at time `t` \[s\].
    pub fn value(&self, t: f64) -> f64 {
        self.jet(t).value
    }

    /// First derivative at time `t` \[s\], from the right.
    pub fn derivative(&self, t: f64) -> f64 {
        self.jet(t).first
    }

    /// Second derivative at time `t` \[s\], from the right.
    pub fn second_derivative(&self, t: f64) -> f64 {
        self.jet(t).second
    }

    /// Whether the value is the same at all times.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Table(points) => points.windows(2).all(|pair| pair[0].1 == pair[1].1),
            Self::Expression(_) => false,
        }
    }

    fn jet(&self, t: f64) -> Jet {
        match self {
            Self::Constant(value) => Jet::constant(*value),
            Self::Table(points) => interpolate(points, t, t),
            Self::Expression(expression) => expression.evaluate(Jet::variable(t)),
        }
    }
}

/// Value and slope of the piecewise linear function at `t`, on the line that it has where `beside` is; at a point, on that
/// after it.
fn interpolate(points: &[(f64, f64)], t: f64, beside: f64) -> Jet {
    let after = points.partition_point(|point| point.0 <= beside);
    match (points.get(after.wrapping_sub(1)), points.get(after)) {
        (Some(left), Some(right)) => {
            let slope = (right.1 - left.1) / (right.0 - left.0);
            Jet { value: left.1 + slope * (t - left.0), first: slope, second: 0.0 }
        }
        (Some(only), None) | (None, Some(only)) => Jet::constant(only.1),
        (None, None) => Jet::constant(0.0),
    }
}

#[cfg(test)]
mod tests;
