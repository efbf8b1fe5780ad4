//! Moving volumes of the vertices of a tree, and the earliest time at which two volumes can touch.

use super::first_steps::FirstSteps;
use crate::detection::model::ContactModel;
use crate::detection::trajectory::Flight;
use crate::detection::trajectory::bounding_boxes::{self, MovingBox};
use crate::detection::trajectory::bounding_spheres::{self, MovingSphere};
use crate::detection::tree::hierarchy::Hierarchy;
use crate::detection::volume::{Aabb, Sphere};
use crate::math::{RigidMotion, Vec3};

#[derive(Clone, Copy)]
pub(crate) struct FlyingTrees<'a> {
    pub trees: &'a [Option<Hierarchy>],
    pub model: &'a ContactModel,
    /// Boxes of the vertices in the reference configuration, by body; empty for sphere hierarchies.
    pub boxes: &'a [Vec<Aabb>],
    /// Kinematics estimated from the first steps of the flight. Until the estimate is known, exact kinematics apply.
    pub steps: &'a FirstSteps,
}

impl FlyingTrees<'_> {
    /// Lower bound on the time of contact of a pair, counted from the beginning of the step \[s\]; `None` if the bound
    /// is later than `horizon`. With estimated kinematics, the result is the earlier of two bounds, one for these
    /// kinematics and one for the exact motions. The result is therefore never late.
    pub fn earliest_meeting(
        &self,
        flight: &Flight<'_>,
        pair: ([u32; 2], [u32; 2]),
        horizon: f64,
    ) -> Option<f64> {
        let time = self.meeting(flight, pair, horizon);
        if !self.steps.are_known() {
            return time;
        }
        let unknown = FirstSteps::default();
        let exact = FlyingTrees { steps: &unknown, ..*self }.meeting(flight, pair, horizon);
        time.into_iter().chain(exact).min_by(f64::total_cmp)
    }

    /// Time of contact of the moving volumes of a pair. For two roots, the volumes are always spheres.
    fn meeting(
        &self,
        flight: &Flight<'_>,
        (bodies, vertices): ([u32; 2], [u32; 2]),
        horizon: f64,
    ) -> Option<f64> {
        let is_root = |k: usize| {
            let tree = self.trees[bodies[k] as usize].as_ref();
            tree.is_none_or(|tree| tree.root() == vertices[k])
        };
        if self.has_boxes() && !(is_root(0) && is_root(1)) {
            let [a, b] = [0, 1].map(|k| self.moving_box(flight, bodies[k], vertices[k]));
            return bounding_boxes::time_of_contact(&a, &b, horizon);
        }
        let spheres = [0, 1].map(|k| self.tangent_sphere(flight, bodies[k], vertices[k]));
        let first = bounding_spheres::time_of_contact(&spheres[0], &spheres[1], horizon)?;
        let is_steady = |body: u32| flight.motions[body as usize].spin_bound == 0.0;
        if bodies.into_iter().all(is_steady) || self.steps.are_known() {
            return Some(first);
        }
        // Both times are lower bounds: `first` from spheres that follow the vertices and grow, `second` from spheres
        // that contain the vertices in every orientation. The later bound is tighter.
        let swept = [0, 1].map(|k| self.swept_sphere(flight, bodies[k], vertices[k]));
        let second = bounding_spheres::time_of_contact(&swept[0], &swept[1], horizon)?;
        Some(first.max(second))
    }

    fn has_boxes(&self) -> bool {
        !self.boxes.is_empty()
    }

    /// Diagonal of the box, or radius of the sphere, of a vertex \[m\].
    pub fn size_of(&self, body: u32, vertex: u32) -> f64 {
        match self.boxes.get(body as usize).and_then(|boxes| boxes.get(vertex as usize)) {
            Some(bounds) => bounds.diagonal(),
            None => self.reference_sphere(body, vertex).radius,
        }
    }

    /// Sphere of a vertex in the reference configuration, enlarged by the offset of its body.
    fn reference_sphere(&self, body: u32, vertex: u32) -> Sphere {
        self.trees[body as usize].as_ref().map_or(
            Sphere { centre: Vec3::zeros(), radius: f64::INFINITY },
            |tree| {
                let sphere = tree.reference_sphere(vertex);
                Sphere { radius: sphere.radius + self.model.offset_of(body), ..sphere }
            },
        )
    }

    /// Moving sphere of a vertex. Rotation makes the sphere grow.
    fn tangent_sphere(&self, flight: &Flight<'_>, body: u32, vertex: u32) -> MovingSphere {
        let motion = &flight.motions[body as usize];
        match self.steps.sphere(motion, body, vertex, flight.time) {
            Some(sphere) => MovingSphere { radius: sphere.radius + self.model.offset_of(body), ..sphere },
            None => tangent_sphere(motion, &self.reference_sphere(body, vertex)),
        }
    }

    /// Moving sphere that contains the sphere of a vertex in every orientation of the body.
    pub fn swept_sphere(&self, flight: &Flight<'_>, body: u32, vertex: u32) -> MovingSphere {
        swept_sphere(&flight.motions[body as usize], &self.reference_sphere(body, vertex))
    }

    /// Moving axis-aligned box of a vertex. Rotation makes the box grow.
    fn moving_box(&self, flight: &Flight<'_>, body: u32, vertex: u32) -> MovingBox {
        let (motion, offset) = (&flight.motions[body as usize], self.model.offset_of(body));
        let bounds = &self.boxes[body as usize][vertex as usize];
        let (middle, half) = ((bounds.lower + bounds.upper) * 0.5, (bounds.upper - bounds.lower) * 0.5);
        let turned = motion.rotation.to_rotation_matrix().matrix().abs() * half;
        let ball = Sphere { centre: middle, radius: 0.0 };
        let path = match self.steps.carried(motion, body, &middle, flight.time) {
            Some(path) => path,
            None => tangent_sphere(motion, &ball),
        };
        let turning = motion.spin_bound.sqrt() * half.norm();
        MovingBox {
            half: turned.add_scalar(offset),
            path: MovingSphere { growth: path.growth + turning, ..path },
        }
    }
}

/// Sphere that starts with the velocity of its centre and moves with the acceleration of the body centre. The growth
/// covers the rotation: the accelerations of the sphere centre and of the body centre differ by at most (ω² + |dω/dt|)
/// |q|. Here ω is the angular velocity, and q the vector between the two centres.
fn tangent_sphere(motion: &RigidMotion, sphere: &Sphere) -> MovingSphere {
    let (centre, velocity) = motion.point(&sphere.centre, 0.0);
    let arm = (sphere.centre - motion.reference_centre).norm();
    MovingSphere {
        centre,
        radius: sphere.radius,
        velocity,
        acceleration: motion.acceleration,
        growth: 0.0,
        growth_rate: motion.spin_bound * arm,
    }
}

/// Moving sphere that contains `sphere` in every orientation of the body. The centre is the body centre or, without
/// rotation, the centre of `sphere`.
fn swept_sphere(motion: &RigidMotion, sphere: &Sphere) -> MovingSphere {
    if motion.spin_bound == 0.0 {
        return tangent_sphere(motion, sphere);
    }
    MovingSphere {
        centre: motion.centre,
        radius: sphere.radius + (sphere.centre - motion.reference_centre).norm(),
        velocity: motion.velocity,
        acceleration: motion.acceleration,
        growth: 0.0,
        growth_rate: 0.0,
    }
}
