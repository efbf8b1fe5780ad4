//! The command line: arguments, one file a subcommand, and what people read while they wait.

mod args;
mod diagnostic;
mod failure;
mod progress;
mod run;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

/// Reads the command line, does what it asks, and maps the outcome to an exit code: 0 done, 1 the run failed
/// numerically, 2 the command line, scenario or mesh is wrong, 130 interrupted.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(options) => run::run(&options),
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
