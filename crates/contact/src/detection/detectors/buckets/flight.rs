//! Buckets in space and time in flight, where every body moves rigidly in closed form.
//!
//! The tests of two bodies begin at the earliest time at which their bounding balls can touch. The rest of the step is
//! divided into slices of time. In a slice, every face sweeps a box, in the frame that translates with the first body.
//! A slice is halved while the relative displacement of the bodies exceeds the larger of their median edge lengths. A
//! slice with a displacement between the two lengths is halved if the boxes of too many face pairs overlap
//! ([`WORTHWHILE`]).
//!
//! The time of impact of a face pair is computed over the whole step, and only once. The search ends at the first slice
//! that begins after the earliest impact found.

use std::time::Instant;

use rayon::prelude::*;

use crate::Surface;
use crate::detection::model::ContactModel;
use crate::detection::report::Prediction;
use crate::detection::trajectory::bounding_spheres::{MovingSphere, time_of_contact};
use crate::detection::trajectory::{Flight, Impact};
use crate::detection::volume::{Aabb, Sphere, rounded_up};
use crate::math::{RigidMotion, Vec3};

use super::super::sorted_body::{box_of_face, union};
use super::Buckets;
use super::cells::{CellLists, Grid};

/// Largest number of cells of a grid per face.
const CELLS_PER_FACE: usize = 32;

/// Two bodies with n faces in total have too many overlapping face pairs if the number of pairs exceeds
/// `WORTHWHILE.0 + n / WORTHWHILE.1`. Up to this number, the impact tests cost no more than another slice, which needs
/// a pass over all n faces.
const WORTHWHILE: (usize, usize) = (64, 16);

/// Shortest slice that is halved, relative to the duration of the step.
const SHORTEST: f64 = 1e-12;

/// Rounding of swept boxes relative to the coordinates, and of times relative to the times.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

pub(super) struct FlightPhase {
    /// Median edge length of each body \[m\].
    edges: Vec<f64>,
    /// For each body, a ball that contains the body in the reference configuration. The ball of a rotating body is
    /// centred at the centre of rotation.
    balls: Vec<Sphere>,
    /// For each pair, the time before which its bodies cannot touch \[s\]; infinite if they cannot touch in the flight.
    no_contact_before: Vec<f64>,
    swept: [SweptBody; 2],
    lists: CellLists,
    /// Face pairs whose boxes overlap in a slice.
    overlapping: Vec<[u32; 2]>,
    /// Face pairs of the two bodies under test that are already tested for an impact in the step, ascending.
    resolved: Vec<[u32; 2]>,
}

/// Part of a step of the flight; times from the beginning of the step \[s\].
#[derive(Clone, Copy, Debug)]
struct Slice {
    begin: f64,
    end: f64,
}

#[derive(Default)]
struct SweptBody {
    faces: Vec<Aabb>,
    /// Faces whose swept boxes overlap the zone: the intersection of the boxes that the two bodies sweep.
    near: Vec<u32>,
    /// Swept boxes of `near`.
    boxes: Vec<Aabb>,
    /// Nodal positions at the beginning or the end of the slice, valid only for the nodes of the body.
    positions: Vec<Vec3>,
}

impl Slice {
    fn length(&self) -> f64 {
        self.end - self.begin
    }

    fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.begin + self.end);
        [Self { end: middle, ..*self }, Self { begin: middle, ..*self }]
    }
}

impl FlightPhase {
    pub fn new(model: &ContactModel, num_pairs: usize, positions: &[Vec3]) -> Self {
        let swept = || SweptBody { positions: vec![Vec3::zeros(); positions.len()], ..SweptBody::default() };
        Self {
            edges: model.surfaces.iter().map(|surface| surface.median_edge(positions)).collect(),
            balls: Vec::new(),
            no_contact_before: vec![0.0; num_pairs],
            swept: [swept(), swept()],
            lists: CellLists::default(),
            overlapping: Vec::new(),
            resolved: Vec::new(),
        }
    }
}

