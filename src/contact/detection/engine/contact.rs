//! Levels 1 to 3 while bodies deform.
//!
//! Work is done at *operated* instants only. At one of them all pairs that are due within a window of some
//! steps are opened down to their leaves, and the faces that may touch within the window leave a list of
//! candidates (a Verlet list). Until the window ends, a step costs no more than the closest points of the
//! candidates; a pair in the queue beyond the window costs nothing.

use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, control_points, is_held_by_nodes, lebesgue_constant, rounding_of,
};
use crate::contact::detection::hierarchy::VertexMotion;
use crate::contact::detection::node_face::{Candidate, NodeFaceSearch};
use crate::contact::detection::statistics::{Stage, StageClock};
use crate::contact::detection::trajectory::{MovingSphere, time_of_contact};
use crate::contact::detection::volume::{Aabb, Leaf, LeafVolumes, VolumeKind};
use crate::contact::detection::{Configuration, ContactModel};
use crate::contact::{Constraints, NodeOnSurface, Surface};
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::Engine;
use super::monitor::VelocityMonitor;
use super::normals::NormalBounds;
use super::queue::VertexPair;

/// Fewest and most steps from one operated instant to the next while bodies are close.
const WINDOW_STEPS: [f64; 2] = [1.0, 64.0];

/// What faces may near each other in a window, relative to the search depth: a longer window costs candidates that
/// never touch, a shorter one more updates of the trees.
const WINDOW_REACH: f64 = 0.5;

/// How far ahead pairs are predicted, in steps: later times would not outlive an epoch.
const HORIZON_STEPS: f64 = 1024.0;

/// Steps after which the normals of a body that can touch itself are bounded anew, if not before by a new epoch.
const NORMALS_STEPS: f64 = 64.0;

/// Rounding of a distance along a direction, relative to the coordinates.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// State of the contact phase, reused from step to step.
pub(super) struct ContactPhase {
    monitors: Vec<VelocityMonitor>,
    motions: Vec<Vec<VertexMotion>>,
    /// Volumes of all faces of all bodies, numbered through.
    volumes: LeafVolumes,
    first_faces: Vec<usize>,
    /// Largest search depth of the pairs of each body \[m\].
    depths: Vec<f64>,
    /// How far points of the faces of each body may deviate where its nodes deviate by one.
    amplifications: Vec<f64>,
    /// Normals of the bodies that can touch themselves, and the instant until which they are used \[s\].
    normals: Vec<(NormalBounds, f64)>,
    window_end: f64,
    /// Length of the next window \[s\]: twice the last one unless faces are close.
    window: f64,
    horizon_end: f64,
    /// Bodies whose epoch ends, or whose tree is to be brought up to date.
    marked: Vec<bool>,
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
        let amplification = |surface: &Surface| {
            (0..surface.num_faces()).map(|face| lebesgue_constant(surface.face(face).0)).fold(1.0, f64::max)
        };
        Self {
            monitors: vec![VelocityMonitor::default(); num_bodies],
            motions: vec![Vec::new(); num_bodies],
            volumes: LeafVolumes::new(ladder, num_faces),
            first_faces,
            depths,
            amplifications: model.surfaces.iter().map(amplification).collect(),
            normals: vec![(NormalBounds::default(), f64::NEG_INFINITY); num_bodies],
            window_end: f64::NEG_INFINITY,
            window: 0.0,
            horizon_end: f64::NEG_INFINITY,
            marked: vec![false; num_bodies],
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
        self.contact.window = 0.0;
        self.contact.horizon_end = f64::NEG_INFINITY;
        for (monitor, surface) in self.contact.monitors.iter_mut().zip(&self.model.surfaces) {
            monitor.restart(surface, configuration.velocities);
            monitor.forget_rest();
        }
    }

