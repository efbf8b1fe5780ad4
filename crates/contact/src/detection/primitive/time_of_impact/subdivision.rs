//! First contact of two faces, at least one of which is curved.
//!
//! Branch and bound over pairs of Bézier faces. Two faces cannot touch before the hulls of their control points touch,
//! so the time at which the hulls touch is a lower bound on the time of contact of the pair. The search splits the
//! thicker face of the pair with the earliest bound, until this pair is thin. Thickness is here a bound on the distance
//! of a face from the polygon of its corners (`QuadraticBezierFace::thickness`). In a thin pair, both thicknesses add
//! up to at most the tolerance.
//!
//! Among pairs whose bounds agree within the tolerance divided by the relative speed, the pair with the most
//! subdivisions comes first. Conforming faces then need few splits, because the first thin pair gives the time.
//!
//! # Source
//! Snyder, Woodbury, Fleischer, Currin & Barr 1993, "Interval methods for multi-point collisions between time-dependent
//! curved surfaces", SIGGRAPH (branch and bound in time and parameters). Here hulls of Bézier control points replace
//! the intervals in the parameters, and conservative advancement replaces the intervals in time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::advance::{are_at_rest, leave};
use super::direction::{Direction, Motion, Touch};
use super::face_path::{FacePath, Impact, ROUNDING, TIME_ROUNDING, acceleration_deviation};
use super::hull::{Closest, Hull, closest_features};
use crate::detection::face::control_points::lies_in_hull_of_nodes;
use crate::detection::face::convex_hull::{BezierFace, QuadraticBezierFace};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Gap, relative to the size of the smaller face, below which faces count as touching. Half of this gap bounds the
/// sum of the thicknesses of a thin pair, unless rounding errors are larger.
const TOLERANCE: f64 = 1e-9;
/// Number of pairs at which subdivision ends. A contact at a point needs some hundreds of pairs.
const MAX_PAIRS: usize = 8192;
/// Largest number of successive advances of a pair. One advance costs as much as a few new pairs.
const MAX_ADVANCES: usize = 16;
/// Smallest advance of a pair, relative to `Search::resolution`, after which the pair advances again at once.
const WORTHWHILE: f64 = 1e-3;

/// Whether a face is quadratic, or a quadrilateral warped by more than the tolerance.
pub(super) fn is_curved<P: FacePath>(path: &P) -> bool {
    if path.kind() != CellKind::Quad4 {
        return !lies_in_hull_of_nodes(path.kind());
    }
    let bezier_face = BezierFace::of_corners(path.kind(), |k| path.node(k));
    bezier_face.warp() > 0.5 * TOLERANCE * bezier_face.extent()
}

/// See [`super::time_of_approach`].
pub(super) fn time_of_approach<A: FacePath, B: FacePath>(
    a: &A,
    b: &B,
    distance: f64,
    duration: f64,
) -> Option<Impact> {
    let bezier_faces = [
        QuadraticBezierFace::of_face(a.kind(), |k| a.node(k)),
        QuadraticBezierFace::of_face(b.kind(), |k| b.node(k)),
    ];
    let acceleration = a.common_acceleration() - b.common_acceleration();
    let deviation = acceleration_deviation(a, &bezier_faces[0]) + acceleration_deviation(b, &bezier_faces[1]);
    let hulls = (Hull::at(a, &bezier_faces[0], 0.0), Hull::at(b, &bezier_faces[1], 0.0));
    let coordinate = hulls.0.largest_coordinate().max(hulls.1.largest_coordinate());
    let size = bezier_faces[0].extent().min(bezier_faces[1].extent());
    let speed = relative_speed(&hulls.0, &hulls.1) + (acceleration.norm() + deviation) * duration;
    let tolerance = (0.5 * TOLERANCE * size).max(4.0 * ROUNDING * coordinate);
    let normal = hulls.1.outward() - hulls.0.outward();
    let whole = BezierFacePair {
        bezier_faces,
        time: 0.0,
        point: hulls.0.positions()[0],
        normal,
        is_separated: false,
        depth: 0,
    };
    if are_at_rest(&hulls.0, &hulls.1) && acceleration == Vec3::zeros() && deviation == 0.0 {
        return None;
    } else if !(speed + tolerance).is_finite() {
        return Some(Impact { time: 0.0, point: whole.point, normal });
    }
    let resolution = tolerance / speed;
    let (pairs, queue) = (Vec::new(), BinaryHeap::new());
    let mut search =
        Search { a, b, distance, duration, acceleration, tolerance, resolution, whole, pairs, queue };
    search.offer(whole);
    search.first_touch()
}

