//! What can go wrong in setting a simulation up, and in running it.

mod failure;
mod overlap;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::dynamics::ElementError;
use crate::io::gmsh::GmshError;
use crate::mesh::MeshError;
use crate::scenario::Axis;

pub use failure::{FailureCause, NumericalFailure, Passage, RunError};
pub use overlap::Overlap;
use overlap::{DeepOverlaps, Overlaps, count, others};

/// A scenario that cannot be set up: the input is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A mesh file cannot be read.
    #[error("body `{body}`: {source}")]
    Mesh {
        /// The body.
        body: String,
        /// Why.
        source: Box<GmshError>,
        /// Where the scenario names the file.
        span: Range<usize>,
    },
    /// A mesh does not serve the body.
    #[error("body `{body}`, mesh {}: {source}", path.display())]
    Geometry {
        /// The body.
        body: String,
        /// The mesh.
        path: PathBuf,
        /// Why.
        source: Box<MeshError>,
        /// Where the scenario asks for it.
        span: Range<usize>,
    },
    /// The mass of a body cannot be determined.
    #[error("body `{body}`: {reason}")]
    Mass {
        /// The body.
        body: String,
        /// Why, and what to change.
        reason: &'static str,
        /// Where the scenario names the mesh.
        span: Range<usize>,
    },
    /// Cells of a body that cannot be elements.
    #[error("body `{body}`: {source}")]
    Elements {
        /// The body.
        body: String,
        /// What is wrong with them.
        source: ElementError,
        /// Where the scenario names the mesh.
        span: Range<usize>,
    },
    /// Elastic constants that no stable solid has.
    #[error("body `{body}`: {source}")]
    Material {
        /// The body.
        body: String,
        /// What is wrong with them.
        source: crate::material::ElasticityError,
    },
    /// A body force on a rigid surface.
    #[error(
        "a `body_force` on `{body}`, a rigid surface, has no volume to act on; give a `traction`, or the body `gravity`"
    )]
    BodyForceOnSheet {
        /// The body.
        body: String,
    },
    /// A rigid body that shall turn though a support holds it.
    #[error(
        "rigid body `{body}` has an angular velocity, but a boundary on a rigid body holds or prescribes all its rotation; \
         remove the `angular_velocity`, and turn the body by `rotation = {{ axis, point, speed }}` in the boundary, or remove \
         the boundary"
    )]
    SupportedSpin {
        /// The body.
        body: String,
    },
    /// Bodies that are tied and of which the masses differ by more than rounding bears.
    #[error(
        "{} are tied together by nodes of {:.3e} to {:.3e} kg: of masses so unlike, rounding leaves nothing of the lightest; make \
         the bodies with the heaviest of these nodes rigid, or bring the masses of the nodes (density times a cell, shared by its \
         nodes) nearer together: ratios up to 1e12 will do",
        listed(bodies), masses[0], masses[1]
    )]
    UnlikeTies {
        /// The bodies that are tied together.
        bodies: Vec<String>,
        /// The least and the largest mass of a tied node of a deformable body \[kg\].
        masses: [f64; 2],
        /// Where the scenario ties the first of them.
        span: Range<usize>,
    },
    /// A rigid body that is tied and can touch something, by a response that wants to know how it answers.
    #[error(
        "rigid body `{}` is tied and can touch `{}`, and `contact.response` = \"{response}\" takes it for free, as if nothing were \
         tied to it; use \"penalty\", or keep the two from touching by `[[contact.pairs]]` with `contact = false`",
        bodies[0], bodies[1]
    )]
    TiedContact {
        /// The rigid body, and a body or wall that it can touch.
        bodies: [String; 2],
        /// The response.
        response: &'static str,
        /// Where the scenario ties it.
        span: Range<usize>,
    },
    /// Bodies that are tied and begin to move apart there.
    #[error(transparent)]
    PartingTie(Box<PartingTie>),
    /// A rotation that turns a plane body out of its plane.
    #[error("the rotation of plane body `{body}` would turn it out of z = 0; give it the axis [0, 0, 1]")]
    TurnOutOfPlane {
        /// The body.
        body: String,
        /// Where the scenario prescribes it.
        span: Range<usize>,
    },
    /// Two boundaries that prescribe the same component of the same node differently.
    #[error("{0}; prescribe it in one of the two only, or alike in both")]
    ConflictingBoundaries(Box<Conflict>),
    /// A closest-point method that is not made for the faces of a body.
    #[error(
        "body `{body}` has {kind} faces that can touch, and `contact.closest_point` is a closed form for flat \
         triangles and segments only; use \"auto\", \"sqp\", \"active-set\", \"interior-point\" or \"newton\", or mesh \
         the body with linear triangles or tetrahedra"
    )]
    ClosestPoint {
        /// The body.
        body: String,
        /// Kind of its first such face.
        kind: &'static str,
        /// Where the scenario names the method.
        span: Range<usize>,
    },
    /// An integration of eight-node hexahedra for a body without any.
    #[error(
        "body `{body}` has no hexahedra of eight nodes, which `hex` is about; leave it out, or mesh the body with them"
    )]
    NoHexahedra {
        /// The body.
        body: String,
        /// Where the scenario asks for it.
        span: Range<usize>,
    },
    /// Bodies that shall be tied and are nowhere near each other.
    #[error("no node of `{}` is within {within:.3e} m of a face of `{}`, which it shall be tied to; move them together, or give a larger `tied_within`", bodies[0], bodies[1])]
    NothingTied {
        /// The body of the nodes, and that of the faces.
        bodies: [String; 2],
        /// How far a node may be \[m\].
        within: f64,
        /// Where the scenario ties them.
        span: Range<usize>,
    },
    /// Rigid bodies that shall be tied apart from each other, where the faces of the second lie in one plane.
    #[error("`{}` and `{}` are rigid and {gap:.3e} m apart where they are tied, and no point beside the faces of the second, which lie in one plane, can be told from its nodes; move them together", bodies[0], bodies[1])]
    TiedOffPlane {
        /// The body of the nodes, and that of the faces.
        bodies: [String; 2],
        /// How far they are apart \[m\].
        gap: f64,
        /// Where the scenario ties them.
        span: Range<usize>,
    },
    /// Bodies that shall be tied where the motion of both is prescribed, and not the same.
    #[error("node {node} of `{}` is tied to `{}`, and the motion of both is prescribed there along {}, each its own: the tie would be torn; leave the boundary of one of them out there, or prescribe both alike", bodies[0], bodies[1], ["x", "y", "z"][*axis])]
    TornTie {
        /// The body of the node, and the other.
        bodies: [String; 2],
        /// The user's number of the node.
        node: u64,
        /// Component: 0, 1 or 2.
        axis: usize,
        /// Where the scenario ties them.
        span: Range<usize>,
    },
    /// A pair with a group of faces none of which can touch.
    #[error(
        "no face of the group `{group}` of body `{body}` can touch; add the group to `contact` of the body, or name another one"
    )]
    IdleGroup {
        /// The body.
        body: String,
        /// The group.
        group: String,
        /// Where the pair names it.
        span: Range<usize>,
    },
    /// Bodies that overlap before the run begins.
    #[error(
        "{} overlap at t = 0: {}; move them apart, {}", count(.0), Overlaps(.0),
        others(.0, "set contact.initial_penetration to \"offset\" or \"remove\"")
    )]
    Overlap(Vec<Overlap>),
    /// Bodies that overlap too deep to begin a run with that.
    #[error(
        "{} overlap at t = 0 too deep for contact.initial_penetration: {}; move them apart, or exclude the pair with \
         [[contact.pairs]] contact = false", count(.0), DeepOverlaps(.0)
    )]
    DeepOverlap(Vec<Overlap>),
    /// Bodies that overlap and shall be moved apart, though none of them can be.
    #[error(
        "{} overlap at t = 0 and cannot be moved by contact.initial_penetration = \"remove\", which moves nodes of \
         bodies that deform: {}; move them apart with `translate`, {}", count(.0), Overlaps(.0),
        others(.0, "set \"offset\"")
    )]
    ImmovableOverlap(Vec<Overlap>),
    /// Nodes moved out of other bodies that take their own elements through themselves.
    #[error(
        "contact.initial_penetration = \"remove\" moves nodes of body `{body}` so far that {source}; move the bodies \
         apart, or use \"offset\""
    )]
    Removal {
        /// The body.
        body: String,
        /// What becomes of its mesh.
        source: Box<MeshError>,
    },
    /// A body that can touch itself passes through itself before the run begins.
    #[error("`{body}` passes through itself at t = 0, at ({:.6}, {:.6}, {:.6}); mend its mesh, or set its `self_contact = false`", point[0], point[1], point[2])]
    SelfOverlap {
        /// Its name.
        body: String,
        /// Where \[m\].
        point: [f64; 3],
    },
    /// A wall that would push a plane body out of its plane.
    #[error(
        "wall `{wall}` has a normal or a velocity with a part along z, but body `{body}` is plane, in z = 0: give the wall \
         none, or exclude the pair with [[contact.pairs]] contact = false"
    )]
    WallOutOfPlane {
        /// The wall.
        wall: String,
        /// The body.
        body: String,
    },
    /// A probe of a point that is in no element of its body.
    #[error(transparent)]
    ProbeOutside(Box<Outside>),
    /// Too many nodes for 32-bit numbers.
    #[error("the model has {0} nodes; at most {max} can be numbered", max = u32::MAX)]
    TooManyNodes(usize),
}

