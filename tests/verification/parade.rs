//! A parade of everyday scenes: blocks, balls and wheels that drop, slide, bounce, roll, tip, lean and lie on each other, on
//! walls, rigid meshes and deformable bases, by every response, with and without friction and restitution.
//!
//! Goal, of every scene: contact makes no energy. What it leaves in the bodies, kinetic and strain energy less the work of
//! gravity, is at most that of the beginning and 0.5 % of the largest kinetic energy; of rigid bodies on penalty springs
//! 1 %, and of coarse deformable ones the twentieth by which these springs may be off. The audit of energy holds; momentum
//! balances to 1e-10. What is symmetric stays so: where bodies strike and fly off again nothing moves across the plane
//! y = 0 of a scene that is its own mirror image, to 1e-9 of the largest velocity. (Where rigid bodies stay in contact the
//! forces on their corners are not determined, and are not found symmetric.) Where mechanics has a closed form the scene
//! says it.
//!
//! Deformable bodies run in steps of 0.1 of the critical one, as T_n + W_n of a swinging body is off by (ω dt)²/4.

use ictus::math::Vec3;
use ictus::simulation::Simulation;
use rayon::prelude::*;

use crate::model::{RESPONSES, box_mesh, from_text, velocity};

const GRAVITY: f64 = 9.81;

/// What the first body is to do in the end.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// Nothing but what holds of every scene.
    Invariants,
    /// It flies up with a speed \[m/s\], within so much.
    Rebound { speed: f64, within: f64 },
    /// It moves along x with a velocity \[m/s\], within so much of the first.
    Slides { speed: f64, within: f64 },
    /// It has moved to the right, or to the left.
    Falls { right: bool },
    /// It has come to rest, at this height of its centre \[m\], within so much.
    Rests { height: f64, within: f64 },
}

struct Scene {
    label: String,
    text: String,
    meshes: Vec<(&'static str, String)>,
    symmetric: bool,
    /// Largest energy that contact may make, over the scale of the energies.
    surplus: f64,
    expected: Expected,
}

/// What a run has shown.
struct Outcome {
    /// Largest energy beyond the first, over the scale of the energies.
    surplus: f64,
    /// Largest velocity across the plane y = 0, over the scale of the velocities.
    across: f64,
    /// Largest velocity of the first body along z \[m/s\].
    fastest_up: f64,
    momentum_error: f64,
}

impl Scene {
    /// What is wrong with it.
    fn faults(&self) -> Vec<String> {
        let meshes: Vec<(&str, String)> = self.meshes.clone();
        let mut simulation = from_text(&self.text, &meshes);
        let outcome = match self.run(&mut simulation) {
            Ok(outcome) => outcome,
            Err(failure) => return vec![format!("{}: {failure}", self.label)],
        };
        let mut faults = Vec::new();
        let mut hold = |holds: bool, fault: String| {
            if !holds {
                faults.push(format!("{}: {fault}", self.label));
            }
        };
        hold(outcome.surplus <= self.surplus, format!("makes {:.2e} of the energy", outcome.surplus));
        hold(outcome.momentum_error < 1e-10, format!("momentum off by {:.1e}", outcome.momentum_error));
        hold(!self.symmetric || outcome.across < 1e-9, format!("moves across by {:.1e}", outcome.across));
        let found = velocity(&simulation, 0);
        let centre = simulation.balances()[0].centre;
        match self.expected {
            Expected::Invariants => {}
            Expected::Rebound { speed, within } => {
                let up = outcome.fastest_up;
                hold((up - speed).abs() <= within, format!("goes up with {up}, not {speed}"));
            }
            Expected::Slides { speed, within } => {
                hold((found.x - speed).abs() <= within, format!("slides with {}, not {speed}", found.x));
            }
            Expected::Falls { right } => hold((centre.x > 0.0) == right, format!("is at x = {}", centre.x)),
            Expected::Rests { height, within } => {
                hold((centre.z - height).abs() <= within, format!("rests at {}, not {height}", centre.z));
                hold(found.norm() < 0.05, format!("still moves with {}", found.norm()));
            }
        }
        faults
    }

