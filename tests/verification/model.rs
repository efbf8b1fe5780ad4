//! Helpers of the tests: scenarios, small meshes, and runs.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use ictus::dynamics::Wrench;
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use crate::msh::{Element, msh};

/// Contact responses by their names in a scenario.
pub const RESPONSES: [&str; 3] = ["penalty", "decomposition", "energy-momentum"];

/// Keys of `[contact]` with which bodies come to rest on each other.
pub fn lossy(response: &str) -> &'static str {
    match response {
        "penalty" => "damping = 0.2\n",
        "energy-momentum" => "restitution = 0.5\npenalty = 0.1\n",
        _ => "",
    }
}

/// A fixed rigid body "floor" with the mesh floor.msh; `keys` are further keys of the body.
pub fn rigid_floor(keys: &str) -> String {
    format!(
        "[materials.floor]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [[bodies]]\nname = \"floor\"\nmesh = \"floor.msh\"\nmaterial = \"floor\"\n{keys}\
         gravity = [0.0, 0.0, 0.0]\n[[boundaries]]\nbody = \"floor\"\nfix = [\"x\", \"y\", \"z\"]\n"
    )
}

/// The larger of two errors, or NaN if either is NaN. NaN thus never counts as a small error.
pub fn worse(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other { one } else { other }
}

/// The largest of errors, at least 0; NaN if any error is NaN.
pub fn worst(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, worse)
}

/// Whether an error exceeds its bound, or is NaN.
pub fn exceeds(error: f64, most: f64) -> bool {
    error.is_nan() || error > most
}

/// A scenario of the repository, with overrides.
pub fn from_config(name: &str, overrides: &[&str]) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let path = format!("{}/configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Simulation::new(&Scenario::read(Path::new(&path), &overrides).unwrap()).unwrap()
}

/// Simulation of a scenario given as text; `meshes` are names and contents of the mesh files to be written.
pub fn from_text(text: &str, meshes: &[(&str, String)]) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in meshes {
        fs::write(folder.path().join(name), content).unwrap();
    }
    Simulation::new(&Scenario::parse(text, &folder.path().join("test.toml"), &[]).unwrap()).unwrap()
}

/// Runs to the end and calls `observe` after every step.
pub fn run(simulation: &mut Simulation, mut observe: impl FnMut(&Simulation)) {
    while !simulation.is_finished() {
        simulation.advance(f64::INFINITY).unwrap();
        observe(simulation);
    }
}

/// Weight of the last step in a mean over a window of time \[s\]. The mean suppresses waves with many periods in the
/// window. The weight is the length of the step times sin⁴(π s), where s runs from 0 to 1 over the window, and 0
/// outside the window. For a wave of angular frequency ω and a window of length T, the plain mean is of the order 1/(ω
/// T). This mean is of the order 1/(ω T)⁵, because the first derivative of the weight that jumps at the ends is the
/// fourth (Harris, Proc. IEEE 66, 1978, 51–83).
pub fn smooth_weight(simulation: &Simulation, [start, end]: [f64; 2]) -> f64 {
    let part = (simulation.state().time - start) / (end - start);
    if !(0.0..=1.0).contains(&part) {
        return 0.0;
    }
    simulation.progress().time_step * (PI * part).sin().powi(4)
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

/// A box from `low` to `high` in MSH 2.2: hexahedra, or quadrilaterals if the box has no depth in z. Groups: "box", and
/// the ends "x0" and "x1".
pub fn box_mesh(low: [f64; 3], high: [f64; 3], cells: [usize; 3]) -> String {
    pierced_box_mesh(low, high, cells, |_| true)
}

/// [`box_mesh`] with only the cells that are `kept`. The reader excludes nodes without elements.
pub fn pierced_box_mesh(
    low: [f64; 3],
    high: [f64; 3],
    cells: [usize; 3],
    kept: impl Fn([usize; 3]) -> bool,
) -> String {
    let plane = cells[2] == 0;
    let dimension = if plane { 2 } else { 3 };
    let (counts, number) = numbering(cells);
    let place = |(k, j, i): (usize, usize, usize)| {
        let at = |axis: usize, index: usize| {
            low[axis] + (high[axis] - low[axis]) * index as f64 / cells[axis].max(1) as f64
        };
        [at(0, i), at(1, j), at(2, k)]
    };
    let nodes: Vec<[f64; 3]> = grid([counts[2], counts[1], counts[0]]).map(place).collect();
    let mut elements: Vec<Element> = Vec::new();
    for (k, j, i) in grid([cells[2].max(1), cells[1], cells[0]]).filter(|&(k, j, i)| kept([i, j, k])) {
        let layer = |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
        if plane {
            elements.push((3, 1, layer(0).to_vec()));
        } else {
            elements.push((5, 1, [layer(k), layer(k + 1)].concat()));
        }
    }
    for (group, i) in [(2, 0), (3, cells[0])] {
        let of_end = |&(k, j, _): &(usize, usize, usize)| kept([i.saturating_sub(1), j, k]);
        for (k, j, _) in grid([cells[2].max(1), cells[1], 1]).filter(of_end) {
            let edge = |k| [number(i, j, k), number(i, j + 1, k)];
            if plane {
                elements.push((1, group, edge(0).to_vec()));
            } else {
                elements.push((3, group, vec![edge(k)[0], edge(k)[1], edge(k + 1)[1], edge(k + 1)[0]]));
            }
        }
    }
    msh(&nodes, &elements, &[(dimension, 1, "box"), (dimension - 1, 2, "x0"), (dimension - 1, 3, "x1")])
}

/// A box from `low` to `high` of quadratic elements of `kind`, in MSH 2.2: `cells` hexahedra, or six tetrahedra in
/// place of each hexahedron. Groups: "box", and the ends "x0" and "x1". Nodes lie on the lattice of half cells; the
/// reader excludes nodes without elements.
pub fn quadratic_box_mesh(kind: CellKind, low: [f64; 3], high: [f64; 3], cells: [usize; 3]) -> String {
    let (counts, number) = numbering(cells.map(|count| 2 * count));
    let lattice = |(k, j, i): (usize, usize, usize)| {
        let at = |axis: usize, index: usize| {
            low[axis] + (high[axis] - low[axis]) * index as f64 / (2 * cells[axis]) as f64
        };
        [at(0, i), at(1, j), at(2, k)]
    };
    let nodes: Vec<[f64; 3]> = grid([counts[2], counts[1], counts[0]]).map(lattice).collect();
    let corners: [[usize; 3]; 8] =
        [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2]];
    let mut elements: Vec<Element> = Vec::new();
    for (k, j, i) in grid([cells[2], cells[1], cells[0]]) {
        let place = |corner: &usize| [0, 1, 2].map(|axis| corners[*corner][axis] + 2 * [i, j, k][axis]);
        let all: &[&[usize]] = match kind {
            CellKind::Tet10 => {
                &[&[0, 1, 2, 6], &[0, 2, 3, 6], &[0, 3, 7, 6], &[0, 7, 4, 6], &[0, 4, 5, 6], &[0, 5, 1, 6]]
            }
            _ => &[&[0, 1, 2, 3, 4, 5, 6, 7]],
        };
        for cell in all {
            let places: Vec<[usize; 3]> = cell.iter().map(place).collect();
            let nodes = completed(kind, &places);
            for face in kind.faces() {
                let nodes: Vec<[usize; 3]> = face.nodes.iter().map(|&node| nodes[node as usize]).collect();
                let end = |x: usize| nodes.iter().all(|node| node[0] == x);
                let group = if end(0) { 2 } else { 3 };
                if end(0) || end(2 * cells[0]) {
                    let numbers = nodes.iter().map(|&[i, j, k]| number(i, j, k)).collect();
                    elements.push((gmsh_type(face.kind), group, numbers));
                }
            }
            let numbers = nodes.iter().map(|&[i, j, k]| number(i, j, k)).collect();
            elements.push((gmsh_type(kind), 1, numbers));
        }
    }
    msh(&nodes, &elements, &[(3, 1, "box"), (2, 2, "x0"), (2, 3, "x1")])
}

