//! History of the materials of all elements.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::pack::Row;

/// History of all integration points at the beginning and at the end of the last step: the numbers of their laws, by
/// block, chunk, group, point and number, with the elements of a group in lanes. Empty without laws with history.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaterialHistory {
    /// At the beginning of the step.
    before: Vec<Row>,
    /// At its end.
    now: Vec<Row>,
}

clone_by_field!(MaterialHistory { before, now });

impl MaterialHistory {
    /// Zero, of this number of rows.
    pub(super) fn new(num_rows: usize) -> Self {
        Self { before: vec![Row::splat(0.0); num_rows], now: vec![Row::splat(0.0); num_rows] }
    }

    /// Exchanges the ends: the end of the last step is the beginning of the next one, which does not write it. After a
    /// failed step, another exchange returns to it.
    pub fn begin_step(&mut self) {
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// Number of rows; `None` if the ends differ in it.
    pub(super) fn num_rows(&self) -> Option<usize> {
        (self.before.len() == self.now.len()).then_some(self.now.len())
    }

    /// Rows at the end of the last step.
    pub(super) fn now(&self) -> &[Row] {
        &self.now
    }

    /// Rows at the beginning, and at the end of the step.
    pub(super) fn ends(&mut self) -> (&[Row], &mut [Row]) {
        (&self.before, &mut self.now)
    }
}
