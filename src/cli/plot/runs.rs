//! Tables written by a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ictus::io::measurements::Columns;
use ictus::units::UnitSystem;
use serde_json::Value;

use super::figure::Interval;
use super::units::unit_of;
use crate::cli::failure::Failure;
use crate::cli::print;

/// Files of the tables of a run, in the order in which the tables are searched for a column.
const TABLES: [&str; 5] = ["history.csv", "steps.csv", "bodies.csv", "supports.csv", "probes.csv"];

/// Least ratio of the number of intervals between history rows to the number of steps in these intervals at which the
/// rows count as complete. With one row per step, the ratio is 1.
const MOST_STEPS: f64 = 0.9;

/// The tables of a run.
pub struct Run {
    /// Label in legends.
    pub label: String,
    tables: Vec<(&'static str, Columns)>,
    /// Magnitude of the contact force over time, for each pair of bodies that has touched.
    pub pairs: BTreeMap<String, Vec<(f64, f64)>>,
    /// Head injury criteria of the probes.
    pub injuries: Vec<Injury>,
    /// System of units of the scenario. Either the scenario names it, or it is inferred from the materials. `None` if
    /// it is unknown.
    pub units: Option<UnitSystem>,
}

/// A head injury criterion of a probe.
pub struct Injury {
    /// Name of the probe.
    pub probe: String,
    /// The interval of time of the criterion. The label of the interval contains the value of the criterion.
    pub interval: Interval,
}

impl Run {
    /// Whether a run has written its history to a directory.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(TABLES[0]).exists()
    }

    /// Reads the tables in a directory. A table that is missing is skipped.
    pub fn read(directory: &Path, label: String) -> Result<Self, Failure> {
        let mut tables = Vec::new();
        for name in TABLES {
            let path = directory.join(name);
            if path.exists() {
                tables.push((name, Columns::read(&path)?));
            }
        }
        let summary = read_summary(directory);
        let units = summary["units"].as_str().or(summary["inferred_units"].as_str());
        let units = units.and_then(UnitSystem::named);
        let mut run = Self { label, tables, pairs: BTreeMap::new(), injuries: injuries(&summary), units };
        let pairs = directory.join("pairs.csv");
        if pairs.exists() {
            run.pairs = read_pairs(&pairs)?;
        }
        let history = run.column("dt").unwrap_or_default();
        for points in run.pairs.values_mut() {
            // A pair has no rows before its first contact. Zeros are added at the earlier times of the history.
            let first = points.first().map_or(0.0, |point| point.0);
            let before = history.iter().map(|row| row.0).filter(|time| *time < first);
            let zeros: Vec<(f64, f64)> = before.map(|time| (time, 0.0)).collect();
            points.splice(0..0, zeros);
        }
        Ok(run)
    }

    /// Whether the history leaves out steps while contact forces act. Counted are the intervals between two consecutive
    /// history rows of which at least one has a contact force. Steps are left out if the number of these intervals is
    /// below [`MOST_STEPS`] times the number of steps in them.
    pub fn leaves_out_steps(&self) -> bool {
        let forces = self.pairs.values().flatten().filter(|point| point.1 > 0.0);
        let in_contact: BTreeSet<u64> = forces.map(|point| point.0.to_bits()).collect();
        let rows = self.column("step").unwrap_or_default();
        let apart = |pair: &[(f64, f64)]| {
            let touches = pair.iter().any(|row| in_contact.contains(&row.0.to_bits()));
            touches.then_some(pair[1].1 - pair[0].1)
        };
        let apart: Vec<f64> = rows.windows(2).filter_map(apart).collect();
        (apart.len() as f64) < MOST_STEPS * apart.iter().sum::<f64>()
    }

    /// Converts all values from the system `units` to SI units.
    pub fn convert_to_si(&mut self, units: UnitSystem) {
        for (_, table) in &mut self.tables {
            for (name, values) in table.names.iter().zip(&mut table.values) {
                let factor = units.size_of(unit_of(name));
                values.iter_mut().flatten().for_each(|value| *value *= factor);
            }
        }
        let (force, time) = (units.size_of("N"), units.size_of("s"));
        self.pairs.values_mut().flatten().for_each(|point| *point = (point.0 * time, point.1 * force));
        self.injuries.iter_mut().flat_map(|injury| &mut injury.interval.span).for_each(|end| *end *= time);
    }

    /// The table with the file name `name`; `None` if the directory has no such table.
    pub fn table(&self, name: &str) -> Option<&Columns> {
        self.tables.iter().find(|(other, _)| *other == name).map(|(_, table)| table)
    }

    /// Times and values of a column, from the first table that contains the column. `None` if no table contains it, or
    /// if all its cells are empty.
    pub fn column(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let table = self.tables.iter().map(|(_, table)| table).find(|table| table.column(name).is_some())?;
        column_of(table, name)
    }
}

/// Times and values of a column without its empty cells. `None` if the table has no such column, or if all cells are
/// empty.
pub fn column_of(table: &Columns, name: &str) -> Option<Vec<(f64, f64)>> {
    let rows = table.column("time")?.iter().zip(table.column(name)?);
    let points: Vec<(f64, f64)> = rows.filter_map(|(time, value)| Some(((*time)?, (*value)?))).collect();
    (!points.is_empty()).then_some(points)
}

/// The content of `summary.json`. Null if the file cannot be read or is not valid JSON. A run that is killed does not
/// write this file.
fn read_summary(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("summary.json")).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Head injury criteria of all probes in a summary.
fn injuries(summary: &Value) -> Vec<Injury> {
    let criterion = |probe: &Value, key: &str, name: &str| {
        let number = |field: &str| probe[key][field].as_f64();
        let name = format!("{name} = {}", print::number((number("value")? * 10.0).round() / 10.0));
        let interval = Interval { name, span: [number("start")?, number("end")?] };
        Some(Injury { probe: probe["name"].as_str()?.to_owned(), interval })
    };
    let probes = summary["probes"].as_array().map_or(&[][..], Vec::as_slice);
    let criteria =
        probes.iter().flat_map(|probe| [("hic15", "HIC15"), ("hic36", "HIC36")].map(|names| (probe, names)));
    criteria.filter_map(|(probe, (key, name))| criterion(probe, key, name)).collect()
}

/// Magnitude of the contact force over time, for each pair of bodies in the file at `path`.
fn read_pairs(path: &Path) -> Result<BTreeMap<String, Vec<(f64, f64)>>, Failure> {
    let unreadable = |cause: &dyn std::fmt::Display| Failure::Usage {
        fact: format!("cannot read `{}`: {cause}", path.display()),
        help: "repair or remove the file, or run the scenario again",
    };
    let mut reader = csv::Reader::from_path(path).map_err(|error| unreadable(&error))?;
    let header = reader.headers().map_err(|error| unreadable(&error))?.clone();
    let place = |name: &str| {
        let found = header.iter().position(|other| other == name);
        found.ok_or_else(|| unreadable(&format!("it has no column `{name}`")))
    };
    let [time, first, second] = [place("time")?, place("first")?, place("second")?];
    let force = [place("force_x")?, place("force_y")?, place("force_z")?];
    let mut pairs: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let number = |place: usize| record[place].parse::<f64>().map_err(|error| unreadable(&error));
        let [x, y, z] = [number(force[0])?, number(force[1])?, number(force[2])?];
        let name = format!("{} – {}", &record[first], &record[second]);
        pairs.entry(name).or_default().push((number(time)?, (x * x + y * y + z * z).sqrt()));
    }
    Ok(pairs)
}
