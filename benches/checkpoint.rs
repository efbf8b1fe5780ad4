//! Checkpoints: the time for which they block the step loop, and their size.
//!
//! The body is a bar of linear tetrahedra, as in the bench `step`. The right half of the bar is thrown at the left
//! half. The copy of the state blocks the step loop; encoding and writing follow in the background. For comparison, the
//! bench prints the time of a step, and the time of a copy of the nodal state at the memory rate of the STREAM triad.
//!
//! Arguments select cases: `50k`, `1M` (by default).
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

#[path = "common/bar.rs"]
mod bar;
mod common;

use std::path::Path;
use std::time::Instant;

use bar::write_mesh;
use common::{repetitions, triad};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::scenario::Scenario;
use ictus::simulation::{Simulation, State};

const SIZES: [(&str, usize); 2] = [("50k", 50_000), ("1M", 1_000_000)];

/// Median of the times of `count` calls of an action \[ms\], and the last result.
fn timed<R>(count: usize, mut action: impl FnMut() -> R) -> (f64, R) {
    let mut times = Vec::new();
    let mut time = || {
        let start = Instant::now();
        let result = action();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        result
    };
    (1..count).for_each(|_| drop(time()));
    let result = time();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], result)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let directory = tempfile::tempdir().unwrap();
    let quick = repetitions(2) == 1;
    let wanted = |name: &str| words.iter().any(|word| word == name) || words.is_empty() && name == "1M";
    for (name, elements) in SIZES.into_iter().filter(|(name, _)| wanted(name)) {
        let mesh = directory.path().join("bar.msh");
        write_mesh(&mesh, CellKind::Tet4, if quick { 500 } else { elements });
        let text = format!(
            "[time]\nend = 1.0\nenergy_tolerance = 1.0\n\
             [materials.steel]\nmodel = \"neo-hookean\"\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.3\n\
             [[bodies]]\nname = \"bar\"\nmesh = {mesh:?}\nmaterial = \"steel\"\n"
        );
        let scenario = Scenario::parse(&text, Path::new("bar.toml"), &[]).unwrap();
        let rate = triad();
        let mut simulation = Simulation::new(&scenario).unwrap();
        simulation.set_velocities(|position| Vec3::new(if position.x > 5.0 { -10.0 } else { 0.0 }, 0.0, 0.0));
        let count = simulation.model().bodies[0].blocks[0].tags.len();
        let nodes = simulation.state().positions.len();
        let (step, ()) = timed(repetitions(11), || simulation.advance(f64::INFINITY).unwrap());
        let (copy, state) = timed(repetitions(11), || simulation.checkpoint());
        let (encode, bytes) = timed(repetitions(5), || state.encode().unwrap());
        let (decode, read) = timed(repetitions(5), || State::decode(&bytes).unwrap());
        assert!(read.encode().unwrap() == bytes, "the state is read back");
        // Time to read and write positions, velocities and accelerations.
        let least = (2 * 3 * 24 * nodes) as f64 / (rate * 1e9) * 1e3;
        println!(
            "{name}: {count} elements, {nodes} nodes: step {step:.2} ms; copy {copy:.2} ms (triad {least:.2} ms), encode \
             {encode:.1} ms, decode {decode:.1} ms; {:.1} bytes an element",
            bytes.len() as f64 / count as f64
        );
    }
}
