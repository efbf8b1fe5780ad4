//! Checkpoint files: a header that identifies program, scenario and meshes, then parts. A part is any sequence of
//! bytes.
//!
//! ```text
//! magic (16)  format (u32)  length of the version (u32)  version
//! SHA-256 of the scenario (32)  SHA-256 of the meshes (32)  number of parts (u32)
//! each part: length (u64)  CRC-32 (u32)  bytes
//! CRC-32 of all previous bytes (u32)
//! ```
//! A number in parentheses is a length in bytes; integers are little-endian. A checkpoint is written to a temporary
//! file, which is renamed when it is complete. The checksums detect files damaged on disk.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::atomic_write::{PARTIAL_SUFFIX, write_temporary};
use super::durable::sync_names;
use super::error::{FileAction, OutputError};

const MAGIC: &[u8; 16] = b"ictus checkpoint";
/// Version of the layout; must increase with every change of the file layout or of the stored state.
const FORMAT: u32 = 4;
/// Name of the latest checkpoint of a run.
const FILE_NAME: &str = "checkpoint.bin";

/// SHA-256 hashes of the scenario and of the meshes that a checkpoint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Hash of the scenario, without the keys that a resumed run can change.
    pub scenario: [u8; 32],
    /// Hash of the mesh files.
    pub meshes: [u8; 32],
}

/// Reason why a run cannot continue from a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error(
        "cannot read checkpoint '{path}': {cause}; give the directory of an interrupted run with `--output DIR`, or a \
         checkpoint with `--resume FILE`"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Cause.
        cause: std::io::Error,
    },
    /// A mesh of the scenario cannot be read.
    #[error("cannot read mesh '{path}': {cause}; restore the mesh file of the run")]
    UnreadableMesh {
        /// The mesh.
        path: PathBuf,
        /// Cause.
        cause: std::io::Error,
    },
    /// The file does not begin like a checkpoint.
    #[error("'{path}' is not a checkpoint of ictus; give a checkpoint.bin of a run")]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// Another version of the program wrote the file.
    #[error(
        "checkpoint '{path}' was written by ictus {found}, and this is ictus {} (format {FORMAT}); resume with that \
         version, or start the run again",
        env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Version and format of the program that wrote the file.
        found: String,
    },
    /// The checkpoint belongs to another scenario.
    #[error(
        "checkpoint '{path}' belongs to another scenario; only `time.end`, `time.energy_tolerance`, `title` and \
         `[output]` may differ: restore the other keys and the name of the scenario file, or start the run again"
    )]
    OtherScenario {
        /// The file.
        path: PathBuf,
    },
    /// The checkpoint belongs to other meshes.
    #[error(
        "checkpoint '{path}' belongs to other meshes; restore the mesh files of the run, or start it again"
    )]
    OtherMeshes {
        /// The file.
        path: PathBuf,
    },
    /// The file is incomplete or damaged.
    #[error("checkpoint '{path}' is damaged; start the run again")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

/// Checkpoint files in the directory of a run, in order of age; the latest is first.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(usize, PathBuf)> =
        entries(directory).filter_map(|path| Some((age_of(path.file_name()?.to_str()?)?, path))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file())
}

/// Path of a checkpoint. `age` is the number of newer checkpoints in the directory.
fn numbered(directory: &Path, age: usize) -> PathBuf {
    match age {
        0 => directory.join(FILE_NAME),
        _ => directory.join(format!("checkpoint.{age}.bin")),
    }
}

/// Inverse of [`numbered`]; `None` for any other file name.
fn age_of(file_name: &str) -> Option<usize> {
    match file_name.strip_prefix("checkpoint.")?.strip_suffix(".bin") {
        None => (file_name == FILE_NAME).then_some(0),
        Some(age) => age.parse().ok().filter(|&age| age > 0),
    }
}

/// Removes all checkpoints in `directory`, including unfinished files.
///
/// # Errors
/// [`OutputError::File`].
pub fn remove(directory: &Path) -> Result<(), OutputError> {
    remove_unfinished(directory)?;
    files(directory).iter().try_for_each(|path| remove_file(path))
}

