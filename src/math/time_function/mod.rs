//! Scalar functions of time for loads and prescribed motion: a number, a table, or an expression of `t`.
//!
//! Derivatives are exact. Expressions are evaluated on second-order Taylor jets (forward-mode automatic
//! differentiation, Griewank & Walther, *Evaluating Derivatives*, 2nd ed., §13.2), so that comparisons, `min`
//! and `abs` have derivatives too, without the error of finite differences. At a kink or a jump, derivatives are those
//! from the right, for the motion that follows. They omit the impulse of a jump: a prescribed displacement that jumps
//! moves its nodes without a matching velocity.
//!
//! Kinks and jumps are located from the parts of the function ([`TimeFunction::first_break`]), and its variation
//! within a step is bounded over intervals of time, so that nothing is missed between samples.

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

/// Error of a table or an expression.
///
/// `at` is the byte of the expression at which parsing stopped.
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
        /// Byte of the expression.
        at: usize,
    },
    /// Unexpected text.
    #[error("`{text}` has {found} where {expected} is expected")]
    Unexpected {
        /// The expression.
        text: String,
        /// Text found.
        found: String,
        /// Text expected.
        expected: &'static str,
        /// Byte of the expression.
        at: usize,
    },
    /// `a < b < c`, which other languages read as `(a < b) < c`.
    #[error("`{text}` chains comparisons; write (a < b)*(b < c) for both")]
    ChainedComparison {
        /// The expression.
        text: String,
        /// Byte of the expression.
        at: usize,
    },
    /// Nesting beyond the size of the evaluation stack.
    #[error("the expression nests more than {limit} deep: use a table, or split it", limit = program::DEPTH_LIMIT)]
    TooDeep {
        /// Byte of the expression.
        at: usize,
    },
}

impl TimeFunctionError {
    /// Byte of the expression at which parsing stopped; `None` for tables.
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

    /// An expression of `t` \[s\], such as `1e5*(t < 1e-3)`; [`EXPRESSION_NAMES`] lists names and operators.
    ///
    /// `^` binds tighter than a sign and groups to the right, as in mathematics: `-t^2` is −(t²). Comparisons
    /// give 0 or 1. An expression without `t` becomes a [`TimeFunction::Constant`].
    ///
    /// # Errors
    /// A parse error, with its location.
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

/// Value and slope of the piecewise linear function at `t`, on the segment that contains `beside`; for a point, on the
/// segment after it.
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
