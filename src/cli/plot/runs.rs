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

/// Files in the order in which a column is searched for.
const TABLES: [&str; 5] = ["history.csv", "steps.csv", "bodies.csv", "supports.csv", "probes.csv"];

/// A history with at least this number of intervals between rows per step is complete \[-\].
const MOST_STEPS: f64 = 0.9;

pub struct Run {
    pub label: String,
    tables: Vec<(&'static str, Columns)>,
    /// Magnitude of the contact force of each body pair over time.
    pub pairs: BTreeMap<String, Vec<(f64, f64)>>,
    pub injuries: Vec<Injury>,
    /// Named by the scenario, or inferred from the materials.
    pub units: Option<UnitSystem>,
}

pub struct Injury {
    pub probe: String,
    /// The name of the interval contains the value of the injury criterion.
    pub interval: Interval,
}

impl Run {
    /// Whether a directory has the history of a run.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(TABLES[0]).exists()
    }

    /// Reads the tables in a directory, and skips missing tables.
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
            // `pairs.csv` has no rows before the first contact of a pair: its force is zero there.
            let first = points.first().map_or(0.0, |point| point.0);
            let before = history.iter().map(|row| row.0).filter(|time| *time < first);
            let zeros: Vec<(f64, f64)> = before.map(|time| (time, 0.0)).collect();
            points.splice(0..0, zeros);
        }
        Ok(run)
    }

    /// Whether the history lacks rows of steps in contact. An interval between two rows is in contact if either row has
    /// a contact force. Rows are lacking if there are fewer intervals in contact than [`MOST_STEPS`] times the steps in
    /// these intervals.
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

    /// `name` is the file name.
    pub fn table(&self, name: &str) -> Option<&Columns> {
        self.tables.iter().find(|(other, _)| *other == name).map(|(_, table)| table)
    }

    /// Column `name` of the first table with such a column.
    pub fn column(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let table = self.tables.iter().map(|(_, table)| table).find(|table| table.column(name).is_some())?;
        column_of(table, name)
    }
}

/// Times and values of a column, without empty cells.
pub fn column_of(table: &Columns, name: &str) -> Option<Vec<(f64, f64)>> {
    let rows = table.column("time")?.iter().zip(table.column(name)?);
    let points: Vec<(f64, f64)> = rows.filter_map(|(time, value)| Some(((*time)?, (*value)?))).collect();
    (!points.is_empty()).then_some(points)
}

/// Content of `summary.json`; null if this file is invalid or missing. A killed run leaves no summary.
fn read_summary(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("summary.json")).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

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

/// Magnitude of the contact force of each body pair over time.
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
