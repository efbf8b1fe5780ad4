//! Figures of named quantities.

use ictus::io::measurements::Columns;
use ictus::signal::{ChannelClass, Grid, moving_mean};

use super::figure::{Axis, Figure, Interval, Line, Panel, Weight, largest};
use super::runs::{Run, column_of};
use super::scale::with_unit;
use super::units::unit_of;
use crate::cli::args::{PlotOptions, Units};
use crate::cli::failure::Failure;

/// Largest value of an omitted line, relative to the largest value of all lines of its panel.
const NOTHING: f64 = 1e-6;

/// Largest ratio of two time steps or critical steps on a linear axis.
const LINEAR_RATIO: f64 = 30.0;

/// Window of the moving mean of a contact force, relative to the longest duration of contact of the pair.
const MEAN: f64 = 0.02;

/// Each energy is the sum of its columns.
const ENERGIES: [(&str, &[&str]); 8] = [
    ("kinetic", &["kinetic"]),
    ("strain", &["strain"]),
    ("external work", &["external_work"]),
    ("contact", &["contact_energy"]),
    ("dissipation", &["friction_dissipation", "plastic_dissipation", "viscous_dissipation"]),
    ("mass damping", &["mass_damping_dissipation"]),
    ("hourglass", &["hourglass_energy"]),
    ("sum", &["total"]),
];

/// Empty if no run contains the quantity.
pub fn figures(quantity: &str, runs: &[Run], options: &PlotOptions) -> Result<Vec<Figure>, Failure> {
    let panels = match quantity {
        "energies" => energies(runs),
        "momenta" => momenta(runs),
        "step" => vec![steps(runs)],
        "forces" => vec![panel("contact force", "N", forces(runs, options)?)],
        "probes" => {
            let names = names_of_probes(runs);
            return Ok(names
                .iter()
                .flat_map(|name| figure(&format!("probe_{name}"), probe(name, runs), runs))
                .collect());
        }
        name if names_of_probes(runs).iter().any(|probe| probe == name) => {
            return Ok(figure(&format!("probe_{name}"), probe(name, runs), runs).into_iter().collect());
        }
        column => vec![panel(&words(column), unit_of(column), lines(runs, &[(column, &[column])]))],
    };
    Ok(figure(quantity, panels, runs).into_iter().collect())
}

/// `None` if no panel has a line of at least two points.
fn figure(name: &str, panels: Vec<Panel>, runs: &[Run]) -> Option<Figure> {
    let has_lines = |panel: &Panel| panel.lines.iter().any(|line| line.points.len() > 1);
    let panels: Vec<Panel> = panels.into_iter().filter(has_lines).collect();
    let labels = if runs.len() > 1 { runs.iter().map(|run| run.label.clone()).collect() } else { Vec::new() };
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let times = || lines.clone().flat_map(|line| line.points.iter().map(|point| point.0));
    let span = [times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max)];
    (span[0] < span[1]).then(|| Figure { name: file_name(name), panels, runs: labels, span })
}

fn panel(label: &str, unit: &'static str, lines: Vec<Line>) -> Panel {
    Panel { label: label.to_owned(), unit, axis: Axis::Linear, lines, intervals: Vec::new() }
}

/// One line for each name and run: the sum of the columns that the run contains.
fn lines(runs: &[Run], named: &[(&str, &[&str])]) -> Vec<Line> {
    let mut all = Vec::new();
    for (name, columns) in named {
        for (run, of_run) in runs.iter().enumerate() {
            let mut found = columns.iter().filter_map(|column| of_run.column(column));
            let Some(mut points) = found.next() else { continue };
            found
                .for_each(|other| points.iter_mut().zip(other).for_each(|(point, other)| point.1 += other.1));
            all.push(Line { name: (*name).to_owned(), run, weight: Weight::Plain, points });
        }
    }
    all
}

/// Keeps all lines of a name if one of them exceeds the fraction [`NOTHING`] of the largest value of `lines`.
fn visible(lines: Vec<Line>) -> Vec<Line> {
    let limit = NOTHING * largest(&lines);
    let is_visible = |name: &str| largest(lines.iter().filter(|line| line.name == name)) > limit;
    lines.iter().filter(|line| is_visible(&line.name)).cloned().collect()
}

