//! The detectors are compared with the all-pairs detector in a hundred thousand random scenes of many bodies: in
//! flight, in contact during deformation, and in self-contact. First impacts within a step are compared with overlaps.
//!
//! The checks are those of `tests/properties`. No contact is missed, and every constraint is the same to the last bit.
//! No first impact in flight is late, or early by more than a billionth of the duration of the flight. Bodies with flat
//! faces do not overlap before the first impact within a step, and touch at this impact to a billionth of an edge. The
//! bench prints the seed of a scene that fails, and continues.
//!
//! `ICTUS_SCENES` sets the number of scenes, and `ICTUS_FIRST_SCENE` the seed of the first. A word after `--` selects
//! the kinds whose names contain the word: `flights`, `deforming`, `themselves` or `steps`.
#![expect(dead_code, unused_imports, reason = "the modules belong to the property tests")]
#![expect(clippy::unwrap_used, reason = "a scene fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "common/mod.rs"]
mod common;
#[path = "../tests/properties/contact.rs"]
mod contact;
#[path = "../tests/properties/deformation.rs"]
mod deformation;
#[path = "../tests/properties/flight.rs"]
mod flight;
#[path = "common/icosphere.rs"]
mod icosphere;
#[path = "../tests/properties/impacts.rs"]
mod impacts;
#[path = "../tests/properties/samples.rs"]
mod samples;
#[path = "../tests/properties/scenes.rs"]
mod scenes;
#[path = "../tests/properties/self_contact.rs"]
mod self_contact;

use std::fmt::Debug;
use std::panic::catch_unwind;
use std::time::Instant;

use common::repetitions;
use rayon::prelude::*;

/// Total number of scenes.
const SCENES: usize = 100_000;
/// Percentages of flights, of scenes with self-contact, and of single steps. In all other scenes bodies deform.
const SHARES: [u64; 3] = [45, 2, 10];

fn main() {
    let scenes = match repetitions(SCENES) {
        1 => 20,
        many => scenes::number_of_scenes(many as u64),
    };
    let first = std::env::var("ICTUS_FIRST_SCENE").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let [flights, themselves, steps] = SHARES.map(|share| (scenes * share).div_ceil(100));
    let deforming = scenes - (flights + themselves + steps).min(scenes);
    let failed = [
        run("flights", first..first + flights, flight::fly, flight::Tally::sum),
        run("deforming", first..first + deforming, contact::deform, contact::Tally::sum),
        run("meeting in steps", first..first + steps, impacts::meet, impacts::Tally::sum),
        run("meeting themselves", first..first + themselves, self_contact::roll, contact::Tally::sum),
    ];
    let failed: usize = failed.iter().sum();
    assert_eq!(failed, 0, "{failed} of {scenes} scenes failed");
}

/// Runs the scenes of one kind in parallel and prints the sums of their counts. Returns the number of failed scenes.
fn run<T: Debug + Default + Send>(
    label: &str,
    seeds: std::ops::Range<u64>,
    scene: fn(u64) -> T,
    sum: fn(T, T) -> T,
) -> usize {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !words.is_empty() && !words.iter().any(|word| label.contains(word)) {
        return 0;
    }
    let (start, count) = (Instant::now(), seeds.end - seeds.start);
    let one = |seed| match catch_unwind(|| scene(seed)) {
        Ok(tally) => (tally, 0),
        Err(_) => (T::default(), 1),
    };
    let add = |a: (T, usize), b: (T, usize)| (sum(a.0, b.0), a.1 + b.1);
    let (tally, failed) = seeds.into_par_iter().map(one).reduce(|| (T::default(), 0), add);
    let seconds = start.elapsed().as_secs_f64();
    println!("{label}: {count} scenes in {seconds:.1} s, {failed} failed, {tally:?}");
    failed
}
