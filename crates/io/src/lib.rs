//! Input and output of a run. A run reads Gmsh meshes. The crate writes VTK frames, `history.csv`, `pairs.csv`,
//! `probes.csv` and the other tables, `checkpoint.bin` and `summary.json`.
//!
//! The crate is independent of the simulation: fields are named arrays, histories and summaries are plain structs.
//! Frames, checkpoints and the summary are replaced atomically, and tables grow by whole rows. Hence a run killed at
//! any time leaves readable output.

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
