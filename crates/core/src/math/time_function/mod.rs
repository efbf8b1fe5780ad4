//! Scalar functions of time for loads and prescribed motion: a number, a table, or an expression of `t`.
//!
//! Derivatives are exact up to rounding, by forward-mode automatic differentiation on second-order Taylor jets
//! (Griewank & Walther, *Evaluating Derivatives*, 2nd ed., §13.2). At kinks and jumps, derivatives are taken from the
//! right, without a Dirac impulse. A jump of a prescribed displacement moves the nodes at once and adds nothing to the
//! prescribed velocity.
//!
//! [`TimeFunction::first_break`] locates kinks and jumps, but can miss two that are close to each other.

mod breaks;
mod enclosure;
mod error;
mod expression;
mod jet;
mod over_step;
mod program;
mod table;

use std::sync::Arc;

pub use error::TimeFunctionError;
pub use expression::Expression;
use jet::Jet;
pub use over_step::{EndValues, Integrals};
pub use program::EXPRESSION_NAMES;
use table::interpolate;

/// A scalar function of time; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFunction {
    /// The same value at all times.
    Constant(f64),
    /// A piecewise linear function through points (t \[s\], value), constant before the first and after the last.
    Table(Arc<[(f64, f64)]>),
    /// An expression of `t`.
    Expression(Arc<Expression>),
}

impl TimeFunction {
    /// A piecewise linear function through `points`, each (t \[s\], value).
    ///
    /// # Errors
    /// [`TimeFunctionError::EmptyTable`]; [`TimeFunctionError::NotFinite`] for a time or value that is not finite;
    /// [`TimeFunctionError::NotAscending`] for times that do not strictly ascend.
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
    /// `^` binds tighter than a sign and groups to the right: `-t^2` is −(t²). Comparisons give 0 or 1. An expression
    /// without `t` becomes a [`TimeFunction::Constant`].
    ///
    /// # Errors
    /// A parse error, with its byte offset in `text`.
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

    /// Whether the function is a number, or a table with equal values. Expressions of `t` count as variable.
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

#[cfg(test)]
mod tests;
