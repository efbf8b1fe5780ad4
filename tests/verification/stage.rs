//! Scenes as data. A scene can run at any position and size, in any units, and with its bodies in any order.

use std::fmt::Write;

use ictus::math::{Rotation, Vec3};
use ictus::simulation::Simulation;

use crate::model::{from_text, run};
use crate::renumbered::renumbered;

/// Density of all bodies \[kg/m³\].
pub const DENSITY: f64 = 1000.0;

/// A scene in its own axes and in SI units.
#[derive(Clone, Debug)]
pub struct Stage {
    pub gravity: Vec3,
    /// End of the run \[s\].
    pub end: f64,
    /// Fixed step \[s\]; `None` for the automatic step.
    pub step: Option<f64>,
    pub flight_step: f64,
    pub safety: f64,
    /// Keys of the contact table, all dimensionless.
    pub contact: String,
    pub actors: Vec<Actor>,
    pub walls: Vec<Plane>,
}

/// A body of a stage.
#[derive(Clone, Debug)]
pub struct Actor {
    pub mesh: String,
    pub material: Material,
    /// Rotation about the origin of the mesh.
    pub turn: Rotation,
    /// Position of the origin of the mesh \[m\].
    pub at: Vec3,
    pub velocity: Vec3,
    pub spin: Vec3,
    pub held: Held,
    /// Thickness of a sheet \[m\].
    pub thickness: Option<f64>,
    /// Contact thickness \[m\].
    pub contact_thickness: Option<f64>,
    /// Mass \[kg\] and inertia \[kg·m²\] that replace the values from the mesh.
    pub inertia: Option<(f64, [f64; 3])>,
}

/// Material of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    Rigid,
    /// Neo-Hookean.
    Rubber {
        young: f64,
        poisson: f64,
    },
}

/// Supported nodes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    Nothing,
    All,
    /// The groups "x0" and "x1".
    Ends,
}

/// A wall of a stage.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub point: Vec3,
    pub normal: Vec3,
}

impl Plane {
    /// The plane z = 0, bodies above.
    pub fn floor() -> Self {
        Self { point: Vec3::zeros(), normal: Vec3::z() }
    }
}

impl Actor {
    /// A rigid body that is free and at rest.
    pub fn new(mesh: String) -> Self {
        Self {
            mesh,
            material: Material::Rigid,
            turn: Rotation::identity(),
            at: Vec3::zeros(),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            held: Held::Nothing,
            thickness: None,
            contact_thickness: None,
            inertia: None,
        }
    }

    /// A fixed rigid body.
    pub fn fixed(mesh: String) -> Self {
        Self { held: Held::All, ..Self::new(mesh) }
    }
}

impl Stage {
    /// A stage without gravity and walls, with short flight steps.
    pub fn new(end: f64, contact: String, actors: Vec<Actor>) -> Self {
        let gravity = Vec3::zeros();
        Self { gravity, end, step: None, flight_step: 1e-3, safety: 0.8, contact, actors, walls: Vec::new() }
    }

    /// The stage with gravity along −z.
    pub fn heavy(self) -> Self {
        Self { gravity: Vec3::new(0.0, 0.0, -9.81), ..self }
    }

    pub fn on_wall(mut self) -> Self {
        self.walls.push(Plane::floor());
        self
    }

    pub fn with_step(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }
}

/// Position, units and order in which a stage runs.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Rotation about the origin, after the shift.
    pub turn: Rotation,
    /// Translation, in the units and axes of the stage.
    pub shift: Vec3,
    /// Unit of length of the stage, in units of the scenario.
    pub length: f64,
    /// Unit of time of the stage, in units of the scenario.
    pub time: f64,
    /// Unit of mass of the stage, in units of the scenario.
    pub mass: f64,
    /// Whether nodes and elements are renumbered.
    pub renumbered: bool,
    /// Whether bodies have other names and another order.
    pub reordered: bool,
}

impl Placement {
    /// No change of position, units or order.
    pub fn plain() -> Self {
        Self {
            turn: Rotation::identity(),
            shift: Vec3::zeros(),
            length: 1.0,
            time: 1.0,
            mass: 1.0,
            renumbered: false,
            reordered: false,
        }
    }

    /// Rotated about an axis that no scene is aligned with.
    pub fn turned() -> Self {
        Self { turn: Rotation::from_scaled_axis(Vec3::new(0.7, -1.1, 0.45)), ..Self::plain() }
    }

