//! Errors of output.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Failure to write output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// An action on a file or directory failed.
    #[error("cannot {action} '{}': {cause}; {}", path.display(), remedy(*action, cause))]
    File {
        /// The action attempted.
        action: FileAction,
        /// The file or directory.
        path: PathBuf,
        /// Cause.
        #[source]
        cause: io::Error,
    },
    /// Another process holds the lock of the directory.
    #[error(
        "'{}' is in use by {owner}; wait until that run has ended, stop it, or choose another directory (`--output DIR`)",
        directory.display()
    )]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// The process that holds the lock.
        owner: String,
    },
    /// The lock file names a process that may still run.
    #[error(
        "'{}' is locked by {owner}; if that run has ended, remove '{}', or choose another directory (`--output DIR`)",
        directory.display(),
        file.display()
    )]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process that the lock file names.
        owner: String,
        /// The lock file.
        file: PathBuf,
    },
    /// A background thread that writes frames or checkpoints could not be started.
    #[error(
        "cannot start the thread that writes '{series}': {cause}; close other programs or raise `ulimit -u`"
    )]
    Thread {
        /// Name of the series of frames, or `checkpoint`.
        series: String,
        /// Cause.
        #[source]
        cause: io::Error,
    },
    /// A frame was submitted after the writing of an earlier frame of the series had failed.
    #[error("frames of '{series}' are no longer written after an earlier failure; start the series again")]
    SeriesStopped {
        /// Name of the series.
        series: String,
    },
    /// A frame is not later than the previous frame. If both had the same time, ParaView would show both at once.
    #[error("a frame at time {time} cannot follow the one at time {previous}; times of frames must ascend")]
    FrameOrder {
        /// Time of the frame \[s\].
        time: f64,
        /// Time of the previous frame \[s\].
        previous: f64,
    },
    /// The length of the connectivity differs from the sum of the node counts of the cells.
    #[error("the grid's cells need {expected} node numbers, but {given} are given")]
    ConnectivityLength {
        /// Sum of the node counts of the cells.
        expected: usize,
        /// Number of node numbers given.
        given: usize,
    },
    /// A cell refers to a point that the frame does not have.
    #[error(
        "the grid refers to point {node}, but the frame at time {time} has {num_points} points (numbered from 0)"
    )]
    UnknownPoint {
        /// The highest point number in the cells.
        node: u32,
        /// Number of points of the frame.
        num_points: usize,
        /// Time of the frame \[s\].
        time: f64,
    },
    /// The number of values of a field differs from the number of points or cells.
    #[error("field '{field}' has {given} values at time {time}, but the grid has {expected} {place}")]
    FieldLength {
        /// Name of the field.
        field: String,
        /// Number of values given.
        given: usize,
        /// Number of points or cells of the grid.
        expected: usize,
        /// `"points"` or `"cells"`.
        place: &'static str,
        /// Time of the frame \[s\].
        time: f64,
    },
    /// The number of entries of a history row differs from the number of bodies.
    #[error("a history row at time {time} describes {given} bodies, but the history has {expected}")]
    BodyCount {
        /// Number of bodies named when the history was created.
        expected: usize,
        /// Number of bodies in the row.
        given: usize,
        /// Time of the row \[s\].
        time: f64,
    },
}

/// An action on a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileAction {
    /// Creating a directory.
    CreateDirectory,
    /// Reading a file.
    Read,
    /// Listing a directory.
    List,
    /// Removing a file of a previous run.
    Remove,
    /// Creating or writing a file.
    Write,
    /// Continuing a file of the run that is resumed.
    Continue,
}

impl fmt::Display for FileAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::CreateDirectory => "create directory",
            Self::Read => "read",
            Self::List => "list directory",
            Self::Remove => "remove",
            Self::Write => "write",
            Self::Continue => "continue",
        })
    }
}

impl OutputError {
    /// Function for `map_err` that adds the action and the path to an error of the operating system.
    pub fn file(action: FileAction, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |cause| Self::File { action, path, cause }
    }
}

fn remedy(action: FileAction, cause: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match cause.kind() {
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "choose a directory you may write to (`--output DIR`) or change its permissions"
        }
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "free some space, ask for fewer frames, or choose another disk (`--output DIR`)"
        }
        Kind::NotFound if action == FileAction::CreateDirectory => {
            "no directory can be made there: choose another `--output DIR`"
        }
        _ if action == FileAction::Continue => {
            "resume in the directory of the run, as it left it, or start the run again without `--resume`"
        }
        Kind::NotFound => "the directory may have been removed while the run wrote to it",
        Kind::AlreadyExists | Kind::NotADirectory | Kind::IsADirectory => {
            "a file blocks the directory, or a directory the file: move it or choose another `--output DIR`"
        }
        _ => "check the output directory (`--output DIR`) and the disk it is on",
    }
}
