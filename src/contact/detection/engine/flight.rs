//! Levels 1 to 3 while every body flies in closed form.

use crate::contact::detection::hierarchy::Builder;
use crate::contact::detection::statistics::{Stage, StageClock};
use crate::contact::detection::trajectory::{MovingSphere, time_of_contact};
use crate::contact::detection::{Flight, Impact};
use crate::math::{RigidMotion, Vec3};

use super::queue::VertexPair;
use super::{Engine, Sphere};

impl Engine {
    /// Predicts the pairs of roots from scratch.
    pub(super) fn begin_flight(&mut self, flight: &Flight<'_>) {
        let mut clock = StageClock::start(Stage::Update);
        self.fit_trees(flight.reference_positions);
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        self.queue.clear();
        self.statistics.operated(flight.time, false);
        let differ = |&pair: &u32| {
            let bodies = self.model.pairs[pair as usize];
            bodies[0] != bodies[1]
        };
        let pairs: Vec<u32> = (0..self.model.pairs.len() as u32).filter(differ).collect();
        for root in pairs.iter().filter_map(|&pair| self.root_pair(pair)).collect::<Vec<_>>() {
            self.predict_flight(flight, root);
        }
        self.record_predictions(flight.time, &pairs);
        clock.stop(&mut self.statistics.seconds);
    }

    /// Fits the spheres that are carried along, once: only flights need them. Trees of the literature keep theirs.
    fn fit_trees(&mut self, reference_positions: &[Vec3]) {
        if self.options.builder == Builder::BottomUp || std::mem::replace(&mut self.trees_are_fitted, true) {
            return;
        }
        for tree in self.trees.iter_mut().flatten() {
            tree.fit_reference_spheres(reference_positions);
        }
    }

    /// Works off what is due before the end of the flight, earliest first, until the first impact is certain.
    pub(super) fn fly(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let flight_end = flight.time + flight.duration;
        if self.queue.earliest()? > flight_end {
            return None;
        }
        if self.statistics.operated_times.last() != Some(&flight.time) {
            self.statistics.operated(flight.time, false);
        }
        let mut first: Option<Impact> = None;
        let mut touched: Vec<u32> = Vec::new();
        let mut clock = StageClock::start(Stage::Trajectory);
        loop {
            let limit = first.map_or(flight_end, |impact| impact.time.min(flight_end));
            let Some(event) = self.queue.pop_due(limit) else { break };
            touched.push(event.pair.pair);
            if event.asked_at < flight.time {
                clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
                self.predict_flight(flight, event.pair);
            } else if let Some(impact) = self.open_in_flight(flight, event.pair, &mut clock) {
                first = Impact::earlier(first, Some(impact));
            }
        }
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        touched.sort_unstable();
        touched.dedup();
        self.record_predictions(flight.time, &touched);
        clock.stop(&mut self.statistics.seconds);
        first
    }

    /// Queues the time before which the pair cannot meet; drops it when that is after the end of the run.
    fn predict_flight(&mut self, flight: &Flight<'_>, pair: VertexPair) {
        let horizon = flight.end - flight.time;
        let spheres = [0, 1].map(|k| self.carried_sphere(pair, k));
        let motions = pair.bodies.map(|body| &flight.motions[body as usize]);
        if let Some(s) = earliest_meeting(motions, spheres, horizon) {
            let time = (flight.time + s).next_down().max(flight.time);
            self.queue.push(time, flight.time, pair);
        }
        self.statistics.counts.trajectory += 1;
    }

    /// Opens a due pair: predicts its children, or finds the time of impact of its faces.
    ///
    /// The faces are looked at again after their impact, or after the flight if they do not meet in it.
    fn open_in_flight(
        &mut self,
        flight: &Flight<'_>,
        pair: VertexPair,
        clock: &mut StageClock,
    ) -> Option<Impact> {
        let radii = [0, 1].map(|k| self.carried_sphere(pair, k).radius);
        if let Some(children) = self.open(pair, radii) {
            clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
            children.into_iter().for_each(|child| self.predict_flight(flight, child));
            return None;
        }
        let faces = self.faces(pair)?;
        clock.enter(Stage::Primitive, &mut self.statistics.seconds);
        let impact = flight.impact_of_faces(&self.model.surfaces, pair.bodies, faces);
        self.statistics.counts.primitive += 1;
        let resolved = impact.map_or(flight.time + flight.duration, |impact| impact.time);
        self.queue.push(resolved.next_up(), flight.time, pair);
        impact
    }

    /// Sphere of the k-th vertex of a pair in the reference configuration.
    fn carried_sphere(&self, pair: VertexPair, k: usize) -> Sphere {
        self.trees[pair.bodies[k] as usize]
            .as_ref()
            .map_or(Sphere { centre: Vec3::zeros(), radius: f64::INFINITY }, |tree| {
                tree.reference_sphere(pair.vertices[k])
            })
    }
}

/// Time before which two spheres carried by their bodies cannot meet, counted from now \[s\].
///
/// Two bounds hold at once and the later one counts: the sphere leaves the tangent of its path by no more than
/// its bound on the acceleration allows, and it never leaves the larger sphere about the centre of its body.
fn earliest_meeting(motions: [&RigidMotion; 2], spheres: [Sphere; 2], horizon: f64) -> Option<f64> {
    let tangent = [0, 1].map(|k| tangent_sphere(motions[k], &spheres[k]));
    let first = time_of_contact(&tangent[0], &tangent[1], horizon)?;
    if motions.iter().all(|motion| motion.spin_bound == 0.0) {
        return Some(first);
    }
    let swept = [0, 1].map(|k| swept_sphere(motions[k], &spheres[k]));
    let second = time_of_contact(&swept[0], &swept[1], horizon)?;
    Some(first.max(second))
}

/// The sphere on the tangent of its path, growing by what rotation can add: the acceleration of a point at the
/// distance |q| from the centre is within (ω² + |dω/dt|) |q| of that of the centre.
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

/// The sphere about the centre of the body that holds the sphere in every orientation.
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
