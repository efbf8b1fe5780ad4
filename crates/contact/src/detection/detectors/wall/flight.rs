//! First impacts with rigid walls in flight, where every body moves rigidly in closed form.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use crate::detection::face::convex_hull::QuadraticBezierFace;
use crate::detection::report::Prediction;
use crate::detection::trajectory::{Flight, Impact};
use crate::math::{RigidMotion, Vec3};

use super::WallDetector;
use super::height::Heights;
use super::walled_body::{Wall, WalledBody, members};

/// Height above the wall up to which a curved face counts as touching, relative to the size of the face.
const TOUCHING: f64 = 1e-9;

pub(super) struct FlightPhase {
    /// For each pair of a wall and a body, the time before which the two cannot touch \[s\].
    no_contact_before: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Touch {
    /// Time from the beginning of the step \[s\].
    time: f64,
    /// Reference position of the point of contact \[m\].
    point: Vec3,
    /// A face that contains the point.
    face: u32,
}

/// An item that can touch a wall. `time` is a lower bound on the time of contact, from the beginning of the step \[s\].
struct Entry {
    time: f64,
    item: Item,
}

/// Variants in the order of processing at equal times. Nodes come first, because their contact is certain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// A node, as an index in the node list of the body.
    Node(u32),
    /// A piece of a curved face, as an index in `Search::pieces`.
    CurvedPiece(u32),
    NodeBlock(u32),
    FaceBlock(u32),
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// The entry with the least time is the greatest, because `BinaryHeap` returns the greatest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.item.cmp(&self.item))
    }
}

impl WallDetector {
    pub(super) fn find_first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        let start = Instant::now();
        let mut phase = match self.flight.take() {
            Some(phase) => phase,
            None => self.begin_flight(flight),
        };
        let mut first: Option<Impact> = None;
        let end = flight.time + flight.duration;
        for (k, no_contact_before) in phase.no_contact_before.iter_mut().enumerate() {
            if *no_contact_before > end {
                continue;
            }
            let until = first.map_or(flight.duration, |impact| impact.time - flight.time);
            if let Some(touch) = self.first_touch(flight, k, until) {
                first = Impact::earlier(first, Some(self.impact(flight, k, &touch)));
            } else {
                *no_contact_before = end;
            }
        }
        self.flight = Some(phase);
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
        first
    }

    /// Predicts the contact time of each pair. The predicted time is exact or too early.
    fn begin_flight(&mut self, flight: &Flight<'_>) -> FlightPhase {
        let horizon = flight.end - flight.time;
        let no_contact_before = (0..self.pairs.len()).map(|k| {
            let [wall, body] = self.pairs[k].map(|index| index as usize);
            let bodies = [self.bodies[body].body, self.walls[wall].body];
            let s = if is_steady(&flight.motions[bodies[0] as usize]) {
                self.first_touch(flight, k, horizon).map(|touch| touch.time)
            } else {
                self.swept_touch(flight, k, horizon)
            };
            self.statistics.counts.trajectory += 1;
            let time = s.map_or(f64::INFINITY, |s| (flight.time + s).next_down().max(flight.time));
            if time.is_finite() {
                let prediction = Prediction { predicted_at: flight.time, bodies, depth: [0, 0], time };
                self.statistics.predictions.push(prediction);
            }
            time
        });
        FlightPhase { no_contact_before: no_contact_before.collect() }
    }

    /// The first contact of a body with a wall up to the time `until` from the beginning of the step \[s\].
    fn first_touch(&mut self, flight: &Flight<'_>, pair: usize, until: f64) -> Option<Touch> {
        let [wall, body] = self.pairs[pair].map(|index| index as usize);
        let body = &self.bodies[body];
        let heights = heights(flight, &self.walls[wall], body);
        let mut search = Search {
            heights,
            body,
            flight,
            until,
            heap: BinaryHeap::new(),
            pieces: Vec::new(),
            num_processed: 0,
        };
        search.begin();
        let found = search.find();
        self.statistics.counts.overlap += search.body.spheres.len() as u64;
        self.statistics.counts.primitive += search.num_processed;
        found
    }

    /// Lower bound on the time of contact \[s\], by the ball that contains the body in every orientation.
    fn swept_touch(&self, flight: &Flight<'_>, pair: usize, until: f64) -> Option<f64> {
        let [wall, body] = self.pairs[pair].map(|index| index as usize);
        let body = &self.bodies[body];
        let motion = &flight.motions[body.body as usize];
        let still = RigidMotion { angular_velocity: Vec3::zeros(), ..*motion };
        let wall = &self.walls[wall];
        let of_wall = (
            &flight.motions[wall.body as usize],
            wall.normal,
            flight.reference_positions[wall.node as usize],
        );
        let centre = motion.reference_centre;
        let reach = body.spheres.iter().chain(&body.curved_spheres);
        let radius = reach.map(|sphere| (sphere.centre - centre).norm() + sphere.radius).fold(0.0, f64::max);
        Heights::new(&still, body.offset, of_wall).first_touch(&centre, radius, until)
    }

    fn impact(&self, flight: &Flight<'_>, pair: usize, touch: &Touch) -> Impact {
        let [wall, body] = self.pairs[pair].map(|index| index as usize);
        let (wall, body) = (&self.walls[wall], &self.bodies[body]);
        let point = flight.motions[body.body as usize].point(&touch.point, touch.time).0;
        Impact {
            time: flight.time + touch.time,
            bodies: [body.body, wall.body],
            faces: [touch.face, 0],
            point,
            normal: -wall.normal,
            normal_speed: -heights(flight, wall, body).at(&touch.point, touch.time).rate,
        }
    }
}

