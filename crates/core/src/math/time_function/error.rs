//! Errors of tables and expressions.

use super::program::{DEPTH_LIMIT, EXPRESSION_NAMES};

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
        /// Time of the point.
        time: f64,
        /// Value of the point.
        value: f64,
    },
    /// Times that do not ascend.
    #[error(
        "row {row} of the table is at t = {time}, not after t = {previous} of the row before it: times ascend"
    )]
    NotAscending {
        /// Row, from 1.
        row: usize,
        /// Time of the row.
        time: f64,
        /// Time of the previous row.
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
    /// `a < b < c`. Other languages read this as `(a < b) < c`.
    #[error("`{text}` chains comparisons; write (a < b)*(b < c) for both")]
    ChainedComparison {
        /// The expression.
        text: String,
        /// Byte of the expression.
        at: usize,
    },
    /// Nesting beyond the size of the evaluation stack.
    #[error("the expression nests more than {limit} deep: use a table, or split it", limit = DEPTH_LIMIT)]
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
