//! A series of frames, written by a background thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use super::collection::{frame_file_name, frame_number, write_collection};
use super::data_array::ArrayEncoder;
use super::frame::{Frame, Grid, GridExtent};
use super::unstructured_grid::{EncodedCells, write_unstructured_grid};
use crate::atomic_write::{PARTIAL_SUFFIX, replace};
use crate::durable::sync_file;
use crate::error::{FileAction, OutputError};

const QUEUE: usize = 2;

/// Frames `frames/<name>_000000.vtu` and so on, and the collection `<name>.pvd`.
///
/// If the background thread fails, the next call that needs the thread returns the failure. The collection is replaced
/// after each frame, so that it lists exactly the complete frames. Only [`Series::written`] forces files to the disk:
/// in short runs, to force every frame would take longer than the time steps. A dropped series still writes the
/// submitted frames but loses failures: call [`Series::finish`].
#[derive(Debug)]
pub struct Series {
    name: String,
    extent: GridExtent,
    last_time: Option<f64>,
    background: Option<Background>,
}

#[derive(Debug)]
enum Job {
    /// Replaces the cells of the following frames.
    Grid(Grid),
    Frame(Frame),
    /// Forces all frames of the preceding jobs to the disk, then sends a message.
    Report(Sender<()>),
}

#[derive(Debug)]
struct Background {
    jobs: SyncSender<Job>,
    thread: JoinHandle<Result<(), OutputError>>,
}

#[derive(Debug)]
struct FrameWriter {
    directory: PathBuf,
    name: String,
    cells: EncodedCells,
    times: Vec<f64>,
    /// The first `synced` frames have been forced to the disk.
    synced: usize,
    encoder: ArrayEncoder,
}

impl Series {
    /// Starts a series in `directory`. Removes the frames and the collection that an earlier run wrote under this name.
    ///
    /// # Errors
    /// [`OutputError::File`], [`OutputError::Thread`], [`OutputError::ConnectivityLength`].
    pub fn create(directory: &Path, name: &str, grid: Grid) -> Result<Self, OutputError> {
        Self::resume(directory, name, grid, Vec::new())
    }

    /// Checks that the first `count` frames of a series exist.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn check(directory: &Path, name: &str, count: usize) -> Result<(), OutputError> {
        let frames = directory.join("frames");
        let path = |frame: usize| frames.join(frame_file_name(name, frame));
        match (0..count).map(path).find(|path| !path.is_file()) {
            None => Ok(()),
            Some(path) => {
                let cause = std::io::Error::other("a frame before the checkpoint is missing");
                Err(OutputError::file(FileAction::Continue, &path)(cause))
            }
        }
    }

    /// Continues a series whose first frames have the `times` \[s\], in ascending order. Keeps these frames, and
    /// removes all later frames.
    ///
    /// # Errors
    /// As [`Series::create`].
    pub fn resume(directory: &Path, name: &str, grid: Grid, times: Vec<f64>) -> Result<Self, OutputError> {
        grid.check()?;
        let frames = directory.join("frames");
        fs::create_dir_all(&frames).map_err(OutputError::file(FileAction::CreateDirectory, &frames))?;
        let writer = FrameWriter {
            directory: directory.to_path_buf(),
            name: name.to_owned(),
            cells: EncodedCells::new(&grid).map_err(OutputError::file(FileAction::Write, &frames))?,
            times: times.clone(),
            synced: times.len(),
            encoder: ArrayEncoder::default(),
        };
        remove_frames(directory, name, times.len())?;
        if !times.is_empty() {
            writer.write_collection()?;
        }
        let (jobs, received) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("frames".to_owned())
            .spawn(move || writer.write_all(received))
            .map_err(|cause| OutputError::Thread { series: name.to_owned(), cause })?;
        let background = Some(Background { jobs, thread });
        Ok(Self {
            name: name.to_owned(),
            extent: grid.extent(),
            last_time: times.last().copied(),
            background,
        })
    }

    /// Submits a frame to the background thread. Blocks while the queue of submitted frames is full.
    ///
    /// # Errors
    /// - [`OutputError::UnknownPoint`] or [`OutputError::FieldLength`] if the frame does not match the grid, and
    ///   [`OutputError::FrameOrder`] if the frame is not later than the previous frame. The series continues without
    ///   this frame.
    /// - If the background thread has failed, its failure in the first call, and [`OutputError::SeriesStopped`] in
    ///   later calls.
    pub fn write(&mut self, frame: Frame) -> Result<(), OutputError> {
        frame.check(self.extent)?;
        let time = frame.time;
        if let Some(previous) = self.last_time
            && (time.is_nan() || time <= previous)
        {
            return Err(OutputError::FrameOrder { time, previous });
        }
        self.send(Job::Frame(frame))?;
        self.last_time = Some(time);
        Ok(())
    }

    /// Replaces the cells of the following frames.
    ///
    /// # Errors
    /// [`OutputError::ConnectivityLength`]; the series then keeps its previous cells. A failure of the background
    /// thread, as in [`Series::write`].
    pub fn replace_grid(&mut self, grid: Grid) -> Result<(), OutputError> {
        grid.check()?;
        let extent = grid.extent();
        self.send(Job::Grid(grid))?;
        self.extent = extent;
        Ok(())
    }

    /// Removes the frames and the collection that an earlier run wrote under this name.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn remove(directory: &Path, name: &str) -> Result<(), OutputError> {
        if directory.join("frames").is_dir() { remove_frames(directory, name, 0) } else { Ok(()) }
    }

    /// Receiver of one message, sent when all frames submitted so far and their collection are on disk.
    ///
    /// # Errors
    /// A failure of the background thread, as in [`Series::write`].
    pub fn written(&mut self) -> Result<Receiver<()>, OutputError> {
        let (sender, receiver) = channel();
        self.send(Job::Report(sender))?;
        Ok(receiver)
    }

    /// Waits until all submitted frames are written, and ends the series.
    ///
    /// # Errors
    /// A failure of the background thread, as in [`Series::write`].
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.stop()
    }

    /// Ends the thread, and returns the failure of the thread, if any. A second call is an error.
    fn stop(&mut self) -> Result<(), OutputError> {
        let Some(Background { jobs, thread }) = self.background.take() else {
            return Err(OutputError::SeriesStopped { series: self.name.clone() });
        };
        drop(jobs);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn send(&mut self, job: Job) -> Result<(), OutputError> {
        let sent = self.background.as_ref().is_some_and(|background| background.jobs.send(job).is_ok());
        // The thread stops receiving jobs only after a failure, which `stop` returns.
        if sent { Ok(()) } else { self.stop() }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        if let Some(Background { jobs, thread }) = self.background.take() {
            drop(jobs);
            // A destructor cannot report a failure; `finish` can.
            let _ = thread.join();
        }
    }
}