fn gmsh_type(kind: CellKind) -> u8 {
    match kind {
        CellKind::Tri6 => 9,
        CellKind::Quad9 => 10,
        CellKind::Tet10 => 11,
        CellKind::Hex27 => 12,
        CellKind::Quad8 => 16,
        CellKind::Hex20 => 17,
        other => unreachable!("{other:?}"),
    }
}

/// Indices of all nodes of a cell in the lattice of half cells, from the indices of its corners.
fn completed(kind: CellKind, corners: &[[usize; 3]]) -> Vec<[usize; 3]> {
    let edges: &[&[usize]] = match kind {
        CellKind::Tet10 => &[&[0, 1], &[1, 2], &[2, 0], &[0, 3], &[2, 3], &[1, 3]],
        _ => &[
            &[0, 1],
            &[0, 3],
            &[0, 4],
            &[1, 2],
            &[1, 5],
            &[2, 3],
            &[2, 6],
            &[3, 7],
            &[4, 5],
            &[4, 7],
            &[5, 6],
            &[6, 7],
            &[0, 3, 2, 1],
            &[0, 1, 5, 4],
            &[0, 4, 7, 3],
            &[1, 2, 6, 5],
            &[2, 3, 7, 6],
            &[4, 5, 6, 7],
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ],
    };
    let mean =
        |of: &&[usize]| [0, 1, 2].map(|axis| of.iter().map(|&c| corners[c][axis]).sum::<usize>() / of.len());
    let mut nodes: Vec<[usize; 3]> = corners.iter().copied().chain(edges.iter().map(mean)).collect();
    nodes.truncate(kind.num_nodes());
    nodes
}

/// Numbers of nodes along the axes of a box, and a function that gives the number of a node.
fn numbering(cells: [usize; 3]) -> ([usize; 3], impl Fn(usize, usize, usize) -> usize) {
    let counts = cells.map(|count| count + 1);
    (counts, move |i, j, k| i + counts[0] * (j + counts[1] * k))
}

/// All triples of indices below the counts, with the last index running fastest.
fn grid(counts: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    let [a, b, c] = counts;
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}

#[test]
fn nan_errors_are_the_largest() {
    for errors in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
        assert!(worst(errors).is_nan() && exceeds(worst(errors), f64::INFINITY));
    }
    assert_eq!((worst([1.0, 3.0, 2.0]), worst([])), (3.0, 0.0));
    assert!(exceeds(2.0, 1.0) && !exceeds(1.0, 1.0));
}
