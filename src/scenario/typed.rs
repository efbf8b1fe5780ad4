//! The scenario as the program understands it: every default filled in, every name resolved, every number
//! checked. Nothing is read from disk here but the scenario itself.

use std::path::PathBuf;

use super::{ContactSettings, Located, ProbeSpec, Problem};
use crate::math::{TimeFunction, Vec3};

/// A validated scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file it was read from.
    pub path: PathBuf,
    /// The text of that file with `--set` overrides applied, which spans refer to.
    pub source: String,
    /// File stem; names the output files.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Acceleration of every body that does not override it \[m/s²\].
    pub gravity: Vec3,
    /// Duration and steps.
    pub time: TimeSettings,
    /// Materials by name, in file order.
    pub materials: Vec<MaterialSpec>,
    /// Bodies, in file order.
    pub bodies: Vec<BodySpec>,
    /// Rigid walls, in file order; numbered after the bodies where a number stands for either.
    pub walls: Vec<WallSpec>,
    /// Supports and prescribed motion.
    pub boundaries: Vec<BoundarySpec>,
    /// Loads.
    pub loads: Vec<LoadSpec>,
    /// How contact is found and answered.
    pub contact: ContactSettings,
    /// What is measured.
    pub probes: Vec<ProbeSpec>,
    /// What is written.
    pub output: OutputSettings,
    /// What is allowed but likely not meant.
    pub warnings: Vec<Problem>,
}

/// Duration and step sizes.
#[derive(Clone, Debug)]
pub struct TimeSettings {
    /// The run ends here; it starts at 0 \[s\].
    pub end: f64,
    /// Size of a step while a body is loaded or touched.
    pub step: StepSize,
    /// Fraction of the critical step that `auto` takes \[-\], in (0, 1].
    pub safety: f64,
    /// Largest step while every body flies free \[s\].
    pub flight_step: f64,
    /// Imbalance of the energy, over its peak so far, past which the run stops \[-\].
    pub energy_tolerance: f64,
}

/// How the step size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSize {
    /// `safety` times the critical step.
    Auto,
    /// A fixed size \[s\].
    Fixed(f64),
}

/// A named material.
#[derive(Clone, Debug)]
pub struct MaterialSpec {
    /// Name, the key of its table.
    pub name: String,
    /// Mass per reference volume \[kg/m³\]; `None` only for rigid materials of bodies that give their mass.
    pub density: Option<f64>,
    /// The law and its constants.
    pub model: MaterialModel,
}

/// Constitutive laws a scenario can name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaterialModel {
    /// Small-strain isotropic elasticity.
    LinearElastic(Elasticity),
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff(Elasticity),
    /// Compressible neo-Hookean.
    NeoHookean(Elasticity),
    /// No deformation.
    Rigid,
}

/// Isotropic elastic constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio \[-\], in (−1, 1/2).
    pub poisson: f64,
}

/// A body: a part of a mesh, its material and its initial motion.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Unique name.
    pub name: String,
    /// Mesh file, resolved against the scenario's folder.
    pub mesh: Located<PathBuf>,
    /// Physical groups whose cells make the body; empty for the whole mesh.
    pub region: Vec<Located<String>>,
    /// Index into [`Scenario::materials`].
    pub material: usize,
    /// Factor on the coordinates of the mesh, applied first \[-\].
    pub scale: f64,
    /// Rotation about the origin, applied after `scale`: unit axis and angle \[rad\].
    pub rotate: Option<(Vec3, f64)>,
    /// Translation, applied last \[m\].
    pub translate: Vec3,
    /// Velocity of the centre of mass at t = 0 \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity about the centre of mass at t = 0 \[rad/s\].
    pub angular_velocity: Vec3,
    /// Acceleration that acts on this body \[m/s²\] (the scenario's, or the body's own).
    pub gravity: Vec3,
    /// What of the body can touch.
    pub contact: ContactSurface,
    /// Whether it can also touch itself.
    pub self_contact: bool,
    /// Thickness of its surface: contact begins half of it away from the faces \[m\].
    pub contact_thickness: f64,
    /// How its eight-node hexahedra are integrated.
    pub hex: Located<HexIntegration>,
    /// Mass properties of a rigid body that its mesh does not give.
    pub rigid: RigidMass,
}

/// How eight-node hexahedra are integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HexIntegration {
    /// At eight points, with mean dilatation.
    #[default]
    MeanDilatation,
    /// At one point, with hourglass control.
    OnePoint,
}

/// A rigid wall: an infinite plane with material behind it.
#[derive(Clone, Debug)]
pub struct WallSpec {
    /// Unique name, also among bodies.
    pub name: String,
    /// A point of the plane at t = 0 \[m\].
    pub point: Vec3,
    /// Unit normal out of the material.
    pub normal: Vec3,
    /// How it moves.
    pub motion: WallMotion,
}

