//! Tables written by a run.

use std::collections::BTreeMap;
use std::path::Path;

use ictus::io::measurements::Columns;

use crate::cli::failure::Failure;

/// Tables of a run, in the order in which they are searched for a column.
const TABLES: [&str; 5] = ["history.csv", "steps.csv", "bodies.csv", "supports.csv", "probes.csv"];

/// The tables of a run.
pub struct Run {
    /// Label in legends.
    pub label: String,
    tables: Vec<(&'static str, Columns)>,
    /// Magnitude of the contact force over time, for each pair of bodies that has touched.
    pub pairs: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Run {
    /// Reads the tables in a directory; `history.csv` is required.
    pub fn read(directory: &Path, label: String) -> Result<Self, Failure> {
        if !directory.join(TABLES[0]).exists() {
            return Err(Failure::Usage {
                fact: format!("`{}` has no {}", directory.display(), TABLES[0]),
                help: "name a directory that a run has written to",
            });
        }
        let mut tables = Vec::new();
        for name in TABLES {
            let path = directory.join(name);
            if path.exists() {
                tables.push((name, Columns::read(&path)?));
            }
        }
        let mut run = Self { label, tables, pairs: BTreeMap::new() };
        let pairs = directory.join("pairs.csv");
        if pairs.exists() {
            run.pairs = read_pairs(&pairs)?;
        }
        let history = run.column("dt").unwrap_or_default();
        for points in run.pairs.values_mut() {
            // A pair has no rows before its first contact: zeros are added at the times of the history.
            let first = points.first().map_or(0.0, |point| point.0);
            let before = history.iter().map(|row| row.0).filter(|time| *time < first);
            let zeros: Vec<(f64, f64)> = before.map(|time| (time, 0.0)).collect();
            points.splice(0..0, zeros);
        }
        Ok(run)
    }

    /// The table with the file name `name`; `None` if the run has not written it.
    pub fn table(&self, name: &str) -> Option<&Columns> {
        self.tables.iter().find(|(other, _)| *other == name).map(|(_, table)| table)
    }

    /// Times and values of a column, from the first table that contains the column.
    pub fn column(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let table = self.tables.iter().map(|(_, table)| table).find(|table| table.column(name).is_some())?;
        column_of(table, name)
    }
}

/// Times and values of a column without its empty cells; `None` if all cells are empty.
pub fn column_of(table: &Columns, name: &str) -> Option<Vec<(f64, f64)>> {
    let rows = table.column("time")?.iter().zip(table.column(name)?);
    let points: Vec<(f64, f64)> = rows.filter_map(|(time, value)| Some(((*time)?, (*value)?))).collect();
    (!points.is_empty()).then_some(points)
}

/// Magnitudes of the contact forces by pair of bodies.
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
