//! An edge as a parametric curve, and the closest points of two edges.

use crate::detection::face::closest_point::segment_segment::closest_parameters;
use crate::detection::face::control_points::rounding_of;
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::{Edge, Surface};

const MAX_STEPS: usize = 30;
/// Convergence tolerance on curve coordinates.
const ARRIVED: f64 = 1e-14;

/// Largest relative growth of a squared distance that counts as rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// An edge at one instant: x(s) = a + s (b − a) + 4 s (1 − s) h with the ends a, b, the height h and the curve
/// coordinate s ∈ \[0, 1\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    pub ends: [Vec3; 2],
    /// Vector from the middle of the chord to the middle node.
    pub height: Vec3,
}

impl Curve {
    /// An edge with its nodes at these positions.
    pub fn of(edge: &Edge, at: impl Fn(u32) -> Vec3) -> Self {
        let ends = edge.nodes.map(&at);
        let height = |middle: u32| at(middle) - (ends[0] + ends[1]) * 0.5;
        Self { ends, height: edge.middle.map_or_else(Vec3::zeros, height) }
    }

    /// Nodes of an edge, shape values at s, and number of nodes (2 or 3).
    pub fn shares(edge: &Edge, s: f64) -> ([u32; 3], [f64; 3], usize) {
        let [a, b] = edge.nodes;
        let middle = if edge.middle.is_some() { 4.0 * s * (1.0 - s) } else { 0.0 };
        let values = [1.0 - s - 0.5 * middle, s - 0.5 * middle, middle];
        ([a, b, edge.middle.unwrap_or(a)], values, if edge.middle.is_some() { 3 } else { 2 })
    }

    pub fn is_straight(&self) -> bool {
        self.height == Vec3::zeros()
    }

    /// Point x(s) and derivative dx/ds.
    pub fn at(&self, s: f64) -> (Vec3, Vec3) {
        let chord = self.ends[1] - self.ends[0];
        let point = self.ends[0] * (1.0 - s) + self.ends[1] * s + self.height * (4.0 * s * (1.0 - s));
        (point, chord + self.height * (4.0 - 8.0 * s))
    }

    /// Lower bound on the distance of two curves \[m\]; may be negative.
    pub fn clearance(&self, other: &Self) -> f64 {
        let ball = |curve: &Self| {
            let radius = 0.5 * (curve.ends[1] - curve.ends[0]).norm() + curve.height.norm();
            ((curve.ends[0] + curve.ends[1]) * 0.5, radius)
        };
        let [(a, r), (b, s)] = [ball(self), ball(other)];
        let rounding = 16.0 * f64::EPSILON * (a.amax() + b.amax() + r + s);
        (a - b).norm() - r - s - rounding
    }
}

/// Curve coordinates in \[0, 1\] of the closest points of two edges. If an edge is curved, the distance of these points
/// may be only a local minimum.
pub(crate) fn closest_places(curves: &[Curve; 2]) -> [f64; 2] {
    if curves.iter().all(Curve::is_straight) {
        return closest_parameters(&curves[0].ends, &curves[1].ends);
    }
    let mut places = closest_of_chords(curves);
    for _ in 0..MAX_STEPS {
        let next = newton_step(curves, places);
        let moved = (next[0] - places[0]).abs().max((next[1] - places[1]).abs());
        places = next;
        if moved <= ARRIVED {
            break;
        }
    }
    places
}

/// Curve coordinates of the closest points of two polylines. The chords of the two halves of a curve form its polyline.
fn closest_of_chords(curves: &[Curve; 2]) -> [f64; 2] {
    let chord =
        |k: usize, half: usize| [0.5 * half as f64, 0.5 * (half + 1) as f64].map(|s| curves[k].at(s).0);
    let mut best = (f64::INFINITY, [0.5; 2]);
    for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let (p, q) = (chord(0, i), chord(1, j));
        let [s, t] = closest_parameters(&p, &q);
        let distance = (p[0] + (p[1] - p[0]) * s - q[0] - (q[1] - q[0]) * t).norm_squared();
        if distance < best.0 {
            best = (distance, [0.5 * (i as f64 + s), 0.5 * (j as f64 + t)]);
        }
    }
    best.1
}

/// Curve coordinates after a Newton step, clamped to \[0, 1\]. The increment is halved until the distance does not
/// grow. If the distance still grows after seven halvings, the coordinates stay unchanged.
fn newton_step(curves: &[Curve; 2], places: [f64; 2]) -> [f64; 2] {
    let [(p, dp), (q, dq)] = [0, 1].map(|k| curves[k].at(places[k]));
    let r = p - q;
    let gradient = [r.dot(&dp), -r.dot(&dq)];
    // A coordinate at a bound stays unchanged if the distance decreases only beyond this bound.
    let is_held = [0, 1].map(|k| match gradient[k] > 0.0 {
        true => places[k] <= 0.0,
        false => places[k] >= 1.0,
    });
    let mut step = descent(curves, &r, [&dp, &dq], gradient, is_held);
    let distance = |[s, t]: [f64; 2]| (curves[0].at(s).0 - curves[1].at(t).0).norm_squared();
    let before = r.norm_squared();
    for _ in 0..8 {
        let next = [0, 1].map(|k| (places[k] + step[k]).clamp(0.0, 1.0));
        if distance(next) <= before * (1.0 + ROUNDING) {
            return next;
        }
        step = step.map(|length| 0.5 * length);
    }
    places
}

/// Increment to the minimum of a quadratic model of half the squared distance. If the model with the curvature of the
/// edges is not convex, the curvature is omitted; if the model is still not convex, the increment is zero. Coordinates
/// in `is_held` stay unchanged.
fn descent(
    curves: &[Curve; 2],
    r: &Vec3,
    [dp, dq]: [&Vec3; 2],
    gradient: [f64; 2],
    is_held: [bool; 2],
) -> [f64; 2] {
    let bend = [-8.0 * r.dot(&curves[0].height), 8.0 * r.dot(&curves[1].height)];
    let (gauss, mixed) = ([dp.norm_squared(), dq.norm_squared()], -dp.dot(dq));
    let solve = |diagonal: [f64; 2]| {
        let [a, b] = diagonal;
        let mixed = if is_held.contains(&true) { 0.0 } else { mixed };
        let determinant = a * b - mixed * mixed;
        let step = [mixed * gradient[1] - b * gradient[0], mixed * gradient[0] - a * gradient[1]];
        let is_convex = a > 0.0 && b > 0.0 && determinant > 1e-12 * a * b;
        is_convex.then(|| [0, 1].map(|k| if is_held[k] { 0.0 } else { step[k] / determinant }))
    };
    let full = [0, 1].map(|k| if is_held[k] { gauss[k] } else { gauss[k] + bend[k] });
    solve(full).or_else(|| solve(gauss)).unwrap_or([0.0; 2])
}

pub(crate) fn bounds_of_edge(surface: &Surface, edge: u32, positions: &[Vec3]) -> Aabb {
    let Curve { ends: [a, b], height } =
        Curve::of(&surface.edges()[edge as usize], |node| positions[node as usize]);
    let points = [a, b, (a + b) * 0.5 + height * 2.0];
    Aabb::fit(&points, if height == Vec3::zeros() { 0.0 } else { rounding_of(&points) })
}
