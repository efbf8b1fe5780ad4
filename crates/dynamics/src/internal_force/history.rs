//! History of the materials of all elements.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::pack::Row;

/// History of all integration points at the beginning and at the end of the last step. The rows are ordered by block,
/// chunk, group, point and history variable of the law, with one element per lane. The lists are empty if no law has a
/// history.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaterialHistory {
    /// At the beginning of the step.
    before: Vec<Row>,
    /// At the end of the step.
    now: Vec<Row>,
}

clone_by_field!(MaterialHistory { before, now });

impl MaterialHistory {
    /// A history of `num_rows` rows of zeros.
    pub(super) fn new(num_rows: usize) -> Self {
        Self { before: vec![Row::splat(0.0); num_rows], now: vec![Row::splat(0.0); num_rows] }
    }

    /// Exchanges the histories at the two ends of a step. The history at the end of the last step becomes the history
    /// at the beginning of the next step, which the next step does not change. After a failed step, another exchange
    /// restores the history at the end of the last step.
    pub fn begin_step(&mut self) {
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// Number of rows; `None` if the two ends of the step have different numbers of rows.
    pub(super) fn num_rows(&self) -> Option<usize> {
        (self.before.len() == self.now.len()).then_some(self.now.len())
    }

    /// Rows at the end of the last step.
    pub(super) fn now(&self) -> &[Row] {
        &self.now
    }

    /// Rows at the beginning and rows at the end of the step.
    pub(super) fn ends(&mut self) -> (&[Row], &mut [Row]) {
        (&self.before, &mut self.now)
    }
}
