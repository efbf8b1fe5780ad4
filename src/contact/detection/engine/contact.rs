//! Levels 1 to 3 while bodies deform.
//!
//! Work is done at *operated* instants only. At one of them all pairs that are due within a window of a few
//! steps are opened down to their leaves, and the faces that may touch within the window leave a list of
//! candidates (a Verlet list). Until the window ends, a step costs no more than the closest points of the
//! candidates; a pair in the queue beyond the window costs nothing.

use std::time::Instant;

use crate::contact::detection::hierarchy::VertexMotion;
use crate::contact::detection::node_face::{Candidate, NodeFaceSearch};
use crate::contact::detection::trajectory::{MovingSphere, time_of_contact};
use crate::contact::detection::volume::{Leaf, LeafVolumes, VolumeKind};
use crate::contact::detection::{Configuration, ContactModel};
use crate::contact::{Constraints, ContactKey, Surface};
use crate::element::MAX_NODES;
use crate::math::Vec3;

use super::Engine;
use super::monitor::VelocityMonitor;
use super::queue::VertexPair;

/// Steps from one operated instant to the next while bodies are close.
const WINDOW_STEPS: f64 = 16.0;

/// How far ahead pairs are predicted, in windows: later times would not outlive an epoch.
const HORIZON_WINDOWS: f64 = 64.0;

/// State of the contact phase, reused from step to step.
pub(super) struct ContactPhase {
    monitors: Vec<VelocityMonitor>,
    motions: Vec<Vec<VertexMotion>>,
    /// Volumes of all faces of all bodies, numbered through.
    volumes: LeafVolumes,
    first_faces: Vec<usize>,
    /// Largest search depth of the pairs of each body \[m\].
    depths: Vec<f64>,
    window_end: f64,
    horizon_end: f64,
    frontier: Vec<VertexPair>,
    next: Vec<VertexPair>,
    leaves: Vec<VertexPair>,
    candidates: Vec<Candidate>,
    search: NodeFaceSearch,
}

impl ContactPhase {
    /// For the bodies of a model; nothing is known of their motion yet.
    pub fn new(model: &ContactModel, ladder: &[VolumeKind]) -> Self {
        let num_bodies = model.surfaces.len();
        let mut num_faces = 0;
        let mut first_faces = Vec::with_capacity(num_bodies);
        for surface in &model.surfaces {
            first_faces.push(num_faces);
            num_faces += surface.num_faces();
        }
        let mut depths = vec![0.0_f64; num_bodies];
        for (pair, &depth) in model.pairs.iter().zip(&model.search_depths) {
            for &body in pair {
                depths[body as usize] = depths[body as usize].max(depth);
            }
        }
        Self {
            monitors: vec![VelocityMonitor::default(); num_bodies],
            motions: vec![Vec::new(); num_bodies],
            volumes: LeafVolumes::new(ladder, num_faces),
            first_faces,
            depths,
            window_end: f64::NEG_INFINITY,
            horizon_end: f64::NEG_INFINITY,
            frontier: Vec::new(),
            next: Vec::new(),
            leaves: Vec::new(),
            candidates: Vec::new(),
            search: NodeFaceSearch::default(),
        }
    }
}

impl Engine {
    /// Begins the first epoch of every body.
    pub(super) fn begin_contact(&mut self, configuration: &Configuration<'_>) {
        self.queue.clear();
        self.contact.window_end = f64::NEG_INFINITY;
        self.contact.horizon_end = f64::NEG_INFINITY;
        for (monitor, surface) in self.contact.monitors.iter_mut().zip(&self.model.surfaces) {
            monitor.restart(surface, configuration.velocities);
        }
    }

    /// Checks the velocity bands and, if anything is due, brings the candidates up to date.
    pub(super) fn follow_contact(&mut self, configuration: &Configuration<'_>) {
        let start = Instant::now();
        let restarted = self.restart_epochs(configuration);
        let due = self.queue.earliest().is_some_and(|time| time < configuration.time);
        if restarted || due {
            self.operate(configuration);
        }
        self.statistics.seconds.trajectory += start.elapsed().as_secs_f64();
    }

