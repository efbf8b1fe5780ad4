//! Contact settings: detection and response.

use std::ops::Range;

use ictus_core::vocabulary;

use super::Located;
use crate::contact::detection::{DetectionMethod, DetectorOptions, EdgeSelection};
use crate::contact::response::{ContactLaws, ResponseMethod, ResponseOptions};

/// Contact settings.
#[derive(Clone, Debug)]
pub struct ContactSettings {
    /// Detection method.
    pub detection: DetectionMethod,
    /// Options of the detectors.
    pub detector: DetectorOptions,
    /// Byte range of the value of the key `closest_point` in `Scenario::source`.
    pub closest_point_span: Range<usize>,
    /// Contact response.
    pub response: ResponseSettings,
    /// Contact laws of all pairs that are not in `own_laws`.
    pub laws: ContactLaws,
    /// Pairs with laws of their own, sorted by `SurfacePair::bodies`. A contact has the laws of the first pair whose
    /// surfaces contain the contact.
    pub own_laws: Vec<(SurfacePair, ContactLaws)>,
    /// Whether a time step that contains an impact is shortened to end at the time of impact.
    pub resolve_impact: bool,
    /// Penetration beyond which a contact is lost \[m\]; by default half the median edge length of the finer surface.
    pub search_depth: Option<f64>,
    /// Edges that take part in edge-to-edge contact.
    pub edges: EdgeSelection,
    /// One- or two-pass node-to-face contact.
    pub passes: Passes,
    /// Whether deformable bodies without the key `self_contact` have self-contact.
    pub self_contact: bool,
    /// Treatment of overlaps at t = 0.
    pub initial_penetration: InitialPenetration,
    /// Tied pairs, sorted by `TiedPair::bodies`.
    pub tied: Vec<TiedPair>,
    /// Pairs without contact, including the tied pairs.
    pub excluded: Vec<SurfacePair>,
}

/// The surfaces of two bodies, or of a body and a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Indices of the two bodies, or of the body and the wall, in ascending order. The indices of the walls follow
    /// those of the bodies.
    pub bodies: [usize; 2],
    /// Physical group of faces of each body; `None` for the whole surface.
    pub groups: [Option<Located<String>>; 2],
}

impl SurfacePair {
    /// Pair of the whole surfaces of two bodies.
    pub fn whole(bodies: [usize; 2]) -> Self {
        Self { bodies, groups: [None, None] }
    }

    /// Whether the pair consists of the whole surfaces.
    pub fn is_whole(&self) -> bool {
        self.groups == [None, None]
    }
}

/// Contact response, common to all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Response method.
    pub method: ResponseMethod,
    /// Stiffness of the contact springs.
    pub stiffness: StiffnessRule,
    /// Options of the response.
    pub options: ResponseOptions,
}

impl ResponseSettings {
    /// Whether contact acts by velocity jumps, which the accelerations do not include.
    pub fn acts_by_impulses(&self) -> bool {
        self.method.acts_by_impulses(&self.options)
    }
}

/// Rule for the stiffness of the contact springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StiffnessRule {
    /// From the nodal masses and the time step.
    Mass,
    /// From the bulk modulus of the elements behind the surface.
    Segment,
    /// Prescribed for every contact \[N/m\].
    Given(f64),
}

/// Two bodies that are tied where their surfaces are close to each other at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct TiedPair {
    /// Indices of the bodies in ascending order.
    pub bodies: [usize; 2],
    /// Largest distance of a tied node from its face \[m\]; by default a quarter of the shortest edge on the
    /// two surfaces.
    pub within: Option<f64>,
    /// Byte range of the value of the key `tied` in `Scenario::source`.
    pub span: Range<usize>,
}

vocabulary! {
    /// Treatment of overlaps at t = 0.
    pub enum InitialPenetration {
        /// The scenario is refused.
        Error = "error",
        /// Until a contact opens, its gap is measured from the initial gap.
        Offset = "offset",
        /// Nodes are moved out of the overlap, and the new positions are free of strain.
        Remove = "remove",
    }
}

/// Passes of node-to-face contact between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Two passes: the nodes of each body against the faces of the other.
    Two,
    /// The nodes of one body against the faces of the other: nodes of the deformable body if the other body is rigid,
    /// otherwise nodes of the finer surface.
    One,
}
