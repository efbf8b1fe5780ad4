//! Input and output of a run. The crate reads Gmsh meshes. It writes VTK frames, `checkpoint.bin`, `summary.json`, and
//! the tables: `history.csv`, `pairs.csv`, `probes.csv` and others.
//!
//! The crate does not depend on the simulation: fields are named arrays, and histories and summaries are plain structs.
//! Frames, checkpoints and the summary are replaced atomically, and tables grow by whole rows. Hence the output of a
//! run that is killed at any time is readable.

use ictus_core::{math, mesh};

mod atomic_write;
pub mod checkpoint;
mod directory_lock;
pub mod durable;
mod error;
pub mod gmsh;
pub mod history;
pub mod measurements;
pub mod pairs;
pub mod summary;
mod table;
pub mod vtk;

pub use atomic_write::{atomic_write, remove_partial_files};
pub use directory_lock::{DirectoryLock, Owner};
pub use error::{FileAction, OutputError};
pub use table::Tables;
