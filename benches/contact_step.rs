//! Whole steps of two bodies in contact: cost of search and response, relative to the step without contact.
//!
//! The first cases are two spheres of about 25 000 tetrahedra and 3 072 skin triangles each, apart by a tenth of a
//! millimetre or touching. The last case is two blocks of about 19 000 tetrahedra each, in contact over 1 226
//! non-matching triangles. The material is St. Venant–Kirchhoff steel (E 210 GPa, ν 0.3, 7800 kg/m³), the response is
//! penalty. Columns: the median times of a whole step, of search and of response \[ms\]; the ratio of the whole step to
//! the step without search and response; the largest number of contacts.
//!
//! With `peers` the bench uses meshes of similar size from `scripts/mesh_peers.py`. Other codes have been timed on
//! these meshes. On other machines, search and response take 0.06–0.11 ms (spheres) and 0.35–0.4 ms (blocks) per step
//! in OpenRadioss, and 16–878 ms (spheres) and 70–140 ms (blocks) in Akantu.
//!
//! Arguments select cases: `apart`, `touching`, `blocks`; `1t`, `2t`; `peers`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;
#[path = "common/tetrahedra.rs"]
mod tetrahedra;

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use common::repetitions;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

/// Distance of the bodies at the start \[m\].
const GAP: f64 = 1e-4;

/// Two bodies that move towards each other.
struct Case {
    name: &'static str,
    meshes: Meshes,
    /// Speed of each body \[m/s\].
    speed: f64,
}

/// Source of the bodies.
enum Meshes {
    /// Shapes that the bench meshes, on both sides of the origin along x.
    Shapes([Shape; 2]),
    /// The mesh `name` of `scripts/mesh_peers.py`. The left body lies below `middle` along z.
    OfPeers { name: &'static str, middle: f64 },
}

/// Shape of a body that the bench meshes.
#[derive(Clone, Copy)]
enum Shape {
    /// Sphere of radius ½ about the origin, this many cells across.
    Sphere(usize),
    /// The unit cube about the origin, with these numbers of cells along x and across.
    Block([usize; 2]),
}

impl Shape {
    fn cells(self) -> [usize; 3] {
        match self {
            Self::Sphere(across) => [across; 3],
            Self::Block([along, across]) => [along, across, across],
        }
    }

    /// Maps a point of the cube \[−1, 1\]³ to the shape. For a sphere, concentric cubes become concentric spheres.
    fn place(self, cube: Vec3) -> Vec3 {
        let outer = cube.amax();
        if matches!(self, Self::Block(_)) || outer == 0.0 {
            return 0.5 * cube;
        }
        let square = cube.component_mul(&cube) / (outer * outer);
        let stretch = |i: usize| {
            let (a, b) = (square[(i + 1) % 3], square[(i + 2) % 3]);
            (1.0 - 0.5 * (a + b) + a * b / 3.0).sqrt()
        };
        0.5 * Vec3::new(cube.x * stretch(0), cube.y * stretch(1), cube.z * stretch(2))
    }

    /// The mesh; its groups `low` and `high` are at the ends of x.
    fn mesh(self) -> String {
        let cells = self.cells();
        tetrahedra::mesh(cells, |at| {
            self.place(Vec3::from_fn(|axis, _| 2.0 * at[axis] as f64 / cells[axis] as f64 - 1.0))
        })
    }
}

impl Shape {
    /// Writes the mesh; returns the keys of the body. The keys translate the body to the left or right of the origin.
    fn body(self, directory: &Path, is_left: bool) -> String {
        let (name, side, sign) = if is_left { ("left", "high", -1.0) } else { ("right", "low", 1.0) };
        std::fs::write(directory.join(format!("{name}.msh")), self.mesh()).unwrap();
        // The right sphere is rotated, so that its nodes do not meet nodes of the left sphere.
        let (contact, turn) = match self {
            Self::Sphere(_) => ("skin", if is_left { 0.0 } else { 20.0 }),
            Self::Block(_) => (side, 0.0),
        };
        format!(
            "mesh = \"{name}.msh\"\nregion = \"bulk\"\ncontact = \"{contact}\"\n\
             translate = [{:?}, 0.0, 0.0]\nrotate = {{ axis = [0.0, 0.6, 0.8], angle = {turn:?} }}\n",
            sign * 0.5 * (1.0 + GAP)
        )
    }
}

impl Meshes {
    /// Unit vector from the left body to the right body, and the coordinate along this vector of a point between them
    /// \[m\].
    fn axis(&self) -> (Vec3, f64) {
        match self {
            Self::Shapes(_) => (Vec3::x(), 0.0),
            Self::OfPeers { middle, .. } => (Vec3::z(), *middle),
        }
    }

