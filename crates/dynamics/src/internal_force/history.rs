//! History of the materials of all elements.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::pack::Row;

/// Histories at the beginning and at the end of a step. The rows are in the order of block, chunk, group, point and
/// history variable, with one element per lane.
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

    /// Begins a step: the history at the end of the previous step becomes the history at the beginning. If the step
    /// fails, a second call restores the history at the end of the previous step.
    pub fn begin_step(&mut self) {
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// Number of rows; `None` if the histories at the beginning and at the end have different numbers of rows.
    pub(super) fn num_rows(&self) -> Option<usize> {
        (self.before.len() == self.now.len()).then_some(self.now.len())
    }

    /// Rows at the end of the latest step.
    pub(super) fn now(&self) -> &[Row] {
        &self.now
    }

    /// Rows at the beginning and at the end of the step.
    pub(super) fn ends(&mut self) -> (&[Row], &mut [Row]) {
        (&self.before, &mut self.now)
    }
}
