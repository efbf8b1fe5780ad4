//! A series of frames, written while the simulation goes on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::collection::{frame_file_name, frame_number, write_collection};
use super::data_array::ArrayEncoder;
use super::frame::{Frame, Grid, GridExtent};
use super::unstructured_grid::{EncodedCells, write_unstructured_grid};
use crate::io::atomic_write::{PARTIAL_SUFFIX, atomic_write};
use crate::io::error::{FileAction, OutputError};

/// Frames that may wait while one is written; the next [`Series::write`] then waits too.
const QUEUE: usize = 2;

/// Frames `frames/<name>_000000.vtu`, … and the collection `<name>.pvd` that gives them their times.
///
/// One background thread compresses and writes; a failure is reported by the next call. The collection is
/// replaced after each frame, so it lists exactly the frames that are whole and on disk. A dropped series
/// still writes the frames it was given, but its failures are lost: call [`Series::finish`].
#[derive(Debug)]
pub struct Series {
    name: String,
    extent: GridExtent,
    times: Vec<f64>,
    background: Option<Background>,
}

/// The thread that writes, and the way to it.
#[derive(Debug)]
struct Background {
    jobs: SyncSender<Job>,
    thread: JoinHandle<Result<FrameWriter, OutputError>>,
}

#[derive(Debug)]
enum Job {
    Grid(Grid),
    Frame(Frame),
}

/// What the background thread owns.
#[derive(Debug)]
struct FrameWriter {
    directory: PathBuf,
    name: String,
    cells: EncodedCells,
    times: Vec<f64>,
    encoder: ArrayEncoder,
}

impl Series {
    /// Starts a series in `directory`, made if it does not exist. The frames and the collection an earlier run
    /// left there under the same name are removed.
    ///
    /// # Errors
    /// [`OutputError::File`], [`OutputError::Thread`], [`OutputError::ConnectivityLength`].
    pub fn create(directory: &Path, name: &str, grid: Grid) -> Result<Self, OutputError> {
        Self::resume(directory, name, grid, &[])
    }

    /// Continues a series whose first frames, at `times` \[s\], an interrupted run has left; later frames and
    /// their entries in the collection are removed.
    ///
    /// # Errors
    /// As [`Series::create`], and [`OutputError::MissingFrame`].
    pub fn resume(directory: &Path, name: &str, grid: Grid, times: &[f64]) -> Result<Self, OutputError> {
        grid.check()?;
        let frames = directory.join("frames");
        fs::create_dir_all(&frames).map_err(OutputError::file(FileAction::CreateDirectory, &frames))?;
        let found = |frame| frames.join(frame_file_name(name, frame));
        if let Some(path) = (0..times.len()).map(found).find(|path| !path.is_file()) {
            return Err(OutputError::MissingFrame { path });
        }
        let writer = FrameWriter {
            directory: directory.to_path_buf(),
            name: name.to_owned(),
            cells: EncodedCells::new(&grid).map_err(OutputError::file(FileAction::Write, &frames))?,
            times: times.to_vec(),
            encoder: ArrayEncoder::default(),
        };
        writer.remove_later_frames()?;
        let mut series =
            Self { name: name.to_owned(), extent: grid.extent(), times: times.to_vec(), background: None };
        series.start(writer)?;
        Ok(series)
    }

    /// Hands a frame over to be written; waits only if two others are already waiting.
    ///
    /// # Errors
    /// [`OutputError::UnknownPoint`] or [`OutputError::FieldLength`] if this frame does not fit the grid,
    /// [`OutputError::FrameOrder`] if it is not later than the last; the series goes on without it. The failure
    /// of an earlier frame ends it, and is [`OutputError::SeriesStopped`] once it has been reported.
    pub fn write(&mut self, frame: Frame) -> Result<(), OutputError> {
        frame.check(self.extent)?;
        let time = frame.time;
        if let Some(&previous) = self.times.last()
            && (time.is_nan() || time <= previous)
        {
            return Err(OutputError::FrameOrder { time, previous });
        }
        self.send(Job::Frame(frame))?;
        self.times.push(time);
        Ok(())
    }

