//! Gmsh files of every version and encoding give the same solid. Broken files give a message with a remedy. No file
//! makes the reader panic.
//!
//! `tests/data/mesh/make.py` writes the files with Gmsh itself.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod broken;
mod curved;
mod geometry;
#[path = "../common/random.rs"]
mod random;
mod reading;
mod remedies;

use std::path::PathBuf;

use ictus::io::gmsh;
use ictus::mesh::{CellKind, Mesh};

fn data(folder: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder).join(format!("{name}.msh"))
}

fn good(name: &str) -> Mesh {
    let mesh = gmsh::read(&data("mesh", name)).unwrap_or_else(|error| panic!("{error}"));
    mesh.validate().unwrap();
    mesh
}

/// The message about a bad file. The name of the file is relative to its folder.
fn message(name: &str) -> String {
    let bytes = std::fs::read(data("bad", name)).unwrap();
    gmsh::parse(&bytes, &format!("{name}.msh")).expect_err(name).to_string()
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
    assert!(message.len() < 500, "too long: {message}");
}

/// Bodies of quadratic elements: name of the file, kind of the cells, and kind of their faces.
const QUADRATIC: [(&str, CellKind, CellKind); 6] = [
    ("tet10", CellKind::Tet10, CellKind::Tri6),
    ("hex20", CellKind::Hex20, CellKind::Quad8),
    ("hex27", CellKind::Hex27, CellKind::Quad9),
    ("tri6", CellKind::Tri6, CellKind::Line3),
    ("quad8", CellKind::Quad8, CellKind::Line3),
    ("quad9", CellKind::Quad9, CellKind::Line3),
];

const CUBES: [&str; 16] = [
    "cube_41_ascii",
    "cube_41_binary",
    "cube_22_ascii",
    "cube_22_binary",
    "cube_permuted_tags",
    "cube_sparse_tags",
    "cube_sparse_tags_binary",
    "cube_converted",
    "cube_converted_binary",
    "cube_parametric",
    "cube_parametric_binary",
    "cube_parametric_22_ascii",
    "cube_parametric_22_binary",
    "orphan_nodes",
    "partitioned_converted",
    "version_4_0_converted",
];