impl Buckets {
    pub(super) fn begin_flight(&mut self, flight: &Flight<'_>) {
        let start = Instant::now();
        self.statistics.operated(flight.time, false);
        let bodies = self.model.surfaces.iter().zip(flight.motions);
        self.flight.balls =
            bodies.map(|(surface, motion)| ball(surface, flight.reference_positions, motion)).collect();
        for (pair, &bodies) in self.pairs.iter().enumerate() {
            if bodies[0] == bodies[1] {
                self.flight.no_contact_before[pair] = f64::INFINITY;
                continue;
            }
            let balls = bodies.map(|body| {
                let ball = self.flight.balls[body as usize];
                let ball = Sphere { radius: ball.radius + self.model.offset_of(body), ..ball };
                carried(&flight.motions[body as usize], &ball)
            });
            let contact_time = time_of_contact(&balls[0], &balls[1], flight.end - flight.time);
            let time = contact_time.map_or(f64::INFINITY, |s| (flight.time + s).next_down().max(flight.time));
            self.flight.no_contact_before[pair] = time;
            self.statistics.counts.trajectory += 1;
            if time.is_finite() {
                let prediction = Prediction { predicted_at: flight.time, bodies, depth: [0, 0], time };
                self.statistics.predictions.push(prediction);
            }
        }
        self.statistics.seconds.trajectory += start.elapsed().as_secs_f64();
    }

