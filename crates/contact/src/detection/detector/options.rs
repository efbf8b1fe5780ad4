//! Options of the detectors.

use ictus_core::vocabulary;

use crate::detection::face::closest_point::Method;
use crate::detection::primitive::node_face::{NodeFaceOptions, StartFrom};
use crate::detection::trajectory::Kinematics;
use crate::detection::tree::hierarchy::{Builder, HierarchyVolume, LeafFit};
use crate::detection::volume::{LadderUse, VolumeKind};

/// Options of all detectors.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectorOptions {
    /// Options of the engine, the detector by hierarchies. `EngineOptions::node_face` holds for all detectors.
    pub engine: EngineOptions,
    /// Intervals between the sortings of the sorting detector.
    pub sorting: SortingOptions,
    /// Direction in which the detector by distance fields projects nodes.
    pub normal: ProjectionNormal,
}

/// Options of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Algorithm that builds the hierarchies.
    pub builder: Builder,
    /// Method that fits the spheres of the leaves.
    pub fit: LeafFit,
    /// Bounding volumes of the vertices in flight.
    pub volume: HierarchyVolume,
    /// Source of velocities and accelerations in flight.
    pub kinematics: Kinematics,
    /// Bounding volumes tested at the leaves, from loose to tight.
    pub ladder: Vec<VolumeKind>,
    /// Pairs of leaves tested on the ladder, and rungs used for these pairs.
    pub ladder_use: LadderUse,
    /// Method and starting points of the closest-point searches.
    pub node_face: NodeFaceOptions,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            builder: Builder::Fast,
            fit: LeafFit::MinimumBall,
            volume: HierarchyVolume::Sphere,
            kinematics: Kinematics::Exact,
            ladder: Vec::new(),
            ladder_use: LadderUse::WhilePaying,
            node_face: NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest },
        }
    }
}

/// Intervals at which the sorting detector sorts, and fits its working space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortingOptions {
    /// Largest number of steps from one sorting to the next, ≥ 1.
    pub every: u32,
    /// Number of sortings in one working space (box of all surface nodes), ≥ 1; fewer if a node leaves it.
    pub space_every: u32,
}

vocabulary! {
    /// Direction in which nodes are projected onto the surface of the target.
    pub enum ProjectionNormal {
        /// Against the assumed gradient of the target, an interpolated gradient of the distance from the surface. The
        /// gradient points into the target.
        Target = "target",
        /// Against the mean normal of the contactor, as in the inside–outside algorithm. The mean normal is tilted at
        /// the rim of a surface, so that sliding blocks begin to roll.
        Contactor = "contactor",
    }
}