impl FrameWriter {
    fn write_all(mut self, jobs: Receiver<Job>) -> Result<(), OutputError> {
        jobs.into_iter().try_for_each(|job| match job {
            Job::Grid(grid) => self.encode(&grid),
            Job::Frame(frame) => self.write(&frame),
            Job::Report(written) => {
                self.sync()?;
                // Nobody waits for the message if the receiver was dropped.
                let _ = written.send(());
                Ok(())
            }
        })
    }

    fn encode(&mut self, grid: &Grid) -> Result<(), OutputError> {
        let frames = self.directory.join("frames");
        self.cells = EncodedCells::new(grid).map_err(OutputError::file(FileAction::Write, &frames))?;
        Ok(())
    }

    fn write(&mut self, frame: &Frame) -> Result<(), OutputError> {
        let file = self.frame_path(self.times.len());
        let (cells, encoder) = (&self.cells, &mut self.encoder);
        replace(&file, |writer| write_unstructured_grid(writer, encoder, cells, frame))?;
        self.times.push(frame.time);
        self.write_collection()
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        if self.synced < self.times.len() {
            (self.synced..self.times.len()).try_for_each(|frame| sync_file(&self.frame_path(frame)))?;
            sync_file(&collection_path(&self.directory, &self.name))?;
            self.synced = self.times.len();
        }
        Ok(())
    }

    fn frame_path(&self, frame: usize) -> PathBuf {
        self.directory.join("frames").join(frame_file_name(&self.name, frame))
    }

    fn write_collection(&self) -> Result<(), OutputError> {
        let collection = collection_path(&self.directory, &self.name);
        replace(&collection, |writer| write_collection(writer, &self.name, &self.times))
    }
}

fn collection_path(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.pvd"))
}

/// Removes all frames after the first `kept` frames, all partial files and, if `kept` is 0, the collection.
fn remove_frames(directory: &Path, name: &str, kept: usize) -> Result<(), OutputError> {
    if kept == 0 {
        remove_if_there(&collection_path(directory, name))?;
    }
    let frames = directory.join("frames");
    remove_files(&frames, |file| {
        frame_number(name, file).is_some_and(|frame| frame >= kept) || is_unfinished(name, file)
    })?;
    remove_files(directory, |file| is_unfinished(name, file))
}

/// Whether `file_name` names a partial file, left by an unfinished write of the series.
fn is_unfinished(name: &str, file_name: &str) -> bool {
    let unfinished = file_name.strip_prefix('.').and_then(|rest| rest.strip_suffix(PARTIAL_SUFFIX));
    unfinished.and_then(|rest| rest.rsplit_once('.')).is_some_and(|(target, _)| {
        frame_number(name, target).is_some() || target.strip_suffix(".pvd") == Some(name)
    })
}

fn remove_files(directory: &Path, is_stale: impl Fn(&str) -> bool) -> Result<(), OutputError> {
    let failed = || OutputError::file(FileAction::List, directory);
    for entry in fs::read_dir(directory).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        if entry.file_name().to_str().is_some_and(&is_stale) {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(OutputError::File { action: FileAction::Remove, path: path.to_path_buf(), cause })
        }
        _ => Ok(()),
    }
}
