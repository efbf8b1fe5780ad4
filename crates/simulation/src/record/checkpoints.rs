//! Checkpoints of a run: its state and its position in the output, written by a background thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::State;
use crate::io::checkpoint::{self, CheckpointError, Identity};
use crate::io::{FileAction, OutputError, durable};
use crate::scenario::{CheckpointSettings, Scenario};

use super::probes::ProbePosition;
use super::schedule::SchedulePosition;

/// Largest time by which a checkpoint may precede its scheduled instant, relative to the length of the last step. The
/// sum of the steps can miss the instant by a rounding error.
const EARLY: f64 = 1e-6;

/// Position in the output, from which a resumed run continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OutputPosition {
    /// Times of the frames written \[s\].
    pub frame_times: Vec<f64>,
    pub schedule: SchedulePosition,
    pub probes: Option<ProbePosition>,
    /// Length of each table \[bytes\].
    pub tables: BTreeMap<String, u64>,
}

/// State and output position at a checkpoint.
#[derive(Debug)]
pub struct Checkpoint {
    pub(crate) state: State,
    pub(crate) output: OutputPosition,
    /// Path of the file.
    pub path: PathBuf,
}

impl Checkpoint {
    /// Time \[s\] and step number of the state.
    pub fn instant(&self) -> (f64, u64) {
        (self.state.nodes.time, self.state.nodes.step)
    }

    /// Reads a checkpoint of a scenario: the file `place`, or the latest readable checkpoint in the directory `place`.
    /// Also returns the files of the later checkpoints that could not be read.
    ///
    /// # Errors
    /// If no file can be read, the [`CheckpointError`] of the latest file; if no file exists, the error of `place`. A
    /// file of another scenario, of other meshes or of another version ends the search with its error: older files are
    /// not tried. An unreadable mesh is an error, too.
    pub fn read(scenario: &Scenario, place: &Path) -> Result<(Self, Vec<PathBuf>), CheckpointError> {
        let files = if place.is_file() { vec![place.to_path_buf()] } else { checkpoint::files(place) };
        let identity =
            identity(scenario).map_err(|(path, cause)| CheckpointError::UnreadableMesh { path, cause })?;
        let mut first = None;
        for (number, path) in files.iter().enumerate() {
            match Self::read_file(path, &identity) {
                Ok(read) => return Ok((read, files[..number].to_vec())),
                Err(
                    error @ (CheckpointError::OtherScenario { .. }
                    | CheckpointError::OtherMeshes { .. }
                    | CheckpointError::OtherVersion { .. }),
                ) => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| absent(place)))
    }

    fn read_file(path: &Path, identity: &Identity) -> Result<Self, CheckpointError> {
        let damaged = || CheckpointError::Damaged { path: path.to_path_buf() };
        let parts = checkpoint::read(path, identity)?;
        let [state, output] = parts.as_slice() else { return Err(damaged()) };
        Ok(Self {
            state: State::decode(state).map_err(|_| damaged())?,
            output: postcard::from_bytes(output).map_err(|_| damaged())?,
            path: path.to_path_buf(),
        })
    }
}

fn absent(place: &Path) -> CheckpointError {
    let absence =
        if place.is_dir() { "it has no checkpoint.bin" } else { "there is no such file or directory" };
    let cause = std::io::Error::new(std::io::ErrorKind::NotFound, absence);
    CheckpointError::Unreadable { path: place.to_path_buf(), cause }
}

/// Writer of the checkpoints of a run. The file of a checkpoint appears only when all earlier output is on disk.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    directory: PathBuf,
    identity: Option<Identity>,
    settings: Option<CheckpointSettings>,
    next: f64,
    background: Option<JoinHandle<Result<(), OutputError>>>,
}

impl Checkpoints {
    pub fn new(scenario: &Scenario, directory: &Path, time: f64) -> Self {
        let settings = scenario.output.checkpoint;
        Self {
            directory: directory.to_path_buf(),
            // Without readable meshes, no checkpoint is written.
            identity: identity(scenario).ok(),
            settings,
            next: settings.map_or(f64::INFINITY, |settings| next_after(time, settings.interval)),
            background: None,
        }
    }

    /// Whether a checkpoint is due at `time` \[s\], after a step of length `time_step` \[s\].
    pub fn is_due(&self, time: f64, time_step: f64) -> bool {
        time + EARLY * time_step >= self.next
    }

    pub fn restart_at(&mut self, time: f64) {
        if let Some(settings) = self.settings {
            self.next = next_after(time, settings.interval);
        }
    }

    /// Waits until the previous checkpoint is written, and begins to write a checkpoint in the background. `time` is
    /// the time of the state \[s\]; in dynamic relaxation, the sum of the step lengths. `time_step` is the length of
    /// the last step \[s\].
    ///
    /// Each receiver in `written` gets a message when the frames of one series are on disk. The file of the checkpoint
    /// is written after all messages. A failed series prevents this file.
    pub fn write(
        &mut self,
        state: State,
        output: OutputPosition,
        written: Vec<Receiver<()>>,
        [time, time_step]: [f64; 2],
    ) -> Result<(), OutputError> {
        self.wait()?;
        self.restart_at(time + EARLY * time_step);
        let Some(identity) = self.identity else { return Ok(()) };
        let (directory, keep) = (self.directory.clone(), self.settings.map_or(1, |settings| settings.keep));
        let write = move || {
            // A channel is closed if its series has failed. The series reports this failure.
            if written.iter().any(|series| series.recv().is_err()) {
                return Ok(());
            }
            let encoded = state.encode().and_then(|state| Ok([state, postcard::to_stdvec(&output)?]));
            let parts = encoded
                .map_err(std::io::Error::other)
                .map_err(OutputError::file(FileAction::Write, &directory))?;
            durable::sync(&directory, output.tables.keys(), &["frames"])?;
            checkpoint::write(&directory, &identity, &parts, keep)
        };
        let thread = std::thread::Builder::new().name("checkpoint".to_owned()).spawn(write);
        let failed = |cause| OutputError::Thread { series: "checkpoint".to_owned(), cause };
        self.background = Some(thread.map_err(failed)?);
        Ok(())
    }

    pub fn wait(&mut self) -> Result<(), OutputError> {
        match self.background.take() {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => Ok(()),
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        // A destructor cannot report a failure; `wait` can.
        let _ = self.wait();
    }
}

/// First multiple of `interval` later than `time`, in \[s\].
fn next_after(time: f64, interval: f64) -> f64 {
    ((time / interval).floor() + 1.0) * interval
}

/// Identity of a scenario and its meshes. A checkpoint can be read only for a scenario with the same identity.
fn identity(scenario: &Scenario) -> Result<Identity, (PathBuf, std::io::Error)> {
    let mut meshes = Sha256::new();
    for body in &scenario.bodies {
        let path = &body.mesh.value;
        let bytes = std::fs::read(path).map_err(|cause| (path.clone(), cause))?;
        meshes.update((bytes.len() as u64).to_le_bytes());
        meshes.update(bytes);
    }
    let scenario = Sha256::digest(scenario.lasting_keys());
    Ok(Identity { scenario: scenario.into(), meshes: meshes.finalize().into() })
}
