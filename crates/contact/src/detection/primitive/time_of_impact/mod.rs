//! First time of contact of two moving faces, by conservative advancement.
//!
//! The closest points give a separating direction. It is fixed, or rotates with the features on which the points lie.
//! The velocities and a bound on the accelerations give an interval without contact, and time advances by this
//! interval. The computed time of contact is never late, up to rounding. The last advances converge to it
//! quadratically, except if the faces only graze each other.
//!
//! Quadratic faces and warped quadrilaterals are Bézier faces, which lie in the hull of their control points
//! (`subdivision`). All other faces are the convex hulls of their nodes.
//!
//! # Source
//! Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems (1996), §2.3 (conservative advancement); Ericson,
//! Real-Time Collision Detection, §5.1 (closest points) and §5.2.1 (separating axes).

mod advance;
mod direction;
mod face_path;
mod hull;
mod subdivision;

use crate::detection::face::convex_hull::BezierFace;
use crate::math::Vec3;
use advance::{Advance, advance, are_at_rest, hold};
use direction::Motion;
use face_path::{ROUNDING, TIME_ROUNDING, acceleration_deviation};
use hull::{Hull, closest_features};

pub use face_path::{FacePath, Impact};

/// Largest number of advances. If the faces only graze each other, each advance only halves the gap.
/// Spinning faces need several advances per revolution.
const MAX_ADVANCES: usize = 10_000;

/// First contact at a time s in [0, `duration`] \[s\]; `None` if the faces do not touch.
///
/// - Faces that touch at time 0 have an impact at time 0, unless they certainly move apart or rest on each other. Plane
///   faces count as touching at a gap of at most 16 ε times the largest coordinate, with the machine precision ε.
/// - Coplanar faces without a gap count as touching from outside: each face is on the outer side of the other, and only
///   the relative approach decides. Seen from outside, nodes run counter-clockwise.
/// - Faces that overlap at time 0 have an impact at time 0 if they approach along the direction of least overlap.
///   Otherwise they have no impact.
/// - If the largest number of advances reaches neither a contact nor the end of `duration`, the result is an impact
///   before any contact, because a false impact is better than a missed contact. Paths that are not finite also give an
///   impact.
/// - Curved faces count as touching if the gap is below 1e-9 of the size of the smaller face, or within rounding. The
///   result is early by at most the time in which this gap closes. For closely conforming faces, the result may be
///   earlier still.
pub fn time_of_impact<A: FacePath, B: FacePath>(a: &A, b: &B, duration: f64) -> Option<Impact> {
    time_of_approach(a, b, 0.0, duration)
}

/// First instant s in [0, `duration`] \[s\] at which the distance between the faces falls to `distance` \[m\].
///
/// Faces closer than `distance` at time 0 count as overlapping. All other rules are those of [`time_of_impact`].
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

#[cfg(test)]
mod curved_tests;
#[cfg(test)]
mod tests;
