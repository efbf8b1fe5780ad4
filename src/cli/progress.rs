//! Progress of a run on standard error: a bar on a terminal, a line every ten seconds elsewhere.
//!
//! The percentage is that of the steps outside flight, which take nearly all the time, and not that of the simulated
//! time, most of which a flight may cover in an instant.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use ictus::simulation::Progress;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::print;

/// Time between two redraws of the bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between two lines without a terminal.
const LINE: Duration = Duration::from_secs(10);
/// Resolution of the bar.
const TICKS: u64 = 10_000;

/// Shows progress.
pub struct Reporter {
    display: Display,
    last: Instant,
    work: Work,
    /// Start of the stable steps of this process, and number of stable steps before it.
    stepping: Option<(Instant, u64)>,
}

/// Estimate of the work done, from 0 to 1: monotone, and 1 at the end only.
#[derive(Debug, Default)]
struct Work {
    fraction: f64,
}

impl Work {
    /// Largest fraction before the end; in per cent with one decimal it is below 100.
    const MOST: f64 = 0.999;

    /// The estimate after `done` steps, with about `remaining` steps (not finite: unknown) to the end \[-\].
    fn update(&mut self, done: u64, remaining: f64) -> f64 {
        let fraction = match done as f64 / (done as f64 + remaining) {
            _ if remaining <= 0.0 => 1.0,
            fraction if fraction.is_finite() => fraction.min(Self::MOST),
            _ => 0.0,
        };
        self.fraction = self.fraction.max(fraction);
        self.fraction
    }
}

/// Form of the display.
enum Display {
    /// None.
    Silent,
    /// A bar on a terminal.
    Bar(ProgressBar),
    /// Lines in a file or pipe.
    Lines,
}

impl Reporter {
    /// Selects the display by the type of standard error.
    pub fn new(quiet: bool) -> Self {
        let display = if quiet {
            Display::Silent
        } else if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            Display::Bar(ProgressBar::new(TICKS).with_style(style))
        } else {
            Display::Lines
        };
        Self { display, last: Instant::now(), work: Work::default(), stepping: None }
    }

    /// Shows the progress if the display is due.
    pub fn show(&mut self, progress: &Progress) {
        if !(progress.in_flight || progress.in_relaxation) && self.stepping.is_none() {
            self.stepping = Some((Instant::now(), progress.stable_steps));
        }
        let pause = if matches!(self.display, Display::Bar(_)) { REDRAW } else { LINE };
        if self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        let fraction = self.work.update(progress.stable_steps, progress.remaining_steps);
        let message = format!("{}{}", describe(progress), self.time_left(progress));
        match &self.display {
            Display::Silent => {}
            Display::Bar(bar) => {
                bar.set_position((fraction * TICKS as f64) as u64);
                bar.set_message(message);
            }
            Display::Lines => print::message(&format!("{:5.1} %  {message}\n", 100.0 * fraction)),
        }
    }

    /// Remaining wall time at the mean rate of the stable steps; empty in flight.
    fn time_left(&self, progress: &Progress) -> String {
        let Some((start, first)) = self.stepping.filter(|(_, first)| progress.stable_steps > *first) else {
            return String::new();
        };
        let seconds_per_step = start.elapsed().as_secs_f64() / (progress.stable_steps - first) as f64;
        let left = Duration::from_secs((progress.remaining_steps * seconds_per_step) as u64);
        format!("  {} left", HumanDuration(left))
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

fn describe(progress: &Progress) -> String {
    if progress.in_relaxation {
        return format!("dynamic relaxation  step {}  {} contacts", progress.step, progress.contacts);
    }
    if progress.in_flight {
        return format!(
            "t = {:.6} of {:.6} s  step {}  in flight",
            progress.time, progress.end, progress.step
        );
    }
    format!(
        "t = {:.6} s  step {}  dt = {:.2e} s  {} contacts  energy error {:.1e}",
        progress.time, progress.step, progress.time_step, progress.contacts, progress.energy_error
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flight leaves the work open. Equal steps are shares of their number. When the steps become ten times
    /// shorter, the estimate stays until their share has grown past it. It is 1 only at the end.
    #[test]
    fn work_is_counted_in_steps_and_never_decreases() {
        let mut work = Work::default();
        assert_eq!([f64::INFINITY, f64::NAN].map(|unknown| work.update(0, unknown)), [0.0; 2]);
        let equal = [(0, 100.0), (25, 75.0), (50, 50.0)].map(|(done, left)| work.update(done, left));
        assert_eq!(equal, [0.0, 0.25, 0.5]);
        let shorter = [(51, 490.0), (300, 241.0), (500, 41.0)].map(|(done, left)| work.update(done, left));
        assert_eq!(shorter, [0.5, 300.0 / 541.0, 500.0 / 541.0]);
        let last = [(u64::from(u32::MAX), 1e-3), (u64::from(u32::MAX), 0.0)];
        assert_eq!(last.map(|(done, left)| work.update(done, left)), [0.999, 1.0]);
        assert_eq!(format!("{:5.1}", 100.0 * Work::MOST), " 99.9");
    }
}
