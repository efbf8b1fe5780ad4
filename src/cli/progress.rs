//! Progress of a run on standard error: a bar on a terminal, a line every ten seconds elsewhere.

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
    /// Start of the stable steps, and number of flight steps before it: stable steps take nearly all the time.
    stepping: Option<(Instant, u64)>,
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
        Self { display, last: Instant::now(), stepping: None }
    }

    /// Shows the progress if the display is due.
    pub fn show(&mut self, progress: &Progress) {
        if !(progress.in_flight || progress.in_relaxation) && self.stepping.is_none() {
            self.stepping = Some((Instant::now(), progress.step));
        }
        let pause = if matches!(self.display, Display::Bar(_)) { REDRAW } else { LINE };
        if self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        let fraction = progress.time / progress.end;
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
        let Some((start, first)) = self.stepping.filter(|(_, first)| progress.step > *first) else {
            return String::new();
        };
        let seconds_per_step = start.elapsed().as_secs_f64() / (progress.step - first) as f64;
        let steps = (progress.end - progress.time) / progress.time_step;
        let left = Duration::from_secs((steps * seconds_per_step) as u64);
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
        return format!("t = {:.6} s  step {}  in flight", progress.time, progress.step);
    }
    format!(
        "t = {:.6} s  step {}  dt = {:.2e} s  {} contacts  energy error {:.1e}",
        progress.time, progress.step, progress.time_step, progress.contacts, progress.energy_error
    )
}
