//! Frames for ParaView: `frames/<name>_000000.vtu`, …001, … and `<name>.pvd`, which gives them their times.
//!
//! The files are XML `UnstructuredGrid`s whose arrays stand inline, in base64, compressed by zlib at level 1 in
//! blocks with 64-bit headers. Appended data would be smaller by a quarter, but ParaView 5.11 on a libexpat
//! that defers reparsing (2.6, and the fix as distributions carry it in 2.5) refuses it; inline base64 opens
//! in ParaView, VTK, meshio and pyvista alike.
//!
//! The arrays are encoded here and not by the `vtkio` crate: it drops field data and with it the time of the
//! frame, doubles the connectivity to 64 bits, wants a copy of every array and takes 3.4 s for a million
//! tetrahedra with a stress tensor and two vectors, where this takes 0.6 s.
//! It reads the files back in the tests instead.
//!
//! # Limits
//! Values are 64-bit floats and 32-bit integers. A grid has one piece; points and values may change from frame
//! to frame, cells by [`Series::replace_grid`].

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
