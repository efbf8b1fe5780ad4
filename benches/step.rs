//! Whole steps, from prediction to audit. The right half of a bar is thrown at its left half.
//!
//! The body is a bar of steel of 10 × 1 × 1 m (E 210 GPa, ν 0.3, 7800 kg/m³). The bench writes its mesh to a file and
//! reads this file. With `peers` the mesh is one of Delaunay tetrahedra or of hexahedra from `scripts/mesh_peers.py`.
//! Other codes have been timed on these meshes. Their rates on such bars of 50k and 400k elements, on one thread of
//! other machines, in millions of element-steps per second: OpenRadioss 4.6 and 3.2 (Tet4, elastic), 2.96 and 2.65
//! (Hex8, one point), 0.72 (Hex8, full integration); Akantu 3.56 and 2.8 (Tet4, St. Venant–Kirchhoff), 0.36 and 0.26
//! (Hex8, St. Venant–Kirchhoff); Kratos 0.99 (Tet4, neo-Hookean). Columns: nanoseconds per element-step and millions of
//! element-steps per second (medians); processor time of the first thread per element-step; share of element forces in
//! the step; memory rate of the least traffic of a step, relative to the rate of the triad measured before; memory of
//! the simulation. Later cases of a run reuse freed memory. The memory is therefore underestimated for all cases except
//! the first.
//!
//! Arguments select cases: `50k`, `400k` (both by default), `3M`, `10M`; a kind; a material; `1t`, `2t`; `peers`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

#[path = "common/bar.rs"]
mod bar;
mod common;

use std::path::{Path, PathBuf};
use std::time::Instant;

use bar::write_mesh;
use common::{repetitions, time_on_processor, triad};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

/// Numbers of elements of the bar, with the names of the sizes.
const SIZES: [(&str, usize); 4] =
    [("50k", 50_000), ("400k", 400_000), ("3M", 3_000_000), ("10M", 10_000_000)];
const KINDS: [(&str, CellKind, &str); 4] = [
    ("tet4", CellKind::Tet4, ""),
    ("hex8", CellKind::Hex8, ""),
    ("hex8-one-point", CellKind::Hex8, "hex = \"one-point\""),
    ("tet10", CellKind::Tet10, ""),
];
const MATERIALS: [&str; 3] = ["linear-elastic", "st-venant-kirchhoff", "neo-hookean"];

/// The mesh of this size and kind on which other codes have been timed, if there is one.
fn mesh_of_peers(size: &str, kind: CellKind) -> Option<PathBuf> {
    let name = match (kind, size) {
        (CellKind::Tet4, "50k" | "400k") => "tet",
        (CellKind::Hex8, "50k" | "400k") => "hex",
        _ => return None,
    };
    let path = format!("{}/meshes/generated/bar_{name}_{size}.msh", env!("CARGO_MANIFEST_DIR"));
    assert!(Path::new(&path).exists(), "{path} is not there; `python scripts/mesh_peers.py` makes it");
    Some(path.into())
}

fn scenario(mesh: &Path, material: &str, body: &str) -> Scenario {
    let text = format!(
        "[time]\nend = 1.0\nsafety = 0.8\nenergy_tolerance = 1.0\n\
         [materials.steel]\nmodel = \"{material}\"\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.3\n\
         [[bodies]]\nname = \"bar\"\nmesh = {mesh:?}\nmaterial = \"steel\"\n{body}\n"
    );
    Scenario::parse(&text, Path::new("bar.toml"), &[]).unwrap()
}

