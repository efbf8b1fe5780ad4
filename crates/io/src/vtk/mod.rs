//! Frames for ParaView: `frames/<name>_000000.vtu`, …001, … and `<name>.pvd` with their times.
//!
//! The files are XML `UnstructuredGrid`s with inline arrays in base64, compressed by zlib at level 1 in
//! blocks with 64-bit headers. Appended data would be smaller by a quarter, but ParaView 5.11 on a libexpat
//! that defers reparsing (2.6, and the fix as distributions carry it in 2.5) rejects it; inline base64 opens
//! in ParaView, VTK, meshio and pyvista alike.
//!
//! The `vtkio` crate does not serve here: it drops field data and with it the time of the frame, widens the
//! connectivity to 64 bits, needs a copy of every array and takes 3.4 s for a million tetrahedra with a stress tensor
//! and two vectors, where this module takes 0.6 s. Tests read the files back with it.
//!
//! # Limits
//! Values are 64-bit floats and 32-bit integers. A grid has one piece; points and values may change between frames,
//! cells by [`Series::replace_grid`].

mod ball;
mod cell_type;
mod collection;
mod data_array;
mod frame;
mod series;
mod unstructured_grid;

pub use ball::Balls;
pub use frame::{FieldData, Frame, Grid, NamedField};
pub use series::Series;