/// Time steps and critical steps. Only positive, finite values are kept: this removes the row before the first step.
fn steps(runs: &[Run]) -> Panel {
    let mut all = lines(runs, &[("step", &["dt"]), ("critical step", &["critical_step"])]);
    all.iter_mut().for_each(|line| line.points.retain(|point| point.1 > 0.0 && point.1.is_finite()));
    let values = || all.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let axis = if most > LINEAR_RATIO * least { Axis::Logarithmic } else { Axis::Linear };
    Panel { axis, ..panel("step", "s", all) }
}

fn energies(runs: &[Run]) -> Vec<Panel> {
    vec![
        panel("energy", "J", visible(lines(runs, &ENERGIES))),
        panel("energy error over peak", "-", energy_errors(runs)),
    ]
}

/// Energy imbalance and net numerical work, divided by the peak of the run. The peak is the largest magnitude of the
/// kinetic energy, strain energy, contact energy and external work.
fn energy_errors(runs: &[Run]) -> Vec<Line> {
    let peaks: Vec<f64> = (0..runs.len())
        .map(|run| {
            largest(&lines(
                &runs[run..=run],
                &[("", &["kinetic"]), ("", &["strain"]), ("", &["contact_energy"]), ("", &["external_work"])],
            ))
        })
        .collect();
    let parts: [(&str, &[&str]); 2] =
        [("imbalance", &["energy_imbalance"]), ("net numerical work", &["net_numerical_work"])];
    let mut all = lines(runs, &parts);
    for line in all.iter_mut().filter(|line| peaks[line.run] > 0.0) {
        line.points.iter_mut().for_each(|point| point.1 /= peaks[line.run]);
    }
    all
}

fn momenta(runs: &[Run]) -> Vec<Panel> {
    let of = |quantity: &str| {
        let columns = ["x", "y", "z"].map(|axis| format!("{quantity}_{axis}"));
        let all =
            columns.iter().zip(["x", "y", "z"]).flat_map(|(column, axis)| lines(runs, &[(axis, &[column])]));
        visible(all.collect())
    };
    vec![panel("momentum", "N s", of("momentum")), panel("angular momentum", "N m s", of("angular_momentum"))]
}

/// Lines of contact forces: faint if raw, plain if filtered or averaged.
fn forces(runs: &[Run], options: &PlotOptions) -> Result<Vec<Line>, Failure> {
    let mut all = Vec::new();
    for (run, of_run) in runs.iter().enumerate() {
        for (name, points) in &of_run.pairs {
            all.push(Line { name: name.clone(), run, weight: Weight::Faint, points: points.clone() });
            let window = options.mean.unwrap_or_else(|| MEAN * longest_contact(name, runs));
            if options.filter.is_none() && window == 0.0 {
                continue;
            }
            let (filter, points) = smoothed(points, window, options)?;
            all.push(Line { name: format!("{name}, {filter}"), run, weight: Weight::Plain, points });
        }
    }
    Ok(all)
}

/// Longest time from the first to the last row with a contact force, over all runs.
fn longest_contact(pair: &str, runs: &[Run]) -> f64 {
    let of_run = |points: &Vec<(f64, f64)>| {
        let mut in_contact = points.iter().filter(|point| point.1 > 0.0).map(|point| point.0);
        let first = in_contact.next().unwrap_or(0.0);
        in_contact.next_back().unwrap_or(first) - first
    };
    runs.iter().filter_map(|run| run.pairs.get(pair)).map(of_run).fold(0.0, f64::max)
}

