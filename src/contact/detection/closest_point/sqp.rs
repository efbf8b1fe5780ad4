//! Closest point by sequential quadratic programming.
//!
//! Each iteration minimises a quadratic model of F = ½ |r − x(ξ)|² over the natural domain and searches along the
//! step. The constraints are linear and the start is feasible, so every iterate is, and the L1 merit function
//! F + μ Σ max(0, −g_k) is F itself (Nocedal & Wright 2006, ch. 18; Aragón, Yastrebov & Molinari 2013, §3, where
//! the gradient and the Hessian of F are printed with the wrong sign).

use super::{
    Start,
    domain::{Domain, MAX_FACE_NODES},
    interpolate, quadratic_program,
};
use crate::element::{shape_gradients, shape_hessians, shape_values};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Steps of natural coordinates at which the iteration has converged; the last step is still taken.
const STEP_TOLERANCE: f64 = 1e-10;
/// Decrease of F, relative to F, that rounding can hide.
const NOISE: f64 = 8.0 * f64::EPSILON;
/// Fraction of the decrease promised by the slope that a step must deliver (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Iterations with the exact Hessian before it is given up for BFGS; near folds it may wander.
const MAX_NEWTON: u32 = 25;
/// Iterations in all.
const MAX_ITERATIONS: u32 = 75;
/// Added to the diagonal, relative to the trace of the metric, so that degenerate faces have a model to minimise;
/// eigenvalues this far below zero are rounding and count as zero.
const REGULARISATION: f64 = 1e-12;
/// Truly negative eigenvalues are replaced by their size, but at least by this fraction of the trace.
const CLIPPED_EIGENVALUE: f64 = 1e-3;

/// Second-order model of F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// ∂²F with its eigenvalues kept positive; converges quadratically. Falls back to BFGS if it does not.
    Exact,
    /// Damped BFGS (Powell 1978) from the metric x,ᵢ·x,ⱼ of the start.
    Bfgs,
}

/// Result of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Natural coordinates, in the domain.
    pub xi: [f64; 2],
    /// Quadratic programs solved.
    pub iterations: u32,
    /// Whether the last step was below the tolerance.
    pub converged: bool,
}

/// Where the iteration starts; `[0, 0]` for kinds that are not faces.
pub fn start(start: Start, kind: CellKind, nodes: &[Vec3], query: &Vec3) -> [f64; 2] {
    let Some(domain) = Domain::of(kind) else { return [0.0; 2] };
    let mut best = domain.centre;
    if start == Start::Centre {
        return best;
    }
    let mut least = (query - interpolate(kind, nodes, best)).norm_squared();
    for (node, corner) in nodes.iter().zip(domain.corners) {
        let distance = (query - node).norm_squared();
        if distance < least {
            (least, best) = (distance, *corner);
        }
    }
    best
}

/// A local minimum of the distance of `query` to the face, from `start` downhill.
///
/// Kinds that are not faces return the start.
pub fn minimise(hessian: Hessian, kind: CellKind, nodes: &[Vec3], query: &Vec3, start: [f64; 2]) -> Minimum {
    let Some(domain) = Domain::of(kind) else {
        return Minimum { xi: start, iterations: 0, converged: false };
    };
    let face = Face::new(kind, nodes, query);
    let mut here = face.expand(start);
    let mut model = here.model(hessian);
    let mut exact = hessian == Hessian::Exact;
    let mut last_step = f64::INFINITY;
    for iterations in 1..=MAX_ITERATIONS {
        let target = quadratic_program::minimise(domain, here.xi, model, here.gradient);
        let step = [target[0] - here.xi[0], target[1] - here.xi[1]];
        let size = step[0].abs().max(step[1].abs());
        let slope = here.gradient[0] * step[0] + here.gradient[1] * step[1];
        let done = |xi| Minimum { xi, iterations, converged: true };
        if size < STEP_TOLERANCE {
            return done(target);
        }
        // Where F cannot tell any more, the full step is right as long as steps shrink.
        let hidden = -slope <= NOISE * here.objective;
        if slope.is_nan() || slope >= 0.0 || (hidden && size > 0.5 * last_step) {
            return done(here.xi);
        }
        last_step = size;
        let next = if hidden { face.expand(target) } else { face.search(&here, target, slope) };
        if exact && iterations >= MAX_NEWTON {
            exact = false;
            model = next.model(Hessian::Bfgs);
        } else if exact {
            model = next.model(Hessian::Exact);
        } else {
            update_bfgs(&mut model, &here, &next);
        }
        here = next;
    }
    Minimum { xi: here.xi, iterations: MAX_ITERATIONS, converged: false }
}

/// A face seen from the query point.
struct Face {
    kind: CellKind,
    num_nodes: usize,
    nodes: [Vec3; MAX_FACE_NODES],
}

/// F and its derivatives at a point.
struct Expansion {
    xi: [f64; 2],
    /// F \[m²\].
    objective: f64,
    /// F,ᵢ = −e·x,ᵢ.
    gradient: [f64; 2],
    /// x,ᵢ·x,ⱼ as (11, 22, 12).
    metric: [f64; 3],
    /// F,ᵢⱼ = x,ᵢ·x,ⱼ − e·x,ᵢⱼ as (11, 22, 12).
    hessian: [f64; 3],
}

