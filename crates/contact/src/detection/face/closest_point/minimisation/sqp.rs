//! Closest point by sequential quadratic programming.
//!
//! Each iteration minimises a quadratic model of F = ½ |r − x(ξ)|², for the query r, over the natural domain. A line
//! search along the step to this minimum follows. The constraints are linear, so every iterate is feasible. The L1
//! merit function therefore equals F (Nocedal & Wright 2006, ch. 18; Aragón, Yastrebov & Molinari 2013, §3, with the
//! signs of the gradient and the Hessian of F corrected).

use super::minimise::{Minimise, Minimum};
use super::quadratic_program;
use crate::detection::face::closest_point::Feature;
use crate::detection::face::closest_point::domain::Domain;
use crate::detection::face::closest_point::polynomial::{Expansion, FacePolynomial};

/// Convergence tolerance on the largest component of a step, in natural coordinates. The step that meets the tolerance
/// is still made.
pub(crate) const STEP_TOLERANCE: f64 = 1e-10;
/// Quadratic convergence is assumed if the largest component of a step is below this value.
const QUADRATIC_CONVERGENCE: f64 = 1e-3;
/// Bound on the relative rounding errors of distances and derivatives.
pub(crate) const NOISE: f64 = 8.0 * f64::EPSILON;
/// Armijo condition: least ratio of the decrease of F to the decrease predicted by the slope.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Number of iterations after which BFGS replaces the exact Hessian: Newton steps may diverge near folds of the face.
const MAX_NEWTON: u32 = 25;
/// Largest number of iterations with the exact Hessian and with BFGS together.
const MAX_ITERATIONS: u32 = 75;
/// Number added to the diagonal of the Hessian model, relative to the trace of the metric x,ᵢ·x,ⱼ, with x,ᵢ = ∂x/∂ξᵢ.
/// Negative eigenvalues of at most this magnitude are rounding errors and count as zero.
const REGULARISATION: f64 = 1e-12;
/// Least value that replaces a negative eigenvalue, relative to the trace of the metric.
const CLIPPED_EIGENVALUE: f64 = 1e-3;

/// Sequential quadratic programming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sqp {
    /// Second-order model of F.
    pub hessian: Hessian,
}

/// Second-order model of F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// The exact Hessian with negative eigenvalues made positive; BFGS after `MAX_NEWTON` iterations.
    Exact,
    /// Damped BFGS (Powell 1978) that starts from the metric x,ᵢ·x,ⱼ.
    Bfgs,
}

impl Minimise for Sqp {
    #[inline]
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum {
        if P::AFFINE {
            return Minimum {
                xi: quadratic_program::minimise_affine(polynomial),
                iterations: 1,
                converged: true,
            };
        }
        let mut here = polynomial.expand(start);
        let mut exact = self.hessian == Hessian::Exact;
        let mut model = if exact { newton_model(P::DOMAIN, &here) } else { metric_model(&here) };
        let mut last_step = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            let target = quadratic_program::minimise(P::DOMAIN, here.xi, model, here.gradient);
            let step = [target[0] - here.xi[0], target[1] - here.xi[1]];
            let size = step[0].abs().max(step[1].abs());
            let done = |xi| Minimum { xi, iterations, converged: true };
            if size < STEP_TOLERANCE || (exact && is_last_newton_step(size, last_step)) {
                return done(target);
            }
            let slope = here.gradient[0] * step[0] + here.gradient[1] * step[1];
            // If the change of F is within rounding, full steps continue as long as each is at most half of the
            // previous step.
            let hidden = is_hidden(&here, slope);
            if slope.is_nan() {
                return Minimum { xi: start, iterations, converged: false };
            }
            if slope >= 0.0 || (hidden && size > 0.5 * last_step) {
                return done(here.xi);
            }
            last_step = size;
            let mut next = polynomial.expand(target);
            if !hidden && !is_sufficient(&here, slope, 1.0, next.objective) {
                next = backtrack(polynomial, &here, target, slope);
            }
            if exact && iterations >= MAX_NEWTON {
                exact = false;
                model = metric_model(&next);
            } else if exact {
                model = newton_model(P::DOMAIN, &next);
            } else {
                update_bfgs(&mut model, &here, &next);
            }
            here = next;
        }
        Minimum { xi: here.xi, iterations: MAX_ITERATIONS, converged: false }
    }
}

/// Whether the next step is predicted to be below a tenth of `STEP_TOLERANCE`, after Newton steps of the sizes `last`
/// and `size`. The predicted size is C `size`², where C is the larger of `size`/`last`² and 1.
#[inline]
fn is_last_newton_step(size: f64, last: f64) -> bool {
    size < QUADRATIC_CONVERGENCE && size * size * (size / (last * last)).max(1.0) < 0.1 * STEP_TOLERANCE
}

/// Whether the change of F over a full step, predicted as `slope`, is within the rounding error of F: |x − r| times the
/// rounding error of x − r.
#[inline]
pub(crate) fn is_hidden(here: &Expansion, slope: f64) -> bool {
    let reach = here.objective + here.metric[0] + here.metric[1];
    slope * slope <= NOISE * NOISE * here.objective * reach
}

/// Armijo condition for a `fraction` of a step. `slope` is the derivative of F with respect to `fraction`, and
/// `objective` is F after this fraction.
#[inline]
pub(crate) fn is_sufficient(here: &Expansion, slope: f64, fraction: f64, objective: f64) -> bool {
    objective <= here.objective + SUFFICIENT_DECREASE * fraction * slope
}