/// Name of the filter, and filtered signal. Without the option `filter`, the signal is averaged over `window` \[s\].
fn smoothed(
    points: &[(f64, f64)],
    window: f64,
    options: &PlotOptions,
) -> Result<(String, Vec<(f64, f64)>), Failure> {
    let (times, values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let on_times = |values: Vec<f64>| times.iter().copied().zip(values).collect::<Vec<_>>();
    let Some(name) = &options.filter else {
        let name = format!("mean over {}", with_unit(window, "s", options.units.unwrap_or(Units::Unknown)));
        return Ok((name, on_times(moving_mean(&times, &values, window))));
    };
    let Some(class) = ChannelClass::named(name) else {
        return Err(Failure::Usage {
            fact: format!("there is no channel class `{name}`"),
            help: "it is one of \"CFC 60\", \"CFC 180\", \"CFC 600\" and \"CFC 1000\"",
        });
    };
    let filtered = Grid::of(&times).and_then(|grid| {
        let even = class.filter(&grid.sample(&times, &values), grid.spacing()).ok()?;
        Some(grid.back(&times, &even))
    });
    match filtered {
        Some(values) => Ok((format!("CFC {}", class.number()), on_times(values))),
        None => Err(Failure::Usage {
            fact: format!("the rows of the run are too few, or too far apart, for {name}"),
            help: "run it with a shorter interval of `output.history`, or take a mean (`--mean SECONDS`)",
        }),
    }
}

fn names_of_probes(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for table in runs.iter().filter_map(|run| run.table("probes.csv")) {
        for column in &table.names {
            let name = column.rsplit_once('.').map_or("", |(name, _)| name);
            if !name.is_empty() && !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// One panel per quantity; for a probe with injury criteria, also a panel of the magnitude of the acceleration. An
/// unfiltered line is faint if the table also has a filtered column of the same component.
fn probe(name: &str, runs: &[Run]) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for (run, of_run) in runs.iter().enumerate() {
        let Some(table) = of_run.table("probes.csv") else { continue };
        let prefix = format!("{name}.");
        for column in &table.names {
            let Some(of_probe) = column.strip_prefix(&prefix).filter(|rest| !rest.contains('.')) else {
                continue;
            };
            let Some((quantity, component)) = of_probe.split_once('_') else { continue };
            let Some(points) = column_of(table, column) else { continue };
            let is_filtered = |other: &String| other.starts_with(&format!("{column}_cfc"));
            let weight = if table.names.iter().any(is_filtered) { Weight::Faint } else { Weight::Plain };
            let line = Line { name: component.replace("_cfc", ", CFC "), run, weight, points };
            match panels.iter_mut().find(|panel| panel.label == quantity) {
                Some(panel) => panel.lines.push(line),
                None => panels.push(panel(quantity, unit_of(&format!("{quantity}_")), vec![line])),
            }
        }
    }
    for panel in &mut panels {
        panel.lines = visible(std::mem::take(&mut panel.lines));
    }
    if runs.iter().any(|run| run.injuries.iter().any(|injury| injury.probe == name)) {
        panels.push(injury(name, runs));
    }
    panels
}

/// Magnitude of the acceleration, with the intervals of the head injury criteria.
fn injury(name: &str, runs: &[Run]) -> Panel {
    let mut panel = panel("|acceleration|", unit_of("acceleration"), Vec::new());
    for (run, of_run) in runs.iter().enumerate() {
        let Some(table) = of_run.table("probes.csv") else { continue };
        let first = format!("{name}.acceleration_x");
        let filters: Vec<&str> = table
            .names
            .iter()
            .filter_map(|column| column.strip_prefix(&first))
            .filter(|filter| !filter.is_empty())
            .collect();
        let raw = if filters.is_empty() { Weight::Plain } else { Weight::Faint };
        for (filter, weight) in
            [("", raw)].into_iter().chain(filters.iter().map(|filter| (*filter, Weight::Plain)))
        {
            let points = magnitude(table, &format!("{name}.acceleration"), filter);
            let name = format!("magnitude{}", filter.replace("_cfc", ", CFC "));
            panel.lines.extend(points.map(|points| Line { name, run, weight, points }));
        }
        let of_probe = of_run.injuries.iter().filter(|injury| injury.probe == name);
        let label = if runs.len() > 1 { format!("{}: ", of_run.label) } else { String::new() };
        panel.intervals.extend(of_probe.map(|injury| {
            let interval = &injury.interval;
            Interval { name: format!("{label}{}", interval.name), span: interval.span }
        }));
    }
    panel
}

/// Magnitude of the vector in the columns `VECTOR_x`, `VECTOR_y` and `VECTOR_z`, each name followed by `suffix`.
fn magnitude(table: &Columns, vector: &str, suffix: &str) -> Option<Vec<(f64, f64)>> {
    let component = |axis: &str| column_of(table, &format!("{vector}_{axis}{suffix}"));
    let [x, y, z] = ["x", "y", "z"].map(component);
    let (mut magnitudes, y, z) = (x?, y?, z?);
    for (point, (y, z)) in magnitudes.iter_mut().zip(y.iter().zip(&z)) {
        point.1 = (point.1 * point.1 + y.1 * y.1 + z.1 * z.1).sqrt();
    }
    Some(magnitudes)
}

fn file_name(quantity: &str) -> String {
    quantity.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

fn words(column: &str) -> String {
    column.replace('_', " ")
}
