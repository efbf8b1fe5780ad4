//! The files of a run, read back by other readers than the code that wrote them: `vtkio` for the frames,
//! `csv` and `serde_json` for the tables. `scripts/check_output.py` does the same with VTK, meshio and ParaView.
//!
//! With `ICTUS_KEEP_OUTPUT=DIR` the series of the tests marked "kept" go to DIR and stay.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod failures;
mod meshes;
#[path = "../common/msh.rs"]
mod msh;
mod probes;
mod series;
mod signals;
mod tables;

use std::fs;
use std::path::Path;

fn file_names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