#[cold]
pub(crate) fn backtrack<P: FacePolynomial>(
    polynomial: &P,
    here: &Expansion,
    target: [f64; 2],
    slope: f64,
) -> Expansion {
    let mut fraction = 1.0;
    loop {
        fraction *= 0.5;
        let next = polynomial.expand([0, 1].map(|i| here.xi[i] + fraction * (target[i] - here.xi[i])));
        if is_sufficient(here, slope, fraction, next.objective) || fraction <= STEP_TOLERANCE {
            return next;
        }
    }
}

/// The Hessian, made positive definite. If the point lies on an edge along which F is convex, only second derivatives
/// across the edge are changed. Steps along the edge then remain Newton steps.
#[inline]
fn newton_model(domain: &Domain, here: &Expansion) -> [f64; 3] {
    let [h11, h22, h12] = here.hessian;
    if h11 >= 0.0 && h22 >= 0.0 && h11 * h22 >= h12 * h12 {
        return positive_definite(here.hessian, here.metric);
    }
    convexified(domain, here)
}

#[cold]
fn convexified(domain: &Domain, here: &Expansion) -> [f64; 3] {
    let ([h11, h22, h12], trace) = (here.hessian, here.metric[0] + here.metric[1]);
    let Feature::Edge(k) = domain.feature(here.xi) else {
        return positive_definite(here.hessian, here.metric);
    };
    let (n, _) = domain.sides[k as usize];
    let (nn, t) = (n[0] * n[0] + n[1] * n[1], [-n[1], n[0]]);
    let along = (h11 * t[0] * t[0] + 2.0 * h12 * t[0] * t[1] + h22 * t[1] * t[1]) / nn;
    if along <= REGULARISATION * trace {
        return positive_definite(here.hessian, here.metric);
    }
    let mixed = (t[0] * (h11 * n[0] + h12 * n[1]) + t[1] * (h12 * n[0] + h22 * n[1])) / nn;
    let across = (h11 * n[0] * n[0] + 2.0 * h12 * n[0] * n[1] + h22 * n[1] * n[1]) / nn;
    // Second pivot of a Cholesky decomposition in the basis t, n.
    let pivot = across - mixed * mixed / along;
    let added = (positive_eigenvalue(pivot, trace) - pivot) / nn;
    positive_definite(
        [h11 + added * n[0] * n[0], h22 + added * n[1] * n[1], h12 + added * n[0] * n[1]],
        here.metric,
    )
}

/// The Hessian, made positive definite: its eigenvalues become at least `REGULARISATION` times the trace of the metric.
#[inline]
pub(crate) fn positive_definite([h11, h22, h12]: [f64; 3], metric: [f64; 3]) -> [f64; 3] {
    let trace = metric[0] + metric[1];
    let shift = (REGULARISATION * trace).max(f64::MIN_POSITIVE);
    if h11 >= 0.0 && h22 >= 0.0 && h11 * h22 >= h12 * h12 {
        return [h11 + shift, h22 + shift, h12];
    }
    let [h11, h22, h12] = clipped([h11, h22, h12], trace);
    [h11 + shift, h22 + shift, h12]
}

/// A second derivative, made positive like an eigenvalue in [`positive_definite`].
#[inline]
pub(crate) fn positive_number(value: f64, metric: [f64; 3]) -> f64 {
    let trace = metric[0] + metric[1];
    positive_eigenvalue(value, trace) + (REGULARISATION * trace).max(f64::MIN_POSITIVE)
}

/// Replaces a negative eigenvalue by a positive value, or by zero if within rounding.
#[inline]
fn positive_eigenvalue(value: f64, trace: f64) -> f64 {
    match value {
        v if v >= 0.0 => v,
        v if v >= -REGULARISATION * trace => 0.0,
        v => v.abs().max(CLIPPED_EIGENVALUE * trace),
    }
}

#[inline]
fn metric_model(here: &Expansion) -> [f64; 3] {
    let [g11, g22, g12] = here.metric;
    let shift = (REGULARISATION * (g11 + g22)).max(f64::MIN_POSITIVE);
    [g11 + shift, g22 + shift, g12]
}

fn clipped([h11, h22, h12]: [f64; 3], trace: f64) -> [f64; 3] {
    let (mean, half) = (0.5 * (h11 + h22), 0.5 * (h11 - h22));
    let radius = (half * half + h12 * h12).sqrt();
    let [high, low] = [mean + radius, mean - radius].map(|value| positive_eigenvalue(value, trace));
    let (mean, scale) = (0.5 * (high + low), if radius > 0.0 { 0.5 * (high - low) / radius } else { 0.0 });
    [mean + scale * half, mean - scale * half, scale * h12]
}

/// Damped BFGS update.
///
/// # Source
/// Powell 1978; Nocedal & Wright 2006, procedure 18.2.
fn update_bfgs(b: &mut [f64; 3], here: &Expansion, next: &Expansion) {
    let s = [0, 1].map(|i| next.xi[i] - here.xi[i]);
    let y = [0, 1].map(|i| next.gradient[i] - here.gradient[i]);
    let bs = [b[0] * s[0] + b[2] * s[1], b[2] * s[0] + b[1] * s[1]];
    let dot = |p: &[f64; 2], q: &[f64; 2]| p[0] * q[0] + p[1] * q[1];
    let (sy, sbs) = (dot(&s, &y), dot(&s, &bs));
    if sbs <= 0.0 || sbs.is_nan() {
        return;
    }
    let theta = if sy >= 0.2 * sbs { 1.0 } else { 0.8 * sbs / (sbs - sy) };
    let r = [0, 1].map(|i| theta * y[i] + (1.0 - theta) * bs[i]);
    let sr = dot(&s, &r);
    for (k, (i, j)) in [(0, 0), (1, 1), (0, 1)].into_iter().enumerate() {
        b[k] += r[i] * r[j] / sr - bs[i] * bs[j] / sbs;
    }
}
