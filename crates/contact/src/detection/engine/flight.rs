//! The three levels of the [engine](super) in flight: queue of predicted contact times, opening of tree vertices, and
//! impact of faces. In flight, every body moves rigidly in closed form.
//!
//! The queue covers the time up to a horizon. Two bodies form a pair only if the boxes that they sweep up to the
//! horizon overlap. Work therefore grows with the number of bodies and their neighbours, not with the number of all
//! pairs. The horizon is shortened until the number of pairs is at most a limit ([`MAX_PAIRS`]). With few bodies, the
//! horizon reaches the end of the run.

use rayon::prelude::*;

use crate::detection::report::{Stage, StageClock};
use crate::detection::trajectory::bounding_spheres::MovingSphere;
use crate::detection::trajectory::{Flight, Impact, Kinematics, RootHistory};
use crate::detection::tree::body_tree::BodyTree;
use crate::detection::tree::hierarchy::{Builder, Hierarchy, HierarchyVolume};
use crate::detection::volume::Aabb;
use crate::math::Vec3;

use super::Engine;
use super::flying::{FirstSteps, FlyingTrees};
use super::queue::VertexPair;

/// A horizon with more body pairs than `MAX_PAIRS[0]` · number of bodies + `MAX_PAIRS[1]` is shortened.
const MAX_PAIRS: [usize; 2] = [4, 1024];

/// Ratio of a shortened horizon to the horizon before the shortening.
const SHORTENING: f64 = 0.25;

/// Shortest horizon, relative to the time left in the run.
const SHORTEST: f64 = 1e-9;

/// Rounding of swept boxes, relative to the coordinates.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

pub(super) struct FlightPhase {
    bodies: BodyTree,
    /// Time before which bodies with disjoint swept boxes cannot touch \[s\].
    horizon_end: f64,
    /// Length of the latest horizon \[s\].
    horizon: f64,
    max_pairs: usize,
    /// First steps of the flight: root positions at three instants, from which the kinematics are estimated; unused
    /// with exact kinematics.
    steps: FirstSteps,
    /// First steps of a flight that began before the run was restarted.
    pub(super) resumed: Option<RootHistory>,
    /// Boxes of the vertices in the reference configuration, by body; empty for sphere hierarchies.
    boxes: Vec<Vec<Aabb>>,
}

impl FlightPhase {
    pub fn new(num_bodies: usize) -> Self {
        let bodies = BodyTree::new(num_bodies);
        let max_pairs = MAX_PAIRS[0] * num_bodies + MAX_PAIRS[1];
        Self {
            bodies,
            horizon_end: f64::NEG_INFINITY,
            horizon: f64::INFINITY,
            max_pairs,
            steps: FirstSteps::default(),
            resumed: None,
            boxes: Vec::new(),
        }
    }

    pub(super) fn first_steps(&self) -> Option<RootHistory> {
        let history = self.steps.history();
        (!history.is_empty()).then(|| history.clone())
    }
}

impl Engine {
    pub(super) fn begin_flight(&mut self, flight: &Flight<'_>) {
        let mut clock = StageClock::start(Stage::Update);
        self.fit_trees(flight.reference_positions);
        match self.options.kinematics {
            Kinematics::Exact => {
                clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
                self.statistics.operated(flight.time, false);
                self.begin_horizon(flight, flight.time);
                self.record_predictions(flight.time, |_| true);
            }
            Kinematics::FromSteps => self.begin_steps(flight),
        }
        clock.stop(&mut self.statistics.seconds);
    }

    /// Fits the reference volumes at the first flight. Only trees of [`Builder::Fast`] get new spheres. All remaining
    /// trees keep their nested spheres, as in the literature.
    fn fit_trees(&mut self, reference_positions: &[Vec3]) {
        if std::mem::replace(&mut self.trees_are_fitted, true) {
            return;
        }
        if self.options.builder == Builder::Fast {
            let trees = self.trees.par_iter_mut().flatten();
            trees.for_each(|tree| tree.fit_reference_spheres(reference_positions));
        }
        if self.options.volume == HierarchyVolume::Box {
            let boxes = |tree: &Option<Hierarchy>| {
                let mut boxes = Vec::new();
                tree.iter().for_each(|tree| tree.fit_boxes(reference_positions, &mut boxes));
                boxes
            };
            self.flight.boxes = self.trees.par_iter().map(boxes).collect();
        }
    }