    pub(super) fn find_first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let flight_end = flight.time + flight.duration;
        let mut first: Option<Impact> = None;
        for pair in 0..self.pairs.len() {
            let limit = first.map_or(flight_end, |impact| impact.time.min(flight_end));
            if self.flight.no_contact_before[pair] <= limit {
                if self.statistics.operated_times.last() != Some(&flight.time) {
                    self.statistics.operated(flight.time, false);
                }
                first = self.first_impact_of_pair(flight, pair, first);
            }
        }
        first
    }

    /// The earliest of `first` and the impacts of a pair of bodies.
    fn first_impact_of_pair(
        &mut self,
        flight: &Flight<'_>,
        pair: usize,
        mut first: Option<Impact>,
    ) -> Option<Impact> {
        let bodies = self.pairs[pair];
        let begin = (self.flight.no_contact_before[pair] - flight.time) * (1.0 - ROUNDING);
        self.flight.resolved.clear();
        let mut slices = vec![Slice { begin: begin.clamp(0.0, flight.duration), end: flight.duration }];
        while let Some(slice) = slices.pop() {
            if first.is_some_and(|impact| impact.time < flight.time + slice.begin) {
                break;
            }
            let Some(zone) = self.sweep(flight, bodies, slice) else { continue };
            let path = self.relative_path(flight, bodies, slice);
            let [shortest, longest] = {
                let edges = bodies.map(|body| self.flight.edges[body as usize]);
                [edges[0].min(edges[1]), edges[0].max(edges[1])]
            };
            let divisible = slice.length() > SHORTEST * flight.duration;
            let most = if divisible && path > shortest { self.worthwhile(bodies) } else { usize::MAX };
            if (divisible && path > longest) || !self.find_overlapping(&zone, most) {
                let [earlier, later] = slice.halves();
                slices.extend([later, earlier]);
            } else {
                first = self.resolve(flight, bodies, first);
            }
        }
        first
    }

    fn worthwhile(&self, bodies: [u32; 2]) -> usize {
        let faces: usize = bodies.iter().map(|&body| self.model.surfaces[body as usize].num_faces()).sum();
        WORTHWHILE.0 + faces / WORTHWHILE.1
    }

    /// Sweeps both bodies, in the frame that translates with the first body. Returns the intersection of the boxes that
    /// the two bodies sweep, if any.
    fn sweep(&mut self, flight: &Flight<'_>, bodies: [u32; 2], slice: Slice) -> Option<Aabb> {
        let start = Instant::now();
        let [first, second] = &mut self.flight.swept;
        let (surfaces, balls, offsets) = (&self.model.surfaces, &self.flight.balls, &self.model.offsets);
        let frame = &flight.motions[bodies[0] as usize];
        let sweep = |swept: &mut SweptBody, body: u32| {
            let body = body as usize;
            let motion = &flight.motions[body];
            let scale = [frame, motion].map(|motion| motion.centre.amax() + motion.reference_centre.amax());
            let turning = motion.angular_velocity.norm_squared() * balls[body].radius;
            let bend =
                ((motion.acceleration - frame.acceleration).norm() + turning) * slice.length().powi(2) / 8.0;
            let margin = bend + offsets[body] + ROUNDING * (scale[0] + scale[1] + balls[body].radius);
            swept.sweep(&surfaces[body], [motion, frame], flight.reference_positions, slice, margin)
        };
        let bounds = rayon::join(|| sweep(first, bodies[0]), || sweep(second, bodies[1]));
        let zone = bounds.0.intersection(&bounds.1);
        if let Some(zone) = &zone {
            [first, second].into_iter().for_each(|swept| swept.list_near(zone));
        }
        self.statistics.counts.update += 1;
        self.statistics.seconds.update += start.elapsed().as_secs_f64();
        zone
    }

    /// Upper bound on the relative displacement of a point of one body and a point of the other in a slice \[m\].
    fn relative_path(&self, flight: &Flight<'_>, bodies: [u32; 2], slice: Slice) -> f64 {
        let [first, second] = bodies.map(|body| &flight.motions[body as usize]);
        let acceleration = first.acceleration - second.acceleration;
        let velocity = first.velocity - second.velocity + acceleration * slice.begin;
        let turning = bodies.map(|body| {
            flight.motions[body as usize].angular_velocity.norm() * self.flight.balls[body as usize].radius
        });
        let speed = velocity.norm() + acceleration.norm() * slice.length() + turning[0] + turning[1];
        speed * slice.length()
    }

    /// Lists the pairs of near faces with overlapping boxes. Stops and returns false if more than `most` pairs overlap.
    fn find_overlapping(&mut self, zone: &Aabb, most: usize) -> bool {
        let start = Instant::now();
        let FlightPhase { swept: [first, second], lists, overlapping, .. } = &mut self.flight;
        let near = first.boxes.len() + second.boxes.len();
        let extents =
            first.boxes.iter().chain(&second.boxes).map(|bounds| (bounds.upper - bounds.lower).amax());
        let size = extents.sum::<f64>() / near.max(1) as f64;
        lists.begin(Grid::over(zone, size, CELLS_PER_FACE * near));
        for bounds in &first.boxes {
            lists.grid().cells(bounds).for_each(|cell| lists.mark(cell));
        }
        lists.fill(&second.boxes);
        overlapping.clear();
        for (&face, bounds) in first.near.iter().zip(&first.boxes) {
            lists.grid().cells(bounds).for_each(|cell| {
                self.statistics.counts.overlap += lists.list(cell).len() as u64;
                for &k in lists.list(cell) {
                    let other = &second.boxes[k as usize];
                    // A pair is listed only in the cell that contains the lower corner of the intersection of its two
                    // boxes.
                    let counts = || lists.grid().cell(&bounds.lower.sup(&other.lower)) == cell;
                    if !bounds.excludes(other) && counts() {
                        overlapping.push([face, second.near[k as usize]]);
                    }
                }
            });
            if overlapping.len() > most {
                break;
            }
        }
        self.statistics.seconds.overlap += start.elapsed().as_secs_f64();
        overlapping.len() <= most
    }

    /// The earliest of `first` and the impacts of the overlapping face pairs that are not in `resolved`. Impacts at
    /// equal times are ordered by body and face numbers.
    fn resolve(&mut self, flight: &Flight<'_>, bodies: [u32; 2], first: Option<Impact>) -> Option<Impact> {
        let start = Instant::now();
        let FlightPhase { overlapping, resolved, .. } = &mut self.flight;
        overlapping.retain(|faces| resolved.binary_search(faces).is_err());
        let model = &self.model;
        let impacts: Vec<Impact> = overlapping
            .par_iter()
            .filter_map(|&faces| flight.impact_of_faces(model, bodies, faces))
            .collect();
        self.statistics.counts.primitive += overlapping.len() as u64;
        resolved.append(overlapping);
        resolved.sort_unstable();
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
        impacts.into_iter().chain(first).min_by(|a, b| {
            let order = |impact: &Impact| (impact.bodies, impact.faces);
            a.time.total_cmp(&b.time).then_with(|| order(a).cmp(&order(b)))
        })
    }
}

