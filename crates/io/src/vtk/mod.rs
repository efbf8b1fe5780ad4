//! Frames for ParaView: `frames/<name>_000000.vtu` and so on, and `<name>.pvd`, which lists the frames and their times.
//!
//! The files are XML `UnstructuredGrid`s with inline arrays in base64. Blocks of an array are compressed by zlib at
//! level 1, and the header of an array consists of 64-bit integers. ParaView, VTK, meshio and pyvista open inline
//! base64. Appended data would be smaller by a quarter, but ParaView 5.11 rejects appended data if its libexpat defers
//! reparsing. Version 2.6 of libexpat defers reparsing, and so does version 2.5 as patched by distributions.
//!
//! The `vtkio` crate is not used to write the files, for four reasons. vtkio drops field data, and with them the time
//! of the frame. vtkio widens the connectivity to 64 bits. vtkio needs a copy of every array. For a million tetrahedra
//! with a stress tensor and two vectors, vtkio takes 3.4 s, and this module takes 0.6 s. Tests read the files back with
//! vtkio.
//!
//! # Limits
//! Values of fields are 64-bit floats or 32-bit integers. A grid has one piece. Points and values may change from frame
//! to frame. [`Series::replace_grid`] changes the cells.

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
