//! Scenarios of the repository and of the tests, small meshes, and runs of them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use ictus::dynamics::Wrench;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

/// A scenario of the repository, with overrides.
pub fn from_config(name: &str, overrides: &[&str]) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let path = format!("{}/configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Simulation::new(&Scenario::read(Path::new(&path), &overrides).unwrap()).unwrap()
}

/// A scenario given as text, on meshes written for it (file name and content).
pub fn from_text(text: &str, meshes: &[(&str, String)]) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in meshes {
        fs::write(folder.path().join(name), content).unwrap();
    }
    Simulation::new(&Scenario::parse(text, &folder.path().join("test.toml"), &[]).unwrap()).unwrap()
}

/// Runs to the end; `observe` sees the simulation after every step.
pub fn run(simulation: &mut Simulation, mut observe: impl FnMut(&Simulation)) {
    while !simulation.is_finished() {
        simulation.advance(f64::INFINITY).unwrap();
        observe(simulation);
    }
}

/// Runs until two bodies touch and returns the time \[s\].
pub fn run_to_contact(simulation: &mut Simulation) -> f64 {
    while simulation.first_contacts().is_empty() {
        assert!(!simulation.is_finished(), "no contact");
        simulation.advance(f64::INFINITY).unwrap();
    }
    simulation.first_contacts()[0].time
}

/// Sum of the momenta of all bodies, about the origin.
pub fn momentum(simulation: &Simulation) -> Wrench {
    simulation.balances().iter().fold(Wrench::zero(), |sum, balance| sum + balance.momentum)
}

/// Mean velocity of a body \[m/s\].
pub fn velocity(simulation: &Simulation, body: usize) -> Vec3 {
    simulation.balances()[body].momentum.linear / simulation.model().bodies[body].mass
}

/// Mean displacement along x of the nodes of a body with this reference x \[m\].
pub fn mean_displacement(simulation: &Simulation, body: usize, x: f64) -> f64 {
    let references = &simulation.model().reference_positions;
    let nodes = simulation.model().bodies[body].nodes.clone();
    let plane: Vec<usize> = nodes.filter(|&node| (references[node].x - x).abs() < 1e-9).collect();
    assert!(!plane.is_empty(), "no nodes at x = {x}");
    let sum: f64 = plane.iter().map(|&node| simulation.state().positions[node].x - references[node].x).sum();
    sum / plane.len() as f64
}

/// A box of hexahedra from `low` to `high`, or, of no depth in z, of quadrilaterals, in MSH 2.2. Groups: "box", and
/// "x0", "x1" its ends.
pub fn box_mesh(low: [f64; 3], high: [f64; 3], cells: [usize; 3]) -> String {
    let plane = cells[2] == 0;
    let dimension = if plane { 2 } else { 3 };
    let (counts, number) = numbering(cells);
    let mut text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n{dimension} 1 \"box\"\n{0} 2 \"x0\"\n{0} 3 \"x1\"\n\
         $EndPhysicalNames\n$Nodes\n{1}\n",
        dimension - 1,
        counts.iter().product::<usize>()
    );
    for (k, j, i) in grid([counts[2], counts[1], counts[0]]) {
        let at = |axis: usize, index: usize| {
            low[axis] + (high[axis] - low[axis]) * index as f64 / cells[axis].max(1) as f64
        };
        writeln!(text, "{} {:?} {:?} {:?}", number(i, j, k), at(0, i), at(1, j), at(2, k)).unwrap();
    }
    let mut elements: Vec<(u8, u8, Vec<usize>)> = Vec::new();
    for (k, j, i) in grid([cells[2].max(1), cells[1], cells[0]]) {
        let layer = |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
        if plane {
            elements.push((3, 1, layer(0).to_vec()));
        } else {
            elements.push((5, 1, [layer(k), layer(k + 1)].concat()));
        }
    }
    for (group, i) in [(2, 0), (3, cells[0])] {
        for (k, j, _) in grid([cells[2].max(1), cells[1], 1]) {
            let edge = |k| [number(i, j, k), number(i, j + 1, k)];
            if plane {
                elements.push((1, group, edge(0).to_vec()));
            } else {
                elements.push((3, group, vec![edge(k)[0], edge(k)[1], edge(k + 1)[1], edge(k + 1)[0]]));
            }
        }
    }
    write!(text, "$EndNodes\n$Elements\n{}\n", elements.len()).unwrap();
    for (tag, (kind, group, nodes)) in elements.iter().enumerate() {
        let nodes: Vec<String> = nodes.iter().map(usize::to_string).collect();
        writeln!(text, "{} {kind} 2 {group} {group} {}", tag + 1, nodes.join(" ")).unwrap();
    }
    text + "$EndElements\n"
}

/// Nodes along the axes of a box, and their numbers, from 1 on.
fn numbering(cells: [usize; 3]) -> ([usize; 3], impl Fn(usize, usize, usize) -> usize) {
    let counts = cells.map(|count| count + 1);
    (counts, move |i, j, k| 1 + i + counts[0] * (j + counts[1] * k))
}

/// All triples below the counts, the last index fastest.
fn grid(counts: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    let [a, b, c] = counts;
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}
