//! `ictus plot`: figures of the histories of runs for papers, as SVG and PNG.

mod draw;
mod figure;
mod legend;
mod paper;
mod quantities;
mod runs;
mod scale;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::PlotOptions;
use super::failure::Failure;
use super::print;
use figure::Figure;
use quantities::figures;
use runs::Run;
use scale::guessed_units;

/// Quantities plotted by default.
const ALL: [&str; 5] = ["energies", "momenta", "step", "forces", "probes"];

/// Plots the requested quantities of the runs, all runs in the same axes.
pub fn plot(options: &PlotOptions) -> Result<ExitCode, Failure> {
    let is_run = |item: &&String| Path::new(item).is_dir();
    let directories: Vec<PathBuf> = options.items.iter().filter(is_run).map(PathBuf::from).collect();
    let quantities: Vec<&str> =
        options.items.iter().filter(|item| !is_run(item)).map(String::as_str).collect();
    let Some(first) = directories.first() else {
        return Err(Failure::Usage {
            fact: format!("none of {} is a directory", quoted(&quantities)),
            help: "name the output directory of a run, as in `ictus plot out/drop energies`",
        });
    };
    let runs = read(&directories, options)?;
    let names =
        quoted(&directories.iter().map(|directory| directory.display().to_string()).collect::<Vec<_>>());
    let figures = if quantities.is_empty() {
        everything(&runs, &names, options)?
    } else {
        asked_for(&quantities, &runs, &names, options)?
    };
    let units = options.units.unwrap_or_else(|| guessed_units(&runs));
    let output = options.output.clone().unwrap_or_else(|| first.join("plots"));
    fs::create_dir_all(&output).map_err(|error| Failure::cannot_write(&output, &error))?;
    for path in figures.iter().map(|figure| draw::write(figure, units, &output)) {
        path?.iter().for_each(|path| print::text(&format!("{}\n", path.display())));
    }
    Ok(ExitCode::SUCCESS)
}

/// Figures of all quantities of [`ALL`] that the runs contain; at least one is required.
fn everything(runs: &[Run], names: &str, options: &PlotOptions) -> Result<Vec<Figure>, Failure> {
    let found: Vec<Vec<Figure>> =
        ALL.into_iter().map(|quantity| figures(quantity, runs, options)).collect::<Result<_, _>>()?;
    let found = found.concat();
    if found.is_empty() {
        return Err(Failure::Usage {
            fact: format!("there is nothing to draw in {names}"),
            help: "the run has to write two rows of its history at least: give `output.history` a shorter interval",
        });
    }
    Ok(found)
}

/// Figures of the requested quantities; a missing quantity is refused.
fn asked_for(
    quantities: &[&str],
    runs: &[Run],
    names: &str,
    options: &PlotOptions,
) -> Result<Vec<Figure>, Failure> {
    let mut all = Vec::new();
    for quantity in quantities {
        let found = figures(quantity, runs, options)?;
        if found.is_empty() {
            return Err(Failure::Usage {
                fact: format!("{names} contains no quantity `{quantity}`"),
                help: "ask for energies, momenta, step, forces, probes, a probe name, or a column of a table of the run, such as \
                       `kinetic`",
            });
        }
        all.extend(found);
    }
    Ok(all)
}

fn read(directories: &[PathBuf], options: &PlotOptions) -> Result<Vec<Run>, Failure> {
    let given = options.labels.len();
    if given > 0 && given != directories.len() {
        return Err(Failure::Usage {
            fact: format!("there are {given} labels for {} runs", directories.len()),
            help: "give each run one, in their order, as in `--labels coarse,fine`",
        });
    }
    let label = |index: usize, directory: &Path| {
        let name = || directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        options.labels.get(index).cloned().unwrap_or_else(name)
    };
    directories.iter().enumerate().map(|(k, directory)| Run::read(directory, label(k, directory))).collect()
}

fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
