//! Command-line arguments.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use ictus::units::UnitSystem;

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
    /// Run a scenario with all combinations of given values of its keys, each in a folder of its own, and compare the
    /// summaries.
    Sweep(SweepOptions),
    /// Validate a scenario and its meshes, and report the time step and the expected cost, without a run.
    Check(ReportOptions),
    /// Predict the trajectories up to the first contact. Writes files only with --levels.
    ///
    /// Detection encloses the faces of each body in a hierarchy of bounding volumes. Each row of the predictions is a
    /// pair of volumes of two bodies. `predicted at` (with --json `asked_at`) is the simulated time at which detection
    /// computed the row. `depths` are the levels of the two volumes in their hierarchies; the volume at level 0
    /// encloses the whole body. `no contact before` (with --json `time`) is the time at which the two volumes meet: the
    /// faces inside them cannot touch earlier. At that time detection replaces the two volumes by smaller ones, down to
    /// single faces.
    Predict(PredictOptions),
    /// Report the size, physical groups and element quality of a Gmsh mesh.
    Mesh(MeshOptions),
    /// Plot histories of runs as SVG and PNG: energies, momenta, steps, contact forces, probes, or any column.
    #[command(override_usage = "ictus plot [OPTIONS] DIR... [QUANTITY]...")]
    Plot(PlotOptions),
    /// Write the scenarios of the gallery with their meshes.
    Examples {
        /// Directory to which the folders `configs` and `meshes` are written.
        directory: PathBuf,
    },
    /// Write a starter scenario with its mesh: NAME.toml and NAME.msh.
    Init {
        /// Name of the two files; a path such as runs/drop writes them to the directory runs.
        name: PathBuf,
    },
    /// Explain a key of a scenario, with its unit and default, or all keys of a table.
    Explain {
        /// A key, such as time.step or friction, a table, such as contact, or a word of the explanations, such as hic.
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
    /// Number of threads [default: all cores]. It does not change the results.
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
    /// Continue the run in the output directory, from its latest checkpoint or from the checkpoint FILE.
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
    /// Values of a key, for example parameters.v=10,20,30 or bodies.left.velocity=[1,0,0],[2,0,0]. Repeat the option
    /// for several keys; all combinations of their values are run.
    #[arg(long = "set", value_name = "KEY=VALUE,VALUE...", required = true)]
    pub sets: Vec<String>,
    /// Directory of the folders of the runs and of the table sweep.csv [default: output.directory followed by _sweep].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Number of threads [default: all cores]. It does not change the results.
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
    /// Write the bounding spheres of the hierarchies down to this depth to NAME_levels.pvd; each time value shows one
    /// level.
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
    /// Factor by which all coordinates are multiplied, such as 1e-3 from millimetres to metres.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Young's modulus [Pa]; with --poisson and --density, the report contains the critical time step.
    #[arg(long, value_name = "E", requires_all = ["poisson", "density"])]
    pub young: Option<f64>,
    /// Poisson's ratio [-].
    #[arg(long, value_name = "NU", requires_all = ["young", "density"], allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Density [kg/m³].
    #[arg(long, value_name = "RHO", requires_all = ["young", "poisson"])]
    pub density: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Units {
    Of(UnitSystem),
    Unknown,
}

impl Units {
    pub const SI: Self = Self::Of(UnitSystem::SI);

    /// `name` is a name of a system of units, or `none`.
    fn named(name: &str) -> Self {
        UnitSystem::named(name).map_or(Self::Unknown, Self::Of)
    }
}

/// Options of `ictus plot`.
#[derive(Clone, Debug, Args)]
pub struct PlotOptions {
    /// Directories with the results of runs or of sweeps, which are drawn in the same axes; then the quantities to draw:
    /// energies, momenta, step, forces, probes, the name of a probe, or a column of a table of the run [default: energies,
    /// momenta, step, forces and probes].
    #[arg(value_name = "DIR, QUANTITY", required = true)]
    pub items: Vec<String>,
    /// Names of the runs in the legends, one for each run [default: the names of the directories].
    #[arg(long, value_name = "NAME,NAME...", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Filter contact forces by this channel class of SAE J211, such as "CFC 600", instead of averaging them.
    #[arg(long, value_name = "CLASS", conflicts_with = "mean")]
    pub filter: Option<String>,
    /// Average contact forces over this time [default: 2 % of the time from the first to the last contact].
    #[arg(long, value_name = "TIME", value_parser = positive)]
    pub mean: Option<f64>,
    /// First time on the time axis [default: the first time of the runs].
    #[arg(long, value_name = "TIME", value_parser = finite, allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Last time on the time axis [default: the last time of the runs].
    #[arg(long, value_name = "TIME", value_parser = finite)]
    pub to: Option<f64>,
    /// Units of the results [default: `units` of the scenario; without this key, those in which its materials are solids,
    /// none if this is not clear or the run has not ended]. Axes have SI units, and TIME is in seconds; with none, both
    /// are in the units of the results.
    #[arg(long, value_name = "UNITS", value_parser = unit_names().map(|name| Units::named(&name)))]
    pub units: Option<Units>,
    /// Directory to which the pictures are written [default: the folder plots of the first directory].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

fn unit_names() -> PossibleValuesParser {
    PossibleValuesParser::new(UnitSystem::words().map(|(word, _)| word).chain(["none"]))
}

fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("not a finite number".into()) }
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text).and_then(|number| if number > 0.0 { Ok(number) } else { Err("not positive".into()) })
}
