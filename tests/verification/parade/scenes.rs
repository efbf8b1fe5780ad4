//! The scenes of the parade.

use ictus::math::{Rotation, Vec3};

use super::{Expected, GRAVITY, Scene};
use crate::model::{RESPONSES, box_mesh};

/// All scenes.
pub fn all() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for add in [drops, slides, tips, stacks, grooves, bounces, rolls] {
        add(&mut scenes);
    }
    scenes
}

/// A base under the bodies, with its top at z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    Wall,
    /// A fixed rigid mesh of the given number of cells a side.
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

/// Contact law of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub response: &'static str,
    pub friction: f64,
    pub restitution: f64,
}

impl Law {
    /// Laws of every response, with and without friction, with the coefficients of restitution that each supports.
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

    /// Keys of `[contact]`.
    pub fn keys(self) -> String {
        let Self { response, friction, restitution } = self;
        format!("response = \"{response}\"\nfriction = {friction:?}\nrestitution = {restitution:?}\n")
    }

    /// Longest step \[s\]. The step is short with impulses and restitution, because rebound velocities include the
    /// velocity that gravity adds in a step.
    fn longest_step(self) -> f64 {
        if self.response == "decomposition" && self.restitution > 0.0 { 1e-4 } else { 1e-3 }
    }

    /// Largest penetration of bodies at rest \[m\]. With impulses, a multiple of g dt² for steps dt of 1 ms; on
    /// springs, a multiple of g/ω² with ω dt = 0.3.
    fn sinking(self) -> f64 {
        if self.response == "decomposition" { 1e-4 } else { 6e-3 }
    }

    /// Tolerance of the velocity of a sliding block \[m/s\]. On springs the block makes small hops, and its face tilts
    /// against the nodes of the floor.
    fn sliding(self) -> f64 {
        match (self.response, self.friction > 0.0) {
            (_, true) => 0.02,
            ("decomposition", false) => 1e-9,
            _ => 1e-3,
        }
    }

    /// Tolerance of rebound speeds, relative to the speed before the impact.
    fn precision(self) -> f64 {
        // With impulses, velocities at an impact are mid-step velocities; with springs, gravity acts during the
        // compression.
        if self.response == "decomposition" { 2e-3 } else { 0.03 }
    }
}

/// Material of the moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Material {
    Rigid,
    Rubber,
}

impl Material {
    fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Rubber => "rubber",
        }
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
        "gravity = [0, 0, -{GRAVITY:?}]\n[time]\nend = {end:?}\nflight_step = {:?}\nsafety = 0.1\n{MATERIALS}[contact]\n{}{bodies}{}",
        law.longest_step(),
        law.keys(),
        base.keys()
    );
    let meshes = meshes.into_iter().chain(base.mesh()).map(|(name, mesh)| (name.to_owned(), mesh)).collect();
    let label = format!("{label}, {base:?}, {law:?}");
    let surplus = surplus(law.response);
    Scene { label, text, meshes, symmetric: true, surplus, expected }
}

/// Largest energy that contact of a response may create, relative to the energy scale.
pub fn surplus(response: &str) -> f64 {
    if response == "penalty" { 0.01 } else { 0.005 }
}

fn body(name: &str, mesh: &str, material: &str, keys: &str) -> String {
    format!("[[bodies]]\nname = \"{name}\"\nmesh = \"{mesh}\"\nmaterial = \"{material}\"\n{keys}")
}

/// A cube of edge 0.2 about the origin, with this number of cells per side.
fn cube(cells: usize) -> (&'static str, String) {
    ("cube.msh", box_mesh([-0.1; 3], [0.1; 3], [cells; 3]))
}

