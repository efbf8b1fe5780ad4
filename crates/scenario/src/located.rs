//! Values with their location in the scenario.

use std::ops::Range;

/// A value and its byte range in `Scenario::source`, for messages after the text has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Byte range of the value; empty for a default value.
    pub span: Range<usize>,
}
