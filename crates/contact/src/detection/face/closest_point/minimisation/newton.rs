//! Closest point by Newton projection, as in codes with node-to-segment contact.
//!
//! At the foot x(ξ) of the normal from the query r, (r − x)·x,ᵢ = 0 with x,ᵢ = ∂x/∂ξᵢ. Newton iterations solve for ξ.
//! If no minimum inside the face is found, the corners are tested, and the query is projected onto the edges.
//! Projections can fail near a concave corner, beyond a centre of curvature or on a distorted face. The active-set
//! method therefore continues from the best of the corners and the points found on edges.

use super::active_set::ActiveSet;
use super::minimise::{Minimise, Minimum};
use super::sqp::STEP_TOLERANCE;
use crate::detection::face::closest_point::polynomial::{Expansion, FacePolynomial};

/// Largest number of iterations of one projection. A projection converges quadratically or not at all.
const MAX_ITERATIONS: u32 = 15;
/// A root of (r − x)·x,ᵢ = 0 counts as a minimum only if det H / (H₁₁ H₂₂) exceeds this ratio. H is the Hessian of
/// ½ |r − x|².
const SINGULAR: f64 = 1e-10;
/// An iteration has diverged if a natural coordinate, or the fraction along an edge, reaches this magnitude.
const FAR: f64 = 10.0;

/// Newton projection. The number of iterations includes all projections and the active-set method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newton;

impl Minimise for Newton {
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum {
        let (found, mut iterations) = project_on_face(polynomial, start);
        if let Some(xi) = found.filter(|&xi| P::DOMAIN.contains(xi)) {
            return Minimum { xi, iterations, converged: true };
        }
        let corners = P::DOMAIN.corners;
        let distance = |xi| polynomial.offset(xi).norm_squared();
        let mut best = corners[0];
        let mut consider = |xi| {
            if distance(xi) < distance(best) {
                best = xi;
            }
        };
        corners.iter().for_each(|&corner| consider(corner));
        if P::DOMAIN.dimension() == 2 {
            for (k, &from) in corners.iter().enumerate() {
                let (found, taken) = project_on_edge(polynomial, [from, corners[P::DOMAIN.next_corner(k)]]);
                iterations += taken;
                found.into_iter().for_each(&mut consider);
            }
        }
        let last = ActiveSet.minimise(polynomial, best);
        Minimum { iterations: iterations + last.iterations, ..last }
    }
}

/// Root of F,ᵢ = 0 at a local minimum of F = ½ |r − x|², inside or outside the face, and the number of iterations. The
/// root is `None` if the iteration does not converge, or if the root is not reliably a minimum.
pub(crate) fn project_on_face<P: FacePolynomial>(polynomial: &P, start: [f64; 2]) -> (Option<[f64; 2]>, u32) {
    let dimension = P::DOMAIN.dimension();
    let mut xi = start;
    for iterations in 1..=MAX_ITERATIONS {
        let here = polynomial.expand(xi);
        let step = newton_step(dimension, &here);
        xi = [0, 1].map(|i| xi[i] + step[i]);
        let size = step[0].abs().max(step[1].abs());
        if size < STEP_TOLERANCE {
            return (is_minimum(dimension, here.hessian).then_some(xi), iterations);
        }
        // A step that is not a number also ends here.
        if !(xi[0].abs() < FAR && xi[1].abs() < FAR) {
            return (None, iterations);
        }
    }
    (None, MAX_ITERATIONS)
}

fn newton_step(dimension: usize, here: &Expansion) -> [f64; 2] {
    let ([h11, h22, h12], [g1, g2]) = (here.hessian, here.gradient);
    if dimension == 1 {
        return [-g1 / h11, 0.0];
    }
    let determinant = determinant(here.hessian);
    [(h12 * g2 - h22 * g1) / determinant, (h12 * g1 - h11 * g2) / determinant]
}

fn is_minimum(dimension: usize, hessian: [f64; 3]) -> bool {
    let [h11, h22, _] = hessian;
    h11 > 0.0 && (dimension == 1 || h22 > 0.0 && determinant(hessian) > SINGULAR * h11 * h22)
}

fn determinant([h11, h22, h12]: [f64; 3]) -> f64 {
    h11 * h22 - h12 * h12
}

/// As `project_on_face`, but along the edge between two corners; also `None` if the root is outside the edge.
fn project_on_edge<P: FacePolynomial>(polynomial: &P, [from, to]: [[f64; 2]; 2]) -> (Option<[f64; 2]>, u32) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let at = |t: f64| [0, 1].map(|i| from[i] + t * along[i]);
    let mut t = 0.5;
    for iterations in 1..=MAX_ITERATIONS {
        let here = polynomial.expand(at(t));
        let slope = here.gradient[0] * along[0] + here.gradient[1] * along[1];
        let [h11, h22, h12] = here.hessian;
        let curvature =
            h11 * along[0] * along[0] + 2.0 * h12 * along[0] * along[1] + h22 * along[1] * along[1];
        let step = -slope / curvature;
        t += step;
        if step.abs() < STEP_TOLERANCE {
            let inside = curvature > 0.0 && (0.0..=1.0).contains(&t);
            return (inside.then(|| at(t)), iterations);
        }
        if t.is_nan() || t.abs() >= FAR {
            return (None, iterations);
        }
    }
    (None, MAX_ITERATIONS)
}