fn remove_unfinished(directory: &Path) -> Result<(), OutputError> {
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(".checkpoint.") && name.ends_with(PARTIAL_SUFFIX)
    };
    entries(directory).filter(is_unfinished).try_for_each(|path| remove_file(&path))
}

fn remove_file(path: &Path) -> Result<(), OutputError> {
    fs::remove_file(path).map_err(OutputError::file(FileAction::Remove, path))
}

fn rename(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(OutputError::file(FileAction::Write, to))
}

/// Makes `path` the latest checkpoint of a resumed run: in `directory`, removes the checkpoints newer than `path`, and
/// renames `path` and the older checkpoints. If `path` is not in `directory`, all checkpoints in `directory` are
/// removed.
///
/// # Errors
/// [`OutputError::File`].
pub fn continue_from(directory: &Path, path: &Path) -> Result<(), OutputError> {
    remove_unfinished(directory)?;
    let files = files(directory);
    let chosen = files.iter().position(|file| file == path).unwrap_or(files.len());
    files[..chosen].iter().try_for_each(|newer| remove_file(newer))?;
    for (age, older) in files[chosen..].iter().enumerate() {
        let place = numbered(directory, age);
        if *older != place {
            rename(older, &place)?;
        }
    }
    Ok(())
}

/// Writes a new checkpoint of a run, and keeps the newest `keep` checkpoints, including the new one. Older files are
/// renamed only when the new file is complete. Files that a run with a larger `keep` has left are not removed.
///
/// # Errors
/// [`OutputError::File`].
pub fn write(
    directory: &Path,
    identity: &Identity,
    parts: &[Vec<u8>],
    keep: usize,
) -> Result<(), OutputError> {
    let path = numbered(directory, 0);
    let written = write_temporary(&path, |writer| write_parts(writer, identity, parts));
    let written = written.map_err(OutputError::file(FileAction::Write, &path))?;
    for age in (1..keep).rev() {
        let younger = numbered(directory, age - 1);
        if younger.is_file() {
            rename(&younger, &numbered(directory, age))?;
        }
    }
    let persisted = written.persist(&path).map_err(std::io::Error::from);
    persisted.map_err(OutputError::file(FileAction::Write, &path))?;
    sync_names(directory)
}

fn write_parts(writer: &mut dyn Write, identity: &Identity, parts: &[Vec<u8>]) -> std::io::Result<()> {
    let mut all = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        all.update(bytes);
        writer.write_all(bytes)
    };
    put(&header(identity, parts.len()))?;
    for part in parts {
        put(&(part.len() as u64).to_le_bytes())?;
        put(&crc32fast::hash(part).to_le_bytes())?;
        put(part)?;
    }
    writer.write_all(&all.finalize().to_le_bytes())
}

fn header(identity: &Identity, num_parts: usize) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&(version.len() as u32).to_le_bytes());
    header.extend_from_slice(version);
    header.extend_from_slice(&identity.scenario);
    header.extend_from_slice(&identity.meshes);
    header.extend_from_slice(&(num_parts as u32).to_le_bytes());
    header
}

/// Reads the parts of the checkpoint `path`, which must belong to the scenario and meshes of `identity`.
///
/// # Errors
/// [`CheckpointError`].
pub fn read(path: &Path, identity: &Identity) -> Result<Vec<Vec<u8>>, CheckpointError> {
    let path = path.to_path_buf();
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(cause) => return Err(CheckpointError::Unreadable { path, cause }),
    };
    let mut cursor = Cursor { rest: &bytes };
    if cursor.take(MAGIC.len()) != Some(MAGIC) {
        return Err(CheckpointError::NotACheckpoint { path });
    }
    let version = cursor.number().and_then(|format| Some((format, cursor.number()?)));
    let version = version.and_then(|(format, length)| Some((format, cursor.take(length as usize)?)));
    match version {
        Some((FORMAT, version)) if version == env!("CARGO_PKG_VERSION").as_bytes() => {}
        Some((format, version)) => {
            let found = format!("{} (format {format})", String::from_utf8_lossy(version));
            return Err(CheckpointError::OtherVersion { path, found });
        }
        None => return Err(CheckpointError::Damaged { path }),
    }
    match (cursor.take(32), cursor.take(32)) {
        (Some(_), Some(_)) if !is_whole(&bytes) => Err(CheckpointError::Damaged { path }),
        (Some(scenario), _) if scenario != identity.scenario => Err(CheckpointError::OtherScenario { path }),
        (_, Some(meshes)) if meshes != identity.meshes => Err(CheckpointError::OtherMeshes { path }),
        _ => cursor.parts().ok_or(CheckpointError::Damaged { path }),
    }
}