#[derive(Clone, Copy, Debug)]
struct BezierFacePair {
    bezier_faces: [QuadraticBezierFace; 2],
    /// Lower bound on the time of contact \[s\].
    time: f64,
    point: Vec3,
    /// From b to a.
    normal: Vec3,
    /// Whether the hulls were still separated after `MAX_ADVANCES` advances.
    is_separated: bool,
    depth: u32,
}

/// Priority of a pair in the queue: the earliest tick, then the most subdivisions (`depth`), then the largest index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Time of the pair in units of `Search::resolution`, rounded down.
    tick: f64,
    depth: u32,
    index: usize,
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    /// The pair to split next is the greatest, because the heap yields its maximum.
    fn cmp(&self, other: &Self) -> Ordering {
        let later = other.tick.total_cmp(&self.tick);
        later.then(self.depth.cmp(&other.depth)).then(self.index.cmp(&other.index))
    }
}

struct Search<'a, A, B> {
    a: &'a A,
    b: &'a B,
    distance: f64,
    duration: f64,
    acceleration: Vec3,
    /// Largest sum of the thicknesses of the two faces of a thin pair \[m\].
    tolerance: f64,
    /// Time in which the relative displacement of the faces is at most the tolerance \[s\].
    resolution: f64,
    whole: BezierFacePair,
    pairs: Vec<BezierFacePair>,
    queue: BinaryHeap<Turn>,
}

enum Start {
    Crossing,
    /// The faces stay apart, or rest on each other, for this time \[s\].
    Apart(f64),
    /// The faces touch and may be about to penetrate.
    Touching,
}

/// State of two hulls after the advances of a pair.
struct Stuck {
    time: f64,
    /// Normal of the latest advance or of the contact; `None` if the hulls touched or overlapped before the first
    /// advance.
    normal: Option<Vec3>,
    point: Vec3,
    is_separated: bool,
}

