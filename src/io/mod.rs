//! What a run reads and leaves behind: Gmsh meshes in; VTK frames, `history.csv`, `pairs.csv`,
//! `probes.csv` and
//! `summary.json` out.
//!
//! Nothing here knows the simulation: fields arrive as named arrays, histories and summaries as plain structs.
//! Whatever replaces a file replaces it whole, so a run killed at any moment leaves readable output.

mod atomic_write;
mod error;
pub mod gmsh;
pub mod history;
pub mod measurements;
pub mod pairs;
pub mod summary;
mod table;
pub mod vtk;

pub use atomic_write::atomic_write;
pub use error::OutputError;