/// Whether the angular velocity of a body is constant over the whole flight.
fn is_steady(motion: &RigidMotion) -> bool {
    motion.spin_bound <= motion.angular_velocity.norm_squared()
}

fn heights<'a>(flight: &Flight<'a>, wall: &Wall, body: &WalledBody) -> Heights<'a> {
    let motions = flight.motions;
    let wall_point = flight.reference_positions[wall.node as usize];
    Heights::new(
        &motions[body.body as usize],
        body.offset,
        (&motions[wall.body as usize], wall.normal, wall_point),
    )
}

struct Search<'a> {
    heights: Heights<'a>,
    body: &'a WalledBody,
    flight: &'a Flight<'a>,
    until: f64,
    heap: BinaryHeap<Entry>,
    pieces: Vec<CurvedPiece>,
    num_processed: u64,
}

#[derive(Clone, Copy)]
struct CurvedPiece {
    face: u32,
    /// Height up to which the piece counts as touching \[m\].
    touching: f64,
    bezier_face: QuadraticBezierFace,
}

impl Search<'_> {
    fn begin(&mut self) {
        let body = self.body;
        let blocks =
            [(&body.spheres, Item::NodeBlock as fn(u32) -> Item), (&body.curved_spheres, Item::FaceBlock)];
        for (spheres, item) in blocks {
            for (block, sphere) in (0..).zip(spheres) {
                let time = self.heights.first_touch(&sphere.centre, sphere.radius, self.until);
                self.push(time, item(block));
            }
        }
    }

    fn push(&mut self, time: Option<f64>, item: Item) {
        self.heap.extend(time.map(|time| Entry { time, item }));
    }

    fn find(&mut self) -> Option<Touch> {
        while let Some(Entry { time, item }) = self.heap.pop() {
            self.num_processed += 1;
            match item {
                Item::Node(k) => {
                    let face = self.body.faces[k as usize];
                    return Some(Touch { time, point: self.node(k), face });
                }
                Item::CurvedPiece(k) => {
                    let piece = self.pieces[k as usize];
                    if let Some(touch) = self.refine(k, &piece, time) {
                        return Some(touch);
                    }
                }
                Item::NodeBlock(block) => {
                    for k in members(block as usize, self.body.nodes.len()) {
                        let time = self.heights.first_touch(&self.node(k as u32), 0.0, self.until);
                        self.push(time, Item::Node(k as u32));
                    }
                }
                Item::FaceBlock(block) => self.open_faces(block),
            }
        }
        None
    }

    fn node(&self, k: u32) -> Vec3 {
        self.flight.reference_positions[self.body.nodes[k as usize] as usize]
    }

    fn open_faces(&mut self, block: u32) {
        let Some(surface) = &self.body.surface else { return };
        for k in members(block as usize, self.body.curved.len()) {
            let face = self.body.curved[k];
            let (kind, nodes) = surface.face(face as usize);
            let node = |k: usize| self.flight.reference_positions[nodes[k] as usize];
            let bezier_face = QuadraticBezierFace::of_face(kind, node);
            self.push_piece(CurvedPiece { face, touching: TOUCHING * bezier_face.extent(), bezier_face });
        }
    }

    /// Queues a piece at the first time at which one of its control points touches the wall. The piece touches no
    /// earlier, because the convex hull of the control points contains the piece.
    fn push_piece(&mut self, piece: CurvedPiece) {
        let touch = |point: &Vec3| match self.heights.is_above(point) {
            true => self.heights.first_touch(point, 0.0, self.until),
            false => Some(0.0),
        };
        let time = piece.bezier_face.points().iter().filter_map(touch).min_by(f64::total_cmp);
        self.pieces.push(piece);
        self.push(time, Item::CurvedPiece(self.pieces.len() as u32 - 1));
    }

    /// The contact of the lowest corner of a piece with the wall at `time`. If this corner is higher than `touching`,
    /// the piece is split, and the result is `None`. The result is also `None` if the corner is at the wall at the
    /// beginning of the step but does not descend. The piece is then queued again at the later time, if any, at which
    /// the corner touches.
    fn refine(&mut self, k: u32, piece: &CurvedPiece, time: f64) -> Option<Touch> {
        let height = |corner: &Vec3| self.heights.at(corner, time).height;
        let lowest = *piece.bezier_face.corners().iter().min_by(|a, b| height(a).total_cmp(&height(b)))?;
        if height(&lowest) > piece.touching {
            piece.bezier_face.split(|bezier_face| self.push_piece(CurvedPiece { bezier_face, ..*piece }));
            return None;
        }
        if time == 0.0 {
            let again = self.heights.first_touch(&lowest, 0.0, self.until)?;
            if again > 0.0 {
                self.push(Some(again), Item::CurvedPiece(k));
                return None;
            }
        }
        Some(Touch { time, point: lowest, face: piece.face })
    }
}
