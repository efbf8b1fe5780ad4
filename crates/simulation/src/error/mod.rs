//! Errors of the set-up and failures of a run.

mod failure;
mod overlap;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::contact::detection::distance_field::DistanceFieldError;
use crate::dynamics::ElementError;
use crate::io::gmsh::GmshError;
use crate::mesh::MeshError;
use crate::scenario::Axis;

pub use failure::{FailureCause, NumericalFailure, Passage, RunError};
pub use overlap::{BehindWall, Overlap};
use overlap::{DeepOverlaps, Overlaps, count, others};

/// Reason why the simulation of a scenario cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The mesh file of a body cannot be read.
    #[error("body `{body}`: {source}")]
    Mesh {
        /// The body.
        body: String,
        /// Cause.
        source: Box<GmshError>,
        /// Location of the file name in the scenario.
        span: Range<usize>,
    },
    /// The mesh is not valid for its body.
    #[error("body `{body}`, mesh {}: {source}", path.display())]
    Geometry {
        /// The body.
        body: String,
        /// Path of the mesh file.
        path: PathBuf,
        /// Cause.
        source: Box<MeshError>,
        /// Location of the mesh name in the scenario.
        span: Range<usize>,
    },
    /// The mass of a body cannot be determined.
    #[error("body `{body}`: {reason}")]
    Mass {
        /// The body.
        body: String,
        /// Cause and remedy.
        reason: &'static str,
        /// Location of the mesh name in the scenario.
        span: Range<usize>,
    },
    /// Invalid elements of a body.
    #[error("body `{body}`: {source}")]
    Elements {
        /// The body.
        body: String,
        /// Defect of the elements.
        source: ElementError,
        /// Location of the mesh name in the scenario.
        span: Range<usize>,
    },
    /// Elastic constants of an unstable material.
    #[error("body `{body}`: {source}")]
    Material {
        /// The body.
        body: String,
        /// Defect of the elastic constants.
        source: crate::material::ElasticityError,
    },
    /// A body force acts on a rigid surface mesh, which has no volume.
    #[error(
        "`body_force` on `{body}`: a rigid surface has no volume; give a `traction`, or `gravity` in the body"
    )]
    BodyForceOnSheet {
        /// The body.
        body: String,
    },
    /// A rigid body with a boundary has an initial angular velocity.
    #[error(
        "rigid body `{body}` has an angular velocity, but a boundary on a rigid body fixes or prescribes its whole \
         rotation; remove the `angular_velocity` and prescribe `rotation = {{ axis, point, speed }}` in the \
         boundary, or remove the boundary"
    )]
    SupportedSpin {
        /// The body.
        body: String,
    },
    /// The masses of tied nodes differ so much that rounding cancels the lightest masses.
    #[error(
        "{} are tied together by nodes of {:.3e} to {:.3e} kg: rounding cancels the lightest masses at this ratio; \
         make the bodies with the heaviest of these nodes rigid, or bring the nodal masses (density times cell \
         volume, shared by its nodes) closer together: ratios up to 1e12 are accepted",
        listed(bodies), masses[0], masses[1]
    )]
    UnlikeTies {
        /// The tied bodies.
        bodies: Vec<String>,
        /// Smallest and largest mass of a tied deformable node \[kg\].
        masses: [f64; 2],
        /// Location of the first tie in the scenario.
        span: Range<usize>,
    },
    /// A tied rigid body can touch other bodies, but the response neglects ties in the mobility of this body.
    #[error(
        "rigid body `{}` is tied and can touch `{}`, but `contact.response` = \"{response}\" neglects the ties in \
         its mobility; use \"penalty\", or exclude the pair by `[[contact.pairs]]` with `contact = false`",
        bodies[0], bodies[1]
    )]
    TiedContact {
        /// The rigid body, and a body or wall that it can touch.
        bodies: [String; 2],
        /// The response.
        response: &'static str,
        /// Location of the tie in the scenario.
        span: Range<usize>,
    },
    /// The initial velocities of tied bodies differ at the tie.
    #[error(transparent)]
    PartingTie(Box<PartingTie>),
    /// A prescribed rotation moves a plane body out of its plane.
    #[error("the rotation of plane body `{body}` leaves the plane z = 0; use the axis [0, 0, 1]")]
    TurnOutOfPlane {
        /// The body.
        body: String,
        /// Location of the prescribed rotation in the scenario.
        span: Range<usize>,
    },
    /// Two boundaries prescribe different motions of the same component of a node.
    #[error("{0}; prescribe it in one of the two only, or equally in both")]
    ConflictingBoundaries(Box<Conflict>),
    /// The chosen closest-point method cannot treat some faces of a body.
    #[error(
        "body `{body}` has {kind} faces that can touch, and `contact.closest_point` is a closed form for flat \
         triangles and segments only; use \"auto\", \"sqp\", \"active-set\", \"interior-point\" or \"newton\", or mesh \
         the body with linear triangles or tetrahedra"
    )]
    ClosestPoint {
        /// The body.
        body: String,
        /// Kind of the first face that the method cannot treat.
        kind: &'static str,
        /// Location of the method in the scenario.
        span: Range<usize>,
    },
    /// Detection is by distance fields, and the distance field of a body cannot be computed.
    #[error("body `{body}` can touch, but `contact.detection` is `distance-field`: {source}")]
    DistanceField {
        /// The body.
        body: String,
        /// Cause.
        source: DistanceFieldError,
    },
    /// The key `hex` is given for a body without eight-node hexahedra.
    #[error(
        "`hex` applies to eight-node hexahedra, and body `{body}` has none; remove it, or mesh the body with \
         hexahedra"
    )]
    NoHexahedra {
        /// The body.
        body: String,
        /// Location of the value of `hex` in the scenario.
        span: Range<usize>,
    },
    /// In a pair of tied bodies, no node of the first body is within the tie distance of a face of the second.
    #[error("no node of `{}` is within {within:.3e} m of a face of `{}`, to which it is tied; move the bodies \
        together, or give a larger `tied_within`", bodies[0], bodies[1])]
    NothingTied {
        /// The body of the nodes, then the body of the faces.
        bodies: [String; 2],
        /// Tie distance \[m\].
        within: f64,
        /// Location of the tie in the scenario.
        span: Range<usize>,
    },
    /// Two rigid bodies are tied across a gap, and the second body is plane.
    #[error("`{}` and `{}` are rigid and {gap:.3e} m apart where they are tied, and the second is plane, so that its \
        nodes do not define points off its plane; move them together", bodies[0], bodies[1])]
    TiedOffPlane {
        /// The body of the nodes, then the body of the faces.
        bodies: [String; 2],
        /// Gap at the first tied node off the plane of the second body \[m\].
        gap: f64,
        /// Location of the tie in the scenario.
        span: Range<usize>,
    },
    /// Different motions are prescribed to the two sides of a tie.
    #[error("node {node} of `{}` is tied to `{}`, and different motions are prescribed to both along {}, which \
        violates the tie; remove one of the boundaries there, or prescribe equal motions", bodies[0], bodies[1], ["x", "y", "z"][*axis])]
    TornTie {
        /// The body of the node, then the body to which it is tied.
        bodies: [String; 2],
        /// The user's number of the node.
        node: u64,
        /// Component with different motions: 0, 1 or 2 for x, y or z.
        axis: usize,
        /// Location of the tie in the scenario.
        span: Range<usize>,
    },
    /// A contact pair names a group of a body, but no face of the group is in the contact surface of the body.
    #[error(
        "no face of the group `{group}` of body `{body}` is in its contact surface; add the group to `contact` of \
         the body, or name another group"
    )]
    IdleGroup {
        /// The body.
        body: String,
        /// The group.
        group: String,
        /// Location of the group name in the scenario.
        span: Range<usize>,
    },
    /// Bodies overlap at t = 0, and `contact.initial_penetration` is `error`.
    #[error(
        "{} overlap at t = 0: {}; move them apart, {}", count(.0), Overlaps(.0),
        others(.0, "set contact.initial_penetration to \"offset\" or \"remove\"")
    )]
    Overlap(Vec<Overlap>),
    /// Bodies lie wholly behind a wall at t = 0.
    #[error("{0}")]
    BehindWall(Box<BehindWall>),
    /// The chosen `contact.initial_penetration` cannot treat an overlap, in most cases because the overlap is too deep.
    #[error(
        "{} overlap at t = 0 too deeply for contact.initial_penetration: {}; move them apart, or exclude the pair \
         with [[contact.pairs]] contact = false", count(.0), DeepOverlaps(.0)
    )]
    DeepOverlap(Vec<Overlap>),
    /// Overlaps of two rigid bodies, or of a rigid body and a wall: `contact.initial_penetration` = `remove` can only
    /// move nodes of deformable bodies.
    #[error(
        "{} overlap at t = 0 and cannot be moved by contact.initial_penetration = \"remove\", which moves nodes of \
         deformable bodies: {}; move them apart with `translate`, {}", count(.0), Overlaps(.0),
        others(.0, "set \"offset\"")
    )]
    ImmovableOverlap(Vec<Overlap>),
    /// `contact.initial_penetration` = `remove` moves nodes of a body so far that its mesh becomes invalid.
    #[error(
        "contact.initial_penetration = \"remove\" moves nodes of body `{body}` so far that {source}; move the bodies \
         apart, or use \"offset\""
    )]
    Removal {
        /// The body.
        body: String,
        /// Defect of the moved mesh.
        source: Box<MeshError>,
    },
    /// A body with self-contact intersects itself at t = 0.
    #[error("`{body}` intersects itself at t = 0, at ({:.6}, {:.6}, {:.6}); correct its mesh, or set its \
        `self_contact = false`", point[0], point[1], point[2])]
    SelfOverlap {
        /// The body.
        body: String,
        /// A point of the intersection \[m\].
        point: [f64; 3],
    },
    /// The normal or velocity of a wall has a component out of the plane of a plane body.
    #[error(
        "wall `{wall}` has a normal or velocity with a z component, but body `{body}` is plane, in z = 0: set it to \
         zero, or exclude the pair with [[contact.pairs]] contact = false"
    )]
    WallOutOfPlane {
        /// The wall.
        wall: String,
        /// The body.
        body: String,
    },
    /// A probe point lies outside all elements of its body.
    #[error(transparent)]
    ProbeOutside(Box<Outside>),
    /// The model has more nodes than 32-bit indices allow.
    #[error("the model has {0} nodes; at most {max} can be numbered", max = u32::MAX)]
    TooManyNodes(usize),
}