/// The three attitudes of a falling cube: name, rotation, and height \[m\] of the centre of the cube above the lowest
/// point.
fn attitudes() -> [(&'static str, String, f64); 3] {
    let diagonal = (1.0_f64 / 3.0).sqrt().acos().to_degrees();
    [
        ("flat", String::new(), 0.1),
        ("on an edge", "rotate = { axis = [0, 1, 0], angle = 45 }\n".to_owned(), 0.1 * 2.0_f64.sqrt()),
        (
            "on a corner",
            // The diagonal lies in the plane y = 0: a rotation about z, followed by one about y.
            corner_rotation(diagonal),
            0.1 * 3.0_f64.sqrt(),
        ),
    ]
}

/// Key that rotates a cube so that its diagonal is along z and y = 0 is a mirror plane.
fn corner_rotation(tilt: f64) -> String {
    let about = |axis: Vec3, angle: f64| Rotation::from_scaled_axis(axis * angle);
    let turn = about(Vec3::y(), tilt.to_radians()) * about(Vec3::z(), std::f64::consts::FRAC_PI_4);
    let scaled = turn.scaled_axis();
    let (axis, angle) = (scaled.normalize(), scaled.norm().to_degrees());
    format!("rotate = {{ axis = [{:?}, {:?}, {:?}], angle = {angle:?} }}\n", axis.x, axis.y, axis.z)
}

/// Cubes that fall by 0.05 m onto a face, an edge or a corner.
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
                scenes.push(scene(
                    format!("rigid cube drops {how}"),
                    law,
                    base,
                    time + since,
                    &body("cube", "cube.msh", "rigid", &keys),
                    vec![cube(1)],
                    expected,
                ));
            }
            for (material, base) in [
                (Material::Rubber, Base::Wall),
                (Material::Rubber, Base::Mesh(3)),
                (Material::Rigid, Base::Soft),
            ] {
                if law.restitution == 0.5 {
                    continue;
                }
                let keys = format!("{rotate}translate = [0, 0, {:?}]\n", below + 0.001);
                let keys = format!("{keys}velocity = [0, 0, -1]\n");
                scenes.push(scene(
                    format!("{} cube drops {how}", material.name()),
                    law,
                    base,
                    0.04,
                    &body("cube", "cube.msh", material.name(), &keys),
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

/// A block that slides from 0.5 m/s, with v = v0 − μ g t, on a mesh, on a wall, and over the seams of three slabs. The
/// first two slabs are level, the third is 1e-6 m lower.
fn slides(scenes: &mut Vec<Scene>) {
    for law in Law::all() {
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
        // With friction the block stops before the end.
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
                // The slabs replace the floor.
                made.text = made.text.replace(&base.keys(), "");
                made.meshes.retain(|(name, _)| name != "floor.msh");
            }
            scenes.push(made);
        }
    }
}

/// Blocks on an edge, tilted by less and by more than the angle at which they fall over.
fn tips(scenes: &mut Vec<Scene>) {
    for law in lossy_laws().filter(|law| law.friction > 0.0) {
        // A block of 0.2 × 0.2 × 0.4 falls over at atan(1/2) = 26.6°.
        for (angle, right) in [(20.0_f64, false), (33.0, true)] {
            for base in [Base::Wall, Base::Mesh(3)] {
                let (sine, cosine) = angle.to_radians().sin_cos();
                // The lower edge, with the coordinates (0.1, −0.2) in the block, is placed at the origin.
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
        for (material, base) in [
            (Material::Rigid, Base::Wall),
            (Material::Rigid, Base::Mesh(3)),
            (Material::Rubber, Base::Mesh(1)),
        ] {
            let cells = if material == Material::Rigid { 1 } else { 2 };
            let bodies: String = (0..3)
                .rev()
                .map(|k| {
                    let keys = format!("translate = [0, 0, {:?}]\n", 0.1 + 0.2 * f64::from(k));
                    body(&format!("cube{k}"), "cube.msh", material.name(), &keys)
                })
                .collect();
            let rests = Expected::Rests { height: 0.5, within: law.sinking() };
            let expected = if material == Material::Rigid { rests } else { Expected::Invariants };
            let mut made = scene(
                format!("stack of {} cubes", material.name()),
                law,
                base,
                0.3,
                &bodies,
                vec![cube(cells)],
                expected,
            );
            if law.response == "decomposition" {
                // With impulses, cubes at rest have the velocity of half a kick of gravity. Contact does not create the
                // energy of this velocity. A short step makes this energy negligible.
                made.text = made.text.replace("flight_step = 0.001", "flight_step = 0.0001");
            }
            scenes.push(made);
        }
    }
}

/// A cube with an edge down in a groove of two planes at 45°. The planes support the cube on both sides. The cube does
/// not move sideways.
fn grooves(scenes: &mut Vec<Scene>) {
    for law in Law::all() {
        for material in [Material::Rigid, Material::Rubber] {
            if material == Material::Rubber && law.restitution == 1.0 {
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
                format!("{} wedge in a groove", material.name()),
                law,
                Base::Wall,
                0.12,
                &body("cube", "cube.msh", material.name(), &keys),
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

/// Cubes that tumble along the base.
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