impl SetupError {
    /// What went wrong once nodes had been moved out of other bodies.
    pub(super) fn of_removal(self) -> Self {
        match self {
            Self::Geometry { body, source, .. } => Self::Removal { body, source },
            other => other,
        }
    }

    /// The place in the scenario that the error is about, if it is about one.
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            Self::Mesh { span, .. }
            | Self::Geometry { span, .. }
            | Self::Mass { span, .. }
            | Self::Elements { span, .. }
            | Self::NothingTied { span, .. }
            | Self::TiedOffPlane { span, .. }
            | Self::TornTie { span, .. }
            | Self::UnlikeTies { span, .. }
            | Self::TiedContact { span, .. }
            | Self::TurnOutOfPlane { span, .. }
            | Self::IdleGroup { span, .. }
            | Self::NoHexahedra { span, .. }
            | Self::ClosestPoint { span, .. } => Some(span.clone()),
            Self::ConflictingBoundaries(conflict) => Some(conflict.span.clone()),
            Self::ProbeOutside(outside) => Some(outside.span.clone()),
            Self::PartingTie(parting) => Some(parting.span.clone()),
            Self::Material { .. }
            | Self::BodyForceOnSheet { .. }
            | Self::SupportedSpin { .. }
            | Self::Overlap(_)
            | Self::DeepOverlap(_)
            | Self::ImmovableOverlap(_)
            | Self::Removal { .. }
            | Self::WallOutOfPlane { .. }
            | Self::SelfOverlap { .. }
            | Self::TooManyNodes(_) => None,
        }
    }
}

