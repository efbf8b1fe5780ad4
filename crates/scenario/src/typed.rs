//! The validated scenario, with defaults filled in. Physical groups are not resolved, because the meshes have not been
//! read.

use std::path::PathBuf;

use ictus_core::vocabulary;
use serde::{Deserialize, Serialize};

use super::field::Field;
use super::parameters::Substitution;
use super::{ContactSettings, Located, ProbeSpec, Problem};
use crate::material::NamedLaw;
use crate::math::{TimeFunction, Vec3};
use crate::units::UnitSystem;

/// A validated scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Path of the scenario file.
    pub path: PathBuf,
    /// Text of the file with overrides and parameters applied. Spans of [`Located`] values refer to this text.
    pub source: String,
    /// Text of the file as read, before overrides and parameters are applied.
    pub file_text: String,
    pub(super) substitution: Substitution,
    /// Name of the file without its extension, the prefix of the frame files.
    pub name: String,
    /// Title of reports.
    pub title: String,
    /// System of units of all numbers, if given.
    pub units: Option<UnitSystem>,
    /// Gravitational acceleration of the bodies that do not set their own \[m/s²\]. Zero if it varies in time
    /// ([`BodySpec::varying_gravity`]).
    pub gravity: Vec3,
    /// Duration and steps.
    pub time: TimeSettings,
    /// Dynamic relaxation before the run, if requested.
    pub dynamic_relaxation: Option<DynamicRelaxation>,
    /// Materials, in file order.
    pub materials: Vec<MaterialSpec>,
    /// Bodies, in file order.
    pub bodies: Vec<BodySpec>,
    /// Rigid walls, in file order. Indices that can mean a body or a wall count the bodies first, then the walls.
    pub walls: Vec<WallSpec>,
    /// Initial velocities of groups of nodes, in file order. Of the entries that contain a node, the last one applies.
    pub velocities: Vec<VelocitySpec>,
    /// Supports and prescribed motion.
    pub boundaries: Vec<BoundarySpec>,
    /// Loads.
    pub loads: Vec<LoadSpec>,
    /// Contact settings.
    pub contact: ContactSettings,
    /// Probes.
    pub probes: Vec<ProbeSpec>,
    /// Output settings.
    pub output: OutputSettings,
    /// Problems of settings that are valid but probably unintended.
    pub warnings: Vec<Problem>,
}

impl Scenario {
    /// The only system of units in which the densities and wave speeds of all materials are those of solids. `None` if
    /// several systems or none fit, if this system is neither SI nor mm-t-s, or if the scenario names its system.
    /// Materials without a density do not count.
    pub fn inferred_units(&self) -> Option<UnitSystem> {
        let of = |material: &MaterialSpec| Some((material.density?, material.wave_speed()));
        let solids: Vec<_> = self.materials.iter().filter_map(of).collect();
        UnitSystem::of_solids(&solids).filter(|_| self.units.is_none())
    }

    /// System of units of all numbers, named or inferred; SI if it is unknown.
    pub fn likely_units(&self) -> UnitSystem {
        self.units.or_else(|| self.inferred_units()).unwrap_or(UnitSystem::SI)
    }
}

/// End time and step sizes.
#[derive(Clone, Debug)]
pub struct TimeSettings {
    /// End time \[s\]. Runs start at t = 0.
    pub end: f64,
    /// Time step outside flight.
    pub step: StepSize,
    /// Ratio of the time step to the critical step for `StepSize::Auto` \[-\], in (0, 1].
    pub safety: f64,
    /// Largest step in flight \[s\].
    pub flight_step: f64,
    /// Energy imbalance beyond which the run stops, relative to the largest energy so far \[-\].
    pub energy_tolerance: f64,
}

/// Choice of the time step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepSize {
    /// `safety` times the critical step.
    Auto,
    /// A fixed size \[s\].
    Fixed(f64),
}

/// Dynamic relaxation before the run: time steps with local damping until the bodies are at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicRelaxation {
    /// Kinetic energy below which bodies are at rest, relative to its peak \[-\].
    pub tolerance: f64,
    /// Number of steps after which the run fails if the bodies are not at rest.
    pub max_steps: u64,
}