    /// Begins new epochs where bands were left or the horizon is reached: voids the events of those bodies and
    /// queues their roots as due now. True if there was any.
    fn restart_epochs(&mut self, configuration: &Configuration<'_>) -> bool {
        let window = WINDOW_STEPS * configuration.time_step;
        let all = configuration.time > self.contact.horizon_end;
        if all {
            self.contact.horizon_end = configuration.time + HORIZON_WINDOWS * window;
        }
        let mut over = vec![all; self.model.surfaces.len()];
        for (body, surface) in self.model.surfaces.iter().enumerate() {
            let monitor = &mut self.contact.monitors[body];
            over[body] |= monitor.is_over(surface, configuration.velocities);
            if over[body] {
                monitor.restart(surface, configuration.velocities);
                self.queue.begin_epoch(body as u32);
            }
        }
        for pair in 0..self.model.pairs.len() as u32 {
            let bodies = self.model.pairs[pair as usize];
            if bodies.iter().any(|&body| over[body as usize])
                && let Some(root) = self.root_pair(pair)
            {
                self.queue.push(f64::NEG_INFINITY, f64::NEG_INFINITY, root);
            }
        }
        over.contains(&true)
    }

    /// Opens what is due within a window from now, level by level, and lists the faces that may touch in it.
    fn operate(&mut self, configuration: &Configuration<'_>) {
        self.statistics.operated(configuration.time, true);
        // Pairs of leaves wait in the queue for the end of the last window: no window ends before, though steps shrink.
        let window_end = configuration.time + WINDOW_STEPS * configuration.time_step;
        self.contact.window_end = window_end.max(self.contact.window_end);
        let mut frontier = std::mem::take(&mut self.contact.frontier);
        let mut next = std::mem::take(&mut self.contact.next);
        frontier.clear();
        while let Some(event) = self.queue.pop_due(self.contact.window_end) {
            frontier.push(event.pair);
        }
        self.refit(configuration, &frontier);
        self.contact.leaves.clear();
        while !frontier.is_empty() {
            next.clear();
            for &pair in &frontier {
                self.predict_contact(configuration, pair, &mut next);
            }
            std::mem::swap(&mut frontier, &mut next);
        }
        (self.contact.frontier, self.contact.next) = (frontier, next);
        self.list_candidates(configuration);
    }

    /// Brings the trees of the bodies in these pairs up to date.
    fn refit(&mut self, configuration: &Configuration<'_>, pairs: &[VertexPair]) {
        let start = Instant::now();
        let mut stale = vec![false; self.trees.len()];
        for body in pairs.iter().flat_map(|pair| pair.bodies) {
            stale[body as usize] = true;
        }
        for (body, tree) in self.trees.iter().enumerate().filter(|(body, _)| stale[*body]) {
            let Some(tree) = tree else { continue };
            let Configuration { positions, velocities, .. } = configuration;
            tree.refit(positions, velocities, &mut self.contact.motions[body]);
            self.statistics.counts.update += 1;
        }
        self.statistics.seconds.update += start.elapsed().as_secs_f64();
    }

    /// Queues a pair that cannot meet within the window; otherwise opens it, or keeps it as a pair of leaves.
    fn predict_contact(
        &mut self,
        configuration: &Configuration<'_>,
        pair: VertexPair,
        opened: &mut Vec<VertexPair>,
    ) {
        self.statistics.counts.trajectory += 1;
        let spheres = [0, 1].map(|k| self.growing_sphere(pair, k));
        let horizon = self.contact.horizon_end - configuration.time;
        let Some(s) = time_of_contact(&spheres[0], &spheres[1], horizon) else { return };
        let time = (configuration.time + s).next_down();
        if time > self.contact.window_end {
            self.queue.push(time, configuration.time, pair);
        } else if let Some(children) = self.open(pair, spheres.map(|sphere| sphere.radius)) {
            opened.extend(children);
        } else {
            self.contact.leaves.push(pair);
        }
    }

    /// Ball that holds the nodes below the k-th vertex of a pair, half the search depth around them included,
    /// for as long as the epochs last.
    fn growing_sphere(&self, pair: VertexPair, k: usize) -> MovingSphere {
        let body = pair.bodies[k] as usize;
        let motion = &self.contact.motions[body][pair.vertices[k] as usize];
        MovingSphere {
            centre: motion.centre,
            radius: motion.radius + 0.5 * self.model.search_depths[pair.pair as usize],
            velocity: motion.velocity,
            acceleration: Vec3::zeros(),
            growth: motion.spread + 2.0 * self.contact.monitors[body].band(),
            growth_rate: 0.0,
        }
    }