    fn run(&self, simulation: &mut Simulation) -> Result<Outcome, String> {
        let held = |simulation: &Simulation| {
            let energies = simulation.energies();
            energies.kinetic + energies.strain + energies.hourglass - energies.external_work
        };
        let first = held(simulation);
        let mass: f64 =
            simulation.model().bodies.iter().map(|body| body.mass).filter(|m| m.is_finite()).sum();
        // A body that has fallen by a thousandth of its size, where all is at rest.
        let (mut energy_scale, mut velocity_scale) = (mass * GRAVITY * 2e-4, (2.0 * GRAVITY * 2e-4).sqrt());
        let (mut surplus, mut across, mut fastest_up) = (0.0_f64, 0.0_f64, 0.0_f64);
        while !simulation.is_finished() {
            simulation.advance(f64::INFINITY).map_err(|failure| failure.to_string())?;
            surplus = surplus.max(held(simulation) - first);
            energy_scale = energy_scale.max(simulation.energies().kinetic);
            fastest_up = fastest_up.max(velocity(simulation, 0).z);
            for body in 0..simulation.balances().len() {
                if simulation.model().bodies[body].mass > 0.0 {
                    let found = velocity(simulation, body);
                    (across, velocity_scale) = (across.max(found.y.abs()), velocity_scale.max(found.norm()));
                }
            }
        }
        Ok(Outcome {
            surplus: surplus / energy_scale,
            across: across / velocity_scale,
            fastest_up,
            momentum_error: simulation.audit().largest_momentum_error(),
        })
    }
}

/// A base for bodies to meet, its top at z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    Wall,
    /// A fixed rigid mesh of so many cells a side.
    Mesh(usize),
    /// A deformable mesh, held at two ends.
    Soft,
}

impl Base {
    fn keys(self) -> String {
        let floor = |material: &str, held: &str| {
            format!(
                "[[bodies]]\nname = \"floor\"\nmesh = \"floor.msh\"\nmaterial = \"{material}\"\ngravity = [0, 0, 0]\n{held}"
            )
        };
        let fix =
            |group: &str| format!("[[boundaries]]\nbody = \"floor\"\n{group}fix = [\"x\", \"y\", \"z\"]\n");
        match self {
            Self::Wall => "[[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n".to_owned(),
            Self::Mesh(_) => floor("rigid", &fix("")),
            Self::Soft => floor("base", &(fix("group = \"x0\"\n") + &fix("group = \"x1\"\n"))),
        }
    }

    fn mesh(self) -> Option<(&'static str, String)> {
        let cells = match self {
            Self::Wall => return None,
            Self::Mesh(cells) => [cells, cells, 1],
            Self::Soft => [4, 3, 1],
        };
        Some(("floor.msh", box_mesh([-0.8, -0.6, -0.2], [0.8, 0.6, 0.0], cells)))
    }
}

/// How contact is answered.
#[derive(Clone, Copy, Debug)]
struct Law {
    response: &'static str,
    friction: f64,
    restitution: f64,
}

impl Law {
    /// By every response, without friction and with some, with the coefficients of restitution that each reads.
    fn all() -> Vec<Self> {
        let mut laws = Vec::new();
        for response in RESPONSES {
            for friction in [0.0, 0.3] {
                for restitution in [0.0, 0.5, 1.0] {
                    if response != "penalty" || restitution > 0.0 {
                        laws.push(Self { response, friction, restitution });
                    }
                }
            }
        }
        laws
    }

    fn keys(self) -> String {
        let Self { response, friction, restitution } = self;
        format!(
            "[contact]\nresponse = \"{response}\"\nfriction = {friction:?}\nrestitution = {restitution:?}\n"
        )
    }

    /// How deep bodies may rest in each other \[m\]: some g dt² by impulses in steps of 1 ms; on springs, some g/ω² with
    /// ω dt = 0.3.
    fn sinking(self) -> f64 {
        if self.response == "decomposition" { 1e-4 } else { 6e-3 }
    }

    /// Whether resting bodies hop: by impulses, they leave with what gravity has given them in a step.
    fn hops(self) -> bool {
        self.response == "decomposition" && self.restitution == 1.0
    }

