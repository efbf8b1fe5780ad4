//! Reads and sets up a scenario, and prints its warnings.

use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use super::args::ScenarioOptions;
use super::diagnostic;
use super::failure::Failure;
use super::print;

/// Runs `work` inside a pool of `threads` threads, or of one thread per core if `threads` is `None`. Outside the pool,
/// `work` would wait in each parallel task, however small, until the pool wakes up.
pub fn on_threads<R: Send>(
    threads: Option<u16>,
    work: impl FnOnce() -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build();
    let pool = pool.map_err(|error| Failure::Usage {
        fact: match threads {
            Some(threads) => format!("{threads} threads cannot be started: {error}"),
            None => format!("a thread for each core cannot be started: {error}"),
        },
        help: "give a smaller number to --threads",
    })?;
    pool.install(work)
}

pub fn read_scenario(options: &ScenarioOptions) -> Result<Scenario, Failure> {
    let scenario = Scenario::read(&options.scenario, &options.overrides)
        .map_err(|error| Failure::Scenario(Box::new(error)))?;
    print::message(&diagnostic::render_warnings(&scenario.path, &scenario.file_text, &scenario.warnings));
    Ok(scenario)
}

pub fn set_up(scenario: &Scenario) -> Result<Simulation, Failure> {
    let simulation = Simulation::new(scenario)
        .map_err(|error| Failure::Setup(Box::new(scenario.clone()), Box::new(error)))?;
    print_warnings(&simulation.warnings());
    Ok(simulation)
}

pub fn print_warnings(warnings: &[String]) {
    warnings.iter().for_each(|warning| print::message(&diagnostic::plain("warning", warning)));
}