impl<A: FacePath, B: FacePath> Search<'_, A, B> {
    /// Splits the first pair of the queue until a thin pair may touch. `None` without contact within the duration.
    fn first_touch(&mut self) -> Option<Impact> {
        while let Some(turn) = self.queue.pop() {
            let pair = self.pairs[turn.index];
            let thickness = pair.bezier_faces.map(|bezier_face| bezier_face.thickness());
            let is_thin = thickness[0] + thickness[1] <= self.tolerance;
            if is_thin && pair.time == 0.0 {
                match self.at_start(&pair) {
                    Start::Crossing => return self.crossing(),
                    Start::Apart(after) => {
                        if after <= self.duration {
                            self.offer(BezierFacePair { time: after, ..pair });
                        }
                        continue;
                    }
                    Start::Touching => {}
                }
            }
            if is_thin && pair.is_separated && self.pairs.len() < MAX_PAIRS {
                self.offer(pair);
                continue;
            }
            let settled =
                is_thin || !(thickness[0] + thickness[1]).is_finite() || self.pairs.len() >= MAX_PAIRS;
            if settled {
                let waiting = self.queue.iter().map(|turn| self.pairs[turn.index].time);
                let time = waiting.fold(pair.time, f64::min);
                return Some(Impact { time, point: pair.point, normal: pair.normal });
            }
            let thicker = usize::from(thickness[1] > thickness[0]);
            pair.bezier_faces[thicker].split(|part| {
                let mut bezier_faces = pair.bezier_faces;
                bezier_faces[thicker] = part;
                self.offer(BezierFacePair { bezier_faces, depth: pair.depth + 1, ..pair });
            });
        }
        None
    }

    fn offer(&mut self, pair: BezierFacePair) {
        let Some(stuck) = self.advance(&pair) else { return };
        let normal = stuck.normal.unwrap_or(pair.normal);
        let tick = (stuck.time / self.resolution).floor();
        self.queue.push(Turn { tick, depth: pair.depth, index: self.pairs.len() });
        let Stuck { time, point, is_separated, .. } = stuck;
        self.pairs.push(BezierFacePair { time, point, normal, is_separated, ..pair });
    }

    /// Advances a pair while a direction separates the hulls, up to `MAX_ADVANCES` times. `None` if the hulls stay
    /// separated for the whole duration.
    fn advance(&self, pair: &BezierFacePair) -> Option<Stuck> {
        let mut stuck = Stuck { time: pair.time, normal: None, point: pair.point, is_separated: false };
        for _ in 0..MAX_ADVANCES {
            let hulls = self.hulls(pair, stuck.time);
            let closest = closest_features(&hulls.0, &hulls.1);
            stuck.point = self.point(&closest, pair, stuck.time);
            let motion = self.motion(pair, &hulls, stuck.time);
            // For hulls in a common plane, the last separating direction tells on which side each hull lies.
            let parted = stuck.normal.unwrap_or(pair.normal);
            let is_separated = closest.distance - self.distance > motion.rounding;
            let line = if is_separated { closest.line() } else { parted };
            let direction = Direction::of_feature(&hulls.0, &hulls.1, closest.feature, &line);
            let Some(direction) = direction else { return Some(stuck) };
            let separation = motion.separation(&direction.normal);
            if separation <= motion.rounding || separation.is_nan() {
                let arrived = separation > -self.tolerance;
                if arrived && (is_separated || parted == Vec3::zeros()) {
                    stuck.normal = Some(direction.normal);
                }
                return Some(stuck);
            }
            stuck.normal = Some(direction.normal);
            let step = motion.step(&direction, Touch::Apart);
            if step > motion.remaining {
                return None;
            }
            if step.is_nan() || step <= TIME_ROUNDING * stuck.time {
                return Some(stuck);
            }
            stuck.time = (stuck.time + step).min(self.duration);
            if step < WORTHWHILE * self.resolution {
                return Some(stuck);
            }
        }
        Some(Stuck { is_separated: true, ..stuck })
    }

    fn at_start(&self, pair: &BezierFacePair) -> Start {
        let hulls = self.hulls(pair, 0.0);
        let mut motion = self.motion(pair, &hulls, 0.0);
        motion.rounding = 2.0 * self.tolerance;
        let next = leave(&motion, &closest_features(&hulls.0, &hulls.1), None);
        if motion.separation(&next.normal) < -motion.rounding {
            Start::Crossing
        } else if next.step > 0.0 {
            Start::Apart(next.step)
        } else {
            Start::Touching
        }
    }

    /// Impact at time 0 of penetrating faces; `None` if they do not approach along the direction of least overlap.
    fn crossing(&self) -> Option<Impact> {
        let hulls = self.hulls(&self.whole, 0.0);
        let motion = self.motion(&self.whole, &hulls, 0.0);
        let closest = closest_features(&hulls.0, &hulls.1);
        let next = leave(&motion, &closest, None);
        let point = self.point(&closest, &self.whole, 0.0);
        (next.step == 0.0).then_some(Impact { time: 0.0, point, normal: next.normal })
    }

    /// The two hulls at time s, relative to the first point of the hull of a.
    fn hulls(&self, pair: &BezierFacePair, s: f64) -> (Hull<9>, Hull<9>) {
        let mut hulls =
            (Hull::at(self.a, &pair.bezier_faces[0], s), Hull::at(self.b, &pair.bezier_faces[1], s));
        let origin = -hulls.0.positions()[0];
        hulls.0.move_by(&origin);
        hulls.1.move_by(&origin);
        hulls
    }

    fn point(&self, closest: &Closest, pair: &BezierFacePair, s: f64) -> Vec3 {
        let (origin, _) = self.a.point(&pair.bezier_faces[0].points()[0], s);
        origin + (closest.points[0] + closest.points[1]) * 0.5
    }

    fn motion<'h>(&self, pair: &BezierFacePair, hulls: &'h (Hull<9>, Hull<9>), s: f64) -> Motion<'h, 9> {
        let (a, b) = (&hulls.0, &hulls.1);
        let [face_a, face_b] = &pair.bezier_faces;
        let deviation = acceleration_deviation(self.a, face_a) + acceleration_deviation(self.b, face_b);
        let largest = self.a.point(&face_a.points()[0], s).0.amax() + b.largest_coordinate();
        Motion {
            a,
            b,
            distance: self.distance,
            acceleration: self.acceleration,
            deviation,
            remaining: self.duration - s + TIME_ROUNDING * self.duration,
            rounding: ROUNDING * largest,
            speed_rounding: ROUNDING * a.largest_velocity().max(b.largest_velocity()),
        }
    }
}

fn relative_speed(a: &Hull<9>, b: &Hull<9>) -> f64 {
    let reference = a.velocities()[0];
    let largest = |hull: &Hull<9>| {
        hull.velocities().iter().map(|velocity| (velocity - reference).norm()).fold(0.0, f64::max)
    };
    largest(a) + largest(b)
}
