//! Share of detection in the time of whole runs of the scenarios in `configs`. The time includes reading and output.
//!
//! The program itself runs each scenario on one thread. The figures come from `summary.json`. Arguments select
//! scenarios by name.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::repetitions;
use serde_json::Value;

/// The only scenario in a test, and its end time in the test \[s\].
const IN_TEST: (&str, f64) = ("two-bars", 1e-6);

/// Files of scenarios, by name.
fn scenarios() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let entries = std::fs::read_dir(directory).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

/// Runs a scenario, to its end or to a time \[s\], and reads its summary.
fn run(file: &Path, end: Option<f64>) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ictus"));
    command.arg("run").arg(file).args(["--quiet", "--threads", "1", "--output"]).arg(directory.path());
    if let Some(end) = end {
        command.arg("--set").arg(format!("time.end={end:?}"));
    }
    assert!(command.status().unwrap().success(), "{} failed", file.display());
    let summary = std::fs::read_to_string(directory.path().join("summary.json")).unwrap();
    serde_json::from_str(&summary).unwrap()
}

fn main() {
    let is_test = repetitions(2) == 1;
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>10}",
        "", "elements", "flight", "steps", "total [s]", "detection", "forces", "output"
    );
    for file in scenarios() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let wanted = if is_test { name == IN_TEST.0 } else { words.is_empty() || words.contains(&name) };
        if !wanted {
            continue;
        }
        let summary = run(&file, is_test.then_some(IN_TEST.1));
        let bodies = summary["bodies"].as_array().unwrap();
        let elements: u64 = bodies.iter().filter_map(|body| body["elements"].as_u64()).sum();
        let [flight, steps] = ["flight_steps", "steps"].map(|count| summary[count].as_u64().unwrap());
        let seconds = |phase: &str| summary["wall_seconds"][phase].as_f64().unwrap();
        let part = |phase: &str| 100.0 * seconds(phase) / seconds("total");
        println!(
            "{name:<24} {elements:>9} {flight:>9} {steps:>9} {:>10.3} {:>8.2} % {:>8.2} % {:>8.2} %",
            seconds("total"),
            part("detection"),
            part("internal_force"),
            part("output")
        );
    }
}
