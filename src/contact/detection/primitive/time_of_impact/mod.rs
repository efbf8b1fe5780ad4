//! First time of contact of two moving faces, by conservative advancement.
//!
//! At each instant the closest points of the faces give a separating direction. Velocities and a bound on the
//! accelerations tell for how long this direction, fixed or rotating with the features it is normal to, separates the
//! faces. They cannot touch earlier, so time advances to there. The result is never late, up to rounding, and the
//! tangent bound makes the last steps converge quadratically.
//!
//! Segments, triangles and plane quadrilaterals are the convex hulls of their nodes. Quadratic faces and warped
//! quadrilaterals are Bézier faces, each in the hull of its control points, and are subdivided as far as the time
//! depends on it (`subdivision`).
//!
//! # Source
//! Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems (1996), §2.3 (conservative advancement); Ericson,
//! Real-Time Collision Detection, §5.1 (closest points) and §5.2.1 (separating axes).

mod direction;
mod hull;
mod subdivision;

use crate::contact::detection::face::convex_hull::BezierFace;
use crate::math::Vec3;
use crate::mesh::CellKind;
use direction::{Direction, Motion, Touch};
use hull::{Closest, Feature, Hull, closest_features};

/// Rounding of a gap relative to the coordinates, and of a speed relative to the velocities.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Relative rounding of a time.
const TIME_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Gap, relative to the size of the pair, below which the line between two points is not an accurate normal.
const NEAR: f64 = 1e-6;
/// Fraction of the last step that a held direction must reach.
const WORTHWHILE: f64 = 0.1;
/// Most advances: a grazing pair halves its gap with each, and a spinning pair needs several per revolution.
const MAX_ADVANCES: usize = 10_000;

/// A face carried by a rigid body along a known path.
pub trait FacePath {
    /// Kind of the face: a segment in plane problems, a triangle or quadrilateral in space.
    fn kind(&self) -> CellKind;
    /// Reference position of the k-th node \[m\].
    fn node(&self, k: usize) -> Vec3;
    /// Position \[m\] and velocity \[m/s\] at s in [0, duration] of the material point at a reference position.
    fn point(&self, reference: &Vec3, s: f64) -> (Vec3, Vec3);
    /// Exact common acceleration of all points, constant [m/s²].
    fn common_acceleration(&self) -> Vec3;
    /// Bound on |acceleration − common acceleration| of a material point for all s in [0, duration] [m/s²].
    fn acceleration_deviation(&self, reference: &Vec3) -> f64;
}

/// First contact of two faces a and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time from the start of the paths \[s\].
    pub time: f64,
    /// Point of contact \[m\].
    pub point: Vec3,
    /// Unit normal from b to a.
    pub normal: Vec3,
}

/// First s in [0, `duration`] at which the faces touch; `None` if they do not.
///
/// - Faces that touch at the start (within 16 units in the last place of their coordinates) impact at time 0 unless
///   they provably separate or rest. A closing speed within rounding counts as zero, a deviation of the accelerations
///   that could close the gap does not. Coplanar faces lie on the sides of their outward normals (nodes
///   counter-clockwise seen from outside).
/// - Faces that overlap at the start impact at time 0 if they approach along the direction of least overlap, and
///   otherwise not at all.
/// - A pair undecided after ten thousand advances, a graze within rounding, impacts at the time reached: earlier than
///   any contact, and one event too many rather than one missed. The same holds for paths that are not finite.
/// - Curved faces, quadratic ones and warped quadrilaterals, touch where their gap is below 1e-9 of the size of the
///   smaller. The time is early by at most the time in which the faces close that gap at their largest relative speed.
///   Where they conform so closely that thousands of Bézier faces would touch at once, the time is that at which a gap
///   unresolved by these is left: early, never late.
pub fn time_of_impact<A: FacePath, B: FacePath>(a: &A, b: &B, duration: f64) -> Option<Impact> {
    time_of_approach(a, b, 0.0, duration)
}

/// First s in [0, `duration`] at which the distance of the faces falls to `distance`; otherwise as [`time_of_impact`].
/// Faces that are nearer at the start count as overlapping.
pub fn time_of_approach<A: FacePath, B: FacePath>(
    a: &A,
    b: &B,
    distance: f64,
    duration: f64,
) -> Option<Impact> {
    if subdivision::is_curved(a) || subdivision::is_curved(b) {
        return subdivision::time_of_approach(a, b, distance, duration);
    }
    let bezier_faces =
        (BezierFace::of_corners(a.kind(), |k| a.node(k)), BezierFace::of_corners(b.kind(), |k| b.node(k)));
    let acceleration = a.common_acceleration() - b.common_acceleration();
    let deviation = acceleration_deviation(a, &bezier_faces.0) + acceleration_deviation(b, &bezier_faces.1);
    let mut s = 0.0;
    let mut earlier: Option<Advance> = None;
    let mut impact = None;
    for _ in 0..MAX_ADVANCES {
        let (mut hull_a, mut hull_b) = (Hull::at(a, &bezier_faces.0, s), Hull::at(b, &bezier_faces.1, s));
        let rounding = ROUNDING * hull_a.largest_coordinate().max(hull_b.largest_coordinate());
        let origin = hull_a.positions().first().copied()?;
        hull_a.move_by(&-origin);
        hull_b.move_by(&-origin);
        let speed_rounding = ROUNDING * hull_a.largest_velocity().max(hull_b.largest_velocity());
        let remaining = duration - s + TIME_ROUNDING * duration;
        let (a, b) = (&hull_a, &hull_b);
        if are_at_rest(a, b) && acceleration == Vec3::zeros() && deviation == 0.0 {
            return None;
        }
        let motion = Motion { a, b, distance, acceleration, deviation, remaining, rounding, speed_rounding };
        let next = earlier.and_then(|before| hold(&motion, before)).unwrap_or_else(|| {
            let closest = closest_features(a, b);
            let next = advance(&motion, &closest, earlier);
            let point = origin + (closest.points[0] + closest.points[1]) * 0.5;
            impact = Some(Impact { time: s, point, normal: next.normal });
            next
        });
        if next.step == f64::INFINITY || next.step > remaining {
            return None;
        }
        let makes_progress = next.step > TIME_ROUNDING * s;
        if !makes_progress {
            break;
        }
        s = (s + next.step).min(duration);
        earlier = Some(next);
    }
    impact
}