    /// Refills the queue with the predicted contact times of all root pairs that can touch within a horizon from
    /// `begin` \[s\].
    fn begin_horizon(&mut self, flight: &Flight<'_>, begin: f64) {
        let mut pairs = self.pairs_within_horizon(flight, begin);
        pairs.retain(|&bodies| self.model.can_meet(bodies));
        self.queue.clear();
        for &bodies in &pairs {
            if let Some(root) = self.root_pair(bodies) {
                self.predict_flight(flight, root);
            }
        }
    }

    /// Finds the horizon and its pairs of bodies. If even the shortest horizon has more pairs than the limit, as in a
    /// pile, the limit becomes twice this number of pairs.
    fn pairs_within_horizon(&mut self, flight: &Flight<'_>, begin: f64) -> Vec<[u32; 2]> {
        let rest = flight.end - begin;
        let mut horizon = (self.flight.horizon / SHORTENING).min(rest);
        let pairs = loop {
            self.sweep_bodies(flight, [begin, begin + horizon]);
            if let Some(pairs) = self.flight.bodies.pairs(self.flight.max_pairs) {
                break pairs;
            }
            if horizon > SHORTEST * rest {
                horizon = (horizon * SHORTENING).max(SHORTEST * rest);
            } else {
                let always = self.flight.bodies.pairs(usize::MAX).unwrap_or_default();
                self.flight.max_pairs = 2 * always.len();
                horizon = rest;
            }
        };
        self.flight.horizon = horizon;
        self.flight.horizon_end = if horizon >= rest { flight.end } else { begin + horizon };
        pairs
    }

    pub(super) fn max_pairs(&self) -> usize {
        self.flight.max_pairs
    }

    fn sweep_bodies(&mut self, flight: &Flight<'_>, span: [f64; 2]) {
        let span = span.map(|time| time - flight.time);
        let volumes = self.flying_trees();
        let swept = |(body, tree): (usize, &Option<Hierarchy>)| {
            let root = tree.as_ref()?.root();
            Some((body as u32, swept_box(&volumes.swept_sphere(flight, body as u32, root), span)))
        };
        let swept: Vec<(u32, Aabb)> = self.trees.par_iter().enumerate().filter_map(swept).collect();
        self.flight.bodies.build(&swept);
    }

