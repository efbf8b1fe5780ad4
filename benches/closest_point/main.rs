//! Level 3 of detection (AM14) and its primitives: closest points, segment pairs, and times of impact.
//!
//! Aragón & Molinari 2014, table 1, need 20 457 ns in 12 iterations for the distance of a point to a triangle by
//! sequential quadratic programming (C++, 2.6 GHz i7). Aragón, Yastrebov & Molinari 2013 count the iterations of four
//! methods for queries at the points of a lattice; the bench repeats this study. The reference for the times is a plain
//! implementation of Ericson's closest point of a triangle. Ericson's method returns the point only, without natural
//! coordinates and feature, and has no safeguard for slivers.
//!
//! `cargo bench --bench closest_point -- --maps DIR` only writes the iterations at each lattice point as CSV, for
//! `scripts/iteration_maps.py`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/ericson.rs"]
mod ericson;
mod iterations;
mod queries;
mod random;
mod rungs;
mod study;

use std::path::Path;
use std::process::ExitCode;

use common::{measure, repetitions, report};
use random::Random;

const COUNT: usize = 1000;
/// Passes over all samples within one timing.
const PASSES: usize = 20;

fn time<T>(label: &str, unit: &str, samples: &[T], work: impl Fn(&T)) {
    let timing = measure(samples.len() * PASSES, repetitions(30), || {
        for _ in 0..PASSES {
            samples.iter().for_each(&work);
        }
    });
    report(label, unit, timing);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(option) = arguments.iter().position(|argument| argument == "--maps") {
        let Some(directory) = arguments.get(option + 1) else {
            eprintln!("--maps needs a directory");
            return ExitCode::from(2);
        };
        return match iterations::write_maps(Path::new(directory)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{directory}: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut random = Random(2013);
    queries::closest_points(&mut random);
    iterations::table_of_the_plane();
    iterations::table_of_space();
    iterations::failures();
    let pairs = rungs::triangle_pairs(&mut random);
    iterations::row_of_distances(&pairs);
    rungs::segments(&mut random);
    rungs::times_of_impact(&mut random);
    ExitCode::SUCCESS
}