impl Face {
    fn new(kind: CellKind, nodes: &[Vec3], query: &Vec3) -> Self {
        let num_nodes = kind.num_nodes().min(nodes.len());
        let mut shifted = [Vec3::zeros(); MAX_FACE_NODES];
        for (to, from) in shifted.iter_mut().zip(&nodes[..num_nodes]) {
            *to = from - query;
        }
        Self { kind, num_nodes, nodes: shifted }
    }

    /// x(ξ) − r.
    fn point(&self, xi: [f64; 2]) -> Vec3 {
        interpolate(self.kind, &self.nodes[..self.num_nodes], xi)
    }

    fn expand(&self, xi: [f64; 2]) -> Expansion {
        let natural = [xi[0], xi[1], 0.0];
        let mut values = [0.0; MAX_FACE_NODES];
        let mut gradients = [[0.0; 3]; MAX_FACE_NODES];
        let mut hessians = [[0.0; 3]; MAX_FACE_NODES];
        shape_values(self.kind, natural, &mut values);
        shape_gradients(self.kind, natural, &mut gradients);
        shape_hessians(self.kind, natural, &mut hessians);
        let mut x = Vec3::zeros();
        let mut tangents = [Vec3::zeros(); 2];
        let mut second = [Vec3::zeros(); 3];
        for (a, node) in self.nodes[..self.num_nodes].iter().enumerate() {
            x += node * values[a];
            for i in 0..2 {
                tangents[i] += node * gradients[a][i];
            }
            for i in 0..3 {
                second[i] += node * hessians[a][i];
            }
        }
        let [x1, x2] = tangents;
        let metric = [x1.norm_squared(), x2.norm_squared(), x1.dot(&x2)];
        let hessian = [0, 1, 2].map(|i| metric[i] + x.dot(&second[i]));
        let gradient = [x.dot(&x1), x.dot(&x2)];
        Expansion { xi, objective: 0.5 * x.norm_squared(), gradient, metric, hessian }
    }

    /// The first point from `target` back towards `here`, by halves, with a sufficient decrease of F.
    fn search(&self, here: &Expansion, target: [f64; 2], slope: f64) -> Expansion {
        let mut fraction = 1.0;
        let mut xi = target;
        let enough = |fraction: f64| here.objective + SUFFICIENT_DECREASE * fraction * slope;
        while 0.5 * self.point(xi).norm_squared() > enough(fraction) && fraction > STEP_TOLERANCE {
            fraction *= 0.5;
            xi = [0, 1].map(|i| here.xi[i] + fraction * (target[i] - here.xi[i]));
        }
        self.expand(xi)
    }
}

impl Expansion {
    /// The positive definite model of a quadratic program at this point.
    fn model(&self, hessian: Hessian) -> [f64; 3] {
        let trace = self.metric[0] + self.metric[1];
        let [b11, b22, b12] = match hessian {
            Hessian::Exact => self.clipped_hessian(trace),
            Hessian::Bfgs => self.metric,
        };
        let shift = (REGULARISATION * trace).max(f64::MIN_POSITIVE);
        [b11 + shift, b22 + shift, b12]
    }

    fn clipped_hessian(&self, trace: f64) -> [f64; 3] {
        let [h11, h22, h12] = self.hessian;
        let (mean, half) = (0.5 * (h11 + h22), 0.5 * (h11 - h22));
        let radius = half.hypot(h12);
        if mean - radius >= 0.0 {
            return self.hessian;
        }
        let clip = |value: f64| match value {
            v if v >= 0.0 => v,
            v if v >= -REGULARISATION * trace => 0.0,
            v => v.abs().max(CLIPPED_EIGENVALUE * trace),
        };
        let (high, low) = (clip(mean + radius), clip(mean - radius));
        let (mean, scale) =
            (0.5 * (high + low), if radius > 0.0 { 0.5 * (high - low) / radius } else { 0.0 });
        [mean + scale * half, mean - scale * half, scale * h12]
    }
}

/// Damped BFGS update of B from the step between two points.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::detection::samples::Samples;

    /// F,ᵢ and F,ᵢⱼ against central differences of F and of F,ᵢ.
    #[test]
    fn derivatives_agree_with_differences() {
        let mut s = Samples::new(1);
        for kind in [CellKind::Tri3, CellKind::Quad4] {
            for _ in 0..250 {
                let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| s.vector(1.0)).collect();
                let face = Face::new(kind, &nodes, &s.vector(2.0));
                let xi = [s.uniform(0.0, 0.5), s.uniform(0.0, 0.5)];
                let here = face.expand(xi);
                let h = 1e-5;
                let moved =
                    |i: usize, h: f64| face.expand([0, 1].map(|k| xi[k] + if k == i { h } else { 0.0 }));
                for i in 0..2 {
                    let (ahead, behind) = (moved(i, h), moved(i, -h));
                    let slope = (ahead.objective - behind.objective) / (2.0 * h);
                    assert!((slope - here.gradient[i]).abs() < 1e-8);
                    for j in 0..2 {
                        let curvature = (ahead.gradient[j] - behind.gradient[j]) / (2.0 * h);
                        let expected = if i == j { here.hessian[i] } else { here.hessian[2] };
                        assert!((curvature - expected).abs() < 1e-8);
                    }
                }
            }
        }
    }
}
