//! Time of an internal-force evaluation per element, compared with the memory bandwidth of the machine.
//!
//! The bound printed under each mesh is the time to read and write the minimum data of an element once, at the
//! bandwidth of the STREAM triad. These data are the reference geometry, the connectivity, and the share of the element
//! in positions and forces.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;

use common::{heading, measure, repetitions, report, triad};
use ictus::dynamics::{ElementBlock, InternalForce};
use ictus::material::{Elasticity, Material};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

/// Edges of a ten-node tetrahedron by their corners, in the order of the mid-side nodes.
const TET10_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];
/// Edges of a twenty-node hexahedron by their corners, in the order of the mid-side nodes.
const HEX20_EDGES: [[usize; 2]; 12] =
    [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]];

/// Nodes and cells of a cube of n × n × n hexahedra, or of six tetrahedra in place of each hexahedron. Nodes are
/// numbered in the order of their first use.
fn cube(kind: CellKind, n: usize) -> (Vec<Vec3>, Vec<u32>) {
    // Nodes are points of a lattice of half cells; linear elements use the even points only.
    let m = 2 * n + 1;
    let node = |i: usize, j: usize, k: usize| (2 * (k * m + j) * m + 2 * i) as u32;
    let edges: &[[usize; 2]] = match kind {
        CellKind::Tet10 => &TET10_EDGES,
        CellKind::Hex20 => &HEX20_EDGES,
        _ => &[],
    };
    let local: &[usize] = match kind.linear() {
        CellKind::Tet4 => &[0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6],
        _ => &[0, 1, 2, 3, 4, 5, 6, 7],
    };
    // Blocks of 6³ cells keep the nodes of neighbouring elements close in memory, as in a renumbered mesh.
    let bricks = n.div_ceil(6);
    let mut connectivity = Vec::new();
    for brick in 0..bricks * bricks * bricks {
        let start = [brick % bricks, brick / bricks % bricks, brick / (bricks * bricks)].map(|b| b * 6);
        for cell in 0..216 {
            let [i, j, k] = [start[0] + cell % 6, start[1] + cell / 6 % 6, start[2] + cell / 36];
            if i < n && j < n && k < n {
                let layer = |k| [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)];
                let hexahedron = [layer(k), layer(k + 1)].concat();
                for cell in local.chunks_exact(kind.linear().num_nodes()) {
                    let corners: Vec<u32> = cell.iter().map(|l| hexahedron[*l]).collect();
                    // The number of the midpoint of two lattice points is the mean of their numbers.
                    connectivity.extend(&corners);
                    connectivity.extend(edges.iter().map(|[a, b]| u32::midpoint(corners[*a], corners[*b])));
                }
            }
        }
    }
    let mut number = vec![u32::MAX; m * m * m];
    let mut nodes = Vec::new();
    for place in &mut connectivity {
        let k = *place as usize;
        if number[k] == u32::MAX {
            number[k] = nodes.len() as u32;
            nodes.push(Vec3::new((k % m) as f64, (k / m % m) as f64, (k / (m * m)) as f64) / (2 * n) as f64);
        }
        *place = number[k];
    }
    (nodes, connectivity)
}

fn materials() -> [(&'static str, Material); 3] {
    let steel = Elasticity::from_young_poisson(210e9, 0.3).unwrap();
    [
        ("linear-elastic", Material::LinearElastic(steel)),
        ("st-venant-kirchhoff", Material::StVenantKirchhoff(steel)),
        ("neo-hookean", Material::NeoHookean(steel)),
    ]
}

/// Shape of the mesh of a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Undeformed: all hexahedra are boxes.
    Straight,
    /// Bent: all elements differ, and no hexahedron is a parallelepiped.
    Bent,
}

impl Shape {
    /// Position of a point of the unit cube \[m\].
    fn place(self, x: &Vec3) -> Vec3 {
        match self {
            Self::Straight => *x,
            Self::Bent => x + Vec3::new(x.y * x.z, x.z * x.x, x.x * x.y) * 0.2,
        }
    }

    /// Numbers stored per element for its reference configuration.
    fn numbers_kept(self, kind: CellKind) -> usize {
        match (self, kind) {
            // A box stores the inverse Jacobian and the weight of one point. Other hexahedra store the nodes relative
            // to the first.
            (Self::Straight, CellKind::Hex8) => 10,
            (Self::Bent, CellKind::Hex8) => 21,
            _ => 10 * ictus::element::quadrature(kind).len(),
        }
    }
}

fn bench_mesh((kind, shape, n): (CellKind, Shape, usize), rate: f64) {
    let (nodes, connectivity) = cube(kind, n);
    let nodes: Vec<Vec3> = nodes.iter().map(|x| shape.place(x)).collect();
    let moved: Vec<Vec3> = nodes.iter().map(|x| x + Vec3::new(x.y * x.z, x.x * x.x, x.y) * 1e-3).collect();
    let num_elements = connectivity.len() / kind.num_nodes();
    let nodal = 48.0 * nodes.len() as f64 / num_elements as f64;
    let bytes = (8 * shape.numbers_kept(kind) + 2 * kind.num_nodes()) as f64 + nodal;
    let title = if shape == Shape::Bent { format!("bent {}", kind.name()) } else { kind.name().to_owned() };
    println!("  {num_elements} {title}: {bytes:.0} B per element, memory floor {:.1} ns", bytes / rate);
    for (name, material) in materials() {
        if !wanted(&format!("{title}-{num_elements}-{name}")) {
            continue;
        }
        let block = ElementBlock::new(kind, material, 7850.0, &connectivity, &nodes).unwrap();
        let mut model = InternalForce::new(vec![block], nodes.len());
        let timing = measure(num_elements, repetitions(15), || {
            model.evaluate(&moved, &mut model.initial_history(), 0.0).unwrap()
        });
        report(&format!("  {title} {name}"), "element", timing);
        if name == "neo-hookean" {
            let timing = measure(num_elements, repetitions(3), || {
                std::hint::black_box(model.critical_step(&moved, &model.initial_history()));
            });
            report(&format!("  {title} {name}, critical step"), "element", timing);
        }
    }
}

/// Whether the name of a case contains all arguments that are not flags.
fn wanted(case: &str) -> bool {
    std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).all(|part| case.contains(&part))
}

fn main() {
    for threads in [1, std::thread::available_parallelism().map_or(2, usize::from)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let rate = triad();
            heading(&format!("internal force, {threads} threads; triad {rate:.1} GB/s"));
            let cases: &[(CellKind, Shape, usize)] = if repetitions(2) == 1 {
                &[
                    (CellKind::Tet4, Shape::Straight, 4),
                    (CellKind::Hex8, Shape::Straight, 6),
                    (CellKind::Hex8, Shape::Bent, 6),
                    (CellKind::Tet10, Shape::Straight, 3),
                    (CellKind::Hex20, Shape::Straight, 3),
                ]
            } else {
                &[
                    (CellKind::Tet4, Shape::Straight, 20),
                    (CellKind::Tet4, Shape::Straight, 40),
                    (CellKind::Hex8, Shape::Straight, 37),
                    (CellKind::Hex8, Shape::Straight, 74),
                    (CellKind::Hex8, Shape::Bent, 37),
                    (CellKind::Hex8, Shape::Bent, 74),
                    (CellKind::Tet10, Shape::Straight, 12),
                    (CellKind::Tet10, Shape::Straight, 24),
                    (CellKind::Hex20, Shape::Straight, 12),
                    (CellKind::Hex20, Shape::Straight, 24),
                ]
            };
            for case in cases {
                bench_mesh(*case, rate);
            }
        });
    }
}
