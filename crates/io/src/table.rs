//! CSV files written row by row.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::atomic_write::write_temporary;
use super::error::{FileAction, OutputError};

/// The tables of a run, in its directory. A resumed run continues the existing tables.
#[derive(Clone, Debug)]
pub struct Tables {
    directory: PathBuf,
    /// Length of each table at the checkpoint from which the run continues \[bytes\], by file name. `None` in a new
    /// run.
    lengths: Option<BTreeMap<String, u64>>,
    names: Vec<String>,
}

impl Tables {
    /// Tables of a new run in an existing directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf(), lengths: None, names: Vec::new() }
    }

    /// Tables of a run that continues from a checkpoint, at which the tables had these `lengths` \[bytes\].
    pub fn resumed(directory: &Path, lengths: BTreeMap<String, u64>) -> Self {
        Self { lengths: Some(lengths), ..Self::new(directory) }
    }

    /// Checks that each table is at least as long as at the checkpoint. No file is changed.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn check(&self) -> Result<(), OutputError> {
        for (name, &length) in self.lengths.iter().flatten() {
            let path = self.directory.join(name);
            let failed = || OutputError::file(FileAction::Continue, &path);
            if std::fs::metadata(&path).map_err(failed())?.len() < length {
                return Err(failed()(too_short(length)));
            }
        }
        Ok(())
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Length of each file opened so far \[bytes\], by file name. Rows that still wait in memory do not count.
    pub fn lengths(&self) -> Result<BTreeMap<String, u64>, OutputError> {
        let length = |name: &String| {
            let path = self.directory.join(name);
            let metadata = std::fs::metadata(&path).map_err(OutputError::file(FileAction::Read, &path))?;
            Ok((name.clone(), metadata.len()))
        };
        self.names.iter().map(length).collect()
    }

    /// Opens the table `name`. A new run replaces an existing file. A resumed run truncates the file to its length at
    /// the checkpoint.
    pub(super) fn open(&mut self, name: &str, header: &[String]) -> Result<CsvTable, OutputError> {
        self.names.push(name.to_owned());
        let path = self.directory.join(name);
        match &self.lengths {
            None => {
                let file = File::create(&path).map_err(OutputError::file(FileAction::Write, &path))?;
                let mut table = CsvTable::new(path, file);
                table.append(std::iter::once(header))?;
                table.flush()?;
                Ok(table)
            }
            Some(lengths) => {
                let missing = || io::Error::other("the checkpoint has no such table");
                let length = lengths.get(name).copied().ok_or_else(missing);
                let length = length.map_err(OutputError::file(FileAction::Continue, &path))?;
                let file = continued(&path, header, length)
                    .map_err(OutputError::file(FileAction::Continue, &path))?;
                Ok(CsvTable::new(path, file))
            }
        }
    }
}

/// Opens an existing table, and truncates it to `length` bytes, after which rows can be appended. At its
/// end, the earlier run may have added columns after the columns in `header`. They are removed before the truncation,
/// because `length` does not count them.
fn continued(path: &Path, header: &[String], length: u64) -> io::Result<File> {
    remove_added_columns(path, header)?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.len() < length {
        return Err(too_short(length));
    }
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn too_short(length: u64) -> io::Error {
    io::Error::other(format!("it is shorter than the {length} bytes at the checkpoint"))
}

fn remove_added_columns(path: &Path, header: &[String]) -> io::Result<()> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path)?;
    let mut records = reader.records().peekable();
    if records.peek().is_none_or(|first| first.as_ref().is_ok_and(|first| first.len() <= header.len())) {
        return Ok(());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record?.iter().take(header.len()))?;
    }
    let text = writer.into_inner().map_err(|error| error.into_error())?;
    write_temporary(path, |file| file.write_all(&text))?.persist(path)?;
    Ok(())
}

/// `append` writes to the file only if the last write was at least this long ago. Until then, rows wait in memory,
/// because a system call for each row would take longer than the formatting of the row.
const LONGEST_DELAY: Duration = Duration::from_millis(100);

/// An open table. Only whole rows are written, so a killed run leaves complete rows.
#[derive(Debug)]
pub(super) struct CsvTable {
    path: PathBuf,
    file: File,
    waiting: Vec<u8>,
    last_write: Instant,
}

impl CsvTable {
    fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, waiting: Vec::new(), last_write: Instant::now() }
    }

    /// Appends rows in memory. If the last write was at least [`LONGEST_DELAY`] ago, writes all waiting rows to the
    /// file.
    pub fn append<R: AsRef<[String]>>(
        &mut self,
        mut rows: impl Iterator<Item = R>,
    ) -> Result<(), OutputError> {
        let mut encoder = csv::WriterBuilder::new().buffer_capacity(1 << 10).from_writer(&mut self.waiting);
        rows.try_for_each(|row| encoder.write_record(row.as_ref()))
            .map_err(io::Error::from)
            .and_then(|()| encoder.flush())
            .map_err(OutputError::file(FileAction::Write, &self.path))?;
        drop(encoder);
        if self.last_write.elapsed() >= LONGEST_DELAY { self.flush() } else { Ok(()) }
    }

    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.last_write = Instant::now();
        let written = self.file.write_all(&self.waiting);
        self.waiting.clear();
        written.map_err(OutputError::file(FileAction::Write, &self.path))
    }
}

impl Drop for CsvTable {
    fn drop(&mut self) {
        // A destructor cannot report a failure; `flush` can.
        let _ = self.flush();
    }
}

/// Text with the fewest digits that read back as the same number. Rust and pandas also read `NaN`, `inf` and `-inf`.
pub(super) fn float(value: f64) -> String {
    if value.is_finite() {
        // Several times faster than `format!`.
        ryu::Buffer::new().format_finite(value).to_owned()
    } else {
        value.to_string()
    }
}
