//! Values that know where they stand in the file.

use std::ops::Range;

/// A value and where it stands in the scenario file (byte range), for messages that come after reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Bytes of the scenario text; empty where the value is a default.
    pub span: Range<usize>,
}