impl DynamicRelaxation {
    /// Smallest number of consecutive steps at rest that ends the relaxation. If half of all relaxation steps so far
    /// are more than this number, that half is required.
    pub const MIN_CALM_STEPS: u64 = 100;
}

/// A named material.
#[derive(Clone, Debug)]
pub struct MaterialSpec {
    /// `NAME` in the header `[materials.NAME]` of its table.
    pub name: String,
    /// Mass per reference volume \[kg/m³\]. `None` for a rigid material whose bodies give their mass.
    pub density: Option<f64>,
    /// The law and its constants.
    pub model: MaterialModel,
}

impl MaterialSpec {
    /// Speed √((λ + 2µ)/ρ) of longitudinal waves \[m/s\], with the Lamé constants λ and µ and the density ρ. `None` for
    /// a rigid material.
    pub fn wave_speed(&self) -> Option<f64> {
        let MaterialModel::Hyperelastic(_, Elasticity { young, poisson }) = self.model else { return None };
        let modulus = young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Some((modulus / self.density?).sqrt())
    }
}

/// Constitutive model of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaterialModel {
    /// A hyperelastic law and its constants.
    Hyperelastic(NamedLaw, Elasticity),
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

/// A body: part of a mesh, with material and initial motion.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Unique name.
    pub name: String,
    /// Path of the mesh file, joined to the folder of the scenario.
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
    /// Gravitational acceleration \[m/s²\]. Zero if it varies in time.
    pub gravity: Vec3,
    /// Gravitational acceleration as functions of time \[m/s²\]. `None` if constant.
    pub varying_gravity: Option<[TimeFunction; 3]>,
    /// Rate α(t) of the damping force −α M v \[1/s\], with the mass matrix M and the velocities v. `None` for zero.
    pub mass_damping: Option<TimeFunction>,
    /// Contact surface.
    pub contact: ContactSurface,
    /// Whether the body has self-contact.
    pub self_contact: bool,
    /// Thickness of the contact surface \[m\]. The offset surface lies half this thickness outside the faces.
    pub contact_thickness: f64,
    /// Integration of eight-node hexahedra.
    pub hex: Located<HexIntegration>,
    /// Source of the mass properties of a rigid body.
    pub rigid: RigidMass,
}

vocabulary! {
    /// Integration of eight-node hexahedra.
    #[derive(Default)]
    pub enum HexIntegration {
        /// At eight points, with mean dilatation.
        #[default]
        MeanDilatation = "mean-dilatation",
        /// At one point, with hourglass control.
        OnePoint = "one-point",
    }
}

/// A rigid wall: an infinite plane with material behind it.
#[derive(Clone, Debug)]
pub struct WallSpec {
    /// Name, unique among bodies and walls.
    pub name: String,
    /// A point of the plane at t = 0 \[m\].
    pub point: Vec3,
    /// Unit normal out of the material.
    pub normal: Vec3,
    /// Motion.
    pub motion: WallMotion,
}

/// Motion of a wall, always a translation.
#[derive(Clone, Debug)]
pub enum WallMotion {
    /// At rest.
    Fixed,
    /// Prescribed velocity \[m/s\].
    Driven([TimeFunction; 3]),
    /// Free along the normal, under contact forces and gravity.
    Free {
        /// Mass \[kg\].
        mass: f64,
        /// Velocity along the normal at t = 0 \[m/s\].
        velocity: f64,
        /// Gravitational acceleration along the normal \[m/s²\].
        gravity: f64,
    },
}

/// Source of the mass of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RigidMass {
    /// From volume elements and density.
    #[default]
    Volume,
    /// From the faces of a surface mesh, this thickness \[m\] and the density.
    Shell(f64),
    /// Prescribed mass \[kg\], evenly distributed over the mesh.
    Even(f64),
    /// Prescribed mass \[kg\] and inertia tensor about the centroid of the mesh, in the axes of the mesh before
    /// [`BodySpec::rotate`] (xx, yy, zz, xy, yz, xz) \[kg·m²\].
    Given(f64, [f64; 6]),
}

