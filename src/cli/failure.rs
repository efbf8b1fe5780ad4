//! Failures of commands and their exit codes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ictus::io::OutputError;
use ictus::io::checkpoint::CheckpointError;
use ictus::io::gmsh::GmshError;
use ictus::mesh::MeshError;
use ictus::scenario::{Problem, Scenario, ScenarioError};
use ictus::simulation::{NumericalFailure, RunError, SetupError};

use super::diagnostic::{self, plain, split_remedy};
use super::print;

/// Exit code of a numerical failure of the run.
const NUMERICAL: u8 = 1;
/// Exit code of every other failure.
const USAGE: u8 = 2;
/// Exit code of a run that the user has stopped.
pub const INTERRUPTED: u8 = 130;

#[derive(Debug)]
pub enum Failure {
    Scenario(Box<ScenarioError>),
    Setup(Box<Scenario>, Box<SetupError>),
    Mesh(PathBuf, Box<GmshError>),
    /// Invalid mesh, mesh without cells, or invalid scale.
    Geometry(PathBuf, Box<MeshError>),
    Output(Box<OutputError>),
    Checkpoint(Box<CheckpointError>),
    /// Failure of the run other than [`Self::Numerical`] and [`Self::Output`].
    Run(Box<RunError>),
    /// Numerical failure of the run, and directory of its results.
    Numerical(Box<NumericalFailure>, PathBuf),
    Usage {
        fact: String,
        help: &'static str,
    },
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::Output(Box::new(error))
    }
}

impl Failure {
    pub fn cannot_write(path: &Path, cause: &dyn fmt::Display) -> Self {
        Self::Usage {
            fact: format!("cannot write `{}`: {cause}", path.display()),
            help: "choose a directory that can be written to (`--output DIR`)",
        }
    }

    /// Reports on standard error, and returns the exit code.
    pub fn report(&self) -> ExitCode {
        print::message(&self.text());
        ExitCode::from(match self {
            Self::Numerical(..) => NUMERICAL,
            _ => USAGE,
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Scenario(error) => match error.as_ref() {
                ScenarioError::Invalid { path, text, problems } => diagnostic::render(path, text, problems),
                error => plain("error", &error.to_string()),
            },
            Self::Setup(scenario, error) => setup(scenario, error),
            Self::Mesh(path, error) => diagnostic::in_file("error", path, &error.to_string()),
            Self::Geometry(path, error) => {
                diagnostic::in_file("error", path, &format!("{}: {error}", path.display()))
            }
            Self::Output(error) => plain("error", &error.to_string()),
            Self::Checkpoint(error) => plain("error", &error.to_string()),
            Self::Run(error) => plain("error", &error.to_string()),
            Self::Numerical(failure, directory) => format!(
                "error: {failure}\n  help: {}; the last frame in `{}` shows the state\n",
                failure.remedy(),
                directory.display()
            ),
            Self::Usage { fact, help } => format!("error: {fact}\n  help: {help}\n"),
        }
    }
}

/// Text of a set-up error, with its location in the scenario.
fn setup(scenario: &Scenario, error: &SetupError) -> String {
    let Some(span) = error.span() else { return plain("error", &error.to_string()) };
    let (message, help) = split_remedy(&error.to_string());
    let problem = Problem { message, span: Some(span), key: None, label: None, help };
    diagnostic::render(&scenario.path, &scenario.file_text, &[scenario.locate_in_file(problem)])
}