    /// Gives the frames from here on other cells.
    ///
    /// # Errors
    /// As [`Series::write`], and [`OutputError::ConnectivityLength`].
    pub fn replace_grid(&mut self, grid: Grid) -> Result<(), OutputError> {
        grid.check()?;
        self.extent = grid.extent();
        self.send(Job::Grid(grid))
    }

    /// Times of the frames handed over so far \[s\]; what [`Series::resume`] asks for.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Waits until every frame handed over is on disk, as a checkpoint that counts on them has to.
    ///
    /// # Errors
    /// The failure of an earlier frame.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        let writer = self.stop()?;
        self.start(writer)
    }

    /// Waits until every frame handed over is on disk and ends the series.
    ///
    /// # Errors
    /// The failure of an earlier frame.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.stop().map(drop)
    }

    fn start(&mut self, writer: FrameWriter) -> Result<(), OutputError> {
        let (jobs, received) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("frames".to_owned())
            .spawn(move || writer.write_all(received))
            .map_err(|cause| OutputError::Thread { series: self.name.clone(), cause })?;
        self.background = Some(Background { jobs, thread });
        Ok(())
    }

    /// Lets the thread finish what it has been given and takes back what it owns, or its failure.
    fn stop(&mut self) -> Result<FrameWriter, OutputError> {
        let Some(Background { jobs, thread }) = self.background.take() else {
            return Err(OutputError::SeriesStopped { series: self.name.clone() });
        };
        drop(jobs);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn send(&mut self, job: Job) -> Result<(), OutputError> {
        let sent = self.background.as_ref().is_some_and(|background| background.jobs.send(job).is_ok());
        // The thread stops listening only after a failure, which `stop` then returns.
        if sent { Ok(()) } else { self.stop().map(drop) }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        if let Some(Background { jobs, thread }) = self.background.take() {
            drop(jobs);
            // A destructor has nobody to report a failure to; `finish` does.
            let _ = thread.join();
        }
    }
}

impl FrameWriter {
    /// Writes frames until no more can come.
    fn write_all(mut self, jobs: Receiver<Job>) -> Result<Self, OutputError> {
        for job in jobs {
            match job {
                Job::Grid(grid) => {
                    let failed = OutputError::file(FileAction::Write, &self.directory);
                    self.cells = EncodedCells::new(&grid).map_err(failed)?;
                }
                Job::Frame(frame) => self.write(&frame)?,
            }
        }
        Ok(self)
    }

    /// Writes a frame, then the collection that lists it.
    fn write(&mut self, frame: &Frame) -> Result<(), OutputError> {
        let file = self.directory.join("frames").join(frame_file_name(&self.name, self.times.len()));
        let (cells, encoder) = (&self.cells, &mut self.encoder);
        atomic_write(&file, |writer| write_unstructured_grid(writer, encoder, cells, frame))?;
        self.times.push(frame.time);
        self.write_collection()
    }

    fn write_collection(&self) -> Result<(), OutputError> {
        atomic_write(&self.collection(), |writer| write_collection(writer, &self.name, &self.times))
    }

    fn collection(&self) -> PathBuf {
        self.directory.join(format!("{}.pvd", self.name))
    }

    /// Removes what earlier runs left: first the entries of the collection, then the frames they name.
    fn remove_later_frames(&self) -> Result<(), OutputError> {
        if self.times.is_empty() {
            remove_if_there(&self.collection())?;
        } else {
            self.write_collection()?;
        }
        let frames = self.directory.join("frames");
        remove_files(&frames, |file| self.is_later_frame(file) || self.is_unfinished(file))?;
        remove_files(&self.directory, |file| self.is_unfinished(file))
    }

    fn is_later_frame(&self, file_name: &str) -> bool {
        frame_number(&self.name, file_name).is_some_and(|frame| frame >= self.times.len())
    }

    /// Whether a killed run was still writing this file of the series.
    fn is_unfinished(&self, file_name: &str) -> bool {
        let unfinished = file_name.strip_prefix('.').and_then(|rest| rest.strip_suffix(PARTIAL_SUFFIX));
        unfinished.and_then(|rest| rest.rsplit_once('.')).is_some_and(|(target, _)| {
            frame_number(&self.name, target).is_some() || target.strip_suffix(".pvd") == Some(&self.name)
        })
    }
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
