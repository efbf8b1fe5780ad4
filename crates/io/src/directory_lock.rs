//! The lock of an output directory: only one run at a time writes to the directory.
//!
//! A run holds a lock of the operating system on the file `.lock`. The lock ends with the process. During the run, the
//! file names the process and its host; a killed run leaves this entry. On some network file systems, other hosts do
//! not see a lock, or files cannot be locked. Therefore a directory also counts as locked in two cases:
//! - The file names a process on another host.
//! - The file cannot be locked and names a process on any host.
//!
//! In these cases, the user must remove the file that a killed run has left.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::error::{FileAction, OutputError};

const FILE_NAME: &str = ".lock";

/// The process that has locked a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Process number.
    pub process: u32,
    /// Name of the computer.
    pub host: String,
}

/// The lock of a directory; released when dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    file: File,
    /// Killed process whose lock this process has taken over, if any.
    pub taken_over: Option<Owner>,
}

impl DirectoryLock {
    /// Locks an existing directory.
    ///
    /// # Errors
    /// [`OutputError::InUse`] while another process holds the lock; [`OutputError::Locked`] if the lock file names a
    /// process that may still run; [`OutputError::File`] if the lock file cannot be opened or written.
    pub fn acquire(directory: &Path) -> Result<Self, OutputError> {
        let path = directory.join(FILE_NAME);
        let failed = || OutputError::file(FileAction::Write, &path);
        let mut file = open(&path).map_err(failed())?;
        let is_held = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::Error(_)) => false,
            Err(TryLockError::WouldBlock) => return Err(in_use(directory, &mut file)),
        };
        let (here, taken_over) = (Owner::here(), Owner::read(&mut file));
        match taken_over {
            Some(owner) if !is_held || owner.host != here.host => {
                let (directory, owner) = (directory.to_path_buf(), owner.to_string());
                Err(OutputError::Locked { directory, owner, file: path })
            }
            taken_over => {
                here.write(&mut file).map_err(failed())?;
                Ok(Self { file, taken_over })
            }
        }
    }

    /// Creates a directory unless it exists, and locks it.
    ///
    /// # Errors
    /// [`OutputError::File`] if the directory cannot be created, or the errors of [`DirectoryLock::acquire`].
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let created = std::fs::create_dir_all(directory);
        created.map_err(OutputError::file(FileAction::CreateDirectory, directory))?;
        Self::acquire(directory)
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // On failure, the file still names this process, and the next run on this host takes over the lock.
        let _ = self.file.set_len(0);
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn in_use(directory: &Path, file: &mut File) -> OutputError {
    let owner = Owner::read(file).map_or_else(|| "another process".to_owned(), |owner| owner.to_string());
    OutputError::InUse { directory: directory.to_path_buf(), owner }
}

impl Owner {
    fn here() -> Self {
        let host = gethostname::gethostname().to_string_lossy().into_owned();
        Self { process: std::process::id(), host }
    }

    fn read(file: &mut File) -> Option<Self> {
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        let (process, host) = text.trim_end().strip_prefix("process ")?.split_once(" on host ")?;
        Some(Self { process: process.parse().ok()?, host: host.to_owned() })
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{self}")
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "process {} on host {}", self.process, self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock_file(directory: &Path) -> std::path::PathBuf {
        directory.join(FILE_NAME)
    }

    #[test]
    fn a_directory_is_locked_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("a/b");
        let lock = DirectoryLock::create(&directory).unwrap();
        assert_eq!(lock.taken_over, None);
        let refused = DirectoryLock::acquire(&directory).unwrap_err().to_string();
        assert!(refused.contains(&format!("in use by {}; wait", Owner::here())), "{refused}");
        drop(lock);
        assert_eq!(std::fs::read(lock_file(&directory)).unwrap(), b"");
        assert_eq!(DirectoryLock::acquire(&directory).unwrap().taken_over, None);
    }

    /// A killed process leaves its name in the file, but not the lock.
    #[test]
    fn a_lock_that_is_left_is_taken_over_on_the_same_host_only() {
        let folder = tempfile::tempdir().unwrap();
        let left = Owner { process: 77, ..Owner::here() };
        std::fs::write(lock_file(folder.path()), format!("{left}\n")).unwrap();
        assert_eq!(DirectoryLock::acquire(folder.path()).unwrap().taken_over, Some(left.clone()));
        let elsewhere = Owner { host: format!("not-{}", left.host), ..left };
        std::fs::write(lock_file(folder.path()), format!("{elsewhere}\n")).unwrap();
        let refused = DirectoryLock::acquire(folder.path()).unwrap_err();
        assert!(matches!(refused, OutputError::Locked { owner, .. } if owner == elsewhere.to_string()));
    }
}