    /// Processes the queue entries (events) due in the step, earliest first, until the first impact is certain.
    pub(super) fn find_first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let flight_end = flight.time + flight.duration;
        let is_due = self.queue.earliest().is_some_and(|time| time <= flight_end);
        if !is_due && self.flight.horizon_end >= flight_end.min(flight.end) {
            return None;
        }
        if self.statistics.operated_times.last() != Some(&flight.time) {
            self.statistics.operated(flight.time, false);
        }
        let mut clock = StageClock::start(Stage::Update);
        self.refit_at(flight);
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        let mut touched: Vec<[u32; 2]> = Vec::new();
        let mut first = self.process_events(flight, flight_end, &mut touched, &mut clock);
        let mut are_all_touched = false;
        // The queue lacks pairs that meet after the horizon. An impact after the horizon need not be the first.
        while self.flight.horizon_end < first.map_or(flight_end, |impact| impact.time).min(flight.end) {
            self.begin_horizon(flight, self.flight.horizon_end);
            are_all_touched = true;
            let later = self.process_events(flight, flight_end, &mut touched, &mut clock);
            first = Impact::earlier(first, later);
        }
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        touched.sort_unstable();
        touched.dedup();
        self.record_predictions(flight.time, |bodies| {
            are_all_touched || touched.binary_search(&bodies).is_ok()
        });
        clock.stop(&mut self.statistics.seconds);
        first
    }

    /// Processes the events due up to `end` \[s\], and returns the first impact. Appends the bodies of these events to
    /// `touched`.
    fn process_events(
        &mut self,
        flight: &Flight<'_>,
        end: f64,
        touched: &mut Vec<[u32; 2]>,
        clock: &mut StageClock,
    ) -> Option<Impact> {
        let mut first: Option<Impact> = None;
        loop {
            let limit = first.map_or(end, |impact| impact.time.min(end));
            let Some(event) = self.queue.pop_due(limit) else { return first };
            touched.push(event.pair.bodies);
            clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
            if event.predicted_at < flight.time {
                self.predict_flight(flight, event.pair);
            } else if let Some(impact) = self.open_in_flight(flight, event.pair, clock) {
                first = Impact::earlier(first, Some(impact));
            }
        }
    }

    /// Queues a pair at the time of its earliest possible contact, if this time is within the horizon.
    fn predict_flight(&mut self, flight: &Flight<'_>, pair: VertexPair) {
        let horizon = self.flight.horizon_end - flight.time;
        if let Some(s) = self.flying_trees().earliest_meeting(flight, (pair.bodies, pair.vertices), horizon) {
            let time = (flight.time + s).next_down().max(flight.time);
            self.queue.push(time, flight.time, pair);
        }
        self.statistics.counts.trajectory += 1;
    }

    /// Opens a due pair and predicts the pairs with the children or, for two leaves, computes the impact of their
    /// faces. Leaves are queued again just after their impact or, without an impact, just after the end of the step.
    fn open_in_flight(
        &mut self,
        flight: &Flight<'_>,
        pair: VertexPair,
        clock: &mut StageClock,
    ) -> Option<Impact> {
        let sizes = [0, 1].map(|k| self.flying_trees().size_of(pair.bodies[k], pair.vertices[k]));
        if let Some(children) = self.open(pair, sizes) {
            clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
            children.into_iter().for_each(|child| self.predict_flight(flight, child));
            return None;
        }
        let faces = self.faces(pair)?;
        clock.enter(Stage::Primitive, &mut self.statistics.seconds);
        let impact = flight.impact_of_faces(&self.model, pair.bodies, faces);
        self.statistics.counts.primitive += 1;
        let resolved = impact.map_or(flight.time + flight.duration, |impact| impact.time);
        self.queue.push(resolved.next_up(), flight.time, pair);
        impact
    }

    /// Begins a flight with its first positions or, after a restart of the run, with the recorded positions.
    fn begin_steps(&mut self, flight: &Flight<'_>) {
        let Some(history) = self.flight.resumed.take() else {
            self.flight.steps = FirstSteps::default();
            return self.take_positions(flight);
        };
        self.flight.steps = FirstSteps::from_history(history);
        if self.flight.steps.are_known() {
            self.refit_at(flight);
            self.flight.horizon = f64::INFINITY;
            self.begin_horizon(flight, flight.time);
        }
    }

    /// The first impact within a step, with kinematics estimated from positions.
    pub(super) fn first_impact_from_steps(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let is_new = self.flight.steps.last_instant().is_some_and(|time| time < flight.time);
        if !self.flight.steps.are_known() && is_new {
            self.take_next_positions(flight);
        }
        if !self.flight.steps.are_known() {
            return self.impact_of_step(flight);
        }
        let impact = self.find_first_impact(flight);
        if let Some(impact) = impact {
            self.statistics.operated(impact.time, false);
        }
        impact
    }

    /// Adds the positions of the next instant. At the third instant, the kinematics become known, and contact times are
    /// predicted for the first time.
    fn take_next_positions(&mut self, flight: &Flight<'_>) {
        let mut clock = StageClock::start(Stage::Update);
        self.statistics.operated(flight.time, false);
        self.take_positions(flight);
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        if self.flight.steps.are_known() {
            self.flight.horizon = f64::INFINITY;
            self.begin_horizon(flight, flight.time);
            self.record_predictions(flight.time, |_| true);
        }
        clock.stop(&mut self.statistics.seconds);
    }

    /// Impact within a step before the third instant, from the exact motions.
    fn impact_of_step(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let mut clock = StageClock::start(Stage::Trajectory);
        let end = flight.time + flight.duration;
        let step = Flight { end, ..*flight };
        self.begin_horizon(&step, step.time);
        let mut impact = self.process_events(&step, end, &mut Vec::new(), &mut clock);
        while self.flight.horizon_end < impact.map_or(end, |impact| impact.time).min(end) {
            self.begin_horizon(&step, self.flight.horizon_end);
            let later = self.process_events(&step, end, &mut Vec::new(), &mut clock);
            impact = Impact::earlier(impact, later);
        }
        clock.stop(&mut self.statistics.seconds);
        self.queue.clear();
        impact
    }

    fn take_positions(&mut self, flight: &Flight<'_>) {
        let count = self.flight.steps.take_positions(&self.trees, &self.model, flight);
        self.statistics.counts.update += count as u64;
    }

    /// Refits the spheres once per step, if the kinematics estimated from the first steps are known.
    fn refit_at(&mut self, flight: &Flight<'_>) {
        let steps = &mut self.flight.steps;
        if steps.are_known() && steps.fitted_at() != flight.time {
            self.statistics.counts.update += steps.refit(&self.trees, &self.model, flight) as u64;
        }
    }

    fn flying_trees(&self) -> FlyingTrees<'_> {
        let FlightPhase { boxes, steps, .. } = &self.flight;
        FlyingTrees { trees: &self.trees, model: &self.model, boxes, steps }
    }
}