/// Bound on the deviation of the accelerations of the points of a Bézier face [m/s²].
fn acceleration_deviation<P: FacePath, const N: usize>(path: &P, bezier_face: &BezierFace<N>) -> f64 {
    bezier_face.points().iter().map(|point| path.acceleration_deviation(point)).fold(0.0, f64::max)
}

/// Whether all points of two hulls have one velocity and finite positions.
fn are_at_rest<const N: usize>(a: &Hull<N>, b: &Hull<N>) -> bool {
    let velocity = a.velocities()[0];
    [a, b].iter().all(|hull| {
        let finite = |x: &Vec3| x.iter().all(|x| x.is_finite());
        hull.velocities().iter().all(|v| *v == velocity) && hull.positions().iter().all(finite)
    })
}

/// How long faces stay separated, and the direction that proves it.
#[derive(Clone, Copy, Debug)]
struct Advance {
    /// Feature that the direction is normal to.
    feature: Feature,
    normal: Vec3,
    /// Zero on contact, infinite if they never touch.
    step: f64,
    /// Whether there was a gap, so that the next contact is an impact rather than rest.
    apart: bool,
}

/// Advance along the direction of the previous advance, rotated with its features: as long as it makes progress, no
/// closest points are needed.
fn hold<const N: usize>(motion: &Motion<'_, N>, before: Advance) -> Option<Advance> {
    let direction = Direction::of_feature(motion.a, motion.b, before.feature, &before.normal)?;
    if motion.separation(&direction.normal) <= motion.rounding {
        return None;
    }
    let step = motion.step(&direction, Touch::Apart);
    let found = Advance { normal: direction.normal, step, apart: true, ..before };
    (step > WORTHWHILE * before.step).then_some(found)
}

/// Advance along the line of the closest points.
fn advance<const N: usize>(motion: &Motion<'_, N>, closest: &Closest, earlier: Option<Advance>) -> Advance {
    let feature = closest.feature;
    let mut best: Option<Advance> = None;
    let mut consider = |direction: &Direction| {
        if motion.separation(&direction.normal) > 0.0 {
            let step = motion.step(direction, Touch::Apart);
            if best.is_none_or(|other| step > other.step) {
                best = Some(Advance { feature, normal: direction.normal, step, apart: true });
            }
        }
    };
    if closest.distance - motion.distance > motion.rounding {
        let first = Direction::of_feature(motion.a, motion.b, feature, &closest.line());
        first.iter().for_each(&mut consider);
        let size = motion.a.largest_coordinate().max(motion.b.largest_coordinate());
        if feature == Feature::Line && motion.distance == 0.0 && closest.distance < NEAR * size {
            Direction::for_each(motion.a, motion.b, closest, &mut consider);
        }
    }
    best.unwrap_or_else(|| match earlier {
        Some(before) if before.apart => arrive(motion, before),
        _ => leave(motion, closest, earlier),
    })
}

/// Contact, with the normal of the features that touch.
fn arrive<const N: usize>(motion: &Motion<'_, N>, before: Advance) -> Advance {
    let direction = Direction::of_feature(motion.a, motion.b, before.feature, &before.normal);
    Advance { normal: direction.map_or(before.normal, |found| found.normal), step: 0.0, ..before }
}

/// Advance of faces that touch or overlap.
///
/// Coplanar faces are separated by their common normal with either sign. The previous advance decides which face is
/// behind, and at the start their outward normals do.
fn leave<const N: usize>(motion: &Motion<'_, N>, closest: &Closest, earlier: Option<Advance>) -> Advance {
    let touch = if earlier.is_some() { Touch::Later } else { Touch::AtStart };
    let side = earlier.map_or_else(|| motion.b.outward() - motion.a.outward(), |before| before.normal);
    let leaving = |direction: &Direction, step| Advance {
        feature: Feature::Line,
        normal: direction.normal,
        step,
        apart: false,
    };
    let mut least_overlap = (f64::NEG_INFINITY, Direction { normal: Vec3::x(), rate: Vec3::zeros() });
    let mut best = (0.0, least_overlap.1);
    Direction::for_each(motion.a, motion.b, closest, |direction| {
        let separation = motion.separation(&direction.normal);
        let either_way = motion.separation(&-direction.normal) >= -motion.rounding;
        if either_way && direction.normal.dot(&side) <= 0.0 {
            return;
        }
        if separation > least_overlap.0 {
            least_overlap = (separation, *direction);
        }
        if separation >= -motion.rounding {
            let step = motion.step(direction, touch);
            if step > best.0 {
                best = (step, *direction);
            }
        }
    });
    let (separation, direction) = least_overlap;
    let overlapping = separation.is_finite() && separation < -motion.rounding;
    let parting = motion.closing_speed(&direction) <= motion.speed_rounding;
    if overlapping && earlier.is_none() && parting {
        leaving(&direction, f64::INFINITY)
    } else if best.0 > 0.0 {
        leaving(&best.1, best.0)
    } else {
        leaving(&direction, 0.0)
    }
}

#[cfg(test)]
mod curved_tests;
#[cfg(test)]
mod tests;
