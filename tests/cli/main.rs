//! The program as its users run it: exit codes, printed text, and files left behind.
//!
//! Each test works in its own temporary folder and names files relative to the folder. Messages therefore do not depend
//! on the folder and can be compared as a whole.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod bad_input;
mod closed_pipes;
mod commands;
mod distance_fields;
mod first_steps;
mod headers;
mod locks;
#[path = "../common/msh.rs"]
mod msh;
mod plots;
mod restart;
mod runs;
mod sheets;
mod sweeps;
mod volumes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use msh::msh;
use serde_json::Value;
use tempfile::TempDir;

/// A folder to run the program in.
struct Folder(TempDir);

/// Exit code and output of a run of the program.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with a mesh of a cube of 2 × 2 × 2 elements and the scenario [`drop_of`] this mesh.
    fn with_drop() -> Self {
        let folder = Self::new();
        folder.write("block.msh", &block([2; 3], 0.01));
        folder.write("drop.toml", &drop_of("block.msh"));
        folder
    }

    /// A folder with `impact.toml`: a block of 6 × 6 × 6 elements and a block of 5 × 6 × 7 elements collide.
    fn with_impact() -> Self {
        let folder = Self::new();
        folder.write("left.msh", &block([6; 3], 0.01));
        folder.write("right.msh", &block([5, 6, 7], 0.01));
        folder.write("impact.toml", IMPACT);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The command that runs the program in this folder.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ictus"));
        command.current_dir(self.0.path()).args(arguments).env_remove("NO_COLOR");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Expects success with nothing on standard error; returns what was printed.
    #[track_caller]
    fn succeeds(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Expects success; returns the printed JSON.
    #[track_caller]
    fn json(self) -> Value {
        serde_json::from_str(&self.succeeds()).unwrap()
    }

    /// Expects the exit code 2, exactly these lines on standard error, and nothing else.
    #[track_caller]
    fn refuses(self, lines: &[&str]) {
        let told: Vec<&str> = self.stderr.lines().collect();
        assert_eq!(told, lines, "{}", self.stderr);
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""));
    }
}

/// Path of a file of the repository.
fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Gmsh mesh (MSH 2.2) of a block of hexahedra with the edge `size`, with a corner at the origin. Its physical group is
/// `block`.
fn block(cells: [usize; 3], size: f64) -> String {
    let [nx, ny, _] = cells;
    let node = |i: usize, j: usize, k: usize| i + (nx + 1) * (j + (ny + 1) * k);
    let grid = |n: [usize; 3]| {
        (0..n[2]).flat_map(move |k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| [i, j, k])))
    };
    let nodes: Vec<[f64; 3]> =
        grid(cells.map(|n| n + 1)).map(|place| place.map(|n| n as f64 * size)).collect();
    let element = |[i, j, k]: [usize; 3]| {
        let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| [i + a, j + b]);
        let level = |k: usize| corners.map(|[i, j]| node(i, j, k));
        (5, 1, [level(k), level(k + 1)].concat())
    };
    msh(&nodes, &grid(cells).map(element).collect::<Vec<_>>(), &[(3, 1, "block")])
}

/// A scenario of one body that falls freely for a second.
fn drop_of(mesh: &str) -> String {
    format!(
        r#"title = "Drop"
gravity = [0.0, 0.0, -9.81]

[time]
end = 1.0

[materials.rubber]
model = "neo-hookean"
density = 1000.0
young = 1e7
poisson = 0.4

[[bodies]]
name = "block"
mesh = "{mesh}"
material = "rubber"
"#
    )
}

/// Two blocks that are 0.1 mm apart and approach each other at 20 m/s.
const IMPACT: &str = r#"title = "Two blocks"

[time]
end = 3e-4
flight_step = 1e-6

[materials.plastic]
model = "neo-hookean"
density = 1000.0
young = 1e9
poisson = 0.3

[[bodies]]
name = "left"
mesh = "left.msh"
material = "plastic"
translate = [-0.0601, 0.001, 0.002]
velocity = [20.0, 0.0, 0.0]

[[bodies]]
name = "right"
mesh = "right.msh"
region = "block"
material = "plastic"

[output]
directory = "out"
frames = 4
history = { interval = 1e-5 }
"#;
