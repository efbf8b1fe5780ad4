//! Closest point by a primal active-set Newton method (Nocedal & Wright 2006, ch. 16; Aragón, Yastrebov & Molinari
//! 2013, §4).
//!
//! The constraints are the inequalities of the natural domain; those in the working set hold as equalities. A Newton
//! step in the free directions, which keep these equalities, stops at the first blocking constraint. This constraint
//! joins the set. If the step vanishes, a constraint with a negative multiplier leaves the set. The set is stored as
//! the [`Feature`] on which its constraints hold. Converged iterates lie
//! exactly on this feature.
//!
//! Only the Hessian in the free directions is made positive definite. Steps along an edge therefore remain Newton steps
//! if F = ½ |r − x(ξ)|², for the query r, is convex along the edge.

use super::minimise::{Minimise, Minimum};
use super::sqp::{
    Hessian, NOISE, STEP_TOLERANCE, Sqp, backtrack, is_hidden, is_sufficient, positive_definite,
    positive_number,
};
use crate::detection::face::closest_point::Feature;
use crate::detection::face::closest_point::domain::Domain;
use crate::detection::face::closest_point::polynomial::{Expansion, FacePolynomial};

/// Number of iterations after which sequential quadratic programming with BFGS takes over: Newton steps may diverge
/// near folds.
const MAX_ITERATIONS: u32 = 40;

/// The primal active-set method. An iteration is one evaluation of F with its derivatives, and the following step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSet;

impl Minimise for ActiveSet {
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum {
        let mut here = polynomial.expand(start);
        let mut free = P::DOMAIN.feature(start);
        let mut last_size = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            let step = step_of_released_set(P::DOMAIN, &here, free);
            let target = [0, 1].map(|i| here.xi[i] + step.step[i]);
            let size = largest(step.step);
            if size < STEP_TOLERANCE {
                let xi = on_feature(P::DOMAIN, step.free, target);
                return Minimum { xi, iterations, converged: true };
            }
            let Reach { xi: target, free: reached } = reach(P::DOMAIN, here.xi, &step);
            let slope = dot(here.gradient, [0, 1].map(|i| target[i] - here.xi[i]));
            let hidden = is_hidden(&here, slope);
            // Converged only if the predicted change of F is within rounding.
            if slope.is_nan() || slope > 0.0 || (hidden && size > 0.5 * last_size) {
                return Minimum { xi: here.xi, iterations, converged: hidden };
            }
            last_size = size;
            let next = polynomial.expand(target);
            (here, free) = if hidden || is_sufficient(&here, slope, 1.0, next.objective) {
                (next, reached)
            } else {
                (backtrack(polynomial, &here, target, slope), step.free)
            };
        }
        let rest = Sqp { hessian: Hessian::Bfgs }.minimise(polynomial, here.xi);
        Minimum { iterations: MAX_ITERATIONS + rest.iterations, ..rest }
    }
}

struct Step {
    free: Feature,
    step: [f64; 2],
}

/// Newton step, with the feature of its working set. While the step is too small or leaves F unchanged, a constraint
/// with a negative multiplier, if any, leaves the working set, and the step is computed again.
fn step_of_released_set(domain: &Domain, here: &Expansion, mut free: Feature) -> Step {
    loop {
        let step = newton_step(domain, here, free);
        // On a collapsed edge, a long step in ξ may leave F unchanged.
        if largest(step) >= STEP_TOLERANCE && !is_hidden(here, dot(here.gradient, step)) {
            return Step { free, step };
        }
        // Each release frees one direction, so the loop releases at most twice.
        match release(domain, here, free) {
            Some(more) => free = more,
            None => return Step { free, step },
        }
    }
}

/// The Hessian in the free directions is first made positive definite.
fn newton_step(domain: &Domain, here: &Expansion, free: Feature) -> [f64; 2] {
    match free {
        Feature::Vertex(_) => [0.0; 2],
        Feature::Edge(k) => {
            let t = along(domain, k as usize);
            let [h11, h22, h12] = here.hessian;
            let curvature = h11 * t[0] * t[0] + 2.0 * h12 * t[0] * t[1] + h22 * t[1] * t[1];
            let length = -dot(here.gradient, t) / positive_number(curvature, here.metric);
            t.map(|x| x * length)
        }
        Feature::Face if domain.dimension() == 1 => {
            [-here.gradient[0] / positive_number(here.hessian[0], here.metric), 0.0]
        }
        Feature::Face => {
            let [b11, b22, b12] = positive_definite(here.hessian, here.metric);
            let [g1, g2] = here.gradient;
            let determinant = b11 * b22 - b12 * b12;
            [(b12 * g2 - b22 * g1) / determinant, (b12 * g1 - b11 * g2) / determinant]
        }
    }
}