    pub fn far_off(distance: f64) -> Self {
        Self { shift: Vec3::new(0.61, -0.54, 0.58) * distance, ..Self::plain() }
    }

    /// In millimetres, tonnes and seconds.
    pub fn in_millimetres() -> Self {
        Self { length: 1e3, mass: 1e-3, ..Self::plain() }
    }

    /// Scaled by `factor` at equal density and gravity (Froude scaling): times scale with the square root of lengths,
    /// moduli with lengths.
    pub fn as_large(factor: f64) -> Self {
        Self { length: factor, time: factor.sqrt(), mass: factor.powi(3), ..Self::plain() }
    }

    fn place(&self, position: Vec3) -> String {
        in_brackets(self.turn * (position + self.shift) * self.length)
    }

    /// A vector of the stage in the axes and units of the scenario; `dimension` contains the exponents of length, mass
    /// and time.
    fn direct(&self, vector: Vec3, dimension: [i32; 3]) -> String {
        in_brackets(self.turn * vector * self.unit(dimension))
    }

    /// The unit length^a mass^b time^c of the stage, in units of the scenario.
    fn unit(&self, [length, mass, time]: [i32; 3]) -> f64 {
        self.length.powi(length) * self.mass.powi(mass) * self.time.powi(time)
    }
}

const VELOCITY: [i32; 3] = [1, 0, -1];
const MOMENTUM: [i32; 3] = [1, 1, -1];
const ANGULAR_MOMENTUM: [i32; 3] = [2, 1, -1];

pub fn in_brackets(vector: Vec3) -> String {
    format!("[{:?}, {:?}, {:?}]", vector.x, vector.y, vector.z)
}

/// The simulation of a stage in a placement.
pub struct Placed {
    pub simulation: Simulation,
    placement: Placement,
    /// Index in the simulation of each body of the stage.
    order: Vec<usize>,
}

/// Motion of a body, in the units and axes of the stage.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    pub centre: Vec3,
    pub velocity: Vec3,
    pub momentum: Vec3,
    /// Angular momentum about its centre \[kg·m²/s\].
    pub spin: Vec3,
}

impl Stage {
    pub fn placed(&self, placement: Placement) -> Placed {
        let (text, meshes) = self.scenario(placement);
        let meshes: Vec<(&str, String)> =
            meshes.iter().map(|(name, mesh)| (name.as_str(), mesh.clone())).collect();
        Placed { simulation: from_text(&text, &meshes), placement, order: self.order(placement) }
    }

    /// Index of each body in the scenario; this permutation is its own inverse.
    fn order(&self, placement: Placement) -> Vec<usize> {
        let count = self.actors.len();
        (0..count).map(|k| if placement.reordered { count - 1 - k } else { k }).collect()
    }

    /// Text of the scenario, and names and contents of its meshes.
    pub fn scenario(&self, placement: Placement) -> (String, Vec<(String, String)>) {
        let mut text = self.head(&placement);
        let mut meshes = Vec::new();
        for (place, k) in self.order(placement).into_iter().enumerate() {
            let name = if placement.reordered { format!("a{place}") } else { format!("body{k}") };
            let actor = &self.actors[k];
            actor.write(&name, &placement, &mut text);
            let mesh = if placement.renumbered { renumbered(&actor.mesh) } else { actor.mesh.clone() };
            meshes.push((format!("{name}.msh"), mesh));
        }
        for (k, wall) in self.walls.iter().enumerate() {
            let (point, normal) = (placement.place(wall.point), placement.direct(wall.normal, [0, 0, 0]));
            writeln!(text, "[[walls]]\nname = \"wall{k}\"\npoint = {point}\nnormal = {normal}").unwrap();
        }
        (text, meshes)
    }

    /// Sets up the simulation in the plain placement.
    pub fn plain(&self) -> Placed {
        self.placed(Placement::plain())
    }

    fn head(&self, placement: &Placement) -> String {
        let second = placement.time;
        let step = self.step.map_or_else(String::new, |step| format!("step = {:?}\n", step * second));
        format!(
            "gravity = {}\n[time]\nend = {:?}\nflight_step = {:?}\nsafety = {:?}\n{step}[contact]\n{}",
            placement.direct(self.gravity, [1, 0, -2]),
            self.end * second,
            self.flight_step * second,
            self.safety,
            self.contact
        )
    }
}