/// Contact surface of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactSurface {
    /// All outer faces.
    Skin,
    /// The faces of these physical groups.
    Groups(Vec<Located<String>>),
    /// No contact.
    None,
}

vocabulary! {
    /// Coordinate axis.
    pub enum Axis {
        /// First.
        X = "x",
        /// Second.
        Y = "y",
        /// Third.
        Z = "z",
    }
}

/// Initial velocity of a group of nodes of a deformable body, in place of the velocity of the body.
#[derive(Clone, Debug)]
pub struct VelocitySpec {
    /// Index into [`Scenario::bodies`].
    pub body: usize,
    /// Physical group; `None` for every node of the body.
    pub group: Option<Located<String>>,
    /// Velocity of the centre of mass of the nodes \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity about this centre of mass \[rad/s\].
    pub angular_velocity: Vec3,
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

/// Prescribed motion of one component.
#[derive(Clone, Debug, PartialEq)]
pub enum PrescribedMotion {
    /// Fixed at the initial position.
    Fixed,
    /// Displacement from the initial position \[m\].
    Displacement(TimeFunction),
    /// Velocity \[m/s\].
    Velocity(TimeFunction),
    /// Acceleration \[m/s²\].
    Acceleration(TimeFunction),
    /// Rotation about an axis. All three components then have this motion.
    Rotation(PrescribedRotation),
}

/// A rotation about a fixed axis.
#[derive(Clone, Debug, PartialEq)]
pub struct PrescribedRotation {
    /// Unit vector along the axis; the rotation is right-handed.
    pub axis: Vec3,
    /// A point of the axis \[m\].
    pub point: Vec3,
    /// Angle or angular velocity.
    pub turn: Turn,
}

/// Prescribed quantity of a rotation.
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
    /// Physical group of faces (pressure, traction) or cells (body force). `None` for the whole skin or body.
    pub group: Option<Located<String>>,
    /// Type and value.
    pub kind: LoadKind,
}

/// Types of loads.
#[derive(Clone, Debug)]
pub enum LoadKind {
    /// Pressure against the outward normal of the deformed face \[Pa\].
    Pressure(TimeFunction),
    /// Force per reference area, of fixed direction \[Pa\].
    Traction([TimeFunction; 3]),
    /// Force per reference volume \[N/m³\].
    BodyForce([TimeFunction; 3]),
}

/// Output settings.
#[derive(Clone, Debug)]
pub struct OutputSettings {
    /// Directory, relative to the working directory.
    pub directory: PathBuf,
    /// Frame schedule. The start and the end of the run always have a frame.
    pub frames: FrameSchedule,
    /// Whether steps end at the times of frames, history rows and probe samples.
    pub exact: bool,
    /// Largest time between frames after the first contact \[s\]. If `None`, contact adds only one frame, at the end of
    /// the step of the first contact.
    pub contact_interval: Option<f64>,
    /// Fields in the frames.
    pub fields: Vec<Field>,
    /// Whether each frame includes, for each pair of bodies that can still touch, the two bounding volumes that
    /// detection examines next. In flight, these are the two with the earliest predicted contact time.
    pub detection_volumes: bool,
    /// Time between rows of the history \[s\]; 0 for a row in every step.
    pub history_interval: f64,
    /// Checkpoints during the run. If `None`, a checkpoint is written only when the run is interrupted.
    pub checkpoint: Option<CheckpointSettings>,
}

/// Checkpoints of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckpointSettings {
    /// Time between checkpoints \[s\].
    pub interval: f64,
    /// Number of checkpoint files kept.
    pub keep: usize,
}

/// Frame schedule.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameSchedule {
    /// This number of frames after the initial frame, evenly spaced in time.
    Count(usize),
    /// One frame per interval \[s\].
    Interval(f64),
    /// Frames at these times \[s\], in ascending order.
    Times(Vec<f64>),
}
