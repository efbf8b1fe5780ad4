//! Progress of a run on standard error: a bar on a terminal, and otherwise a line every ten seconds.
//!
//! A run has up to three stages, each with its own percentage: dynamic relaxation (of the consecutive steps at rest
//! that end it), flight (of the simulated time), and stable steps (of their number). Stable steps are the steps outside
//! flight.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use ictus::simulation::{Progress, RelaxationProgress};
use ictus::units::UnitSystem;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::print;

const REDRAW: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(10);
const TICKS: u64 = 10_000;

pub struct Reporter {
    display: Display,
    /// Symbol of the unit of time.
    second: String,
    last: Instant,
    work: Work,
    stage: Stage,
    /// Wall-clock instant at which the stable steps of this process begin, and the number of stable steps up to this
    /// instant.
    stepping: Option<(Instant, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Relaxation,
    Flight,
    Steps,
}

impl Stage {
    fn of(progress: &Progress) -> Self {
        match progress {
            Progress { relaxation: Some(_), .. } => Self::Relaxation,
            Progress { in_flight: true, .. } => Self::Flight,
            _ => Self::Steps,
        }
    }
}

/// Completed fraction of the work of a stage. The fraction never decreases, and is 1 only at the end of the stage.
#[derive(Debug, Default)]
struct Work {
    fraction: f64,
}

impl Work {
    /// Largest fraction before the end of a stage: 99.9 %.
    const MOST: f64 = 0.999;

    fn of(&mut self, progress: &Progress) -> f64 {
        match progress {
            Progress { relaxation: Some(relaxation), .. } => {
                self.update(relaxation.part_done, 1.0 - relaxation.part_done)
            }
            Progress { in_flight: true, time, end, .. } => self.update(*time, end - time),
            _ => self.update(progress.stable_steps as f64, progress.remaining_steps),
        }
    }

    /// `done` and `remaining` have the same unit. An infinite or NaN `remaining` means unknown.
    fn update(&mut self, done: f64, remaining: f64) -> f64 {
        let fraction = match done / (done + remaining) {
            _ if remaining <= 0.0 => 1.0,
            fraction if fraction.is_finite() => fraction.min(Self::MOST),
            _ => 0.0,
        };
        self.fraction = self.fraction.max(fraction);
        self.fraction
    }
}

enum Display {
    Silent,
    Bar(ProgressBar),
    Lines,
}

impl Reporter {
    /// Shows nothing if `quiet` is set. Times are in `units`.
    pub fn new(quiet: bool, units: UnitSystem) -> Self {
        let display = if quiet {
            Display::Silent
        } else if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            Display::Bar(ProgressBar::new(TICKS).with_style(style))
        } else {
            Display::Lines
        };
        Self {
            display,
            second: units.symbol_of("s"),
            last: Instant::now(),
            work: Work::default(),
            stage: Stage::Steps,
            stepping: None,
        }
    }

    pub fn show(&mut self, progress: &Progress) {
        self.begin_stage(progress);
        let pause = if matches!(self.display, Display::Bar(_)) { REDRAW } else { LINE };
        if self.last.elapsed() >= pause {
            self.last = Instant::now();
            self.update(progress);
        }
    }

    fn begin_stage(&mut self, progress: &Progress) {
        let stage = Stage::of(progress);
        if stage != std::mem::replace(&mut self.stage, stage) {
            self.work = Work::default();
        }
        if stage == Stage::Steps && self.stepping.is_none() {
            self.stepping = Some((Instant::now(), progress.stable_steps));
        }
    }

    fn update(&mut self, progress: &Progress) {
        let fraction = self.work.of(progress);
        let message = format!("{}{}", describe(progress, &self.second), self.time_left(progress));
        match &self.display {
            Display::Silent => {}
            Display::Bar(bar) => {
                bar.set_position((fraction * TICKS as f64) as u64);
                bar.set_message(message);
            }
            Display::Lines => print::message(&format!("{:5.1} %  {message}\n", 100.0 * fraction)),
        }
    }

