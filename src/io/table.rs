//! CSV files written row by row.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{FileAction, OutputError};

/// The open file. Each row is flushed to the operating system, so a killed run leaves complete rows.
#[derive(Debug)]
pub(super) struct CsvTable {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl CsvTable {
    /// Creates or replaces a file in an existing directory and writes its header.
    pub fn create(directory: &Path, name: &str, header: &[String]) -> Result<Self, OutputError> {
        let path = directory.join(name);
        let file = File::create(&path).map_err(OutputError::file(FileAction::Write, &path))?;
        let mut table = Self { path, writer: csv::Writer::from_writer(file) };
        table.append(std::iter::once(header))?;
        Ok(table)
    }

    /// Appends rows.
    pub fn append<R: AsRef<[String]>>(&mut self, rows: impl Iterator<Item = R>) -> Result<(), OutputError> {
        let mut rows = rows;
        rows.try_for_each(|row| self.writer.write_record(row.as_ref()))
            .map_err(io::Error::from)
            .and_then(|()| self.writer.flush())
            .map_err(OutputError::file(FileAction::Write, &self.path))
    }
}

/// Shortest text that reads back as the same number.
pub(super) fn float(value: f64) -> String {
    format!("{value:?}")
}
