//! The detection study of Aragón, Yastrebov & Molinari 2013, §5.2: two interpenetrating rough layers, sorted into
//! buckets.
//!
//! Counts and times are printed next to those of the paper. The code of the paper is in MATLAB. The meshes are those
//! that `scripts/mesh_rough_layers.py` writes to `meshes/generated/`. If they do not exist, the bench uses the two
//! surfaces of 145 × 145 nodes in `benches/data`.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod common;
#[path = "common/rough_surfaces.rs"]
mod rough_surfaces;

use std::hint::black_box;
use std::path::Path;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::face::closest_point::batch::{
    ClosestLanes, PointLanes, TriangleLanes, closest_points_of_triangles,
};
use ictus::contact::detection::face::closest_point::{Method, Start, closest_point};
use ictus::contact::detection::volume::VolumeKind;
use ictus::contact::detection::{
    Buckets, Configuration, ContactModel, Detector, Engine, EngineOptions, NodeFaceOptions, StartFrom,
};
use ictus::contact::{Constraints, Surface};
use ictus::math::Vec3;
use ictus::math::real::{LANES, Lanes};
use ictus::math::vectorised::Vectorised;
use ictus::mesh::CellKind;
use rough_surfaces::{RoughSurface, SPACING};

const NODE_FACE: NodeFaceOptions = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };

/// Two rough surfaces, the lower one first. Each is contactor and target of the other.
struct Layers {
    positions: Vec<Vec3>,
    surfaces: Vec<Surface>,
}

/// Counts and times of the paper for its mesh.
struct Paper {
    cells: [u32; 3],
    node_buckets: usize,
    face_buckets: usize,
    distances: usize,
    per_node: f64,
    most: usize,
}

const LINEAR: Paper = Paper {
    cells: [211, 211, 9],
    node_buckets: 20_589,
    face_buckets: 115_499,
    distances: 161_450,
    per_node: 7.8,
    most: 37,
};

const QUADRATIC: Paper = Paper {
    cells: [209, 209, 9],
    node_buckets: 76_052,
    face_buckets: 135_370,
    distances: 628_017,
    per_node: 8.26,
    most: 38,
};

impl Layers {
    /// The layers that the script has written; `None` if they do not exist, or in a test of the bench.
    fn generated(name: &str) -> Option<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/generated").join(name);
        if std::env::args().any(|argument| argument == "--test") || !path.exists() {
            return None;
        }
        let read = || -> Result<Self, Box<dyn std::error::Error>> {
            let mesh = ictus::io::gmsh::read(&path)?;
            let groups = ["lower rough", "upper rough"].map(|group| mesh.group_faces(group));
            let [lower, upper] = groups.map(|faces| faces.map(|faces| Surface::new(faces.iter())));
            println!("meshes/generated/{name}: {} nodes, {} cells", mesh.nodes.len(), mesh.num_cells(3));
            Ok(Self { surfaces: vec![lower?, upper?], positions: mesh.nodes })
        };
        read().inspect_err(|error| println!("{error}")).ok()
    }

    fn kept(kind: CellKind) -> Self {
        let (lower, upper) = (RoughSurface::lower(), RoughSurface::upper());
        let first = lower.nodes.len() as u32;
        fn surface<const N: usize>(kind: CellKind, faces: &[[u32; N]], first: u32) -> Surface {
            let faces: Vec<[u32; N]> = faces.iter().map(|face| face.map(|node| node + first)).collect();
            Surface::new(faces.iter().map(|face| (kind, face.as_slice())))
        }
        let surfaces = if kind == CellKind::Tri3 {
            vec![surface(kind, &lower.triangles, 0), surface(kind, &upper.triangles_from_below(), first)]
        } else {
            let upper = upper.quadratic_triangles_from_below();
            vec![surface(kind, &lower.quadratic_triangles, 0), surface(kind, &upper, first)]
        };
        println!(
            "two kept surfaces of 145 x 145 nodes (scripts/mesh_rough_layers.py makes the layers of the paper)"
        );
        Self { surfaces, positions: [lower.nodes, upper.nodes].concat() }
    }

    fn model(&self) -> ContactModel {
        ContactModel::new(self.surfaces.clone(), &[], &self.positions)
    }

    fn buckets(&self) -> Buckets {
        Buckets::new(self.model(), NODE_FACE, &self.positions)
    }

    fn engine(&self) -> Engine {
        let ladder = vec![VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop14, VolumeKind::Obb];
        let options = EngineOptions { ladder, node_face: NODE_FACE, ..EngineOptions::default() };
        Engine::new(self.model(), options, &self.positions)
    }

    /// Shifts the lower layer along the upper layer, by a hundredth of a spacing per step.
    fn slide(&self, detector: &mut dyn Detector, steps: std::ops::Range<usize>) -> usize {
        let mut constraints = Constraints::default();
        let mut positions = self.positions.clone();
        let way = Vec3::new(0.01 * SPACING, 0.003 * SPACING, 0.0);
        for &node in self.surfaces[0].nodes() {
            positions[node as usize] += way * steps.start as f64;
        }
        let mut positions_before = positions.clone();
        for step in steps {
            for &node in self.surfaces[0].nodes() {
                positions[node as usize] += way;
            }
            let time = 1e-6 * step as f64;
            let configuration = Configuration {
                time,
                time_step: 1e-6,
                positions: &positions,
                positions_before: &positions_before,
            };
            detector.detect(&configuration, &mut constraints);
            positions_before.clone_from(&positions);
        }
        constraints.len()
    }
}

