//! Share of detection in the steps of two rough blocks that are pressed together and slide over their whole surface.
//!
//! The surfaces are those of [`rough_surfaces`], with 145 × 145 nodes of spacing h = 1/144 each. Their heights are
//! reduced to a fifth, with the root mean square h/7. The surfaces then touch nearly everywhere before tetrahedra are
//! crushed. Behind each surface are eight layers of cells with a total thickness of a tenth of the side. Each cell is
//! six tetrahedra, two million tetrahedra in all. The material is neo-Hookean (E 3 GPa, ν 0.3, 1200 kg/m³), with
//! friction 0.2 and the penalty response. The upper block descends at 20 m/s until the mean planes overlap by 0.4 of
//! the root mean square of the composite roughness. The block then slides at this height at 20 m/s, h/330 per step,
//! over the distance h.
//!
//! Columns: contacts at the end of the phase; number of steps; mean milliseconds per step for the whole step, for
//! detection, for its list updates, for its closest points, and for the response; share of detection in the steps. The
//! last line gives the share of detection in the total wall time of the run, and the energy error.
//!
//! Arguments: `1t`, `2t` select numbers of threads; `coarse` uses every third node of the surfaces.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;
#[path = "common/rough_surfaces.rs"]
mod rough_surfaces;
#[path = "common/tetrahedra.rs"]
mod tetrahedra;

use std::path::Path;
use std::time::Instant;

use common::repetitions;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;
use rough_surfaces::{MEAN_GAP, NODES_PER_SIDE, RoughSurface, SPACING};

/// Fraction of the roughness that is kept.
const ROUGHNESS: f64 = 0.2;
/// Distance of the mean planes at the start \[m\]. The highest asperities are then nearly in contact.
const APART: f64 = 0.0058;
/// Distance of the mean planes after pressing \[m\].
const PRESSED: f64 = -0.0006;
/// Thickness of a block \[m\].
const THICKNESS: f64 = 0.1;
/// Number of layers of cells, and thickness of a layer relative to its neighbour nearer to the rough face.
const LAYERS: (usize, f64) = (8, 1.17);
/// Speeds of the upper block, downward and tangential \[m/s\].
const SPEEDS: [f64; 2] = [20.0, 20.0];

/// A block whose rough side has every `stride`-th node of a rough surface. The rough side is its upper or its lower
/// side.
fn block(surface: &RoughSurface, stride: usize, is_lower: bool) -> String {
    let cells = (NODES_PER_SIDE as usize - 1) / stride;
    let (layers, growth) = LAYERS;
    let mean = if is_lower { 0.0 } else { MEAN_GAP };
    tetrahedra::mesh([layers, cells, cells], |[layer, i, j]| {
        let node = surface.nodes[stride * (i * NODES_PER_SIDE as usize + j)];
        let from_face = if is_lower { layers - layer } else { layer };
        let depth = (growth.powi(from_face as i32) - 1.0) / (growth.powi(layers as i32) - 1.0);
        let rough = ROUGHNESS * (node.z - mean) * (1.0 - depth);
        let z = if is_lower { rough - depth * THICKNESS } else { rough + depth * THICKNESS + APART };
        Vec3::new(node.x, node.y, z)
    })
}

/// End times of pressing, and of sliding by one spacing \[s\].
fn phases() -> [f64; 2] {
    let pressed = (APART - PRESSED) / SPEEDS[0];
    [pressed, pressed + SPACING / SPEEDS[1]]
}

/// Writes the meshes and returns the scenario.
fn scenario(directory: &Path, stride: usize) -> Scenario {
    std::fs::write(directory.join("lower.msh"), block(&RoughSurface::lower(), stride, true)).unwrap();
    std::fs::write(directory.join("upper.msh"), block(&RoughSurface::upper(), stride, false)).unwrap();
    let [down, along] = SPEEDS;
    let [pressed, end] = phases();
    let turned = pressed + 0.05 * (end - pressed);
    let text = format!(
        "[time]\nend = {end:?}\nsafety = 0.8\n\
         [materials.polymer]\nmodel = \"neo-hookean\"\ndensity = 1200.0\nyoung = 3e9\npoisson = 0.3\n\
         [[bodies]]\nname = \"lower\"\nmesh = \"lower.msh\"\nregion = \"bulk\"\nmaterial = \"polymer\"\n\
         contact = \"high\"\n\
         [[bodies]]\nname = \"upper\"\nmesh = \"upper.msh\"\nregion = \"bulk\"\nmaterial = \"polymer\"\n\
         contact = \"low\"\nvelocity = [0.0, 0.0, -{down:?}]\n\
         [[boundaries]]\nbody = \"lower\"\ngroup = \"low\"\nfix = [\"x\", \"y\", \"z\"]\n\
         [[boundaries]]\nbody = \"upper\"\ngroup = \"high\"\nfix = [\"y\"]\n\
         [boundaries.velocity]\nx = [[0.0, 0.0], [{pressed:?}, 0.0], [{turned:?}, {along:?}], [{end:?}, {along:?}]]\n\
         z = [[0.0, -{down:?}], [{pressed:?}, -{down:?}], [{turned:?}, 0.0], [{end:?}, 0.0]]\n\
         [contact]\nfriction = 0.2\n"
    );
    Scenario::parse(&text, &directory.join("blocks.toml"), &[]).unwrap()
}

/// Advances to a time and prints a row of the table.
fn run_until(simulation: &mut Simulation, name: &str, threads: usize, time: f64) {
    let (start, before) = (Instant::now(), *simulation.timings());
    let (first_step, stages) = (simulation.progress().step, simulation.detection().seconds);
    while simulation.progress().time < time {
        simulation.advance(f64::INFINITY).unwrap();
    }
    let steps = (simulation.progress().step - first_step).max(1) as f64;
    let (seconds, after, found) =
        (start.elapsed().as_secs_f64(), simulation.timings(), simulation.detection().seconds);
    let detection = after.detection - before.detection;
    let [whole, detection, lists, points, response] = [
        seconds,
        detection,
        found.overlap - stages.overlap + found.update - stages.update,
        found.primitive - stages.primitive,
        after.response - before.response,
    ]
    .map(|seconds| 1e3 * seconds / steps);
    println!(
        "{name:<8} {threads} threads {:>6} contacts, {steps:>4} steps {whole:8.2} ms each, detection {detection:7.3} \
         (lists {lists:6.3}, closest points {points:6.3}), response {response:6.3}: {:5.1} %",
        simulation.constraints().len(),
        100.0 * detection / whole,
    );
}

fn run(threads: usize, stride: usize) {
    let start = Instant::now();
    let directory = tempfile::tempdir().unwrap();
    let mut simulation = Simulation::new(&scenario(directory.path(), stride)).unwrap();
    let [pressed, end] = phases();
    run_until(&mut simulation, "pressed", threads, pressed);
    // The coarse surfaces of a test would be crushed by sliding.
    if repetitions(2) > 1 {
        run_until(&mut simulation, "slid", threads, end);
    }
    println!(
        "{:.1} % of all wall time, energy error {:.1e}",
        100.0 * simulation.timings().detection / start.elapsed().as_secs_f64(),
        simulation.audit().relative_imbalance()
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let stride = if repetitions(2) == 1 {
        12
    } else if has("coarse") {
        3
    } else {
        1
    };
    for (threads, word, other) in [(1, "1t", "2t"), (2, "2t", "1t")] {
        if has(word) || !has(other) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(threads, stride));
        }
    }
}
