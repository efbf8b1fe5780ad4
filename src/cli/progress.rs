//! Progress of a run on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use ictus::simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// Time between two redraws of the bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(10);
/// Resolution of the bar.
const TICKS: u64 = 10_000;

/// Shows progress.
pub enum Reporter {
    /// Says nothing.
    Silent,
    /// A bar on a terminal.
    Bar(ProgressBar, Instant),
    /// Lines in a file or pipe.
    Lines {
        /// When the run began.
        start: Instant,
        /// When the last line was written.
        last: Instant,
    },
}

impl Reporter {
    /// The reporter that fits where standard error goes.
    pub fn new(quiet: bool) -> Self {
        let now = Instant::now();
        if quiet {
            Self::Silent
        } else if std::io::stderr().is_terminal() {
            let template = "{bar:30} {percent:>3} %  {msg}  {eta} left";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            Self::Bar(ProgressBar::new(TICKS).with_style(style), now)
        } else {
            Self::Lines { start: now, last: now }
        }
    }

    /// Shows where the run stands, if it is time to.
    #[expect(clippy::print_stderr, reason = "this is where the program talks to its user")]
    pub fn show(&mut self, progress: &Progress) {
        let fraction = progress.time / progress.end;
        match self {
            Self::Silent => {}
            Self::Bar(bar, last) => {
                if last.elapsed() >= REDRAW {
                    *last = Instant::now();
                    bar.set_position((fraction * TICKS as f64) as u64);
                    bar.set_message(describe(progress));
                }
            }
            Self::Lines { start, last } => {
                if last.elapsed() >= LINE {
                    *last = Instant::now();
                    let left = start.elapsed().as_secs_f64() * (1.0 - fraction) / fraction;
                    eprintln!("{:5.1} %  {}  {left:.0} s left", 100.0 * fraction, describe(progress));
                }
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Self::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

fn describe(progress: &Progress) -> String {
    if progress.in_flight {
        return format!("t = {:.6} s  step {}  in flight", progress.time, progress.step);
    }
    format!(
        "t = {:.6} s  step {}  dt = {:.2e} s  {} contacts  energy error {:.1e}",
        progress.time, progress.step, progress.time_step, progress.contacts, progress.energy_error
    )
}