impl SetupError {
    /// Converts an error of a mesh whose nodes were moved out of other bodies: `Geometry` becomes `Removal`.
    pub(super) fn of_removal(self) -> Self {
        match self {
            Self::Geometry { body, source, .. } => Self::Removal { body, source },
            other => other,
        }
    }

    /// Location of the error in the scenario, if any.
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
            | Self::DistanceField { .. }
            | Self::BodyForceOnSheet { .. }
            | Self::SupportedSpin { .. }
            | Self::Overlap(_)
            | Self::BehindWall(_)
            | Self::DeepOverlap(_)
            | Self::ImmovableOverlap(_)
            | Self::Removal { .. }
            | Self::WallOutOfPlane { .. }
            | Self::SelfOverlap { .. }
            | Self::TooManyNodes(_) => None,
        }
    }
}

/// Two tied bodies have different initial velocities at the tie.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "node {node} of `{}` is tied to `{}`, but their initial velocities differ there, {:?} and {:?} m/s: the tie \
     would equalise them in the first step, with a loss of energy; give `{}` `velocity = {velocity:?}` and \
     `angular_velocity = {angular_velocity:?}`, the motion of `{}` there",
    bodies[0], bodies[1], velocities[0], velocities[1], bodies[1], bodies[0]
)]
pub struct PartingTie {
    /// The body of the node, then the body of the face.
    pub bodies: [String; 2],
    /// The user's number of the node.
    pub node: u64,
    /// Initial velocities of the two bodies at the node \[m/s\].
    pub velocities: [[f64; 3]; 2],
    /// Velocity of the centre of the second body if this body moved rigidly with the first body \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity of the first body \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Location of the tie in the scenario.
    pub span: Range<usize>,
}

/// Names in backticks, joined by commas and “and”.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others @ [_, ..])) => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// A probe point lies outside all elements of its body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "probe `{probe}` is at {point:?}, outside of body `{body}`: the nearest of its nodes, {node}, is {distance:.3e} m away, at \
     {position:?}; move the point inside, or measure that node by `nearest_node` instead of `point`"
)]
pub struct Outside {
    /// The probe.
    pub probe: String,
    /// The body of the probe.
    pub body: String,
    /// Point of the probe \[m\].
    pub point: [f64; 3],
    /// The user's number of the nearest node.
    pub node: u64,
    /// Position of this node \[m\].
    pub position: [f64; 3],
    /// Distance of this node from `point` \[m\].
    pub distance: f64,
    /// Location of the probe in the scenario.
    pub span: Range<usize>,
}

/// Two boundaries prescribe different motions of the same component.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The body.
    pub body: String,
    /// The component that both boundaries prescribe.
    pub axis: Axis,
    /// Physical groups of the two boundaries.
    pub groups: [String; 2],
    /// The user's number of a node that is in both groups: the lowest such number. `None` for a rigid body.
    pub node: Option<u64>,
    /// Location of the second prescribed motion in the scenario.
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