/// The feature after the constraint with the least multiplier has left the working set; `None` if no multiplier is
/// negative beyond rounding.
///
/// At a minimum on the feature, the gradient of F is g = Σ λ n, with the normals n and multipliers λ of the working
/// set. On an edge, and at the end of a segment, λ = g·n / n·n. At a corner of a polygon, λ = g·t / n·t, with t along
/// the edge of the other constraint.
fn release(domain: &Domain, here: &Expansion, free: Feature) -> Option<Feature> {
    let count = domain.corners.len();
    let noise = -NOISE * (here.objective * (here.metric[0] + here.metric[1])).sqrt();
    let multiplier = |side: usize, direction: [f64; 2]| {
        let (normal, _) = domain.sides[side];
        dot(here.gradient, direction) / dot(normal, direction)
    };
    match free {
        Feature::Face => None,
        Feature::Vertex(k) if count == 2 => {
            let (normal, _) = domain.sides[k as usize];
            (multiplier(k as usize, normal) < noise).then_some(Feature::Face)
        }
        Feature::Edge(k) => {
            let (normal, _) = domain.sides[k as usize];
            (multiplier(k as usize, normal) < noise).then_some(Feature::Face)
        }
        Feature::Vertex(k) => {
            let ahead = k as usize;
            let behind = (ahead + count - 1) % count;
            // Without the constraint of the edge `behind`, the edge `ahead` is the free feature, and vice versa.
            let first = multiplier(behind, along(domain, ahead));
            let second = multiplier(ahead, along(domain, behind));
            let (least, freed) = if first <= second { (first, ahead) } else { (second, behind) };
            (least < noise).then_some(Feature::Edge(freed as u8))
        }
    }
}

struct Reach {
    xi: [f64; 2],
    free: Feature,
}

fn reach(domain: &Domain, from: [f64; 2], step: &Step) -> Reach {
    let held = |side: usize| match step.free {
        Feature::Face => false,
        Feature::Edge(k) | Feature::Vertex(k) => side == k as usize,
    };
    let (mut fraction, mut blocking) = (1.0, None);
    for (side, &(normal, bound)) in domain.sides.iter().enumerate() {
        let approach = dot(normal, step.step);
        if approach < 0.0 && !held(side) {
            let room = ((bound - dot(normal, from)) / approach).max(0.0);
            if room < fraction {
                (fraction, blocking) = (room, Some(side));
            }
        }
    }
    let free = match (blocking, step.free) {
        (None, free) => free,
        (Some(side), _) if domain.dimension() == 1 => Feature::Vertex(side as u8),
        (Some(side), Feature::Edge(k)) if side == domain.next_corner(k as usize) => {
            Feature::Vertex(side as u8)
        }
        (Some(_), Feature::Edge(k)) => Feature::Vertex(k),
        (Some(side), _) => Feature::Edge(side as u8),
    };
    let xi = [0, 1].map(|i| from[i] + fraction * step.step[i]);
    Reach { xi: on_feature(domain, free, xi), free }
}

/// Moves `xi`, which lies within rounding of the feature `free`, exactly onto this feature.
fn on_feature(domain: &Domain, free: Feature, xi: [f64; 2]) -> [f64; 2] {
    match free {
        Feature::Face => domain.project(xi),
        Feature::Vertex(k) => domain.corners[k as usize],
        Feature::Edge(k) => {
            let (from, t) = (domain.corners[k as usize], along(domain, k as usize));
            let place = dot([xi[0] - from[0], xi[1] - from[1]], t) / dot(t, t);
            let place = place.clamp(0.0, 1.0);
            [0, 1].map(|i| from[i] + place * t[i])
        }
    }
}

fn along(domain: &Domain, k: usize) -> [f64; 2] {
    let (from, to) = (domain.corners[k], domain.corners[domain.next_corner(k)]);
    [to[0] - from[0], to[1] - from[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn largest(step: [f64; 2]) -> f64 {
    step[0].abs().max(step[1].abs())
}
