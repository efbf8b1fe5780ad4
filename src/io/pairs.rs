//! `pairs.csv`: what acts between the bodies that have touched, over time, a row per pair and instant.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{FileAction, OutputError};
use crate::math::Vec3;

const FILE_NAME: &str = "pairs.csv";
const COLUMNS: [&str; 11] = [
    "time",
    "first",
    "second",
    "contacts",
    "force_x",
    "force_y",
    "force_z",
    "contact_energy",
    "friction_dissipation",
    "damping_dissipation",
    "contact_area",
];

/// State of the contact of two bodies, or of a body with itself, at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairRow<'a> {
    /// The instant \[s\].
    pub time: f64,
    /// Names of the bodies.
    pub bodies: [&'a str; 2],
    /// Active contacts.
    pub contacts: u64,
    /// Resultant of the contact forces on the first body \[N\].
    pub force: Vec3,
    /// Energy stored in the contacts \[J\].
    pub contact_energy: f64,
    /// Energy friction has taken since the start \[J\].
    pub friction_dissipation: f64,
    /// Energy contact damping has taken since the start \[J\].
    pub damping_dissipation: f64,
    /// Area of the surface of the nodes in contact \[m²\].
    pub contact_area: f64,
}

/// The file, open. Every row is handed to the operating system at once, so a killed run leaves whole rows.
#[derive(Debug)]
pub struct Pairs {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl Pairs {
    /// Creates or replaces `pairs.csv` in an existing directory and writes its header.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let path = directory.join(FILE_NAME);
        let file = File::create(&path).map_err(OutputError::file(FileAction::Write, &path))?;
        let mut pairs = Self { path, writer: csv::Writer::from_writer(file) };
        pairs.write(|writer| writer.write_record(COLUMNS))?;
        Ok(pairs)
    }

    /// Appends the rows of an instant; floats are written with the fewest digits that read back the same.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn append(&mut self, rows: &[PairRow<'_>]) -> Result<(), OutputError> {
        self.write(|writer| rows.iter().try_for_each(|row| writer.write_record(cells(row))))
    }

    fn write(
        &mut self,
        action: impl FnOnce(&mut csv::Writer<File>) -> csv::Result<()>,
    ) -> Result<(), OutputError> {
        action(&mut self.writer)
            .map_err(io::Error::from)
            .and_then(|()| self.writer.flush())
            .map_err(OutputError::file(FileAction::Write, &self.path))
    }
}

fn cells(row: &PairRow<'_>) -> Vec<String> {
    let [first, second] = row.bodies;
    let mut cells = vec![float(row.time), first.to_owned(), second.to_owned(), row.contacts.to_string()];
    let numbers = [
        row.force.x,
        row.force.y,
        row.force.z,
        row.contact_energy,
        row.friction_dissipation,
        row.damping_dissipation,
        row.contact_area,
    ];
    cells.extend(numbers.map(float));
    cells
}

/// Shortest text that reads back as the same number.
fn float(value: f64) -> String {
    format!("{value:?}")
}