    /// Remaining wall-clock time, from the mean duration of the stable steps of this process.
    fn time_left(&self, progress: &Progress) -> String {
        let Some((start, first)) = self.stepping.filter(|(_, first)| progress.stable_steps > *first) else {
            return String::new();
        };
        let seconds_per_step = start.elapsed().as_secs_f64() / (progress.stable_steps - first) as f64;
        let left = Duration::from_secs((progress.remaining_steps * seconds_per_step) as u64);
        format!("  {} left", HumanDuration(left))
    }

    pub fn finish(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

/// `second` is the symbol of the unit of time.
fn describe(progress: &Progress, second: &str) -> String {
    if let Some(RelaxationProgress { share, tolerance, .. }) = progress.relaxation {
        return format!(
            "dynamic relaxation  step {}  {} contacts  kinetic energy {share:.1e} of its peak, goal {tolerance:.0e}",
            progress.step, progress.contacts
        );
    }
    if progress.in_flight {
        return format!(
            "t = {:.6} of {:.6} {second}  step {}  in flight",
            progress.time, progress.end, progress.step
        );
    }
    format!(
        "t = {:.6} {second}  step {}  dt = {:.2e} {second}  {} contacts  energy error {:.1e}",
        progress.time, progress.step, progress.time_step, progress.contacts, progress.energy_error
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each stage has its own percentage: from flight to stable steps, the fraction falls from 0.25 to 0.1.
    #[test]
    fn every_stage_has_its_percentage() {
        let mut progress = Progress {
            time: 3.0,
            end: 12.0,
            step: 50,
            stable_steps: 40,
            remaining_steps: 360.0,
            time_step: 0.1,
            contacts: 0,
            energy_error: 0.0,
            in_flight: true,
            relaxation: Some(RelaxationProgress { share: 0.1, tolerance: 1e-6, part_done: 0.125 }),
        };
        let mut reporter = Reporter::new(true, UnitSystem::SI);
        let mut fraction = |progress: &Progress| {
            reporter.begin_stage(progress);
            reporter.update(progress);
            (reporter.stage, reporter.work.fraction)
        };
        assert_eq!(fraction(&progress), (Stage::Relaxation, 0.125));
        progress.relaxation = None;
        assert_eq!(fraction(&progress), (Stage::Flight, 0.25));
        assert_eq!(describe(&progress, "ms"), "t = 3.000000 of 12.000000 ms  step 50  in flight");
        progress.in_flight = false;
        assert_eq!(fraction(&progress), (Stage::Steps, 0.1));
        assert!(
            describe(&progress, "ms").starts_with("t = 3.000000 ms  step 50  dt = 1.00e-1 ms  0 contacts")
        );
    }

    /// With equal steps, the fraction is the number of steps taken divided by that of all steps. If steps become ten
    /// times shorter, the fraction remains constant until this quotient exceeds it. The fraction is 1 only at the end.
    #[test]
    fn work_is_counted_in_steps_and_never_decreases() {
        let mut work = Work::default();
        assert_eq!([f64::INFINITY, f64::NAN].map(|unknown| work.update(0.0, unknown)), [0.0; 2]);
        let equal = [(0.0, 100.0), (25.0, 75.0), (50.0, 50.0)].map(|(done, left)| work.update(done, left));
        assert_eq!(equal, [0.0, 0.25, 0.5]);
        let shorter =
            [(51.0, 490.0), (300.0, 241.0), (500.0, 41.0)].map(|(done, left)| work.update(done, left));
        assert_eq!(shorter, [0.5, 300.0 / 541.0, 500.0 / 541.0]);
        let last = [(1e9, 1e-3), (1e9, 0.0)];
        assert_eq!(last.map(|(done, left)| work.update(done, left)), [0.999, 1.0]);
        assert_eq!(format!("{:5.1}", 100.0 * Work::MOST), " 99.9");
    }
}
