//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Explicit finite-element dynamics with contact.
///
/// Reads a scenario (TOML) and its meshes (Gmsh), integrates the motion of bodies that fly, collide and deform,
/// and writes a VTK time series for ParaView.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and write its frames, history and summary.
    Run(RunOptions),
}

/// A scenario with changes.
#[derive(Debug, Args)]
pub struct ScenarioOptions {
    /// The scenario file (TOML).
    pub scenario: PathBuf,
    /// Change a key of the scenario, for example time.end=1e-3 or bodies.left.velocity=[1,0,0].
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Threads to use [default: all cores]. The result does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// Options of `ictus run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// The scenario and changes to it.
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Directory to write to, instead of output.directory.
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// No progress, no closing report: errors and warnings only.
    #[arg(long, short)]
    pub quiet: bool,
}