/// Prints the counts of buckets and candidates for lower nodes and upper faces, as in the paper. Returns the
/// candidates, pairs of node and face.
fn census(layers: &Layers, paper: &Paper) -> Vec<(u32, u32)> {
    let mut buckets = layers.buckets();
    let configuration = Configuration {
        time: 0.0,
        time_step: 1e-6,
        positions: &layers.positions,
        positions_before: &layers.positions,
    };
    let mut constraints = Constraints::default();
    buckets.detect(&configuration, &mut constraints);
    let Some(census) = buckets.census().into_iter().find(|census| census.bodies == [0, 1]) else {
        return Vec::new();
    };
    let contactors = layers.surfaces[0].nodes().len();
    let penetrated = constraints.iter().filter(|constraint| constraint.bodies[1] == 1).count();
    let [fewest, most] = census.faces_per_contactor;
    let row = |what: &str, ours: String, paper: String| println!("{what:<48} {ours:>18} {paper:>18}");
    row("", "here".into(), "paper".into());
    row("contactor nodes", contactors.to_string(), paper.node_buckets.to_string());
    row("penetrated", penetrated.to_string(), "-".into());
    let cells = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    row("cells", cells(census.cells), cells(paper.cells));
    row("buckets with a node", census.node_buckets.to_string(), paper.node_buckets.to_string());
    row("buckets with a face", census.face_buckets.to_string(), paper.face_buckets.to_string());
    row("pairs of node and face in a bucket", census.tests.to_string(), paper.distances.to_string());
    row("of these, node in the box of the face", census.candidates.to_string(), "-".into());
    let mean = census.candidates as f64 / census.contactors.max(1) as f64;
    let per_node = |mean: f64, fewest: usize, most: usize| format!("{mean:.2} [{fewest}, {most}]");
    let theirs = per_node(paper.per_node, 1, paper.most);
    row("faces per node that has some", per_node(mean, fewest, most), theirs);
    buckets.candidates().filter(|(key, _)| key.target == 1).map(|(key, face)| (key.contactor, face)).collect()
}

/// Times the closest points of the pairs, one after the other.
fn distances(layers: &Layers, pairs: &[(u32, u32)], methods: &[(&str, Method, Start)]) {
    let pairs = &pairs[..pairs.len().min(repetitions(100_000).max(1000))];
    for &(label, method, start) in methods {
        let solve = |&(node, face): &(u32, u32)| {
            let (kind, nodes) = layers.surfaces[1].face(face as usize);
            let mut corners = [Vec3::zeros(); 6];
            for (corner, &node) in corners.iter_mut().zip(nodes) {
                *corner = layers.positions[node as usize];
            }
            closest_point(method, start, kind, &corners[..nodes.len()], &layers.positions[node as usize])
        };
        let iterations: u64 = pairs.iter().map(|pair| u64::from(solve(pair).iterations)).sum();
        let timing = measure(pairs.len(), repetitions(7), || {
            for pair in pairs {
                black_box(solve(black_box(pair)));
            }
        });
        let mean = iterations as f64 / pairs.len() as f64;
        report(&format!("{label}; here {mean:.1} iterations"), "distance", timing);
    }
}