/// Box swept by a ball between two instants \[s\], counted from the instant of `ball.centre`.
fn swept_box(ball: &MovingSphere, [begin, end]: [f64; 2]) -> Aabb {
    let at = |k: usize, s: f64| ball.centre[k] + (ball.velocity[k] + 0.5 * ball.acceleration[k] * s) * s;
    let displacement = ball.velocity.abs() * end + ball.acceleration.abs() * (end * end);
    let growth = (ball.growth + 0.5 * ball.growth_rate * end) * end;
    let radius = ball.radius + growth;
    let margin = radius + ROUNDING * (ball.centre.abs().sum() + displacement.sum() + radius);
    let mut bounds = Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() };
    for k in 0..3 {
        let [first, last] = [at(k, begin), at(k, end)];
        // Time at which the velocity along the axis vanishes.
        let turn = -ball.velocity[k] / ball.acceleration[k];
        let turned = if begin < turn && turn < end { at(k, turn) } else { first };
        bounds.lower[k] = first.min(last).min(turned) - margin;
        bounds.upper[k] = first.max(last).max(turned) + margin;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use crate::detection::detector::Detector;
    use crate::detection::detector::EngineOptions;
    use crate::detection::face::closest_point::Method;
    use crate::detection::model::ContactModel;
    use crate::detection::primitive::node_face::{NodeFaceOptions, StartFrom};
    use crate::detection::samples::Samples;
    use crate::math::RigidMotion;
    use crate::mesh::CellKind;

    /// A bundle of long parallel blades has 4950 pairs of overlapping boxes, more than the limit of a horizon. The last
    /// blade closes its gap of 0.8 at the speed 1.6: impact at t = 0.5.
    #[test]
    fn a_bundle_flies_to_the_end_of_the_run() {
        let num_bodies = 100;
        let corners = [(-200.0, 0.0), (200.0, 0.0), (0.0, 0.2)];
        let corner = |k: usize, (x, z): (f64, f64)| Vec3::new(x, x, z + k as f64);
        let positions: Vec<Vec3> =
            (0..num_bodies).flat_map(|k| corners.map(|place| corner(k, place))).collect();
        let blade = |k: u32| Surface::new([(CellKind::Tri3, [3 * k, 3 * k + 1, 3 * k + 2].as_slice())]);
        let surfaces = (0..num_bodies as u32).map(blade).collect();
        let model = ContactModel::new(surfaces, &[], &positions);
        let node_face = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
        let options = EngineOptions { node_face, ..EngineOptions::default() };
        let mut engine = Engine::new(model, options, &positions);
        let last = num_bodies - 1;
        let motion = |k: usize, time: f64| {
            let velocity = Vec3::new(3.0, 0.0, if k == last { -1.6 } else { 0.0 });
            let centre = positions[3 * k];
            RigidMotion { centre: centre + velocity * time, velocity, ..RigidMotion::at_rest(centre) }
        };
        let (step, end) = (0.01, 1e4);
        let impact = (0..100).find_map(|k| {
            let time = step * f64::from(k);
            let motions: Vec<RigidMotion> = (0..num_bodies).map(|body| motion(body, time)).collect();
            let flight =
                Flight { time, duration: step, end, reference_positions: &positions, motions: &motions };
            engine.first_impact(&flight)
        });
        let impact = impact.unwrap();
        assert_eq!(impact.bodies, [last as u32 - 1, last as u32]);
        assert!((impact.time - 0.5).abs() < 1e-9, "{}", impact.time);
    }

    /// The search first finds the impact of two large triangles at t = 0.8. Two small triangles meet at t = 0.5, after
    /// the first horizon, which ends at 0.3. Reference: gap over closing speed. The impact is never later than this
    /// reference, and earlier by less than 1e-9.
    #[test]
    fn an_impact_after_the_horizon_need_not_be_the_first() {
        let triangle = |size: f64, x: f64, z: f64| {
            [(0.0, 0.0), (size, 0.0), (0.0, size)].map(|(dx, dy)| Vec3::new(x + dx, dy, z))
        };
        let bodies = [(100.0, 0.0, 0.0), (100.0, 0.0, 1.0), (0.1, 1e4, 0.0), (0.1, 1e4, 10.0)];
        let positions: Vec<Vec3> = bodies.into_iter().flat_map(|(size, x, z)| triangle(size, x, z)).collect();
        let surface = |k: u32| Surface::new([(CellKind::Tri3, [3 * k, 3 * k + 1, 3 * k + 2].as_slice())]);
        let model = ContactModel::new((0..4).map(surface).collect(), &[], &positions);
        let motions: Vec<RigidMotion> = [0.0, -1.25, 0.0, -20.0]
            .into_iter()
            .enumerate()
            .map(|(body, speed)| {
                let velocity = Vec3::z() * speed;
                RigidMotion { velocity, ..RigidMotion::at_rest(positions[3 * body]) }
            })
            .collect();
        let flight =
            Flight { time: 0.0, duration: 1.0, end: 1.0, reference_positions: &positions, motions: &motions };
        for kinematics in [Kinematics::Exact, Kinematics::FromSteps] {
            let options = EngineOptions { kinematics, ..EngineOptions::default() };
            let mut engine = Engine::new(model.clone(), options, &positions);
            engine.flight.horizon = 0.3 * SHORTENING;
            let impact = engine.first_impact(&flight).unwrap();
            assert_eq!(impact.bodies, [2, 3], "{kinematics:?}");
            assert!(impact.time <= 0.5 && impact.time > 0.5 - 1e-9, "{kinematics:?}: {}", impact.time);
        }
    }

    /// A ball on any parabola stays in its swept box and touches all sides of the box, to 1e-5.
    #[test]
    fn swept_boxes_hold_the_ball_and_are_tight() {
        let samples = &mut Samples::new(2);
        for _ in 0..300 {
            let ball = MovingSphere {
                centre: samples.vector(3.0),
                radius: samples.uniform(0.0, 1.0),
                velocity: samples.vector(2.0) * samples.pick(&[0.0, 1.0]),
                acceleration: samples.vector(2.0) * samples.pick(&[0.0, 1.0]),
                growth: 0.0,
                growth_rate: 0.0,
            };
            let span = [samples.uniform(0.0, 1.0), samples.uniform(1.0, 4.0)];
            let swept = swept_box(&ball, span);
            let mut clear = [f64::INFINITY; 6];
            for part in 0..=4000 {
                let s = span[0] + (span[1] - span[0]) * f64::from(part) / 4000.0;
                let centre = ball.centre + (ball.velocity + ball.acceleration * (0.5 * s)) * s;
                for k in 0..3 {
                    clear[k] = clear[k].min(centre[k] - ball.radius - swept.lower[k]);
                    clear[3 + k] = clear[3 + k].min(swept.upper[k] - centre[k] - ball.radius);
                }
            }
            assert!(clear.iter().all(|&clear| (0.0..1e-5).contains(&clear)), "{clear:?}");
        }
    }
}
