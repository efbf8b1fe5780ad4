//! `ictus plot`: draws the histories of runs as figures for papers, in SVG and PNG.

mod draw;
mod figure;
mod legend;
mod paper;
mod quantities;
mod runs;
mod scale;
mod units;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{PlotOptions, Units};
use super::failure::Failure;
use super::{diagnostic, print};
use figure::Figure;
use quantities::figures;
use runs::Run;
use scale::with_unit;

const ALL: [&str; 5] = ["energies", "momenta", "step", "forces", "probes"];

/// Note on filtered contact forces of a run whose history has no rows for some steps.
const ALIASES: &str = "  rows leave out steps, in which contact forces oscillate: filtered forces are distorted; run with \
                       `output.history = { interval = 0 }`\n";

struct Items<'a> {
    /// First directory with a run or a sweep.
    first: &'a Path,
    /// Directories of the runs, including all runs of a sweep.
    directories: Vec<PathBuf>,
    quantities: Vec<&'a str>,
}

impl<'a> Items<'a> {
    /// Skips files and directories without runs, with a note. Returns an error if no directory has a run.
    fn of(items: &'a [String]) -> Result<Self, Failure> {
        let is_on_disk = |item: &&String| {
            let path = Path::new(item);
            path.is_dir() || (path.is_file() && !ALL.contains(&item.as_str()))
        };
        let (on_disk, quantities): (Vec<&String>, Vec<&String>) = items.iter().partition(is_on_disk);
        let runs_in = |item: &&'a String| (Path::new(*item), runs_in(Path::new(item)));
        let (with_runs, others): (Vec<_>, Vec<_>) =
            on_disk.iter().map(runs_in).partition(|(_, runs)| !runs.is_empty());
        let quantities: Vec<&str> = quantities.into_iter().map(String::as_str).collect();
        let Some((first, _)) = with_runs.first() else {
            return Err(without_runs(&others, &quantities));
        };
        for (path, _) in others {
            let note = format!("`{}` is passed over: it is no directory of a run or a sweep", path.display());
            print::message(&diagnostic::plain("note", &note));
        }
        let directories = with_runs.iter().flat_map(|(_, runs)| runs.clone()).collect();
        Ok(Self { first, directories, quantities })
    }
}

/// The directory itself if it has a run, or else its folders with runs, in the order of the numbers in their names.
fn runs_in(directory: &Path) -> Vec<PathBuf> {
    if Run::is_in(directory) {
        return vec![directory.to_owned()];
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| Run::is_in(path)).collect();
    folders.sort_by(|a, b| {
        let [a, b] = [a, b].map(|path| path.file_name().unwrap_or_default().to_string_lossy());
        numbers_in(&a).partial_cmp(&numbers_in(&b)).filter(|order| order.is_ne()).unwrap_or_else(|| a.cmp(&b))
    });
    folders
}

