//! The head injury criterion.

/// Largest value of the criterion, and the interval with this value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeadInjury {
    /// Value of the criterion \[-\].
    pub value: f64,
    /// Start of the interval \[s\].
    pub start: f64,
    /// End of the interval \[s\].
    pub end: f64,
}

/// The first search tries every k-th sample as start of the interval, and every k-th later sample as end. The stride k
/// is the number of samples per window divided by `MOST_TRIED`, rounded down, but at least 1. The second search tries
/// all samples within k samples of the start and of the end of the best interval between samples.
const MOST_TRIED: usize = 2_000;

/// Largest number of rounds of the refinement between samples.
const ROUNDS: usize = 20;
/// Golden sections per line search.
const SECTIONS: usize = 50;

/// 2/(1 + √5).
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The head injury criterion over all intervals with t₁ < t₂ ≤ t₁ + `window`. The acceleration a(t) is linear between
/// the samples:
///
/// ```text
/// HIC = max (t₂ − t₁) ((∫ a dt)/(t₂ − t₁))^{5/2}
/// ```
/// Zero for fewer than two samples.
///
/// # Shapes and units
/// `times` \[s\], strictly ascending; `accelerations`: magnitudes in multiples of g, one per instant; `window` \[s\].
///
/// # Cost
/// About 4000 intervals per sample at most, for nearly even samples.
///
/// # Source
/// Versace, Stapp Car Crash Conference 15 (1971); 49 CFR 571.208 S6.2 (15 ms and 36 ms).
pub fn head_injury(times: &[f64], accelerations: &[f64], window: f64) -> HeadInjury {
    let signal = Signal::new(times, accelerations, window);
    let Some(best) = signal.best_samples() else { return HeadInjury::default() };
    signal.refined(best)
}

struct Signal<'a> {
    times: &'a [f64],
    values: &'a [f64],
    /// ∫ a dt from the first sample to each sample.
    integral: Vec<f64>,
    window: f64,
}

impl<'a> Signal<'a> {
    fn new(times: &'a [f64], values: &'a [f64], window: f64) -> Self {
        let count = times.len().min(values.len());
        let (times, values) = (&times[..count], &values[..count]);
        let mut integral = Vec::with_capacity(count);
        let mut sum = 0.0;
        for k in 0..count {
            if k > 0 {
                sum += 0.5 * (values[k - 1] + values[k]) * (times[k] - times[k - 1]);
            }
            integral.push(sum);
        }
        Self { times, values, integral, window }
    }

    /// ∫ a dt from the first sample to the instant `time`.
    fn integral_to(&self, time: f64) -> f64 {
        let last = self.times.len() - 1;
        let k = self.times.partition_point(|&t| t <= time).clamp(1, last) - 1;
        let (gap, part) = (self.times[k + 1] - self.times[k], time - self.times[k]);
        let slope = (self.values[k + 1] - self.values[k]) / gap;
        self.integral[k] + part * (self.values[k] + 0.5 * slope * part)
    }

    fn criterion(&self, start: f64, end: f64) -> f64 {
        criterion(self.integral_to(end) - self.integral_to(start), end - start)
    }

    /// The best of two kinds of intervals: those between two samples that are tried (see [`MOST_TRIED`]), and those of
    /// the length of the window that begin or end at a sample of the first search. `None` for fewer than two samples.
    fn best_samples(&self) -> Option<HeadInjury> {
        let (&first, &last) = (self.times.first()?, self.times.last()?);
        if self.times.len() < 2 {
            return None;
        }
        let per_window = self.times.len() as f64 * (self.window / (last - first)).min(1.0);
        let stride = (per_window as usize / MOST_TRIED).max(1);
        let mut best = HeadInjury { value: 0.0, start: first, end: first };
        let mut ends = [0, 0];
        for i in (0..self.times.len()).step_by(stride) {
            self.try_ends(i, (i + 1..self.times.len()).step_by(stride), &mut best, &mut ends);
            let (before, after) = (self.times[i] - self.window, self.times[i] + self.window);
            for [start, end] in [[before, self.times[i]], [self.times[i], after]] {
                if start >= first && end <= last {
                    best.take(self.criterion(start, end), start, end);
                }
            }
        }
        let near = ends.map(|end| end.saturating_sub(stride)..(end + stride).min(self.times.len()));
        for i in near[0].clone() {
            self.try_ends(i, near[1].start.max(i + 1)..near[1].end, &mut best, &mut ends);
        }
        Some(best)
    }

    /// Tries the intervals from sample `from` to each of the samples `to`, up to the length of the window.
    fn try_ends(
        &self,
        from: usize,
        to: impl Iterator<Item = usize>,
        best: &mut HeadInjury,
        ends: &mut [usize; 2],
    ) {
        for k in to {
            let length = self.times[k] - self.times[from];
            if length > self.window {
                break;
            }
            let value = criterion(self.integral[k] - self.integral[from], length);
            if best.take(value, self.times[from], self.times[k]) {
                *ends = [from, k];
            }
        }
    }

    /// Line searches in turn: over the start of the interval, over its end, and over both with constant length. A line
    /// search moves each of them by at most the longest sampling interval.
    fn refined(&self, mut best: HeadInjury) -> HeadInjury {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let reach = self.times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        for _ in 0..ROUNDS {
            let before = best.value;
            for [of_start, of_end] in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
                let HeadInjury { start, end, .. } = best;
                let at = |way: f64| {
                    let start = (start + way * of_start).max(first);
                    let end = (end + way * of_end).min(last).min(start + self.window);
                    (self.criterion(start, end), start, end)
                };
                let way = golden_section(&|way| at(way).0, [-reach, reach]);
                let (value, start, end) = at(way);
                best.take(value, start, end);
            }
            if best.value <= before {
                break;
            }
        }
        best
    }
}

impl HeadInjury {
    /// Takes the interval if `value` exceeds the previous value. Returns whether `value` is larger.
    fn take(&mut self, value: f64, start: f64, end: f64) -> bool {
        let is_larger = value > self.value;
        if is_larger {
            *self = Self { value, start, end };
        }
        is_larger
    }
}

/// T (V/T)^{5/2} for the velocity change V = `change` in the time T = `length`; 0 unless V and T are positive.
fn criterion(change: f64, length: f64) -> f64 {
    if change > 0.0 && length > 0.0 { change * (change / length).powi(3).sqrt() } else { 0.0 }
}

/// Argument of the maximum of a unimodal function, by golden sections (Kiefer 1953).
fn golden_section(function: &impl Fn(f64) -> f64, [mut from, mut to]: [f64; 2]) -> f64 {
    let inner = |from: f64, to: f64| [to - GOLDEN * (to - from), from + GOLDEN * (to - from)];
    let mut places = inner(from, to);
    let mut values = places.map(function);
    for _ in 0..SECTIONS {
        if values[0] >= values[1] {
            to = places[1];
            let place = inner(from, to)[0];
            (places, values) = ([place, places[0]], [function(place), values[0]]);
        } else {
            from = places[0];
            let place = inner(from, to)[1];
            (places, values) = ([places[1], place], [values[1], function(place)]);
        }
    }
    0.5 * (from + to)
}
