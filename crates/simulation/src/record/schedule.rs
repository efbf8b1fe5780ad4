//! Times at which frames and history rows are due.

use serde::{Deserialize, Serialize};

use crate::scenario::{FrameSchedule, Scenario};

/// Largest time by which output may precede its scheduled instant, relative to the length of a step. The sum of the
/// steps can miss the instant by a rounding error.
const TIME_TOLERANCE: f64 = 1e-6;

#[derive(Clone, Debug)]
pub(crate) struct OutputTimes {
    frames: FrameSchedule,
    /// In seconds; 0 for a row in every step.
    history_interval: f64,
    /// In seconds.
    probe_intervals: Vec<f64>,
    end: f64,
}

impl OutputTimes {
    pub fn of(scenario: &Scenario) -> Self {
        let output = &scenario.output;
        let own =
            scenario.probes.iter().filter_map(|probe| probe.interval).filter(|&interval| interval > 0.0);
        let probe_intervals = own.collect();
        let times = Self::new(output.frames.clone(), output.history_interval, scenario.time.end);
        Self { probe_intervals, ..times }
    }

    fn new(frames: FrameSchedule, history_interval: f64, end: f64) -> Self {
        Self { frames, history_interval, probe_intervals: Vec::new(), end }
    }

    /// Infinite after the last time of `FrameSchedule::Times`. All other schedules continue beyond the end time.
    fn first_frame_after(&self, time: f64) -> f64 {
        match &self.frames {
            FrameSchedule::Count(count) => {
                let count = *count as f64;
                let at = |k: f64| if k == count { self.end } else { self.end * k / count };
                first_after(time, self.end / count, at)
            }
            FrameSchedule::Interval(interval) => first_after(time, *interval, |k| interval * k),
            FrameSchedule::Times(times) => {
                times.get(times.partition_point(|&at| at <= time)).copied().unwrap_or(f64::INFINITY)
            }
        }
    }

    /// `time` itself if every step has a row.
    fn first_row_after(&self, time: f64) -> f64 {
        match self.history_interval {
            interval if interval > 0.0 => first_after(time, interval, |k| interval * k),
            _ => time,
        }
    }

    /// First output time after `time` at which a step must end, or the end time if no output time is earlier \[s\].
    /// `step` is the largest length of the next step \[s\]. Output times up to `time` + `TIME_TOLERANCE` · `step` count
    /// as reached. `None` at the end time, or if an output interval is below the rounding error of `time`.
    pub fn first_within_step(&self, time: f64, step: f64) -> Option<f64> {
        let now = time + TIME_TOLERANCE * step;
        let row = if self.history_interval > 0.0 { self.first_row_after(now) } else { f64::INFINITY };
        let of_probe = |&interval: &f64| first_after(now, interval, |k| interval * k);
        let sample = self.probe_intervals.iter().map(of_probe).fold(f64::INFINITY, f64::min);
        let first = self.first_frame_after(now).min(row).min(sample).min(self.end);
        (first > now).then_some(first)
    }
}

/// First time after `time` among the times `at(k)`, which are `spacing` apart. `time` itself if `spacing` is below the
/// rounding error of `time`.
fn first_after(time: f64, spacing: f64, at: impl Fn(f64) -> f64) -> f64 {
    let last = (time / spacing).floor();
    [last, last + 1.0, last + 2.0].into_iter().map(at).find(|&instant| instant > time).unwrap_or(time)
}

/// In seconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SchedulePosition {
    pub last_frame: f64,
    pub last_row: f64,
    pub next_frame: f64,
    pub next_row: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    times: OutputTimes,
    contact_interval: Option<f64>,
    pub position: SchedulePosition,
}

impl Schedule {
    /// `contact_interval` is the interval of additional frames after the first contact \[s\].
    pub fn new(times: OutputTimes, contact_interval: Option<f64>) -> Self {
        Self {
            times,
            contact_interval,
            position: SchedulePosition {
                last_frame: f64::NEG_INFINITY,
                last_row: f64::NEG_INFINITY,
                next_frame: 0.0,
                next_row: 0.0,
            },
        }
    }

    /// Continues from a checkpoint at `time` \[s\], written after a step of length `time_step` \[s\]. Output times that
    /// were added to the scenario since the checkpoint was written apply at once.
    pub fn resume(&mut self, position: SchedulePosition, [time, time_step]: [f64; 2]) {
        let now = time + TIME_TOLERANCE * time_step;
        let next_frame = position.next_frame.min(self.times.first_frame_after(now));
        let next_row = position.next_row.min(self.times.first_row_after(now));
        self.position = SchedulePosition { next_frame, next_row, ..position };
    }

    pub fn next_frame(&self) -> f64 {
        self.position.next_frame
    }

    /// `time_step` is the length of the last step \[s\], and `touched` the time of the first contact \[s\].
    pub fn frame_is_due(&self, touched: Option<f64>, time: f64, time_step: f64) -> bool {
        let latest = time + TIME_TOLERANCE * time_step;
        let contact_is_due = touched.is_some_and(|first| {
            self.position.last_frame < first
                || self.contact_interval.is_some_and(|interval| latest >= self.position.last_frame + interval)
        });
        contact_is_due || latest >= self.position.next_frame
    }

    /// `time_step` is the length of the last step \[s\].
    pub fn row_is_due(&self, time: f64, time_step: f64) -> bool {
        time + TIME_TOLERANCE * time_step >= self.position.next_row
    }

    /// Schedules the next frame after a frame at `time` \[s\], the end of a step of length `time_step` \[s\].
    pub fn note_frame(&mut self, time: f64, time_step: f64) {
        self.position.last_frame = time;
        self.position.next_frame = self.times.first_frame_after(time + TIME_TOLERANCE * time_step);
    }

    /// Schedules the next row after a row at `time` \[s\], the end of a step of length `time_step` \[s\].
    pub fn note_row(&mut self, time: f64, time_step: f64) {
        self.position.last_row = time;
        self.position.next_row = self.times.first_row_after(time + TIME_TOLERANCE * time_step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::NodalState;

    /// A run of a million steps, with output after every hundredth step. The step length has no exact binary
    /// representation. All output is nevertheless due at the intended steps: the error of the time is below a millionth
    /// of a step length.
    #[test]
    fn a_million_steps_miss_no_frame() {
        let (step, count, between) = (1e-3, 1_000_000_u64, 100);
        let end = step * count as f64;
        let frames = (count / between) as usize;
        let schedules = [
            FrameSchedule::Count(frames),
            FrameSchedule::Interval(step * between as f64),
            FrameSchedule::Times((0..=frames as u64).map(|k| step * (k * between) as f64).collect()),
        ];
        for frames in schedules {
            let times = OutputTimes::new(frames, step * between as f64, end);
            let mut schedule = Schedule::new(times, None);
            let mut state = NodalState::default();
            schedule.note_frame(0.0, 0.0);
            schedule.note_row(0.0, 0.0);
            for k in 1..=count {
                state.advance_time(step);
                let (row, frame) =
                    (schedule.row_is_due(state.time, step), schedule.frame_is_due(None, state.time, step));
                let is_due = k % between == 0;
                assert_eq!([row, frame], [is_due; 2], "step {k} at {}", state.time);
                if is_due {
                    schedule.note_row(state.time, step);
                    schedule.note_frame(state.time, step);
                }
                assert!((state.time - k as f64 * step).abs() < 1e-6 * step);
            }
        }
    }
}