    /// The keys of each body; writes the meshes into the directory.
    fn bodies(&self, directory: &Path) -> [String; 2] {
        match self {
            Self::Shapes(shapes) => [0, 1].map(|k| shapes[k].body(directory, k == 0)),
            Self::OfPeers { name, .. } => {
                let path = format!("{}/meshes/generated/{name}.msh", env!("CARGO_MANIFEST_DIR"));
                let is_there = Path::new(&path).exists();
                assert!(is_there, "{path} is not there; `python scripts/mesh_peers.py` makes it");
                ["left", "right"]
                    .map(|body| format!("mesh = {path:?}\nregion = \"{body}\"\ncontact = \"{body}_face\"\n"))
            }
        }
    }
}

impl Case {
    /// Writes the meshes and returns the scenario.
    fn scenario(&self, directory: &Path) -> Scenario {
        let mut text = "[time]\nend = 1.0\nsafety = 0.8\nenergy_tolerance = 1.0\n\
                        [materials.steel]\nmodel = \"st-venant-kirchhoff\"\ndensity = 7800.0\n\
                        young = 210e9\npoisson = 0.3\n"
            .to_owned();
        let (axis, _) = self.meshes.axis();
        let names = ["left", "right"].into_iter().zip([1.0, -1.0]);
        for (body, (name, sign)) in self.meshes.bodies(directory).iter().zip(names) {
            let [x, y, z] = (axis * sign * self.speed).data.0[0];
            write!(
                text,
                "[[bodies]]\nname = \"{name}\"\nmaterial = \"steel\"\nvelocity = [{x:?}, {y:?}, {z:?}]\n{body}"
            )
            .unwrap();
        }
        Scenario::parse(&text, &directory.join("pair.toml"), &[]).unwrap()
    }

    /// Prints one row of the table.
    fn run(&self, threads: usize) {
        let directory = tempfile::tempdir().unwrap();
        let mut simulation = Simulation::new(&self.scenario(directory.path())).unwrap();
        // Velocities set after the set-up prevent flight. In flight, bodies that cannot meet would cost nothing.
        let (axis, middle) = self.meshes.axis();
        simulation.set_velocities(|x| axis * (-(axis.dot(x) - middle).signum() * self.speed));
        let touches = self.speed > 1.0;
        let mut waited = 0;
        while touches && simulation.constraints().is_empty() && waited < 20_000 {
            simulation.advance(f64::INFINITY).unwrap();
            waited += 1;
        }
        // The blocks stay in contact for the few steps of the bench. They would separate when the reflected wave
        // returns.
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut contacts = 0;
        for _ in 0..repetitions(50) {
            let (start, before) = (Instant::now(), *simulation.timings());
            simulation.advance(f64::INFINITY).unwrap();
            let after = simulation.timings();
            times[0].push(1e3 * start.elapsed().as_secs_f64());
            times[1].push(1e3 * (after.detection - before.detection));
            times[2].push(1e3 * (after.response - before.response));
            contacts = contacts.max(simulation.constraints().len());
        }
        let [whole, search, response] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!(
            "{:<18} {threads} threads {whole:8.3} ms a step, search {search:.4}, response {response:.4}, {:.3} of the \
             bare step, {contacts} contacts",
            self.name,
            whole / (whole - search - response),
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let quick = repetitions(2) == 1;
    let of_peers = words.iter().any(|word| word == "peers");
    let meshes = |name: &'static str, middle: f64, shapes: [Shape; 2]| {
        if of_peers { Meshes::OfPeers { name, middle } } else { Meshes::Shapes(shapes) }
    };
    let spheres =
        || meshes("spheres_tet_20k", 0.5 * (1.0 + GAP), [Shape::Sphere(if quick { 4 } else { 16 }); 2]);
    let blocks = if quick { [[3, 4], [3, 5]] } else { [[10, 18], [11, 17]] }.map(Shape::Block);
    let cases = [
        Case { name: "spheres apart", meshes: spheres(), speed: 1e-6 },
        Case { name: "spheres touching", meshes: spheres(), speed: 10.0 },
        Case {
            name: "blocks touching",
            meshes: meshes("blocks_tet_20k", 1.0 + 0.5 * GAP, blocks),
            speed: 10.0,
        },
    ];
    let wanted = |name: &str, set: [&str; 2]| {
        words.iter().any(|word| name.contains(word.as_str()))
            || !words.iter().any(|word| set.iter().any(|name| name.contains(word.as_str())))
    };
    for threads in [1, 2].into_iter().filter(|t| wanted(&format!("{t}t"), ["1t", "2t"])) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for case in &cases {
            if wanted(case.name, ["spheres apart touching", "blocks"]) {
                pool.install(|| case.run(threads));
            }
        }
    }
}
