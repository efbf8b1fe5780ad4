//! Parts of a simulation other than its model and state: settings, caches and workspaces.

use crate::contact::detection::volume::Aabb;
use crate::contact::detection::{Detector, TunnellingGuard, WallDetector};
use crate::contact::response::Mobility;
use crate::dynamics::InternalForce;
use crate::math::{RigidMotion, Vec3};
use crate::scenario::{DynamicRelaxation, TimeSettings};

use super::account::nodal_sums::NodalSums;
use super::error::Overlap;
use super::model::Model;
use super::record::probes::Probe;
use super::record::schedule::OutputTimes;
use super::settle::initial_motion::InitialMotion;
use super::state::Before;
use super::step::contact::at_middle::MiddleOfStep;
use super::step::corrector::NodeChunk;
use super::step::driven_ties::DrivenTies;
use super::step::driving_functions::DrivingFunctions;
use super::step::impact_times::ImpactControl;

pub(crate) struct Settings {
    pub time: TimeSettings,
    pub driving_functions: DrivingFunctions,
    /// Output times at which a step must end.
    pub exact_output: Option<OutputTimes>,
    /// Advice in the warning that contact has created energy.
    pub contact_remedy: &'static str,
    pub chunks: Vec<NodeChunk>,
    pub driven_ties: DrivenTies,
    /// Overlaps at t = 0, before the set-up moves any node to remove them.
    pub initial_penetrations: Vec<Overlap>,
    /// Largest admissible displacement of a node of a rigid body in a step \[m\], and the index of the body that sets
    /// this limit.
    pub rigid_travel: Option<(f64, usize)>,
    pub probes: Vec<Probe>,
    /// Dynamic relaxation before t = 0, and the velocities that the bodies receive after the relaxation.
    pub relaxation: Option<(DynamicRelaxation, InitialMotion)>,
}

/// Data derived from the model and the state. Rebuilding the caches changes no result.
pub(crate) struct Caches {
    /// Internal forces at the nodal positions of the state.
    pub internal: InternalForce,
    pub detector: Box<dyn Detector>,
    pub wall_detector: WallDetector,
    pub tunnelling: TunnellingGuard,
    /// Mobility of the nodes, and mobility of the rigid bodies in the last step.
    pub mobility: Mobility,
    /// `None` if steps do not end at impacts.
    pub impact_control: Option<Box<ImpactControl>>,
}

/// Workspaces of a step, unused after the step.
pub(crate) struct Scratch {
    pub positions_next: Vec<Vec3>,
    pub motions: Vec<RigidMotion>,
    pub before: Before,
    pub nodal_sums: Vec<NodalSums>,
    /// Time up to which mass damping has acted in this step \[s\].
    pub damped_until: f64,
    /// Nodes with velocity corrections by contact in this step, and the velocities of these nodes after local damping
    /// \[m/s\].
    pub damped_velocities: Vec<(u32, Vec3)>,
    /// Bounding boxes of the nodal positions \[m\] and velocities \[m/s\] of each body with a contact surface.
    pub tunnelling_boxes: Vec<(u32, [Aabb; 2])>,
    /// Tied nodes with prescribed motion, and their velocities \[m/s\].
    pub driven_velocities: Vec<(u32, Vec3)>,
    pub middle_of_step: MiddleOfStep,
}

impl Scratch {
    pub fn new(model: &Model, num_chunks: usize) -> Self {
        Self {
            positions_next: model.reference_positions.clone(),
            motions: Vec::new(),
            before: Before::new(model.reference_positions.len()),
            nodal_sums: vec![NodalSums::zero(); num_chunks],
            damped_until: 0.0,
            damped_velocities: Vec::new(),
            tunnelling_boxes: Vec::new(),
            driven_velocities: Vec::new(),
            middle_of_step: MiddleOfStep::default(),
        }
    }
}
