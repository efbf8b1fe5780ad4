//! Tables of time series, with one row per instant.

use std::fs;
use std::path::Path;

use super::atomic_write::atomic_write;
use super::error::{FileAction, OutputError};
use super::table::{CsvTable, Tables, float};

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A real number, written with the fewest digits that read back as the same number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// A word.
    Word(&'a str),
    /// No value.
    Empty,
}

impl Cell<'_> {
    fn text(self) -> String {
        match self {
            Self::Number(value) => float(value),
            Self::Count(value) => value.to_string(),
            Self::Word(word) => word.to_owned(),
            Self::Empty => String::new(),
        }
    }
}

/// An open table, to which rows are appended.
#[derive(Debug)]
pub struct Measurements {
    table: CsvTable,
}

/// A table of numbers in memory. Empty cells and words have the value `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Values of each column, in the order of `names`.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Measurements {
    /// Opens the table in the file `name`.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn create(tables: &mut Tables, name: &str, columns: &[String]) -> Result<Self, OutputError> {
        Ok(Self { table: tables.open(name, columns)? })
    }

    /// If an earlier run has left a file `name` in `directory`, removes this file.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn remove(directory: &Path, name: &str) -> Result<(), OutputError> {
        let path = directory.join(name);
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                Err(OutputError::file(FileAction::Remove, &path)(cause))
            }
            _ => Ok(()),
        }
    }

    /// Appends a row, one cell per column.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), OutputError> {
        let row: Vec<String> = cells.iter().map(|cell| cell.text()).collect();
        self.table.append(std::iter::once(row))
    }

    /// Hands the rows that wait in memory to the operating system.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }
}

impl Columns {
    /// Reads the table in the file `path`.
    ///
    /// # Errors
    /// [`OutputError::File`] if the file cannot be read or is not a CSV table.
    pub fn read(path: &Path) -> Result<Self, OutputError> {
        Self::parse(path).map_err(|error| OutputError::file(FileAction::Read, path)(error.into()))
    }

    fn parse(path: &Path) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_path(path)?;
        let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        let mut values = vec![Vec::new(); names.len()];
        for record in reader.records() {
            for (column, cell) in values.iter_mut().zip(&record?) {
                column.push(cell.parse().ok());
            }
        }
        Ok(Self { names, values })
    }

    /// Values of the column `name`; `None` if the table has no such column.
    pub fn column(&self, name: &str) -> Option<&[Option<f64>]> {
        let place = self.names.iter().position(|other| other == name)?;
        self.values.get(place).map(Vec::as_slice)
    }

    /// Writes this table to the file `path`, and replaces the file if it exists.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let rows = self.values.first().map_or(0, Vec::len);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let text = |row: usize| {
            self.values
                .iter()
                .map(move |column| column.get(row).copied().flatten().map_or(String::new(), float))
        };
        let written = writer
            .write_record(&self.names)
            .and_then(|()| (0..rows).try_for_each(|row| writer.write_record(text(row))));
        let bytes = written
            .map_err(std::io::Error::from)
            .and_then(|()| writer.into_inner().map_err(|error| error.into_error()))
            .map_err(OutputError::file(FileAction::Write, path))?;
        atomic_write(path, |file| file.write_all(&bytes))
    }
}
