//! Durability: content and names of files that survive a power failure.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use super::error::{FileAction, OutputError};

/// Waits until the content of these files of a directory is on disk, and the names in it and in these folders of it.
///
/// # Errors
/// [`OutputError::File`].
pub(crate) fn sync<'a>(
    directory: &Path,
    files: impl IntoIterator<Item = &'a String>,
    folders: &[&str],
) -> Result<(), OutputError> {
    for name in files {
        let path = directory.join(name);
        let file = OpenOptions::new().write(true).open(&path);
        let synced = file.and_then(|file| file.sync_all());
        synced.map_err(OutputError::file(FileAction::Write, &path))?;
    }
    folders.iter().try_for_each(|folder| sync_names(&directory.join(folder)))?;
    sync_names(directory)
}

/// Waits until the names in a directory are on disk.
///
/// # Errors
/// [`OutputError::File`].
pub(super) fn sync_names(directory: &Path) -> Result<(), OutputError> {
    sync_directory(directory).map_err(OutputError::file(FileAction::Write, directory))
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    std::fs::File::open(directory)?.sync_all()
}

/// Other systems do not open directories as files; their file systems order the names themselves.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}
