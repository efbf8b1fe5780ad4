//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Explicit finite-element dynamics with contact.
///
/// Reads a scenario (TOML) and its meshes (Gmsh), computes the flight, impact and deformation of bodies, and
/// writes a VTK time series for ParaView.
///
/// Exit codes: 0 success, 1 numerical failure of the run, 2 invalid command line, scenario, mesh or output
/// directory, 130 interrupted.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and write its frames, history and summary.
    Run(RunOptions),
    /// Run a scenario for all combinations of values of its keys, each in a folder, and compare their summaries.
    Sweep(SweepOptions),
    /// Validate a scenario and its meshes, and report the time step and expected cost without running.
    Check(ReportOptions),
    /// Predict the trajectories up to the first contact. Writes files only with --levels.
    ///
    /// Each row of the predictions is a pair of bounding volumes: `predicted at` (`asked_at` with --json) is the
    /// simulated time at which detection computed it, `depths` the levels of the volumes in the hierarchies of their
    /// bodies (0 encloses the whole body), and `no contact before` (`time`) the time at which the volumes meet. The
    /// faces inside them cannot touch earlier. Then smaller volumes take their place, down to single faces.
    Predict(PredictOptions),
    /// Report the size, physical groups and element quality of a Gmsh mesh.
    Mesh(MeshOptions),
    /// Plot histories of runs as SVG and PNG: energies, momenta, steps, contact forces, probes, or any column.
    #[command(override_usage = "ictus plot [OPTIONS] DIR... [QUANTITY]...")]
    Plot(PlotOptions),
    /// Write the scenarios of the gallery with their meshes.
    Examples {
        /// Directory of the folders `configs` and `meshes`.
        directory: PathBuf,
    },
    /// Write a starter scenario with its mesh: NAME.toml and NAME.msh.
    Init {
        /// Name of the files, with a directory if they are to be elsewhere.
        name: PathBuf,
    },
    /// Explain a key of a scenario, with its unit and default, or all keys of a table.
    Explain {
        /// A key, as in time.step or friction, or a table, as in contact.
        key: String,
    },
    /// Print the JSON Schema of scenarios, for completion and checks in editors.
    Schema,
    /// Print a shell completion script.
    Completions {
        /// Target shell.
        shell: Shell,
    },
}

/// A scenario and overrides of its keys.
#[derive(Debug, Args)]
pub struct ScenarioOptions {
    /// Scenario file (TOML).
    pub scenario: PathBuf,
    /// Override a key of the scenario, for example time.end=1e-3 or bodies.left.velocity=[1,0,0].
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Number of threads [default: all cores]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Options of `ictus run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// The scenario and its overrides.
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Output directory; overrides output.directory.
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Continue the run in the output directory from its latest checkpoint, or from this one.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    /// Print errors and warnings only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `ictus sweep`.
#[derive(Debug, Args)]
pub struct SweepOptions {
    /// Scenario file (TOML).
    pub scenario: PathBuf,
    /// Values of a key, for example parameters.v=10,20,30 or bodies.left.velocity=[1,0,0],[2,0,0]; repeated for
    /// several keys, of which all combinations are run.
    #[arg(long = "set", value_name = "KEY=VALUE,VALUE...", required = true)]
    pub sets: Vec<String>,
    /// Directory of the folders and of sweep.csv [default: output.directory with _sweep].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Number of threads [default: all cores]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print errors, warnings and the table only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `ictus predict`.
#[derive(Debug, Args)]
pub struct PredictOptions {
    /// Options of the report.
    #[command(flatten)]
    pub report: ReportOptions,
    /// Write the bounding spheres of the hierarchies down to this depth as NAME_levels.pvd, one level per time value.
    #[arg(long, value_name = "DEPTH")]
    pub levels: Option<u32>,
    /// Output directory; overrides output.directory.
    #[arg(long, short, value_name = "DIR", requires = "levels")]
    pub output: Option<PathBuf>,
}

/// Options of `ictus check`, shared by `ictus predict`.
#[derive(Debug, Args)]
pub struct ReportOptions {
    /// The scenario and its overrides.
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Print a JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Options of `ictus mesh`.
#[derive(Debug, Args)]
pub struct MeshOptions {
    /// Mesh file (Gmsh, version 4.1 or 2.2).
    pub mesh: PathBuf,
    /// Print a JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Factor on the coordinates, such as 1e-3 from millimetres to metres.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Young's modulus [Pa]; the critical step needs --poisson and --density too.
    #[arg(long, value_name = "E", requires_all = ["poisson", "density"])]
    pub young: Option<f64>,
    /// Poisson's ratio [-].
    #[arg(long, value_name = "NU", requires_all = ["young", "density"], allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Density [kg/m³].
    #[arg(long, value_name = "RHO", requires_all = ["young", "poisson"])]
    pub density: Option<f64>,
}

/// Units of the axes of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Units {
    /// Metres, kilograms, seconds: axes have units.
    Si,
    /// Any others: axes have none.
    None,
}

/// Options of `ictus plot`.
#[derive(Clone, Debug, Args)]
pub struct PlotOptions {
    /// Directories that runs have written to, which are drawn over each other; then what to draw: energies, momenta,
    /// step, forces, probes, the name of a probe, or a column of a table of the run [default: all of the first five].
    #[arg(value_name = "DIR, QUANTITY", required = true)]
    pub items: Vec<String>,
    /// Names of the runs in the pictures, one each [default: the names of the directories].
    #[arg(long, value_name = "NAME,NAME...", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Channel class that contact forces are filtered by, such as "CFC 600", instead of a mean.
    #[arg(long, value_name = "CLASS", conflicts_with = "mean")]
    pub filter: Option<String>,
    /// Time that contact forces are averaged over [default: 2 % of the time from the first to the last contact].
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub mean: Option<f64>,
    /// First time of the pictures [default: that of the run].
    #[arg(long, value_name = "SECONDS", value_parser = finite, allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Last time of the pictures [default: that of the run].
    #[arg(long, value_name = "SECONDS", value_parser = finite)]
    pub to: Option<f64>,
    /// Units of the axes [default: si where the steps are shorter than 1e-4; give none in mm, t, s].
    #[arg(long, value_name = "UNITS")]
    pub units: Option<Units>,
    /// Directory for the pictures [default: plots in the first directory].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// A number that is neither infinite nor NaN.
fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("not a finite number".into()) }
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text).and_then(|number| if number > 0.0 { Ok(number) } else { Err("not positive".into()) })
}