impl SweptBody {
    /// Computes the boxes that the faces sweep, widened by `margin`. Returns the smallest box around these boxes.
    /// `margin` must include the distance of a node from the straight line through its positions at the beginning and
    /// the end of the slice: up to |a| L²/8, with the acceleration a of the node relative to the frame, and the
    /// duration L of the slice \[s\].
    fn sweep(
        &mut self,
        surface: &Surface,
        [motion, frame]: [&RigidMotion; 2],
        reference_positions: &[Vec3],
        slice: Slice,
        margin: f64,
    ) -> Aabb {
        self.faces.clear();
        for s in [slice.begin, slice.end] {
            let rotation = motion.advanced(s).rotation.to_rotation_matrix();
            let centre = motion.centre_at(s) - frame.centre_at(s);
            for &node in surface.nodes() {
                let offset = reference_positions[node as usize] - motion.reference_centre;
                self.positions[node as usize] = centre + rotation * offset;
            }
            let boxes = (0..surface.num_faces()).map(|face| box_of_face(surface, face, &self.positions));
            if self.faces.is_empty() {
                self.faces.extend(boxes);
            } else {
                self.faces.iter_mut().zip(boxes).for_each(|(swept, end)| {
                    *swept = union([&*swept, &end]).widened(margin);
                });
            }
        }
        union(&self.faces)
    }

    fn list_near(&mut self, zone: &Aabb) {
        self.near.clear();
        self.boxes.clear();
        for (face, bounds) in self.faces.iter().enumerate() {
            if !bounds.excludes(zone) {
                self.near.push(face as u32);
                self.boxes.push(*bounds);
            }
        }
    }
}

/// Ball that contains a body in the reference configuration. If the body does not rotate, the ball is centred on the
/// bounding box.
fn ball(surface: &Surface, reference_positions: &[Vec3], motion: &RigidMotion) -> Sphere {
    let boxes: Vec<Aabb> =
        (0..surface.num_faces()).map(|face| box_of_face(surface, face, reference_positions)).collect();
    let bounds = union(&boxes);
    let turns = motion.spin_bound != 0.0 || motion.angular_velocity != Vec3::zeros();
    let centre =
        if turns || boxes.is_empty() { motion.reference_centre } else { (bounds.lower + bounds.upper) * 0.5 };
    let farthest = |bounds: &Aabb| (bounds.lower - centre).abs().sup(&(bounds.upper - centre).abs()).norm();
    let radius = boxes.iter().map(farthest).fold(0.0, f64::max);
    Sphere { centre, radius: rounded_up(radius, &centre) }
}

/// A ball that moves with its body. Bodies rotate about the centre of the ball or not at all.
fn carried(motion: &RigidMotion, ball: &Sphere) -> MovingSphere {
    let (centre, velocity) = motion.point(&ball.centre, 0.0);
    MovingSphere {
        centre,
        radius: ball.radius,
        velocity,
        acceleration: motion.acceleration,
        growth: 0.0,
        growth_rate: 0.0,
    }
}
