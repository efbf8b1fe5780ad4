//! When frames and rows of the history are due.

use crate::scenario::FrameSchedule;

/// Part of a step by which a state may be before an instant and still be that of the instant: sums of steps are rounded.
const EARLY: f64 = 1e-6;

/// When frames and rows of the history are due, and were last written \[s\].
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    frames: FrameSchedule,
    contact_interval: Option<f64>,
    history_interval: f64,
    end: f64,
    /// Scheduled frames that are past.
    past: usize,
    pub last_frame: f64,
    pub last_row: f64,
    next_row: f64,
}

impl Schedule {
    /// For a run until `end`, with frames at intervals while there is contact and rows at intervals \[s\].
    pub fn new(
        frames: FrameSchedule,
        contact_interval: Option<f64>,
        history_interval: f64,
        end: f64,
    ) -> Self {
        Self {
            frames,
            contact_interval,
            history_interval,
            end,
            past: 0,
            last_frame: f64::NEG_INFINITY,
            last_row: f64::NEG_INFINITY,
            next_row: 0.0,
        }
    }

    /// When the next scheduled frame is due \[s\].
    pub fn next_frame(&self) -> f64 {
        match &self.frames {
            FrameSchedule::Count(count) if self.past + 1 == *count => self.end,
            FrameSchedule::Count(count) => self.end * (self.past + 1) as f64 / (*count).max(1) as f64,
            FrameSchedule::Interval(interval) => interval * (self.past + 1) as f64,
            FrameSchedule::Times(times) => times.get(self.past).copied().unwrap_or(f64::INFINITY),
        }
    }

    /// Takes the frames up to a time \[s\] for past.
    pub fn skip_frames_until(&mut self, time: f64) {
        while self.next_frame() <= time {
            self.past += 1;
        }
    }

    /// Whether a frame is due after a step of a length, with bodies that touched first at `touched` \[s\].
    pub fn frame_is_due(&self, touched: Option<f64>, time: f64, time_step: f64) -> bool {
        let latest = time + EARLY * time_step;
        let contact_is_due = touched.is_some_and(|first| {
            self.last_frame < first
                || self.contact_interval.is_some_and(|interval| latest >= self.last_frame + interval)
        });
        contact_is_due || latest >= self.next_frame()
    }

    /// Whether a row is due after a step of a length \[s\].
    pub fn row_is_due(&self, time: f64, time_step: f64) -> bool {
        time + EARLY * time_step >= self.next_row
    }

    /// Notes that a frame is written after a step of a length \[s\].
    pub fn note_frame(&mut self, time: f64, time_step: f64) {
        self.last_frame = time;
        self.skip_frames_until(time + EARLY * time_step);
    }

    /// Notes that a row is written after a step of a length \[s\].
    pub fn note_row(&mut self, time: f64, time_step: f64) {
        self.last_row = time;
        let latest = time + EARLY * time_step;
        self.next_row = match self.history_interval {
            interval if interval > 0.0 => interval * ((latest / interval).floor() + 1.0),
            _ => time,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::State;

    /// A run of a million steps of a length that binary numbers do not have, with frames and rows every hundred: all are
    /// written, none a step late. Reference: the step k of the frame k/100, to a millionth of a step.
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
            let mut schedule = Schedule::new(frames, None, step * between as f64, end);
            let mut state = State::default();
            schedule.skip_frames_until(0.0);
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
