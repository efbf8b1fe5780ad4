//! History of the integration points of a group: one row per history variable and point, one element per lane.

use pulp::Simd;

use crate::material::PointHistory;
use crate::math::pack::{Pack, Row};

pub(crate) trait HistoryOfPoints<S: Simd> {
    /// Length of the step \[s\].
    fn time_step(&self) -> f64;

    /// History of point `k` at the beginning of the step.
    fn at<H: PointHistory<Pack<S>>>(&self, k: usize) -> H;

    /// Stores the history of point `k` at the end of the step.
    fn keep<H: PointHistory<Pack<S>>>(&mut self, k: usize, history: &H);
}

/// Read-only history for an evaluation at the present instant, with a step of length zero.
#[derive(Clone, Copy)]
pub(crate) struct PresentHistory<'a, S> {
    simd: S,
    part: usize,
    rows: &'a [Row],
}

impl<'a, S: Simd> PresentHistory<'a, S> {
    /// History of part `part` of group number `index`; `rows` has `rows_per_group` rows for each group.
    #[inline(always)]
    pub fn of_group(simd: S, rows: &'a [Row], index: usize, rows_per_group: usize, part: usize) -> Self {
        Self { simd, part, rows: &rows[index * rows_per_group..(index + 1) * rows_per_group] }
    }
}

impl<S: Simd> HistoryOfPoints<S> for PresentHistory<'_, S> {
    #[inline(always)]
    fn time_step(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at<H: PointHistory<Pack<S>>>(&self, k: usize) -> H {
        let mut history = H::filled(Pack::splat(self.simd, 0.0));
        for i in 0..H::LEN {
            history.numbers_mut()[i] = Pack::load(self.simd, &self.rows[k * H::LEN + i], self.part);
        }
        history
    }

    #[inline(always)]
    fn keep<H: PointHistory<Pack<S>>>(&mut self, _k: usize, _history: &H) {}
}

/// History of a part of a group over a step.
pub(crate) struct HistoryOverStep<'a, S> {
    pub before: PresentHistory<'a, S>,
    /// Rows at the end of the step.
    pub now: &'a mut [Row],
    /// Length of the step \[s\].
    pub time_step: f64,
}

impl<S: Simd> HistoryOfPoints<S> for HistoryOverStep<'_, S> {
    #[inline(always)]
    fn time_step(&self) -> f64 {
        self.time_step
    }

    #[inline(always)]
    fn at<H: PointHistory<Pack<S>>>(&self, k: usize) -> H {
        self.before.at(k)
    }

    #[inline(always)]
    fn keep<H: PointHistory<Pack<S>>>(&mut self, k: usize, history: &H) {
        for i in 0..H::LEN {
            history.numbers()[i].store(&mut self.now[k * H::LEN + i], self.before.part);
        }
    }
}
