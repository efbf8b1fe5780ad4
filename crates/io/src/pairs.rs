//! `pairs.csv`: contact of body pairs, with one row per pair and instant.

use super::error::OutputError;
use super::table::{CsvTable, Tables, float};
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

/// Contact of two bodies, or of a body with itself, at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairRow<'a> {
    /// Time of the row \[s\].
    pub time: f64,
    /// Names of the two bodies; equal in self-contact.
    pub bodies: [&'a str; 2],
    /// Number of contacts in the step that ends at `time`.
    pub contacts: u64,
    /// Resultant of the contact forces on the first body \[N\]; zero in self-contact.
    pub force: Vec3,
    /// Energy stored in contact springs \[J\].
    pub contact_energy: f64,
    /// Energy dissipated by friction since the start \[J\].
    pub friction_dissipation: f64,
    /// Energy dissipated by contact damping and inelastic impacts since the start \[J\].
    pub damping_dissipation: f64,
    /// Contact area: sum over the contactor nodes of one body of the deformed tributary area, projected along the
    /// contact normal of the node \[m²\]. The body with more contactor nodes in contact counts.
    pub contact_area: f64,
}

/// The open `pairs.csv`.
#[derive(Debug)]
pub struct Pairs {
    table: CsvTable,
}

impl Pairs {
    /// Opens `pairs.csv`.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn create(tables: &mut Tables) -> Result<Self, OutputError> {
        Ok(Self { table: tables.open(FILE_NAME, &COLUMNS.map(String::from))? })
    }

    /// Appends the rows of an instant. A real number has the fewest digits that read back as the same number.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn append(&mut self, rows: &[PairRow<'_>]) -> Result<(), OutputError> {
        self.table.append(rows.iter().map(cells))
    }

    /// Hands the rows that wait in memory to the operating system.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
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
