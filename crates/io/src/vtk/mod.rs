//! Frames for ParaView: `frames/<name>_000000.vtu` and so on, and `<name>.pvd`, which lists the frames and their times.
//!
//! The files are XML `UnstructuredGrid`s with inline base64 arrays, compressed by zlib. Appended arrays would be
//! smaller by a quarter. But if ParaView 5.11 runs with libexpat 2.6 or later, or with a patched libexpat 2.5, it
//! rejects files with appended arrays.
//!
//! The `vtkio` crate (0.7.0-rc2) is not used for writing: vtkio drops field data, and with it the time of the frame,
//! and takes about five times as long for a frame of a million tetrahedra. Tests read the files back with vtkio.
//!
//! # Limits
//! Values of fields are 64-bit floats or 32-bit integers. A grid has one piece. Points and values may change from frame
//! to frame. The cells change only by [`Series::replace_grid`].

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
