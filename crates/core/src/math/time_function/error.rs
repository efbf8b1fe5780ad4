//! Errors of tables and expressions.

use super::program::{DEPTH_LIMIT, EXPRESSION_NAMES};

/// Error of a table or an expression. `at` is the byte offset of the fault in the expression.
#[non_exhaustive]
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum TimeFunctionError {
    /// A table without points.
    #[error("a table needs at least one point: write [[t, value], …]")]
    EmptyTable,
    /// A point with a time or value that is not finite.
    #[error("row {row} of the table, ({time}, {value}), is not finite")]
    NotFinite {
        /// Number of the row, from 1.
        row: usize,
        /// Time of the point.
        time: f64,
        /// Value of the point.
        value: f64,
    },
    /// A row whose time is not after the time of the previous row.
    #[error(
        "row {row} of the table is at t = {time}, not after t = {previous} of the row before it: times ascend"
    )]
    NotAscending {
        /// Number of the row, from 1.
        row: usize,
        /// Time of the row.
        time: f64,
        /// Time of the previous row.
        previous: f64,
    },
    /// A word that is not in `EXPRESSION_NAMES`.
    #[error("`{text}` has the unknown name `{name}`; known are {EXPRESSION_NAMES}")]
    UnknownName {
        /// The expression.
        text: String,
        /// The word.
        name: String,
        /// Byte offset of the word.
        at: usize,
    },
    /// Unexpected text.
    #[error("`{text}` has {found} where {expected} is expected")]
    Unexpected {
        /// The expression.
        text: String,
        /// The character found, in backquotes, or `its end`.
        found: String,
        /// The expected text.
        expected: &'static str,
        /// Byte offset of the unexpected text.
        at: usize,
    },
    /// A chain of comparisons, such as `a < b < c`.
    #[error("`{text}` chains comparisons; write (a < b)*(b < c) for both")]
    ChainedComparison {
        /// The expression.
        text: String,
        /// Byte offset of the second comparison operator.
        at: usize,
    },
    /// A nesting level of at least `DEPTH_LIMIT`, or an evaluation stack of more than `DEPTH_LIMIT` values.
    #[error("the expression nests more than {limit} deep: use a table, or split it", limit = DEPTH_LIMIT)]
    TooDeep {
        /// Byte offset at which the limit is exceeded.
        at: usize,
    },
}

impl TimeFunctionError {
    /// Byte offset of the fault in the expression; `None` for errors of tables.
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
