//! From the command line to a scenario and its simulation, with their warnings.

use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use super::args::ScenarioOptions;
use super::diagnostic;
use super::failure::Failure;
use super::print;

/// Does all the work on so many threads [all cores], and in one of them: from outside, each of the thousands of small
/// tasks of a run would wake one and wait for it.
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

/// Reads a scenario and tells its warnings.
pub fn read_scenario(options: &ScenarioOptions) -> Result<Scenario, Failure> {
    let scenario = Scenario::read(&options.scenario, &options.overrides)
        .map_err(|error| Failure::Scenario(Box::new(error)))?;
    print::told(&diagnostic::render_warnings(&scenario.path, &scenario.source, &scenario.warnings));
    Ok(scenario)
}

/// Sets a scenario up and tells what is likely not meant.
pub fn set_up(scenario: &Scenario) -> Result<Simulation, Failure> {
    let simulation = Simulation::new(scenario)
        .map_err(|error| Failure::Setup(Box::new(scenario.clone()), Box::new(error)))?;
    tell_warnings(&simulation.warnings());
    Ok(simulation)
}

/// Tells warnings of a simulation.
pub fn tell_warnings(warnings: &[String]) {
    warnings.iter().for_each(|warning| print::told(&diagnostic::plain("warning", warning)));
}