    /// Checks the velocity bands and, if anything is due, brings the candidates up to date.
    pub(super) fn follow_contact(&mut self, configuration: &Configuration<'_>) {
        let mut clock = StageClock::start(Stage::Monitor);
        let restarted = self.restart_epochs(configuration);
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        let due = self.queue.earliest().is_some_and(|time| time < configuration.time);
        if restarted || due {
            self.operate(configuration, &mut clock);
        }
        clock.stop(&mut self.statistics.seconds);
    }

    /// Begins new epochs where bands were left or the horizon is reached: voids the events of those bodies and
    /// queues their roots as due now. True if there was any.
    fn restart_epochs(&mut self, configuration: &Configuration<'_>) -> bool {
        let all = configuration.time > self.contact.horizon_end;
        if all {
            self.contact.horizon_end = configuration.time + HORIZON_STEPS * configuration.time_step;
        }
        let mut over = std::mem::take(&mut self.contact.marked);
        over.fill(all);
        for (body, surface) in self.model.surfaces.iter().enumerate() {
            let monitor = &mut self.contact.monitors[body];
            self.statistics.counts.monitor += 1;
            over[body] |= monitor.is_over(surface, configuration.velocities);
            if over[body] {
                monitor.restart(surface, configuration.velocities);
                self.contact.normals[body].1 = f64::NEG_INFINITY;
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
        self.contact.marked = over;
        self.contact.marked.contains(&true)
    }

    /// Opens what is due within a window from now, level by level, and lists the faces that may touch in it.
    fn operate(&mut self, configuration: &Configuration<'_>, clock: &mut StageClock) {
        self.statistics.operated(configuration.time, true);
        // Pairs of leaves wait in the queue for the end of the last window: no window ends before, though steps shrink.
        let [fewest, most] = WINDOW_STEPS.map(|steps| steps * configuration.time_step);
        self.contact.window = self.contact.window.max(fewest).min(most);
        let window_end = configuration.time + self.contact.window;
        self.contact.window_end = window_end.max(self.contact.window_end);
        let mut frontier = std::mem::take(&mut self.contact.frontier);
        let mut next = std::mem::take(&mut self.contact.next);
        frontier.clear();
        while let Some(event) = self.queue.pop_due(self.contact.window_end) {
            frontier.push(event.pair);
        }
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        self.refit(configuration, &frontier);
        self.bound_normals(configuration, &frontier);
        clock.enter(Stage::Trajectory, &mut self.statistics.seconds);
        self.contact.leaves.clear();
        while !frontier.is_empty() {
            next.clear();
            for &pair in &frontier {
                self.predict_contact(configuration, pair, &mut next);
            }
            std::mem::swap(&mut frontier, &mut next);
        }
        (self.contact.frontier, self.contact.next) = (frontier, next);
        clock.enter(Stage::Overlap, &mut self.statistics.seconds);
        self.list_candidates(configuration);
    }

    /// Brings the trees of the bodies in these pairs up to date, but for bodies at rest.
    fn refit(&mut self, configuration: &Configuration<'_>, pairs: &[VertexPair]) {
        let ContactPhase { marked: stale, motions, monitors, .. } = &mut self.contact;
        stale.fill(false);
        for body in pairs.iter().flat_map(|pair| pair.bodies) {
            stale[body as usize] = true;
        }
        for (body, tree) in self.trees.iter().enumerate().filter(|(body, _)| stale[*body]) {
            let Some(tree) = tree else { continue };
            if !monitors[body].needs_refit() {
                continue;
            }
            let Configuration { positions, velocities, .. } = configuration;
            tree.refit(positions, velocities, &mut motions[body]);
            self.statistics.counts.update += tree.num_vertices() as u64;
        }
    }

    /// Bounds the normals of the bodies that meet themselves in these pairs, where the last bounds are of no use.
    fn bound_normals(&mut self, configuration: &Configuration<'_>, pairs: &[VertexPair]) {
        let Configuration { time, time_step, positions, velocities } = *configuration;
        for body in pairs.iter().filter(|pair| pair.is_of_one_body()).map(|pair| pair.bodies[0] as usize) {
            let deviation = self.deviation(body);
            let (normals, until) = &mut self.contact.normals[body];
            if time < *until {
                continue;
            }
            *until = time + NORMALS_STEPS * time_step;
            if let Some(tree) = &self.trees[body] {
                let surface = &self.model.surfaces[body];
                normals.find(tree, surface, time, [positions, velocities], deviation);
            }
        }
    }

    /// Queues a pair that cannot meet within the window; otherwise opens it, or keeps it as a pair of leaves.
    fn predict_contact(
        &mut self,
        configuration: &Configuration<'_>,
        pair: VertexPair,
        opened: &mut Vec<VertexPair>,
    ) {
        self.statistics.counts.trajectory += 1;
        if pair.is_of_one_body() {
            let facing = self.contact.normals[pair.bodies[0] as usize].0.time_of_facing(pair.vertices);
            if facing > self.contact.window_end {
                if facing <= self.contact.horizon_end {
                    self.queue.push(facing.next_down(), configuration.time, pair);
                }
                return;
            }
            if pair.vertices[0] == pair.vertices[1] {
                self.open_with_itself(pair, opened);
                return;
            }
        }
        let spheres = [0, 1].map(|k| self.growing_sphere(pair, k));
        let horizon = self.contact.horizon_end - configuration.time;
        let Some(mut s) = time_of_contact(&spheres[0], &spheres[1], horizon) else { return };
        for face in 0..2 {
            if configuration.time + s <= self.contact.window_end {
                s = s.max(self.time_clear_of_face(configuration, pair, face, &spheres));
            }
        }
        if pair.is_of_one_body()
            && configuration.time + s <= self.contact.window_end
            && let Some(faces) = self.faces(pair)
        {
            s = s.max(self.time_of_facing(pair, faces) - configuration.time);
        }
        if s > horizon {
            return;
        }
        let time = (configuration.time + s).next_down();
        if time > self.contact.window_end {
            self.queue.push(time, configuration.time, pair);
        } else if let Some(children) = self.open(pair, spheres.map(|sphere| sphere.radius)) {
            opened.extend(children);
        } else {
            self.contact.leaves.push(pair);
        }
    }

    /// Opens a vertex that meets itself: each of its children with itself, and the one with the other.
    fn open_with_itself(&self, pair: VertexPair, opened: &mut Vec<VertexPair>) {
        let [body, vertex] = [pair.bodies[0], pair.vertices[0]];
        let children = self.trees[body as usize].as_ref().and_then(|tree| tree.children(vertex));
        if let Some([left, right]) = children {
            let vertices = [[left, left], [right, right], [left, right]];
            opened.extend(vertices.map(|vertices| VertexPair { vertices, ..pair }));
        }
    }

    /// Instant before which two faces of one body cannot touch, however near they are: each node of the one is across
    /// the material from the other, or not opposed to it before. Infinite where none ever can.
    fn time_of_facing(&self, pair: VertexPair, faces: [u32; 2]) -> f64 {
        let body = pair.bodies[0];
        let surface = &self.model.surfaces[body as usize];
        let mut first = f64::INFINITY;
        for [contactor, target] in [[0, 1], [1, 0]] {
            for &node in surface.face(faces[contactor] as usize).1 {
                let facing =
                    self.contact.normals[body as usize].0.time_of_facing_node(surface, node, faces[target]);
                let key = NodeOnSurface { contactor: node, target: body };
                let candidate = Candidate { key, face: faces[target], pair: pair.pair, contactor_body: body };
                if facing < first && self.model.can_touch(&candidate) {
                    first = facing;
                }
                if first <= self.contact.window_end {
                    return first;
                }
            }
        }
        first
    }

    /// Time before which a sphere cannot meet the face of the other vertex, the k-th of the pair, if that is a leaf:
    /// the sphere of a face is a poor bound where a small thing is near a large one. The face is held by the planes
    /// along it, and by its box.
    fn time_clear_of_face(
        &self,
        configuration: &Configuration<'_>,
        pair: VertexPair,
        k: usize,
        spheres: &[MovingSphere; 2],
    ) -> f64 {
        let body = pair.bodies[k] as usize;
        let face = self.trees[body].as_ref().and_then(|tree| tree.face(pair.vertices[k]));
        let Some(face) = face else { return 0.0 };
        let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
        let (kind, nodes) = self.model.surfaces[body].face(face as usize);
        let points = control_points(kind, nodes, configuration.positions, &mut points);
        let off = rounding_of_face(kind, points);
        let (sphere, of_face) = (&spheres[1 - k], &spheres[k]);
        let closing_velocity = of_face.velocity - sphere.velocity;
        let growth = of_face.growth + sphere.growth;
        let margin = sphere.radius + 0.5 * self.model.search_depths[pair.pair as usize];
        let corners = &points[..kind.corners().len()];
        let directions = [across(corners, &sphere.centre), Aabb::fit(points, 0.0).offset(&sphere.centre)];
        directions
            .iter()
            .filter_map(|direction| direction.try_normalize(0.0))
            .map(|normal| {
                let highest = points.iter().map(|x| normal.dot(x)).fold(f64::NEG_INFINITY, f64::max);
                let rounding = ROUNDING * (sphere.centre.abs().sum() + highest.abs()) + off;
                let separation = normal.dot(&sphere.centre) - highest - margin - rounding;
                time_of_closing(separation, normal.dot(&closing_velocity) + growth)
            })
            .fold(0.0, f64::max)
    }

    /// Ball that holds the faces below the k-th vertex of a pair, half the search depth around them included,
    /// for as long as the epochs last.
    fn growing_sphere(&self, pair: VertexPair, k: usize) -> MovingSphere {
        let body = pair.bodies[k] as usize;
        let motion = &self.contact.motions[body][pair.vertices[k] as usize];
        MovingSphere {
            centre: motion.centre,
            radius: motion.radius + 0.5 * self.model.search_depths[pair.pair as usize],
            velocity: motion.velocity,
            acceleration: Vec3::zeros(),
            growth: motion.spread + self.deviation(body),
            growth_rate: 0.0,
        }
    }

    /// Bound on the speed at which a point of a face of the body leaves the motion it had at any instant of the epoch,
    /// nodes within the band all along [m/s].
    fn deviation(&self, body: usize) -> f64 {
        2.0 * self.contact.monitors[body].band() * self.contact.amplifications[body]
    }

    /// Climbs the ladder of volumes for the pairs of leaves; those that are left give candidates both ways.
    fn list_candidates(&mut self, configuration: &Configuration<'_>) {
        self.contact.candidates.clear();
        self.contact.volumes.invalidate();
        self.contact.window *= 2.0;
        let window_end = self.contact.window_end;
        let leaves = std::mem::take(&mut self.contact.leaves);
        for &pair in &leaves {
            self.queue.push(window_end, configuration.time, pair);
            let Some(faces) = self.faces(pair) else { continue };
            self.statistics.counts.overlap += 1;
            if !self.is_excluded(configuration, pair, faces) {
                let depth = self.model.search_depths[pair.pair as usize];
                let rate = self.closing_rate(pair);
                let reach = depth + rate * (window_end - configuration.time);
                let before = self.contact.candidates.len();
                self.push_candidates(configuration, pair, faces, reach);
                // Neighbours in a surface are always near, and mostly cannot touch.
                if self.contact.candidates.len() > before || !pair.is_of_one_body() {
                    self.contact.window = self.contact.window.min(WINDOW_REACH * depth / rate);
                }
            }
        }
        self.contact.leaves = leaves;
        self.contact.candidates.sort_unstable();
        self.contact.candidates.dedup();
        self.contact.search.group(&self.contact.candidates);
    }

    /// Bound on the rate at which points of two leaves can near each other, as long as the epochs last [m/s].
    fn closing_rate(&self, pair: VertexPair) -> f64 {
        let spheres = [0, 1].map(|k| self.growing_sphere(pair, k));
        (spheres[0].velocity - spheres[1].velocity).norm() + spheres[0].growth + spheres[1].growth
    }

    /// Whether a volume of the ladder keeps two faces apart for the whole window.
    fn is_excluded(&mut self, configuration: &Configuration<'_>, pair: VertexPair, faces: [u32; 2]) -> bool {
        let mut buffers = [[Vec3::zeros(); MAX_CONTROL_POINTS]; 2];
        let window = self.contact.window_end - configuration.time;
        let leaf = |k: usize, buffer| {
            let body = pair.bodies[k] as usize;
            let motion = &self.contact.motions[body][pair.vertices[k] as usize];
            let (kind, nodes) = self.model.surfaces[body].face(faces[k] as usize);
            let points = control_points(kind, nodes, configuration.positions, buffer);
            let speed = motion.velocity.norm() + motion.spread + self.deviation(body);
            let margin = 0.5 * self.contact.depths[body] + speed * window + rounding_of_face(kind, points);
            let index = self.contact.first_faces[body] + faces[k] as usize;
            Leaf { index, sphere: motion.sphere(), points, margin }
        };
        let [first, second] = &mut buffers;
        let (first, second) = (leaf(0, first), leaf(1, second));
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
                    let key = NodeOnSurface { contactor: node, target: body };
                    let contactor_body = pair.bodies[contactor];
                    let candidate = Candidate { key, face: faces[target], pair: pair.pair, contactor_body };
                    if self.is_faced(pair, node, faces[target]) && self.model.can_touch(&candidate) {
                        self.contact.candidates.push(candidate);
                    }
                }
            }
        }
    }

    /// Whether a node can be opposed to a face within the window; of different bodies it is taken to be.
    fn is_faced(&self, pair: VertexPair, node: u32, face: u32) -> bool {
        let body = pair.bodies[0] as usize;
        let normals = &self.contact.normals[body].0;
        let surface = &self.model.surfaces[body];
        !pair.is_of_one_body() || normals.time_of_facing_node(surface, node, face) <= self.contact.window_end
    }

    /// Closest points of the candidates.
    pub(super) fn find_constraints(
        &mut self,
        configuration: &Configuration<'_>,
        constraints: &mut Constraints,
    ) {
        let clock = StageClock::start(Stage::Primitive);
        let ContactPhase { candidates, search, .. } = &mut self.contact;
        search.find(candidates, &self.model, self.options.node_face, configuration.positions, constraints);
        self.statistics.counts.primitive += candidates.len() as u64;
        clock.stop(&mut self.statistics.seconds);
    }
}

/// What the points that hold a face may be off by rounding: nothing where they are its nodes.
fn rounding_of_face(kind: CellKind, points: &[Vec3]) -> f64 {
    if is_held_by_nodes(kind) { 0.0 } else { rounding_of(points) }
}

/// A vector across a face through its corners, on the side of a point; zero where they span no area.
fn across(corners: &[Vec3], point: &Vec3) -> Vec3 {
    let normal = match corners {
        [a, b] => (b - a).cross(&Vec3::z()),
        [a, b, c] => (b - a).cross(&(c - a)),
        [a, b, c, d, ..] => (c - a).cross(&(d - b)),
        _ => Vec3::zeros(),
    };
    if normal.dot(&(point - corners[0])) < 0.0 { -normal } else { normal }
}

/// Time in which a distance closes \[s\]: zero for none, infinite where it does not close.
fn time_of_closing(distance: f64, rate: f64) -> f64 {
    match (distance > 0.0, rate > 0.0) {
        (false, _) => 0.0,
        (true, false) => f64::INFINITY,
        (true, true) => distance / rate,
    }
}