    /// Climbs the ladder of volumes for the pairs of leaves; those that are left give candidates both ways.
    fn list_candidates(&mut self, configuration: &Configuration<'_>) {
        let start = Instant::now();
        self.contact.candidates.clear();
        self.contact.volumes.invalidate();
        let window_end = self.contact.window_end;
        let leaves = std::mem::take(&mut self.contact.leaves);
        for &pair in &leaves {
            self.queue.push(window_end, configuration.time, pair);
            let Some(faces) = self.faces(pair) else { continue };
            let reach = self.reach(configuration, pair);
            self.statistics.counts.overlap += 1;
            if !self.is_excluded(configuration, pair, faces) {
                self.push_candidates(configuration, pair, faces, reach);
            }
        }
        self.contact.leaves = leaves;
        self.contact.candidates.sort_unstable();
        self.contact.candidates.dedup();
        self.contact.search.group(&self.contact.candidates);
        self.statistics.seconds.overlap += start.elapsed().as_secs_f64();
    }

    /// How much nearer than now the faces of two leaves can come within the window, plus the search depth \[m\].
    fn reach(&self, configuration: &Configuration<'_>, pair: VertexPair) -> f64 {
        let spheres = [0, 1].map(|k| self.growing_sphere(pair, k));
        let closing = (spheres[0].velocity - spheres[1].velocity).norm();
        let rate = closing + spheres[0].growth + spheres[1].growth;
        let window = self.contact.window_end - configuration.time;
        self.model.search_depths[pair.pair as usize] + rate * window
    }

    /// Whether a volume of the ladder keeps two faces apart for the whole window.
    fn is_excluded(&mut self, configuration: &Configuration<'_>, pair: VertexPair, faces: [u32; 2]) -> bool {
        let mut points = [[Vec3::zeros(); MAX_NODES]; 2];
        let window = self.contact.window_end - configuration.time;
        let leaves = [0, 1].map(|k| {
            let body = pair.bodies[k] as usize;
            let motion = &self.contact.motions[body][pair.vertices[k] as usize];
            let speed = motion.velocity.norm() + motion.spread + 2.0 * self.contact.monitors[body].band();
            let margin = 0.5 * self.contact.depths[body] + speed * window;
            (self.contact.first_faces[body] + faces[k] as usize, motion.sphere(), margin)
        });
        let [mut first, mut second] =
            leaves.map(|(index, sphere, margin)| Leaf { index, sphere, points: &[], margin });
        let [first_points, second_points] = &mut points;
        first.points =
            gather(&self.model.surfaces[pair.bodies[0] as usize], faces[0], configuration, first_points);
        second.points =
            gather(&self.model.surfaces[pair.bodies[1] as usize], faces[1], configuration, second_points);
        self.contact.volumes.excluded(&first, &second).is_some()
    }

    /// Lists the nodes of each face that are within reach of the bounding sphere of the other.
    fn push_candidates(
        &mut self,
        configuration: &Configuration<'_>,
        pair: VertexPair,
        faces: [u32; 2],
        reach: f64,
    ) {
        for [contactor, target] in [[0, 1], [1, 0]] {
            let body = pair.bodies[target];
            let sphere = &self.contact.motions[body as usize][pair.vertices[target] as usize];
            let distance = sphere.radius + reach;
            let (_, nodes) =
                self.model.surfaces[pair.bodies[contactor] as usize].face(faces[contactor] as usize);
            for &node in nodes {
                let offset = configuration.positions[node as usize] - sphere.centre;
                if offset.norm_squared() <= distance * distance {
                    let key = ContactKey { contactor: node, target: body };
                    let contactor_body = pair.bodies[contactor];
                    let candidate = Candidate { key, face: faces[target], pair: pair.pair, contactor_body };
                    self.contact.candidates.push(candidate);
                }
            }
        }
    }

    /// Closest points of the candidates.
    pub(super) fn find_constraints(
        &mut self,
        configuration: &Configuration<'_>,
        constraints: &mut Constraints,
    ) {
        let start = Instant::now();
        let ContactPhase { candidates, search, .. } = &mut self.contact;
        search.find(candidates, &self.model, self.options.node_face, configuration.positions, constraints);
        self.statistics.counts.primitive += candidates.len() as u64;
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }
}

/// Copies the positions of the nodes of a face.
fn gather<'a>(
    surface: &Surface,
    face: u32,
    configuration: &Configuration<'_>,
    points: &'a mut [Vec3; MAX_NODES],
) -> &'a [Vec3] {
    let (_, nodes) = surface.face(face as usize);
    for (point, &node) in points.iter_mut().zip(nodes) {
        *point = configuration.positions[node as usize];
    }
    &points[..nodes.len()]
}
