//! From the command line to a scenario and its simulation, with their warnings.

use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use super::args::ScenarioOptions;
use super::diagnostic;
use super::failure::Failure;

/// Reads a scenario, tells its warnings, and sets the number of threads.
pub fn read_scenario(options: &ScenarioOptions) -> Result<Scenario, Failure> {
    if let Some(threads) = options.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        pool.map_err(|error| Failure::Usage {
            fact: format!("{threads} threads cannot be started: {error}"),
            help: "give a smaller number to --threads",
        })?;
    }
    let scenario = Scenario::read(&options.scenario, &options.overrides)
        .map_err(|error| Failure::Scenario(Box::new(error)))?;
    tell(&diagnostic::render_warnings(&scenario.path, &scenario.source, &scenario.warnings));
    Ok(scenario)
}

/// Sets a scenario up and tells what is likely not meant.
pub fn set_up(scenario: &Scenario) -> Result<Simulation, Failure> {
    let simulation = Simulation::new(scenario)
        .map_err(|error| Failure::Setup(Box::new(scenario.clone()), Box::new(error)))?;
    for warning in simulation.warnings() {
        tell(&diagnostic::plain("warning", warning));
    }
    Ok(simulation)
}

#[expect(clippy::print_stderr, reason = "this is where the program talks to its user")]
fn tell(warnings: &str) {
    eprint!("{warnings}");
}