/// How a wall moves, always without turning.
#[derive(Clone, Debug)]
pub enum WallMotion {
    /// It stands.
    Fixed,
    /// With this velocity \[m/s\].
    Driven([TimeFunction; 3]),
    /// Along its normal, as forces drive it.
    Free {
        /// Mass \[kg\].
        mass: f64,
        /// Velocity along the normal at t = 0 \[m/s\].
        velocity: f64,
        /// Acceleration along the normal that acts on it \[m/s²\].
        gravity: f64,
    },
}

/// Where the mass of a rigid body comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RigidMass {
    /// From volume elements and density.
    #[default]
    Volume,
    /// A surface mesh of this thickness \[m\], with density.
    Shell(f64),
    /// Given: mass \[kg\] and inertia about the centre of mass (xx, yy, zz, xy, yz, xz) \[kg·m²\];
    /// the centre of mass is the centroid of the mesh.
    Given(f64, [f64; 6]),
}

/// What of a body can touch.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactSurface {
    /// All outer faces.
    Skin,
    /// The faces of these physical groups.
    Groups(Vec<Located<String>>),
    /// Nothing.
    None,
}

/// Coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

/// A support or prescribed motion of the nodes of a group.
#[derive(Clone, Debug)]
pub struct BoundarySpec {
    /// Index into [`Scenario::bodies`].
    pub body: usize,
    /// Physical group; `None` for every node of the body.
    pub group: Option<Located<String>>,
    /// Prescribed components.
    pub components: Vec<Located<(Axis, PrescribedMotion)>>,
}

/// What is prescribed of one component of the motion of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum PrescribedMotion {
    /// It stays where it is.
    Fixed,
    /// Displacement from the initial position \[m\].
    Displacement(TimeFunction),
    /// Velocity \[m/s\].
    Velocity(TimeFunction),
    /// Acceleration \[m/s²\].
    Acceleration(TimeFunction),
    /// That of a rotation, which prescribes all three components alike.
    Rotation(PrescribedRotation),
}

/// A rotation about an axis that stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PrescribedRotation {
    /// Unit vector; right-handed.
    pub axis: Vec3,
    /// A point of the axis \[m\].
    pub point: Vec3,
    /// How far, or how fast.
    pub turn: Turn,
}

/// What is prescribed of a rotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Angle from the initial position \[rad\].
    Angle(TimeFunction),
    /// Angular velocity \[rad/s\].
    Speed(TimeFunction),
}

/// A load on a group of a body.
#[derive(Clone, Debug)]
pub struct LoadSpec {
    /// Index into [`Scenario::bodies`].
    pub body: usize,
    /// Physical group of faces (pressure, traction) or cells (body force); `None` for the whole skin or body.
    pub group: Option<Located<String>>,
    /// What acts.
    pub kind: LoadKind,
}

/// What a load does.
#[derive(Clone, Debug)]
pub enum LoadKind {
    /// Against the outward normal of the deformed face \[Pa\].
    Pressure(TimeFunction),
    /// Force per reference area, fixed in direction \[Pa\].
    Traction([TimeFunction; 3]),
    /// Force per reference volume \[N/m³\].
    BodyForce([TimeFunction; 3]),
}

/// What is written.
#[derive(Clone, Debug)]
pub struct OutputSettings {
    /// Directory, relative to the working directory.
    pub directory: PathBuf,
    /// When frames are written; the first and the last instant always are.
    pub frames: FrameSchedule,
    /// Whether steps end where frames and rows of the history are due.
    pub exact: bool,
    /// Largest time between frames from the first contact on \[s\]; `None`: as before it.
    pub contact_interval: Option<f64>,
    /// Fields in the frames.
    pub fields: Vec<Field>,
    /// Whether the bounding volumes that detection looks at next are written with each frame.
    pub detection_volumes: bool,
    /// Time between rows of the history \[s\]; 0: every step.
    pub history_interval: f64,
}

/// When frames are written.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameSchedule {
    /// This many, evenly spaced, after the initial one.
    Count(usize),
    /// Every so often \[s\].
    Interval(f64),
    /// At these instants, ascending \[s\].
    Times(Vec<f64>),
}

/// Fields a frame can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Displacement \[m\].
    Displacement,
    /// Velocity \[m/s\].
    Velocity,
    /// Acceleration \[m/s²\].
    Acceleration,
    /// Cauchy stress \[Pa\].
    Stress,
    /// Von Mises stress \[Pa\].
    VonMises,
    /// Contact force \[N\].
    ContactForce,
    /// Part of friction in it \[N\].
    FrictionForce,
    /// Contact force against the surface over its area \[Pa\].
    ContactPressure,
    /// Gap of contact \[m\].
    ContactGap,
    /// Whether a node touches, and slides.
    ContactStatus,
}
