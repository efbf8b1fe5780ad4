//! History of the materials of all elements.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::pack::Row;

/// Histories at the two ends of the last step. Rows: block, chunk, group, point, history variable; one element per
/// lane.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaterialHistory {
    before: Vec<Row>,
    now: Vec<Row>,
}

clone_by_field!(MaterialHistory { before, now });

impl MaterialHistory {
    pub(super) fn new(num_rows: usize) -> Self {
        Self { before: vec![Row::splat(0.0); num_rows], now: vec![Row::splat(0.0); num_rows] }
    }

    /// Makes the end of the last step the beginning of the next. After a failed step, a second call restores the
    /// history.
    pub fn begin_step(&mut self) {
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// `None` if the two ends have different numbers of rows.
    pub(super) fn num_rows(&self) -> Option<usize> {
        (self.before.len() == self.now.len()).then_some(self.now.len())
    }

    /// At the end of the last step.
    pub(super) fn now(&self) -> &[Row] {
        &self.now
    }

    /// At the beginning and at the end of the step.
    pub(super) fn ends(&mut self) -> (&[Row], &mut [Row]) {
        (&self.before, &mut self.now)
    }
}
