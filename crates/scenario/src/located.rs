//! Values with their location in the scenario file.

use std::ops::Range;

/// A value and its byte range in the scenario text, for messages that are written after the file was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Bytes of the scenario text; empty for a default.
    pub span: Range<usize>,
}
