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
    /// Options of the engine. Its options of the closest-point searches hold for all detectors.
    pub engine: EngineOptions,
    /// Intervals of the sorting detector.
    pub sorting: SortingOptions,
    /// Direction of the projection of the detector by distance fields.
    pub normal: ProjectionNormal,
}

/// Options of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Algorithm that builds the trees.
    pub builder: Builder,
    /// Fit of the spheres of the leaves.
    pub fit: LeafFit,
    /// Volumes of the vertices in flight.
    pub volume: HierarchyVolume,
    /// Source of velocities and accelerations in flight.
    pub kinematics: Kinematics,
    /// Bounding volumes tested at the leaves, from loose to tight.
    pub ladder: Vec<VolumeKind>,
    /// Leaves that are tested by the ladder.
    pub ladder_use: LadderUse,
    /// Method and start of the closest-point searches.
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

/// Intervals of the sorting detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortingOptions {
    /// Largest number of steps from one sorting to the next, ≥ 1.
    pub every: u32,
    /// Number of sortings in one working space, ≥ 1; fewer if a particle leaves the working space.
    pub space_every: u32,
}

vocabulary! {
    /// Direction in which nodes are projected onto the surface of the target.
    #[derive(Default)]
    pub enum ProjectionNormal {
        /// Against the assumed gradient of the target, which points into the target.
        #[default]
        Target = "target",
        /// Against the mean normal of the contactor, as in the inside–outside algorithm. The mean normal is tilted at
        /// the rim of a surface, so that sliding blocks begin to roll.
        Contactor = "contactor",
    }
}