/// Bodies that are tied where their initial velocities differ.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "node {node} of `{}` is tied to `{}`, and they begin with {:?} and {:?} m/s there: the tie would level that at once, with a loss \
     of energy; let `{}` begin with `velocity = {velocity:?}` and `angular_velocity = {angular_velocity:?}`, as `{}` does there",
    bodies[0], bodies[1], velocities[0], velocities[1], bodies[1], bodies[0]
)]
pub struct PartingTie {
    /// The body of the node, and that of the face.
    pub bodies: [String; 2],
    /// The user's number of the node.
    pub node: u64,
    /// Initial velocities there \[m/s\].
    pub velocities: [[f64; 3]; 2],
    /// Velocity of its centre with which the second body moves as the first one \[m/s\].
    pub velocity: [f64; 3],
    /// Its spin then \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Where the scenario ties them.
    pub span: Range<usize>,
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others @ [_, ..])) => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// A probe that is in no element of its body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "probe `{probe}` is at {point:?}, outside of body `{body}`: the nearest of its nodes, {node}, is {distance:.3e} m away, at \
     {position:?}; move the point inside, or measure that node by `nearest_node` instead of `point`"
)]
pub struct Outside {
    /// The probe.
    pub probe: String,
    /// Its body.
    pub body: String,
    /// Where it is \[m\].
    pub point: [f64; 3],
    /// The user's number of the nearest node.
    pub node: u64,
    /// Where that is \[m\].
    pub position: [f64; 3],
    /// How far away \[m\].
    pub distance: f64,
    /// Where the scenario places the probe.
    pub span: Range<usize>,
}

/// Two boundaries at odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The body of both.
    pub body: String,
    /// The component that both prescribe.
    pub axis: Axis,
    /// Their groups.
    pub groups: [String; 2],
    /// The user's number of the first node in both; `None` for a rigid body, all of which each of them moves.
    pub node: Option<u64>,
    /// Where the scenario prescribes it for the second time.
    pub span: Range<usize>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { body, axis, groups: [first, second], .. } = self;
        write!(f, "the boundaries on `{first}` and `{second}` of ")?;
        match self.node {
            Some(node) => write!(f, "body `{body}` prescribe the {axis:?} axis of node {node} differently"),
            None => write!(f, "rigid body `{body}` prescribe its {axis:?} axis differently"),
        }
    }
}
