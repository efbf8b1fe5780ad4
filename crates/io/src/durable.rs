//! Waiting until the content and the names of files are on disk, where both survive a power failure.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use super::error::{FileAction, OutputError};

/// Waits until two things are on disk: the content of `files` in `directory`, and the file names in `directory` and in
/// its `folders`.
///
/// # Errors
/// [`OutputError::File`].
pub fn sync<'a>(
    directory: &Path,
    files: impl IntoIterator<Item = &'a String>,
    folders: &[&str],
) -> Result<(), OutputError> {
    files.into_iter().try_for_each(|name| sync_file(&directory.join(name)))?;
    folders.iter().try_for_each(|folder| sync_names(&directory.join(folder)))?;
    sync_names(directory)
}

/// Waits until the content of a file is on disk.
///
/// # Errors
/// [`OutputError::File`].
pub(super) fn sync_file(path: &Path) -> Result<(), OutputError> {
    let file = OpenOptions::new().write(true).open(path);
    file.and_then(|file| file.sync_all()).map_err(OutputError::file(FileAction::Write, path))
}

/// Waits until the file names in a directory are on disk.
///
/// # Errors
/// [`OutputError::File`].
pub(super) fn sync_names(directory: &Path) -> Result<(), OutputError> {
    sync_directory(directory).map_err(OutputError::file(FileAction::Write, directory))
}

/// Some network file systems cannot sync directories. The error that they return is ignored, because nothing else can
/// be done.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    match std::fs::File::open(directory)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        outcome => outcome,
    }
}

/// Does nothing: only on Unix can a directory be opened as a file, and synced.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error message contains the name of the missing file or folder.
    #[test]
    fn missing_files_and_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a.csv".to_owned(), "b.csv".to_owned()];
        std::fs::write(folder.path().join("a.csv"), "1\n").unwrap();
        let refusal = |files: &[String], folders: &[&str]| {
            sync(folder.path(), files, folders).err().map_or(String::new(), |error| error.to_string())
        };
        assert_eq!(refusal(&names[..1], &[]), "");
        assert!(refusal(&names, &[]).contains("b.csv"));
        #[cfg(unix)]
        assert!(refusal(&names[..1], &["frames"]).contains("frames"));
        std::fs::create_dir(folder.path().join("frames")).unwrap();
        assert_eq!(refusal(&names[..1], &["frames"]), "");
        assert_eq!(std::fs::read(folder.path().join("a.csv")).unwrap(), b"1\n");
    }
}