    /// How far the velocity of a block that slides may be off \[m/s\]. Nodes of the floor press on the block's face, which
    /// leans as the block hops on springs.
    fn sliding(self) -> f64 {
        match (self.response, self.friction > 0.0) {
            (_, true) => 0.02,
            ("decomposition", false) => 1e-9,
            _ => 1e-3,
        }
    }

    /// How far rebound speeds may be off, relative to the speed before.
    fn precision(self) -> f64 {
        // Velocities at an impact are those of the middle of the step; gravity acts while springs are pressed.
        if self.response == "decomposition" { 2e-3 } else { 0.03 }
    }
}

const MATERIALS: &str = "[materials.rigid]\nmodel = \"rigid\"\ndensity = 1000.0\n\
    [materials.rubber]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
    [materials.base]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 2e7\npoisson = 0.3\n";

fn scene(
    label: String,
    law: Law,
    base: Base,
    end: f64,
    bodies: &str,
    meshes: Vec<(&'static str, String)>,
    expected: Expected,
) -> Scene {
    let text = format!(
        "gravity = [0, 0, -{GRAVITY:?}]\n[time]\nend = {end:?}\nflight_step = {:?}\nsafety = 0.1\n{MATERIALS}{}{bodies}{}",
        if law.response == "decomposition" && law.restitution > 0.0 { 1e-4 } else { 1e-3 },
        law.keys(),
        base.keys()
    );
    let meshes = meshes.into_iter().chain(base.mesh()).collect();
    let label = format!("{label}, {base:?}, {law:?}");
    let deforms = bodies.contains("rubber") || base == Base::Soft;
    let surplus = match (law.response, deforms) {
        ("penalty", true) => 0.05,
        ("penalty", false) => 0.01,
        _ => 0.005,
    };
    Scene { label, text, meshes, symmetric: false, surplus, expected }
}

fn body(name: &str, mesh: &str, material: &str, keys: &str) -> String {
    format!("[[bodies]]\nname = \"{name}\"\nmesh = \"{mesh}\"\nmaterial = \"{material}\"\n{keys}")
}

/// A cube of 0.2 about the origin, of cells a side.
fn cube(cells: usize) -> (&'static str, String) {
    ("cube.msh", box_mesh([-0.1; 3], [0.1; 3], [cells; 3]))
}

/// The three ways a cube lands: how it is turned, and how far its lowest point is below its centre \[m\].
fn attitudes() -> [(&'static str, String, f64); 3] {
    let diagonal = (1.0_f64 / 3.0).sqrt().acos().to_degrees();
    [
        ("flat", String::new(), 0.1),
        ("on an edge", "rotate = { axis = [0, 1, 0], angle = 45 }\n".to_owned(), 0.1 * 2.0_f64.sqrt()),
        (
            "on a corner",
            // The diagonal in the plane y = 0: turned about z, then about y, as one turn.
            corner_rotation(diagonal),
            0.1 * 3.0_f64.sqrt(),
        ),
    ]
}

/// Turns a cube so that its diagonal is along z and its mirror plane is y = 0.
fn corner_rotation(tilt: f64) -> String {
    use ictus::math::Rotation;
    let about = |axis: Vec3, angle: f64| Rotation::from_scaled_axis(axis * angle);
    let turn = about(Vec3::y(), tilt.to_radians()) * about(Vec3::z(), std::f64::consts::FRAC_PI_4);
    let scaled = turn.scaled_axis();
    let (axis, angle) = (scaled.normalize(), scaled.norm().to_degrees());
    format!("rotate = {{ axis = [{:?}, {:?}, {:?}], angle = {angle:?} }}\n", axis.x, axis.y, axis.z)
}

/// Cubes that drop by 0.05 m flat, on an edge, on a corner.
fn drops(scenes: &mut Vec<Scene>) {
    let fall = 0.05;
    let speed = (2.0 * GRAVITY * fall).sqrt();
    let time = speed / GRAVITY;
    for law in Law::all() {
        for (how, rotate, below) in attitudes() {
            for base in [Base::Wall, Base::Mesh(1), Base::Mesh(3), Base::Mesh(10)] {
                let keys = format!("{rotate}translate = [0, 0, {:?}]\n", below + fall);
                let since = 0.06;
                let rebound =
                    Expected::Rebound { speed: law.restitution * speed, within: law.precision() * speed };
                let expected = if law.restitution > 0.0 { rebound } else { Expected::Invariants };
                let drop = scene(
                    format!("rigid cube drops {how}"),
                    law,
                    base,
                    time + since,
                    &body("cube", "cube.msh", "rigid", &keys),
                    vec![cube(1)],
                    expected,
                );
                scenes.push(Scene { symmetric: law.restitution > 0.0, ..drop });
            }
            for (material, base) in [("rubber", Base::Wall), ("rubber", Base::Mesh(3)), ("rigid", Base::Soft)]
            {
                if law.restitution == 0.5 || law.hops() {
                    continue;
                }
                let keys = format!("{rotate}translate = [0, 0, {:?}]\n", below + 0.001);
                let keys = format!("{keys}velocity = [0, 0, -1]\n");
                scenes.push(scene(
                    format!("{material} cube drops {how}"),
                    law,
                    base,
                    0.04,
                    &body("cube", "cube.msh", material, &keys),
                    vec![cube(2)],
                    Expected::Invariants,
                ));
            }
        }
    }
}

/// Laws under which bodies come to rest.
fn lossy_laws() -> impl Iterator<Item = Law> {
    Law::all().into_iter().filter(|law| law.restitution < 1.0)
}

/// A block that slides with 0.5 m/s over the seams of three level slabs, the last 1e-6 lower: v = v0 − μ g t.
fn slides(scenes: &mut Vec<Scene>) {
    for law in Law::all().into_iter().filter(|law| !law.hops()) {
        let (end, start) = (0.6, 0.5);
        let rigid_slabs: String = (0..3)
            .map(|k| {
                let keys = format!(
                    "translate = [{:?}, 0, {:?}]\ngravity = [0, 0, 0]\n",
                    0.3 * f64::from(k),
                    if k == 2 { -1e-6 } else { 0.0 }
                );
                body(&format!("slab{k}"), "slab.msh", "rigid", &keys)
                    + &format!("[[boundaries]]\nbody = \"slab{k}\"\nfix = [\"x\", \"y\", \"z\"]\n")
            })
            .collect();
        // It stops before the end where there is friction.
        let speed = f64::max(start - law.friction * GRAVITY * end, 0.0);
        let keys = "translate = [0.0123, 0, 0.1]\nvelocity = [0.5, 0, 0]\n";
        for (base, extra) in [(Base::Mesh(7), ""), (Base::Wall, ""), (Base::Mesh(1), rigid_slabs.as_str())] {
            let mut made = scene(
                format!("block slides{}", if extra.is_empty() { "" } else { " over seams" }),
                law,
                base,
                end,
                &(body("cube", "cube.msh", "rigid", keys) + extra),
                vec![cube(1), ("slab.msh", box_mesh([-0.15, -0.3, -0.1], [0.15, 0.3, 0.0], [1, 1, 1]))],
                Expected::Slides { speed, within: law.sliding() },
            );
            if !extra.is_empty() {
                // The slabs are the floor.
                made.text = made.text.replace(&base.keys(), "");
                made.meshes.retain(|(name, _)| *name != "floor.msh");
            }
            scenes.push(made);
        }
    }
}

/// Blocks that stand on an edge, tilted by less and by more than the angle at which they fall over.
fn tips(scenes: &mut Vec<Scene>) {
    for law in lossy_laws().filter(|law| law.friction > 0.0) {
        // A block of 0.2 × 0.2 × 0.4 falls over at atan(1/2) = 26.6°.
        for (angle, right) in [(20.0_f64, false), (33.0, true)] {
            for base in [Base::Wall, Base::Mesh(3)] {
                let (sine, cosine) = angle.to_radians().sin_cos();
                // The lower edge, at (0.1, −0.2) in the block, is at the origin.
                let (x, z) = (-(0.1 * cosine - 0.2 * sine), 0.1 * sine + 0.2 * cosine);
                let keys = format!(
                    "rotate = {{ axis = [0, 1, 0], angle = {angle:?} }}\ntranslate = [{x:?}, 0, {z:?}]\n"
                );
                let mesh = ("block.msh", box_mesh([-0.1, -0.1, -0.2], [0.1, 0.1, 0.2], [1, 1, 2]));
                scenes.push(scene(
                    format!("block tips from {angle}°"),
                    law,
                    base,
                    0.5,
                    &body("block", "block.msh", "rigid", &keys),
                    vec![mesh],
                    Expected::Falls { right },
                ));
            }
        }
    }
}

/// Three cubes on each other.
fn stacks(scenes: &mut Vec<Scene>) {
    for law in lossy_laws() {
        for (material, base) in [("rigid", Base::Wall), ("rigid", Base::Mesh(3)), ("rubber", Base::Mesh(1))] {
            let cells = if material == "rigid" { 1 } else { 2 };
            let bodies: String = (0..3)
                .rev()
                .map(|k| {
                    let keys = format!("translate = [0, 0, {:?}]\n", 0.1 + 0.2 * f64::from(k));
                    body(&format!("cube{k}"), "cube.msh", material, &keys)
                })
                .collect();
            let rests = Expected::Rests { height: 0.5, within: law.sinking() };
            let expected = if material == "rigid" { rests } else { Expected::Invariants };
            scenes.push(scene(
                format!("stack of {material} cubes"),
                law,
                base,
                0.3,
                &bodies,
                vec![cube(cells)],
                expected,
            ));
        }
    }
}

/// A cube on its edge in a groove of two planes at 45°, which holds it on both sides: it does not move to a side.
fn grooves(scenes: &mut Vec<Scene>) {
    for law in Law::all().into_iter().filter(|law| !law.hops()) {
        for material in ["rigid", "rubber"] {
            if material == "rubber" && law.restitution == 1.0 {
                continue;
            }
            let planes: String = [-1.0, 1.0]
                .map(|side| {
                    format!(
                        "[[walls]]\nname = \"side{side}\"\npoint = [0, 0, 0]\nnormal = [{:?}, 0, 1]\n",
                        -side
                    )
                })
                .concat();
            let keys = format!(
                "rotate = {{ axis = [0, 1, 0], angle = 45 }}\ntranslate = [0, 0, {:?}]\n",
                0.1 * 2.0_f64.sqrt() + 0.005
            );
            let mut made = scene(
                format!("{material} wedge in a groove"),
                law,
                Base::Wall,
                0.12,
                &body("cube", "cube.msh", material, &keys),
                vec![cube(1)],
                Expected::Slides { speed: 0.0, within: 0.01 },
            );
            made.text = made.text.replace(&Base::Wall.keys(), &planes);
            scenes.push(made);
        }
    }
}

/// Cubes that bounce to rest.
fn bounces(scenes: &mut Vec<Scene>) {
    for law in lossy_laws() {
        for base in [Base::Wall, Base::Mesh(4)] {
            scenes.push(scene(
                "cube bounces to rest".to_owned(),
                law,
                base,
                0.6,
                &body("cube", "cube.msh", "rigid", "translate = [0, 0, 0.12]\n"),
                vec![cube(1)],
                Expected::Rests { height: 0.1, within: law.sinking() },
            ));
        }
    }
}

/// Cubes that tumble along.
fn rolls(scenes: &mut Vec<Scene>) {
    for law in Law::all() {
        for base in [Base::Wall, Base::Mesh(5)] {
            let keys = "translate = [-0.4, 0, 0.1]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 10, 0]\n";
            scenes.push(scene(
                "cube rolls".to_owned(),
                law,
                base,
                0.3,
                &body("cube", "cube.msh", "rigid", keys),
                vec![cube(1)],
                Expected::Invariants,
            ));
        }
    }
}

fn faults_of(scenes: &[Scene]) -> Vec<String> {
    scenes.par_iter().flat_map_iter(Scene::faults).collect()
}

/// All scenes: at least 300.
#[test]
fn everyday_scenes_hold() {
    let mut scenes = Vec::new();
    for add in [drops, slides, tips, stacks, grooves, bounces, rolls] {
        add(&mut scenes);
    }
    assert!(scenes.len() >= 300, "{}", scenes.len());
    let faults = faults_of(&scenes);
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), scenes.len(), faults.join("\n"));
}
