//! Why a command did not do what it was asked, and the exit code that says so.

use std::path::PathBuf;
use std::process::ExitCode;

use ictus::io::OutputError;
use ictus::scenario::{Problem, Scenario, ScenarioError};
use ictus::simulation::{NumericalFailure, SetupError};

use super::diagnostic;

/// The run failed numerically.
const NUMERICAL: u8 = 1;
/// The command line, scenario, mesh or output directory is wrong.
const USAGE: u8 = 2;
/// The user stopped the run.
pub const INTERRUPTED: u8 = 130;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The scenario cannot be read.
    Scenario(ScenarioError),
    /// The scenario cannot be set up.
    Setup(Box<Scenario>, SetupError),
    /// The result cannot be written.
    Output(OutputError),
    /// The numbers went wrong; the output is in this directory.
    Numerical(NumericalFailure, PathBuf),
    /// Anything else that is wrong with what was asked, with the remedy.
    Usage(String, String),
}

impl Failure {
    /// Tells the user on standard error; the exit code.
    #[expect(clippy::print_stderr, reason = "this is where the program talks to its user")]
    pub fn report(&self) -> ExitCode {
        eprint!("{}", self.text());
        ExitCode::from(match self {
            Self::Numerical(..) => NUMERICAL,
            _ => USAGE,
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Scenario(ScenarioError::Invalid { path, text, problems }) => {
                diagnostic::render(path, text, problems)
            }
            Self::Scenario(error) => plain(&error.to_string()),
            Self::Setup(scenario, error) => match error.span() {
                Some(span) => {
                    let (message, help) = split_remedy(&error.to_string());
                    let problem = Problem { message, span: Some(span), key: None, label: None, help };
                    diagnostic::render(&scenario.path, &scenario.source, &[problem])
                }
                None => plain(&error.to_string()),
            },
            Self::Output(error) => plain(&error.to_string()),
            Self::Numerical(failure, directory) => format!(
                "error: {failure}\n  help: the last good state is the last frame in `{}`; {}\n",
                directory.display(),
                failure.remedy()
            ),
            Self::Usage(fact, help) => format!("error: {fact}\n  help: {help}\n"),
        }
    }
}

/// A message as an error, its remedy on a line of its own.
fn plain(message: &str) -> String {
    match split_remedy(message) {
        (fact, Some(help)) => format!("error: {fact}\n  help: {help}\n"),
        (fact, None) => format!("error: {fact}\n"),
    }
}

/// Messages of the library end in `; <remedy>`.
fn split_remedy(message: &str) -> (String, Option<String>) {
    match message.rsplit_once("; ") {
        Some((fact, remedy)) => (fact.to_owned(), Some(remedy.to_owned())),
        None => (message.to_owned(), None),
    }
}
