//! History of the integration points of elements: rows by point and number, with the elements of a group in lanes.

use pulp::Simd;

use crate::material::PointHistory;
use crate::math::pack::{Pack, Row};

/// History with which the response of the points of some elements is evaluated.
pub(crate) trait HistoryOfPoints<S: Simd> {
    /// Evaluates the response of point `k` to its history and the length of the step \[s\].
    fn respond<H: PointHistory<Pack<S>>, T>(
        &mut self,
        k: usize,
        response: impl FnOnce(&mut H, f64) -> T,
    ) -> T;
}

/// History at an instant, of a part of a group.
#[derive(Clone, Copy)]
pub(crate) struct PresentHistory<'a, S> {
    simd: S,
    /// Index of the part in the rows.
    part: usize,
    /// Rows of the group.
    rows: &'a [Row],
}

impl<'a, S: Simd> PresentHistory<'a, S> {
    /// History of a part of the group with this index, among `rows` of this number per group.
    #[inline(always)]
    pub fn of_group(simd: S, rows: &'a [Row], index: usize, rows_per_group: usize, part: usize) -> Self {
        Self { simd, part, rows: &rows[index * rows_per_group..(index + 1) * rows_per_group] }
    }

    /// History of point `k`.
    #[inline(always)]
    pub fn at<H: PointHistory<Pack<S>>>(&self, k: usize) -> H {
        H::read(|i| Pack::load(self.simd, &self.rows[k * H::LEN + i], self.part))
    }
}

impl<S: Simd> HistoryOfPoints<S> for PresentHistory<'_, S> {
    #[inline(always)]
    fn respond<H: PointHistory<Pack<S>>, T>(
        &mut self,
        k: usize,
        response: impl FnOnce(&mut H, f64) -> T,
    ) -> T {
        response(&mut self.at(k), 0.0)
    }
}

/// History over a step, of a part of a group.
pub(crate) struct HistoryOverStep<'a, S> {
    /// At its beginning.
    pub before: PresentHistory<'a, S>,
    /// Rows of the group at its end.
    pub now: &'a mut [Row],
    /// Length of the step \[s\].
    pub time_step: f64,
}

impl<S: Simd> HistoryOfPoints<S> for HistoryOverStep<'_, S> {
    #[inline(always)]
    fn respond<H: PointHistory<Pack<S>>, T>(
        &mut self,
        k: usize,
        response: impl FnOnce(&mut H, f64) -> T,
    ) -> T {
        let mut history = self.before.at::<H>(k);
        let result = response(&mut history, self.time_step);
        history.write(|i, number| number.store(&mut self.now[k * H::LEN + i], self.before.part));
        result
    }
}
