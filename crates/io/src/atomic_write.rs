//! Atomic replacement of files.

use std::io::{BufWriter, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use super::error::{FileAction, OutputError};

/// Suffix of a file that is being written. A killed run can leave files with this suffix.
pub(crate) const PARTIAL_SUFFIX: &str = ".partial";

/// Writes `path` atomically. Any reader, even after a crash, finds the complete old file or the complete new file.
///
/// The content goes to a hidden file `.<file name>.….partial` in the same directory. This file is synced and then
/// renamed to `path`. Its permissions are those of an ordinary new file.
///
/// # Errors
/// [`OutputError::File`]; an existing file then remains unchanged.
pub fn atomic_write<F>(path: &Path, write: F) -> Result<(), OutputError>
where
    F: FnOnce(&mut dyn Write) -> std::io::Result<()>,
{
    persist(path, write_temporary(path, write))
}

/// Removes partial tables, summaries and checkpoints of a killed run from `directory`. Another run must not write to
/// the directory meanwhile. A directory that cannot be listed is no error.
///
/// # Errors
/// [`OutputError::File`] if a file cannot be removed.
pub fn remove_partial_files(directory: &Path) -> Result<(), OutputError> {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_partial) {
            let path = entry.path();
            std::fs::remove_file(&path).map_err(OutputError::file(FileAction::Remove, &path))?;
        }
    }
    Ok(())
}

/// Whether `name` is the name of a partial table, summary or checkpoint.
fn is_partial(name: &str) -> bool {
    let partial = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(PARTIAL_SUFFIX));
    let target = partial.and_then(|rest| rest.rsplit_once('.')).map_or("", |(target, _)| target);
    [".csv", ".json", ".bin"].iter().any(|ending| target.ends_with(ending))
}

/// Like [`atomic_write`], but does not wait for the disk. After a power failure, the file can be incomplete.
///
/// # Errors
/// [`OutputError::File`]; an existing file then remains unchanged.
pub(crate) fn replace<F>(path: &Path, write: F) -> Result<(), OutputError>
where
    F: FnOnce(&mut dyn Write) -> std::io::Result<()>,
{
    persist(path, write_partial(path, write))
}

fn persist(path: &Path, written: std::io::Result<NamedTempFile>) -> Result<(), OutputError> {
    written.and_then(|file| Ok(file.persist(path)?)).map_err(OutputError::file(FileAction::Write, path))?;
    Ok(())
}

/// Writes the future content of `path` to a temporary file in the same directory, and syncs this file. On drop, the
/// temporary file is removed.
pub(super) fn write_temporary<F>(path: &Path, write: F) -> std::io::Result<NamedTempFile>
where
    F: FnOnce(&mut dyn Write) -> std::io::Result<()>,
{
    let file = write_partial(path, write)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn write_partial<F>(path: &Path, write: F) -> std::io::Result<NamedTempFile>
where
    F: FnOnce(&mut dyn Write) -> std::io::Result<()>,
{
    let mut writer = BufWriter::with_capacity(1 << 16, temporary_beside(path)?);
    write(&mut writer)?;
    writer.into_inner().map_err(std::io::IntoInnerError::into_error)
}

fn temporary_beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_whole_file_and_leaves_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        atomic_write(&path, |writer| writer.write_all(b"a longer first text")).unwrap();
        atomic_write(&path, |writer| writer.write_all(b"second")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    /// Other files are kept, and a missing directory is no error.
    #[test]
    fn partial_files_of_a_killed_run_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("probes.csv");
        std::fs::write(&path, "whole").unwrap();
        temporary_beside(&path).unwrap().keep().unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
        remove_partial_files(directory.path()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        remove_partial_files(&directory.path().join("none")).unwrap();
    }

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        atomic_write(&path, |writer| writer.write_all(b"old")).unwrap();
        let failed = atomic_write(&path, |writer| {
            writer.write_all(b"half of the n")?;
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        });
        assert!(failed.unwrap_err().to_string().contains("free some space"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_file() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (atomic, ordinary) = (directory.path().join("a"), directory.path().join("b"));
        atomic_write(&atomic, |writer| writer.write_all(b"x")).unwrap();
        std::fs::write(&ordinary, b"x").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&atomic), mode(&ordinary));
    }
}
