//! Input and output of a run: Gmsh meshes, VTK frames, `checkpoint.bin`, `summary.json`, and tables such as
//! `history.csv`.
//!
//! The crate does not depend on the crates of the simulation. Frames, checkpoints and the summary are written
//! atomically, and tables grow by whole rows. Hence the output of a killed run is readable.

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