/// Whether the last four bytes are the checksum of all previous bytes.
fn is_whole(bytes: &[u8]) -> bool {
    bytes
        .split_last_chunk()
        .is_some_and(|(before, checksum)| crc32fast::hash(before) == u32::from_le_bytes(*checksum))
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn parts(&mut self) -> Option<Vec<Vec<u8>>> {
        let count = self.number()?;
        (0..count).map(|_| self.part()).collect()
    }

    fn part(&mut self) -> Option<Vec<u8>> {
        let length = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        let checksum = self.number()?;
        let part = self.take(usize::try_from(length).ok()?)?;
        (crc32fast::hash(part) == checksum).then(|| part.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { scenario: [1; 32], meshes: [2; 32] };

    fn parts() -> [Vec<u8>; 3] {
        [b"nodes".to_vec(), Vec::new(), vec![0xA5; 1000]]
    }

    #[test]
    fn parts_are_read_back_and_older_files_kept() {
        let folder = tempfile::tempdir().unwrap();
        for k in 0..4_u8 {
            write(folder.path(), &IDENTITY, &[vec![k]], 3).unwrap();
        }
        let found = files(folder.path());
        let kept: Vec<u8> = found.iter().map(|path| read(path, &IDENTITY).unwrap()[0][0]).collect();
        assert_eq!(kept, [3, 2, 1]);
        write(folder.path(), &IDENTITY, &parts(), 3).unwrap();
        assert_eq!(read(&files(folder.path())[0], &IDENTITY).unwrap(), parts());
        remove(folder.path()).unwrap();
        assert!(files(folder.path()).is_empty());
    }

    #[test]
    fn other_scenarios_meshes_and_versions_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &IDENTITY, &parts(), 1).unwrap();
        let path = files(folder.path()).remove(0);
        let other = read(&path, &Identity { scenario: [9; 32], ..IDENTITY });
        assert!(matches!(other, Err(CheckpointError::OtherScenario { .. })), "{other:?}");
        let other = read(&path, &Identity { meshes: [9; 32], ..IDENTITY });
        assert!(matches!(other, Err(CheckpointError::OtherMeshes { .. })), "{other:?}");
        let mut bytes = fs::read(&path).unwrap();
        bytes[MAGIC.len()] += 1;
        fs::write(&path, &bytes).unwrap();
        let other = read(&path, &IDENTITY);
        assert!(matches!(other, Err(CheckpointError::OtherVersion { .. })), "{other:?}");
        fs::write(&path, b"$MeshFormat").unwrap();
        assert!(matches!(read(&path, &IDENTITY), Err(CheckpointError::NotACheckpoint { .. })));
        let missing = read(&folder.path().join("nothing"), &IDENTITY);
        assert!(matches!(missing, Err(CheckpointError::Unreadable { .. })));
    }

    /// Truncated files and files with one flipped bit are refused. Every third bit is tried.
    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &IDENTITY, &parts(), 1).unwrap();
        let path = files(folder.path()).remove(0);
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(read(&path, &IDENTITY).is_err(), "{length} bytes");
        }
        for bit in (0..8 * bytes.len()).step_by(3) {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            assert!(read(&path, &IDENTITY).is_err(), "bit {bit}");
        }
    }
}