/// For example, 10 and 0.3 in `v=10,friction=0.3`.
fn numbers_in(name: &str) -> Vec<f64> {
    name.split([',', '='])
        .filter_map(|part| part.parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect()
}

fn without_runs(others: &[(&Path, Vec<PathBuf>)], quantities: &[&str]) -> Failure {
    match others.iter().find(|(path, _)| path.is_dir()) {
        Some((path, _)) => Failure::Usage {
            fact: format!("`{}` has no history.csv, and none of its folders has", path.display()),
            help: "name a directory that a run or a sweep has written to",
        },
        None => {
            let files = others.iter().map(|(path, _)| path.display().to_string());
            let named: Vec<String> = files.chain(quantities.iter().map(|&name| name.to_owned())).collect();
            Failure::Usage {
                fact: format!("none of {} is a directory", quoted(&named)),
                help: "name the output directory of a run, as in `ictus plot out/drop energies`",
            }
        }
    }
}

pub fn plot(options: &PlotOptions) -> Result<ExitCode, Failure> {
    let Items { first, directories, quantities } = Items::of(&options.items)?;
    let mut runs = read(&directories, options)?;
    let units = convert(&mut runs, options.units);
    let options = &PlotOptions { units: Some(units), ..options.clone() };
    refuse_unused_filter(&quantities, options)?;
    let names =
        quoted(&directories.iter().map(|directory| directory.display().to_string()).collect::<Vec<_>>());
    let figures = if quantities.is_empty() {
        everything(&runs, &names, options)?
    } else {
        asked_for(&quantities, &runs, &names, options)?
    };
    let span = [options.from.unwrap_or(f64::NEG_INFINITY), options.to.unwrap_or(f64::INFINITY)];
    let figures = within(figures, span);
    if figures.is_empty() {
        return Err(Failure::Usage {
            fact: format!("{names} has fewer than two rows between --from and --to"),
            help: "give a longer span of time within that of the run",
        });
    }
    let output = options.output.clone().unwrap_or_else(|| first.join("plots"));
    fs::create_dir_all(&output).map_err(|error| Failure::cannot_write(&output, &error))?;
    for figure in &figures {
        let paths = draw::write(figure, units, &output)?;
        paths.iter().for_each(|path| print::text(&format!("{}\n", path.display())));
        if figure.name == "forces" {
            print::text(&peaks(figure, units));
            if options.filter.is_some() && runs.iter().any(Run::leaves_out_steps) {
                print::text(ALIASES);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Converts the runs to SI units, from the units `given` or else from the units of each run. If the units of any run
/// are unknown, converts none of the runs. Returns the units after the conversion.
fn convert(runs: &mut [Run], given: Option<Units>) -> Units {
    let of_run = |run: &Run| match given {
        Some(Units::Of(system)) => Some(system),
        Some(Units::Unknown) => None,
        None => run.units,
    };
    let Some(systems) = runs.iter().map(of_run).collect::<Option<Vec<_>>>() else { return Units::Unknown };
    runs.iter_mut().zip(systems).for_each(|(run, system)| run.convert_to_si(system));
    Units::SI
}

/// Rejects `--filter` and `--mean` if no contact forces are drawn: both options apply to contact forces only.
fn refuse_unused_filter(quantities: &[&str], options: &PlotOptions) -> Result<(), Failure> {
    let draws_forces = quantities.is_empty() || quantities.contains(&"forces");
    if draws_forces || (options.filter.is_none() && options.mean.is_none()) {
        return Ok(());
    }
    Err(Failure::Usage {
        fact: "`--filter` and `--mean` apply to contact forces, which are not among the quantities".into(),
        help: "add `forces`, or leave them out; probes are filtered by their key `filter` in the scenario",
    })
}

/// The parts of the figures between two times. Omits panels in which no line keeps two points, and then figures without
/// panels.
fn within(figures: Vec<Figure>, [first, last]: [f64; 2]) -> Vec<Figure> {
    let cut = |mut figure: Figure| {
        for line in figure.panels.iter_mut().flat_map(|panel| &mut panel.lines) {
            line.points.retain(|point| (first..=last).contains(&point.0));
        }
        figure.panels.retain(|panel| panel.lines.iter().any(|line| line.points.len() > 1));
        for panel in &mut figure.panels {
            panel.intervals.iter_mut().for_each(|interval| {
                interval.span = [interval.span[0].max(first), interval.span[1].min(last)];
            });
            panel.intervals.retain(|interval| interval.span[0] < interval.span[1]);
        }
        figure.span = [figure.span[0].max(first), figure.span[1].min(last)];
        (!figure.panels.is_empty()).then_some(figure)
    };
    figures.into_iter().filter_map(cut).collect()
}

/// Largest value of each line, and its time.
fn peaks(figure: &Figure, units: Units) -> String {
    let lines = figure.panels.iter().flat_map(|panel| panel.lines.iter().map(move |line| (panel, line)));
    let peak = |(panel, line): (&figure::Panel, &figure::Line)| {
        let larger = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (time, value) = line.points.iter().max_by(larger)?;
        let run = figure.runs.get(line.run).map_or(String::new(), |label| format!("{label}: "));
        let [value, time] = [with_unit(*value, panel.unit, units), with_unit(*time, "s", units)];
        Some(format!("  {run}{}: at most {value}, at t = {time}\n", line.name))
    };
    lines.filter_map(peak).collect()
}

/// Figures of the quantities of [`ALL`].
fn everything(runs: &[Run], names: &str, options: &PlotOptions) -> Result<Vec<Figure>, Failure> {
    let found: Vec<Vec<Figure>> =
        ALL.into_iter().map(|quantity| figures(quantity, runs, options)).collect::<Result<_, _>>()?;
    let found = found.concat();
    if found.is_empty() {
        return Err(Failure::Usage {
            fact: format!("there is nothing to draw in {names}"),
            help: "give `output.history` a shorter interval, so that the run writes at least two rows of its history",
        });
    }
    Ok(found)
}

/// Returns an error if a quantity is in none of the runs.
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

#[cfg(test)]
mod tests {
    use super::*;
    use figure::{Axis, Interval, Line, Panel, Weight};

    /// A line with rows at t = 0, 1, …, 9 is cut to a span of time. Rows at the ends of the span remain. Intervals are
    /// cut, too. A figure with fewer than two rows in the span is omitted.
    #[test]
    fn rows_between_two_times_remain() {
        let points: Vec<(f64, f64)> = (0..10).map(f64::from).map(|time| (time, -time)).collect();
        let line = Line { name: "a".into(), run: 0, weight: Weight::Plain, points };
        let interval = Interval { name: "d".into(), span: [2.0, 3.0] };
        let panel = Panel {
            label: "b".into(),
            unit: "-",
            axis: Axis::Linear,
            lines: vec![line],
            intervals: vec![interval],
        };
        let figure = Figure { name: "c".into(), panels: vec![panel], runs: Vec::new(), span: [0.0, 9.0] };
        let cut = within(vec![figure.clone()], [2.5, 5.0]);
        assert_eq!(cut[0].panels[0].lines[0].points, [(3.0, -3.0), (4.0, -4.0), (5.0, -5.0)]);
        assert_eq!(cut[0].span, [2.5, 5.0]);
        assert_eq!(cut[0].panels[0].intervals[0].span, [2.5, 3.0]);
        assert!(within(vec![figure.clone()], [4.0, 9.0])[0].panels[0].intervals.is_empty());
        assert_eq!(within(vec![figure.clone()], [f64::NEG_INFINITY, 1.0])[0].span, [0.0, 1.0]);
        assert!(within(vec![figure], [8.5, 20.0]).is_empty());
    }
}
