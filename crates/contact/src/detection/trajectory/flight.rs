//! Free flight of rigid bodies, and the time of impact of two faces.

use ictus_core::vocabulary;

use crate::math::{RigidMotion, Vec3};
use crate::mesh::CellKind;

use crate::detection::model::ContactModel;
use crate::detection::primitive::time_of_impact::{FacePath, time_of_approach};

vocabulary! {
    /// Source of velocities and accelerations in flight.
    pub enum Kinematics {
        /// Exact velocities and accelerations of the bodies.
        Exact = "exact",
        /// Estimates from the positions of the hierarchy roots at the first three instants of the flight.
        FromSteps = "from-steps",
    }
}

/// A step of free flight.
#[derive(Clone, Copy, Debug)]
pub struct Flight<'a> {
    /// Time at the beginning of the step \[s\].
    pub time: f64,
    /// Length of the step \[s\].
    pub duration: f64,
    /// End of the run \[s\]; later contacts are irrelevant.
    pub end: f64,
    /// Reference position of every node \[m\].
    pub reference_positions: &'a [Vec3],
    /// Motion of each body since the beginning of the step.
    pub motions: &'a [RigidMotion],
}

/// First contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time of the contact \[s\], never later than the exact time.
    pub time: f64,
    /// The two bodies, first < second.
    pub bodies: [u32; 2],
    /// The faces in contact, one of each body; 0 for a rigid wall.
    pub faces: [u32; 2],
    /// Point of contact \[m\].
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Closing speed along the normal \[m/s\].
    pub normal_speed: f64,
}

impl Flight<'_> {
    /// Impact of two faces within the step, if any. Touching faces that separate have no impact.
    pub(crate) fn impact_of_faces(
        &self,
        model: &ContactModel,
        bodies: [u32; 2],
        faces: [u32; 2],
    ) -> Option<Impact> {
        let path = |k: usize| {
            let (kind, nodes) = model.surfaces[bodies[k] as usize].face(faces[k] as usize);
            FlyingFace { kind, nodes, flight: self, motion: &self.motions[bodies[k] as usize] }
        };
        let impact = time_of_approach(&path(0), &path(1), model.offset(bodies), self.duration)?;
        let point_velocity = |k: usize| self.velocity_at(bodies[k], &impact.point, impact.time);
        let closing = (point_velocity(0) - point_velocity(1)).dot(&-impact.normal);
        Some(Impact {
            time: self.time + impact.time,
            bodies,
            faces,
            point: impact.point,
            normal: -impact.normal,
            normal_speed: closing,
        })
    }

    fn velocity_at(&self, body: u32, point: &Vec3, s: f64) -> Vec3 {
        let motion = &self.motions[body as usize];
        let arm = point - motion.centre_at(s);
        motion.velocity + motion.acceleration * s + motion.angular_velocity.cross(&arm)
    }
}

impl Impact {
    /// The earlier of two impacts. If the times are equal: the impact with the lower body numbers, then with the lower
    /// face numbers.
    pub fn earlier(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        let order = |a: &Self, b: &Self| {
            a.time.total_cmp(&b.time).then(a.bodies.cmp(&b.bodies)).then(a.faces.cmp(&b.faces))
        };
        first.into_iter().chain(second).min_by(order)
    }
}

struct FlyingFace<'a> {
    kind: CellKind,
    nodes: &'a [u32],
    flight: &'a Flight<'a>,
    motion: &'a RigidMotion,
}

impl FacePath for FlyingFace<'_> {
    fn kind(&self) -> CellKind {
        self.kind
    }

    fn node(&self, k: usize) -> Vec3 {
        self.flight.reference_positions[self.nodes[k] as usize]
    }

    fn point(&self, reference: &Vec3, s: f64) -> (Vec3, Vec3) {
        self.motion.point(reference, s)
    }

    fn common_acceleration(&self) -> Vec3 {
        self.motion.acceleration
    }

    fn acceleration_deviation(&self, reference: &Vec3) -> f64 {
        self.motion.angular_velocity.norm_squared() * (reference - self.motion.reference_centre).norm()
    }
}
