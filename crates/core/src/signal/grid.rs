//! Resampling of unevenly spaced samples.

/// Samples count as evenly spaced if the longest and shortest intervals between them differ by at most `EVEN` times the
/// median interval. The limit allows for the rounding of sums of time steps.
const EVEN: f64 = 1e-6;

/// Upper bound on the duration of a signal, relative to the median interval between its samples.
const MOST: f64 = 1e8;

/// Evenly spaced instants from the first to the last sample of a signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    start: f64,
    spacing: f64,
    count: usize,
    is_even: bool,
}

impl Grid {
    /// Grid from the first to the last sample. Its interval is nearly the median interval of the samples. `None` in
    /// three cases:
    /// - fewer than two samples;
    /// - times that do not strictly ascend;
    /// - a median interval of at most 1e-8 of the duration.
    pub fn of(times: &[f64]) -> Option<Self> {
        let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        let (&shortest, &longest) = (gaps.first()?, gaps.last()?);
        let median = gaps[gaps.len() / 2];
        let length = times.last()? - times.first()?;
        if !(shortest > 0.0 && length / median < MOST) {
            return None;
        }
        let count = (length / median).round() as usize;
        let spacing = length / count as f64;
        let is_even = longest - shortest <= EVEN * median && count + 1 == times.len();
        Some(Self { start: times[0], spacing, count: count + 1, is_even })
    }

    /// Interval of the grid \[s\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Whether the samples already lie on the grid, up to rounding. Resampling then changes no value.
    pub fn is_even(&self) -> bool {
        self.is_even
    }

    /// Signal on the grid, by linear interpolation between the samples at `times`.
    pub fn sample(&self, times: &[f64], values: &[f64]) -> Vec<f64> {
        if self.is_even {
            return values.to_vec();
        }
        let mut place = 0;
        let instant = |k: usize| self.start + self.spacing * k as f64;
        (0..self.count)
            .map(|k| {
                while place + 2 < times.len() && times[place + 1] < instant(k) {
                    place += 1;
                }
                between([times[place], times[place + 1]], [values[place], values[place + 1]], instant(k))
            })
            .collect()
    }

    /// Signal at the instants `times`, by linear interpolation from the grid.
    pub fn back(&self, times: &[f64], values: &[f64]) -> Vec<f64> {
        if self.is_even {
            return values.to_vec();
        }
        let of = |&time: &f64| {
            let place = (((time - self.start) / self.spacing) as usize).min(self.count - 2);
            let from = self.start + self.spacing * place as f64;
            between([from, from + self.spacing], [values[place], values[place + 1]], time)
        };
        times.iter().map(of).collect()
    }
}

/// Linear interpolation between two points, constant outside.
fn between([from, to]: [f64; 2], [first, second]: [f64; 2], time: f64) -> f64 {
    let part = ((time - from) / (to - from)).clamp(0.0, 1.0);
    first + part * (second - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even samples are unchanged. A straight line on uneven samples is unchanged up to rounding after `sample` and
    /// `back`.
    #[test]
    fn lines_survive() {
        let even: Vec<f64> = (0..11).map(|k| 0.1 * f64::from(k)).collect();
        let grid = Grid::of(&even).unwrap();
        assert!(grid.is_even() && (grid.spacing() - 0.1).abs() < 1e-15);
        assert_eq!(grid.sample(&even, &even), even);

        let uneven = [0.0, 0.1, 0.21, 0.29, 0.4, 0.7, 0.8];
        let line: Vec<f64> = uneven.iter().map(|t| 2.0 - 3.0 * t).collect();
        let grid = Grid::of(&uneven).unwrap();
        assert!(!grid.is_even());
        let sampled = grid.sample(&uneven, &line);
        assert_eq!(sampled.len(), 8);
        let back = grid.back(&uneven, &sampled);
        assert!(back.iter().zip(&line).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
    }

    #[test]
    fn what_has_no_grid_is_refused() {
        for times in [&[][..], &[1.0], &[0.0, 0.0], &[0.0, 1.0, 0.5], &[0.0, 1e-12, 2e-12, 1.0]] {
            assert_eq!(Grid::of(times), None, "{times:?}");
        }
    }
}
