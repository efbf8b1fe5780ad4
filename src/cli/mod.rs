//! The command line. Most subcommands have a file of their own.

mod args;
mod check;
mod diagnostic;
mod examples;
mod explain;
mod failure;
mod init;
mod input;
mod mesh;
mod plot;
mod predict;
mod print;
mod progress;
mod run;
mod sweep;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use input::on_threads;

/// Returns the exit code: 0 success, 1 numerical failure of the run, 2 invalid command line, scenario, mesh or output
/// directory, 130 interrupted.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(options) => on_threads(options.scenario.threads, || run::run(&options)),
        Command::Sweep(options) => on_threads(options.threads, || sweep::sweep(&options)),
        Command::Check(options) => on_threads(options.scenario.threads, || check::check(&options)),
        Command::Predict(options) => {
            on_threads(options.report.scenario.threads, || predict::predict(&options))
        }
        Command::Mesh(options) => mesh::mesh(&options),
        Command::Examples { directory } => examples::examples(&directory),
        Command::Init { name } => init::init(&name),
        Command::Explain { key } => explain::explain(&key),
        Command::Plot(options) => plot::plot(&options),
        Command::Schema => {
            print::json(&ictus::scenario::json_schema());
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "ictus", &mut script);
            print::text(&String::from_utf8_lossy(&script));
            Ok(ExitCode::SUCCESS)
        }
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