/// A memory figure of this process, by its name in `/proc/self/status` \[bytes\]; 0 if unavailable.
fn memory(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// Least memory traffic of a step \[bytes\]. Read once: reference geometry and connectivity of the elements, and mass
/// of the nodes. Read and written once: position, velocity and acceleration of the nodes.
fn least_traffic(kind: CellKind, one_point: bool, elements: usize, nodes: usize) -> f64 {
    let geometry = match kind {
        // For boxes, three vectors and a volume; with one point, also the stiffness of hourglass control.
        CellKind::Hex8 if one_point => 88,
        CellKind::Hex8 => 80,
        _ => 80 * ictus::element::quadrature(kind).len(),
    };
    (elements * (geometry + 2 * kind.num_nodes()) + nodes * (6 * 24 + 8)) as f64
}

/// Median wall time of a step, processor time of a step, and time of internal forces \[ns\].
fn time_steps(simulation: &mut Simulation, steps: usize, samples: usize) -> [f64; 3] {
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..samples {
        let forces = simulation.timings().internal_force;
        let (start, on_processor) = (Instant::now(), time_on_processor());
        (0..steps).for_each(|_| simulation.advance(f64::INFINITY).unwrap());
        times[1].push(time_on_processor() - on_processor);
        times[0].push(start.elapsed().as_secs_f64() * 1e9);
        times[2].push((simulation.timings().internal_force - forces) * 1e9);
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] / steps as f64
    })
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    // A name is selected if it is an argument. A set without an argument selects all its names, except the large sizes.
    let wanted = |name: &str, set: &[&str], large: bool| {
        words.iter().any(|word| word == name)
            || !large && !words.iter().any(|word| set.contains(&word.as_str()))
    };
    let directory = tempfile::tempdir().unwrap();
    let quick = repetitions(2) == 1;
    for (size, elements) in SIZES {
        if !wanted(size, &SIZES.map(|s| s.0), elements > 1_000_000) || quick && elements > 50_000 {
            continue;
        }
        for (name, kind, body) in KINDS.into_iter().filter(|kind| wanted(kind.0, &KINDS.map(|k| k.0), false))
        {
            let elements = if quick { 500 } else { elements };
            let mut mesh = directory.path().join("bar.msh");
            if words.iter().any(|word| word == "peers") {
                let Some(of_peers) = mesh_of_peers(size, kind) else { continue };
                mesh = of_peers;
            } else {
                write_mesh(&mesh, kind, elements);
            }
            for material in MATERIALS.into_iter().filter(|name| wanted(name, &MATERIALS, false)) {
                for threads in [1, 2].into_iter().filter(|t| wanted(&format!("{t}t"), &["1t", "2t"], false)) {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let case = format!("{name} {material}, {threads} threads");
                    pool.install(|| run(&case, &scenario(&mesh, material, body), kind));
                }
            }
        }
    }
}

/// One row of the table.
fn run(case: &str, scenario: &Scenario, kind: CellKind) {
    let before = memory("VmRSS");
    let rate = triad();
    let start = Instant::now();
    let mut simulation = Simulation::new(scenario).unwrap();
    let start_up = start.elapsed().as_secs_f64();
    let count = simulation.model().bodies[0].blocks[0].tags.len();
    simulation.set_velocities(|position| Vec3::new(if position.x > 5.0 { -10.0 } else { 0.0 }, 0.0, 0.0));
    let steps = repetitions((4_000_000 / count).clamp(5, 100));
    let [step, on_processor, forces] = time_steps(&mut simulation, steps, repetitions(11));
    let held = (memory("VmRSS") - before) / count as f64;
    let per_element = step / count as f64;
    let nodes = simulation.state().positions.len();
    let traffic = least_traffic(kind, case.contains("one-point"), count, nodes) / step;
    println!(
        "{case:<45} {count:>8} elements {per_element:7.2} ns {:7.2} M/s, on processor {:6.2} ns, forces {:6.2} ns, {traffic:5.2} of {rate:4.1} GB/s \
         ({:2.0} %), {held:4.0} B, peak {:.2} GB, start {start_up:.2} s",
        1e3 / per_element,
        on_processor / count as f64,
        forces / count as f64,
        100.0 * traffic / rate,
        memory("VmHWM") / 1e9
    );
}