/// Times the closest points of the pairs, one pair per vector lane. The corners are stored in lanes before the timing.
fn distances_in_lanes(layers: &Layers, pairs: &[(u32, u32)]) {
    let pairs = &pairs[..pairs.len().min(repetitions(100_000).max(1000))];
    let (blocks, _) = pairs.as_chunks::<LANES>();
    let mut triangles = vec![TriangleLanes::ZERO; blocks.len()];
    let mut queries: Vec<PointLanes> = vec![[Lanes([0.0; LANES]); 3]; blocks.len()];
    for (block, (triangles, query)) in blocks.iter().zip(triangles.iter_mut().zip(&mut queries)) {
        for (lane, &(node, face)) in block.iter().enumerate() {
            let (_, nodes) = layers.surfaces[1].face(face as usize);
            let corners = [0, 1, 2].map(|k| layers.positions[nodes[k] as usize]);
            triangles.set(lane, &corners);
            for (axis, lanes) in query.iter_mut().enumerate() {
                lanes.0[lane] = layers.positions[node as usize][axis];
            }
        }
    }
    let mut closest = vec![ClosestLanes::ZERO; blocks.len()];
    let timing = measure(LANES * blocks.len(), repetitions(7), || {
        closest_points_of_triangles(Vectorised::detect(), &triangles, &queries, black_box(&mut closest));
    });
    report("Voronoi regions, four at a time", "distance", timing);
}

fn detectors(layers: &Layers) {
    heading(
        "one layer slides on the other, a hundredth of a spacing per step; both ways, closest points included",
    );
    let steps = if repetitions(2) == 1 { 2 } else { 100 };
    let mut rivals: [(&str, Box<dyn Detector>); 2] =
        [("buckets", Box::new(layers.buckets())), ("hierarchy", Box::new(layers.engine()))];
    for (name, detector) in &mut rivals {
        let mut next = 0;
        let mut found = 0;
        let timing = measure(steps, repetitions(3), || {
            found = layers.slide(detector.as_mut(), next..next + steps);
            next += steps;
        });
        report(&format!("{name}, {found} constraints at the end"), "step", timing);
        let statistics = detector.statistics();
        let seconds = statistics.seconds;
        let per_step = |seconds: f64| 1e3 * seconds / next as f64;
        println!(
            "    {:?} in {next} steps; ms per step: trajectory {:.3}, update {:.3}, overlap {:.3}, primitive {:.3}",
            statistics.counts,
            per_step(seconds.trajectory),
            per_step(seconds.update),
            per_step(seconds.overlap),
            per_step(seconds.primitive),
        );
    }
}

fn main() {
    println!("\nLinear triangles");
    let layers = Layers::generated("rough_layers.msh").unwrap_or_else(|| Layers::kept(CellKind::Tri3));
    let pairs = census(&layers, &LINEAR);
    heading("distance of node and triangle");
    let methods = [
        ("Voronoi regions; paper 180 ± 30 ns", Method::Voronoi, Start::Nearest),
        ("brute force; paper 700 ± 60 ns", Method::BruteForce, Start::Nearest),
        ("SQP; paper 10 800 ± 4500 ns, 4.6 iterations", Method::Sqp, Start::Nearest),
        ("SQP with BFGS", Method::SqpBfgs, Start::Nearest),
        ("SQP from the centre", Method::Sqp, Start::Centre),
    ];
    distances(&layers, &pairs, &methods);
    distances_in_lanes(&layers, &pairs);
    detectors(&layers);
    println!("\nQuadratic triangles");
    let layers =
        Layers::generated("rough_layers_quadratic.msh").unwrap_or_else(|| Layers::kept(CellKind::Tri6));
    let pairs = census(&layers, &QUADRATIC);
    heading("distance of node and quadratic triangle");
    let methods = [
        ("SQP; paper 12 300 ± 6000 ns, 5 iterations", Method::Auto, Start::Nearest),
        ("SQP with BFGS", Method::SqpBfgs, Start::Nearest),
        ("SQP from the centre", Method::Auto, Start::Centre),
    ];
    distances(&layers, &pairs, &methods);
    detectors(&layers);
}
