//! Whole steps of two bodies in contact: what the search and the response add to the bare step.
//!
//! Two spheres of about 25 000 tetrahedra and 3 072 triangles of skin each, apart by a tenth of a millimetre and
//! touching, and two blocks of about 19 000 tetrahedra each that touch with 1 226 triangles that do not match. Steel (E
//! 210 GPa, ν 0.3, 7800 kg/m³), St. Venant–Kirchhoff, penalty. Columns: milliseconds of a step (medians), the search
//! and the response in it, the whole step over the bare one, and the most contacts.
//!
//! Arguments choose cases: `apart`, `touching`, `blocks`; `1t`, `2t`.
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
/// Two bodies that move towards each other along x.
struct Case {
    name: &'static str,
    bodies: [Shape; 2],
    /// Speed of either \[m/s\].
    speed: f64,
}

/// What is meshed.
#[derive(Clone, Copy)]
enum Shape {
    /// Radius ½ about the origin, of so many cells across.
    Sphere(usize),
    /// The unit cube about the origin, of so many cells along x and across; `group` is its face of contact.
    Block([usize; 2]),
}

impl Shape {
    fn cells(self) -> [usize; 3] {
        match self {
            Self::Sphere(across) => [across; 3],
            Self::Block([along, across]) => [along, across, across],
        }
    }

    /// Where a point of the cube from −1 to 1 comes to: in a sphere each cube about the middle becomes one.
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

impl Case {
    /// Writes the meshes and makes the scenario.
    fn scenario(&self, directory: &Path) -> Scenario {
        let mut text = "[time]\nend = 1.0\nsafety = 0.8\nenergy_tolerance = 1.0\n\
                        [materials.steel]\nmodel = \"st-venant-kirchhoff\"\ndensity = 7800.0\n\
                        young = 210e9\npoisson = 0.3\n"
            .to_owned();
        for (body, name) in self.bodies.iter().zip(["left", "right"]) {
            std::fs::write(directory.join(format!("{name}.msh")), body.mesh()).unwrap();
            let is_left = name == "left";
            let (side, sign) = if is_left { ("high", -1.0) } else { ("low", 1.0) };
            let contact = if matches!(body, Shape::Block(_)) { side } else { "skin" };
            // Spheres are turned, so that it is not node to node.
            let turn = if is_left { 0.0 } else { 20.0 };
            let turned = matches!(body, Shape::Sphere(_))
                .then(|| format!("rotate = {{ axis = [0.0, 0.6, 0.8], angle = {turn:?} }}\n"));
            write!(
                text,
                "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nregion = \"bulk\"\nmaterial = \"steel\"\n\
                 contact = \"{contact}\"\ntranslate = [{:?}, 0.0, 0.0]\nvelocity = [{:?}, 0.0, 0.0]\n{}",
                sign * 0.5 * (1.0 + GAP),
                -sign * self.speed,
                turned.unwrap_or_default()
            )
            .unwrap();
        }
        Scenario::parse(&text, &directory.join("pair.toml"), &[]).unwrap()
    }

    /// One row of the table.
    fn run(&self, threads: usize) {
        let directory = tempfile::tempdir().unwrap();
        let mut simulation = Simulation::new(&self.scenario(directory.path())).unwrap();
        // Off the flight, in which bodies that cannot touch cost nothing.
        simulation.set_velocities(|x| Vec3::new(-x.x.signum() * self.speed, 0.0, 0.0));
        let touches = self.speed > 1.0;
        let mut waited = 0;
        while touches && simulation.constraints().is_empty() && waited < 20_000 {
            simulation.advance(f64::INFINITY).unwrap();
            waited += 1;
        }
        // Few enough that the blocks, which part after a wave has run along them and back, still touch.
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut contacts = 0;
        for _ in 0..repetitions(50) {
            let (start, before) = (Instant::now(), *simulation.wall_times());
            simulation.advance(f64::INFINITY).unwrap();
            let after = simulation.wall_times();
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
    let spheres = [Shape::Sphere(if quick { 4 } else { 16 }); 2];
    let blocks = if quick { [[3, 4], [3, 5]] } else { [[10, 18], [11, 17]] }.map(Shape::Block);
    let cases = [
        Case { name: "spheres apart", bodies: spheres, speed: 1e-6 },
        Case { name: "spheres touching", bodies: spheres, speed: 10.0 },
        Case { name: "blocks touching", bodies: blocks, speed: 10.0 },
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
