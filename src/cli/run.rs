//! `ictus run`: runs a scenario and writes its result.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ictus::io::summary::{Status, Summary};
use ictus::scenario::Scenario;
use ictus::simulation::{Outcome, Recorder, RunError, Simulation};

use super::args::{RunOptions, ScenarioOptions};
use super::diagnostic;
use super::failure::{Failure, INTERRUPTED};
use super::progress::Reporter;

/// Runs the scenario; exit code 0 when it is finished, 130 when it was interrupted.
pub fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let scenario = read_scenario(&options.scenario)?;
    let directory = options.output.clone().unwrap_or_else(|| scenario.output.directory.clone());
    let mut simulation = set_up(&scenario)?;
    let mut recorder = Recorder::create(&scenario, &directory, &simulation).map_err(Failure::Output)?;
    let mut reporter = Reporter::new(options.quiet);
    let stop = stop_on_signal()?;
    let result = simulation.run(&mut recorder, &mut |progress| reporter.show(progress), &stop);
    reporter.finish();

    let (status, failure) = match result {
        Ok(Outcome::Finished) => (Status::Finished, None),
        Ok(Outcome::Interrupted) => (Status::Interrupted, None),
        Err(RunError::Numerical(failure)) => (Status::Failed, Some(failure)),
        Err(RunError::Output(error)) => return Err(Failure::Output(error)),
        Err(error) => return Err(Failure::Usage(error.to_string(), "see the message above".into())),
    };
    let mut summary = simulation.summary(&scenario, status, failure.as_ref());
    summary.threads = rayon::current_num_threads();
    summary.wall_seconds.total = start.elapsed().as_secs_f64();
    summary.write(&directory).map_err(Failure::Output)?;
    if let Some(failure) = failure {
        return Err(Failure::Numerical(failure, directory));
    }
    if !options.quiet {
        report(&summary, &directory, &scenario.name, recorder.num_frames());
    }
    Ok(if status == Status::Interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Reads a scenario, tells its warnings, and sets the number of threads.
pub fn read_scenario(options: &ScenarioOptions) -> Result<Scenario, Failure> {
    if let Some(threads) = options.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|error| Failure::Usage(error.to_string(), "give --threads a small number".into()))?;
    }
    let scenario = Scenario::read(&options.scenario, &options.overrides).map_err(Failure::Scenario)?;
    warn(&scenario);
    Ok(scenario)
}

#[expect(clippy::print_stderr, reason = "this is where the program talks to its user")]
fn warn(scenario: &Scenario) {
    if !scenario.warnings.is_empty() {
        eprint!("{}", diagnostic::render_warnings(&scenario.path, &scenario.source, &scenario.warnings));
    }
}

/// Sets a scenario up.
pub fn set_up(scenario: &Scenario) -> Result<Simulation, Failure> {
    Simulation::new(scenario).map_err(|error| Failure::Setup(Box::new(scenario.clone()), error))
}

/// A flag that the first signal to stop sets; the second one ends the program at once.
fn stop_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| {
        Failure::Usage(error.to_string(), "the signals of this system cannot be handled".into())
    })?;
    Ok(stop)
}

/// The closing report.
#[expect(clippy::print_stdout, reason = "this is the result of the command")]
fn report(summary: &Summary, directory: &Path, name: &str, frames: usize) {
    let steps = summary.steps - summary.flight_steps;
    println!("{}: {} in {:.1} s", summary.title, describe(summary), summary.wall_seconds.total);
    println!(
        "  time            0 to {:.9} s, {} steps in flight, {steps} stable steps",
        summary.time.end, summary.flight_steps
    );
    for contact in &summary.first_contacts {
        let [first, second] = &contact.bodies;
        let speed = contact.normal_speed;
        println!(
            "  first contact   {first} and {second} at {:.9} s, closing at {speed:.3} m/s",
            contact.time
        );
    }
    println!("  energy error    {:.3e} at most", summary.energy.largest_error);
    println!("  momentum error  {:.3e} at most", summary.momentum.largest_error);
    for warning in &summary.warnings {
        println!("  warning         {warning}");
    }
    let file: PathBuf = directory.join(format!("{name}.pvd"));
    println!("  {frames} frames in {} (open it in ParaView)", file.display());
}

fn describe(summary: &Summary) -> &'static str {
    match summary.status {
        Status::Finished => "finished",
        Status::Interrupted => "interrupted",
        _ => "failed",
    }
}