impl Actor {
    /// Writes the tables of the body, of its material and of its supports.
    fn write(&self, name: &str, placement: &Placement, text: &mut String) {
        let density = DENSITY * placement.unit([-3, 1, 0]);
        let law = match self.material {
            Material::Rigid => "model = \"rigid\"\n".to_owned(),
            Material::Rubber { young, poisson } => {
                let young = young * placement.unit([-1, 1, -2]);
                format!("model = \"neo-hookean\"\nyoung = {young:?}\npoisson = {poisson:?}\n")
            }
        };
        write!(
            text,
            "[materials.of_{name}]\n{law}density = {density:?}\n[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\n\
             material = \"of_{name}\"\nscale = {:?}\ntranslate = {}\n{}",
            placement.length,
            placement.place(self.at),
            rotate(placement.turn * self.turn)
        )
        .unwrap();
        for (key, thickness) in [("thickness", self.thickness), ("contact_thickness", self.contact_thickness)]
        {
            if let Some(thickness) = thickness {
                writeln!(text, "{key} = {:?}", thickness * placement.length).unwrap();
            }
        }
        if let Some((mass, inertia)) = self.inertia {
            let inertia = inertia.map(|moment| moment * placement.unit([2, 1, 0]));
            writeln!(text, "mass = {:?}\ninertia = {inertia:?}", mass * placement.mass).unwrap();
        }
        let fixed: &[&str] = match self.held {
            Held::Nothing => {
                let velocity = placement.direct(self.velocity, VELOCITY);
                let spin = placement.direct(self.spin, [0, 0, -1]);
                writeln!(text, "velocity = {velocity}\nangular_velocity = {spin}").unwrap();
                return;
            }
            Held::All => &[""],
            Held::Ends => &["group = \"x0\"\n", "group = \"x1\"\n"],
        };
        writeln!(text, "gravity = [0, 0, 0]").unwrap();
        for group in fixed {
            writeln!(text, "[[boundaries]]\nbody = \"{name}\"\n{group}fix = [\"x\", \"y\", \"z\"]").unwrap();
        }
    }
}

/// The key that rotates a body; empty for no rotation.
pub fn rotate(turn: Rotation) -> String {
    turn.axis().map_or_else(String::new, |axis| {
        let (axis, angle) = (in_brackets(axis.into_inner()), turn.angle().to_degrees());
        format!("rotate = {{ axis = {axis}, angle = {angle:?} }}\n")
    })
}

impl Placed {
    pub fn run(&mut self) {
        run(&mut self.simulation, |_| {});
    }

    /// Runs to the end and calls `observe` after every step.
    ///
    /// # Errors
    /// The failure that stops the run, with its time.
    pub fn follow(&mut self, mut observe: impl FnMut(&Self)) -> Result<(), String> {
        while !self.simulation.is_finished() {
            self.simulation
                .advance(f64::INFINITY)
                .map_err(|failure| format!("stops at {} s of its own: {failure}", self.time()))?;
            observe(self);
        }
        Ok(())
    }

    pub fn motion(&self, actor: usize) -> Motion {
        let body = self.order[actor];
        let balance = &self.simulation.balances()[body];
        let back =
            |vector: Vec3, dimension| self.placement.turn.inverse() * vector / self.placement.unit(dimension);
        let mass = self.simulation.model().bodies[body].mass;
        let linear = balance.momentum.linear;
        Motion {
            centre: self.back(balance.centre),
            velocity: back(linear / mass, VELOCITY),
            momentum: back(linear, MOMENTUM),
            spin: back(balance.momentum.angular - balance.centre.cross(&linear), ANGULAR_MOMENTUM),
        }
    }

    /// Time in the unit of the stage \[s\].
    pub fn time(&self) -> f64 {
        self.simulation.state().time / self.placement.time
    }

    /// Time of the first contact, in the unit of the stage \[s\].
    pub fn first_contact(&self) -> Option<f64> {
        self.simulation.first_contacts().first().map(|contact| contact.time / self.placement.time)
    }

    /// Initial and current positions of the nodes of a body, in the axes and units of the stage \[m\].
    pub fn nodes(&self, actor: usize) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        let nodes = self.simulation.model().bodies[self.order[actor]].nodes.clone();
        let (before, now) =
            (&self.simulation.model().reference_positions, &self.simulation.state().positions);
        nodes.map(|node| (self.back(before[node]), self.back(now[node])))
    }

    fn back(&self, position: Vec3) -> Vec3 {
        self.placement.turn.inverse() * position / self.placement.length - self.placement.shift
    }
}
