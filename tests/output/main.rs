//! The files of a run are read back by independent readers: frames by `vtkio`, tables by `csv` and `serde_json`.
//! `scripts/check_output.py` does the same with VTK, meshio and ParaView.
//!
//! With `ICTUS_KEEP_OUTPUT=DIR` the tests marked "Kept" write their series to DIR and do not delete them.

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
