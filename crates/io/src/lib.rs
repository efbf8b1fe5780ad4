//! Input and output of a run. The crate reads Gmsh meshes, and writes and reads `checkpoint.bin`. It writes VTK frames,
//! `summary.json`, and the tables: `history.csv`, `pairs.csv`, `probes.csv` and others.
//!
//! The crate does not depend on the simulation: it takes nodal and element fields as arrays with a name, and histories
//! and summaries as plain structs.
//!
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
