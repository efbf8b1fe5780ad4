//! Closest point by a primal–dual interior-point method with a logarithmic barrier (Aragón, Yastrebov & Molinari 2013,
//! eq. (14), with the sign of F corrected).
//!
//! ```text
//! min F(ξ) − μ Σ ln z_k,   z = A ξ − b > 0,   μ → 0
//! ```
//!
//! F = ½ |x(ξ) − r|² for the query r, A ξ ≥ b is the natural domain, and μ is the barrier parameter. The iteration
//! starts at the centre of the face, where the least slack z is largest; the given starting point is ignored. The
//! constraints are linear, so the slacks are computed from ξ. The iteration never reaches the border. A crossover
//! therefore moves the final point onto the active constraints. The active-set method continues from there.

use super::active_set::ActiveSet;
use super::minimise::{Minimise, Minimum};
use super::sqp::{positive_definite, positive_number};
use crate::detection::face::closest_point::domain::Domain;
use crate::detection::face::closest_point::polynomial::{Expansion, FacePolynomial};

const MAX_SIDES: usize = 4;
/// Largest number of iterations before the crossover.
const MAX_ITERATIONS: u32 = 60;
/// The iteration ends when the residual of the optimality conditions, relative to `Barrier::scale`, is at most this
/// value. Active and inactive constraints can then be told apart.
const TOLERANCE: f64 = 1e-7;
/// Initial μ, relative to F at the centre of the face.
const FIRST_BARRIER: f64 = 0.1;
/// New μ relative to the mean of λ z, with the multipliers λ. μ changes only after a step longer than half the Newton
/// step.
const CENTRING: f64 = 0.2;
/// Largest fraction of the way to z = 0, or to λ = 0, in one step.
const TO_THE_BORDER: f64 = 0.995;
/// Armijo condition: least ratio of the decrease of F − μ Σ ln z to the predicted decrease.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Fraction of a Newton step at or below which the line search stops halving this fraction.
const LEAST_FRACTION: f64 = 1e-10;

/// The interior-point method. `Minimum::iterations` includes the iterations of the final active-set method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InteriorPoint;

impl Minimise for InteriorPoint {
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, _start: [f64; 2]) -> Minimum {
        let mut barrier = Barrier::new(polynomial);
        let mut iterations = 0;
        while barrier.residual() > TOLERANCE * barrier.scale && iterations < MAX_ITERATIONS {
            iterations += 1;
            if !barrier.step(polynomial) {
                break;
            }
        }
        let rest = ActiveSet.minimise(polynomial, barrier.crossover());
        Minimum { iterations: iterations + rest.iterations, ..rest }
    }
}

struct Barrier {
    domain: &'static Domain,
    here: Expansion,
    /// Multipliers λ.
    multipliers: [f64; MAX_SIDES],
    /// μ \[m²\].
    parameter: f64,
    /// Scale of the optimality conditions \[m²\]: √(2 F tr G) + tr G at the centre of the face, with Gᵢⱼ = ∂x/∂ξᵢ ·
    /// ∂x/∂ξⱼ.
    scale: f64,
}

impl Barrier {
    fn new<P: FacePolynomial>(polynomial: &P) -> Self {
        let here = polynomial.expand(P::DOMAIN.centre);
        let trace = here.metric[0] + here.metric[1];
        let parameter = FIRST_BARRIER * here.objective;
        let slacks = slacks(P::DOMAIN, here.xi);
        Self {
            domain: P::DOMAIN,
            here,
            multipliers: slacks.map(|z| parameter / z),
            parameter,
            scale: (2.0 * here.objective * trace).sqrt() + trace,
        }
    }

    fn sides(&self) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
        self.domain.sides.iter().map(|(normal, _)| *normal).enumerate()
    }

    /// Largest component of |g − Aᵀ λ| and of λ z, with the gradient g of F.
    fn residual(&self) -> f64 {
        let slacks = slacks(self.domain, self.here.xi);
        let mut dual = self.here.gradient;
        let mut largest = 0.0_f64;
        for (k, normal) in self.sides() {
            dual = [0, 1].map(|i| dual[i] - self.multipliers[k] * normal[i]);
            largest = largest.max(self.multipliers[k] * slacks[k]);
        }
        largest.max(dual[0].abs()).max(dual[1].abs())
    }

    /// Takes a fraction of the Newton step in ξ, and another fraction in λ. For the current μ, with the gradient g and
    /// the Hessian H of F, the Newton step is
    ///
    /// ```text
    /// (H + Aᵀ diag(λ/z) A) δξ = −(g − μ Aᵀ z⁻¹),   δz = A δξ,   δλ = (μ − λ δz)/z − λ
    /// ```
    ///
    /// Returns `false` and takes no step if the solution is not finite. Rounding can make the system singular near the
    /// border of a degenerate face.
    fn step<P: FacePolynomial>(&mut self, polynomial: &P) -> bool {
        let slacks = slacks(self.domain, self.here.xi);
        let (mut matrix, mut right) = (self.here.hessian, self.here.gradient.map(|g| -g));
        for (k, normal) in self.sides() {
            let weight = self.multipliers[k] / slacks[k];
            matrix[0] += weight * normal[0] * normal[0];
            matrix[1] += weight * normal[1] * normal[1];
            matrix[2] += weight * normal[0] * normal[1];
            right = [0, 1].map(|i| right[i] + self.parameter * normal[i] / slacks[k]);
        }
        let step = self.solve(matrix, right);
        if !step.iter().all(|x| x.is_finite()) {
            return false;
        }
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        let mut change = [0.0; MAX_SIDES];
        for (k, normal) in self.sides() {
            let (z, lambda, dz) = (slacks[k], self.multipliers[k], dot(normal, step));
            change[k] = (self.parameter - lambda * dz) / z - lambda;
            primal = to_the_border(primal, z, dz);
            dual = to_the_border(dual, lambda, change[k]);
        }
        let taken = self.search(polynomial, step, -dot(right, step), primal);
        for (lambda, change) in self.multipliers.iter_mut().zip(change) {
            *lambda += dual * change;
        }
        if taken > 0.5 {
            let count = self.domain.sides.len() as f64;
            let slacks = self::slacks(self.domain, self.here.xi);
            let products = self.sides().map(|(k, _)| self.multipliers[k] * slacks[k]);
            self.parameter = CENTRING * products.sum::<f64>() / count;
        }
        true
    }

    /// The matrix is first made positive definite.
    fn solve(&self, matrix: [f64; 3], right: [f64; 2]) -> [f64; 2] {
        if self.domain.dimension() == 1 {
            return [right[0] / positive_number(matrix[0], self.here.metric), 0.0];
        }
        let [m11, m22, m12] = positive_definite(matrix, self.here.metric);
        let determinant = m11 * m22 - m12 * m12;
        [(m22 * right[0] - m12 * right[1]) / determinant, (m11 * right[1] - m12 * right[0]) / determinant]
    }

    /// Moves the point by a fraction of `step`, and returns this fraction: `largest`, halved until F − μ Σ ln z
    /// decreases sufficiently, or until the fraction is at most `LEAST_FRACTION`.
    fn search<P: FacePolynomial>(&mut self, polynomial: &P, step: [f64; 2], slope: f64, largest: f64) -> f64 {
        let merit = |xi: [f64; 2]| {
            let logarithms: f64 = self.sides().map(|(k, _)| slacks(self.domain, xi)[k].ln()).sum();
            0.5 * polynomial.offset(xi).norm_squared() - self.parameter * logarithms
        };
        let start = merit(self.here.xi);
        let mut fraction = largest;
        let at = |fraction: f64| [0, 1].map(|i| self.here.xi[i] + fraction * step[i]);
        // Near the minimum, the decrease over a step is smaller than the rounding error.
        let noise = 8.0 * f64::EPSILON * start.abs();
        while merit(at(fraction)) > start + SUFFICIENT_DECREASE * fraction * slope + noise
            && fraction > LEAST_FRACTION
        {
            fraction *= 0.5;
        }
        self.here = polynomial.expand(at(fraction));
        fraction
    }

    /// The point, moved onto the active constraints. Constraint k is active if λ_k > `scale` z_k.
    fn crossover(&self) -> [f64; 2] {
        let slacks = slacks(self.domain, self.here.xi);
        let active = |k: usize| self.multipliers[k] > slacks[k] * self.scale;
        let count = self.domain.corners.len();
        let xi = self.domain.project(self.here.xi);
        if self.domain.dimension() == 1 {
            return (0..2).find(|&k| active(k)).map_or(xi, |k| self.domain.corners[k]);
        }
        let Some(k) = (0..count).find(|&k| active(k) && !active((k + count - 1) % count)) else { return xi };
        let next = self.domain.next_corner(k);
        if active(next) {
            return self.domain.corners[next];
        }
        let (normal, bound) = self.domain.sides[k];
        let distance = (bound - dot(normal, xi)) / dot(normal, normal);
        self.domain.project([0, 1].map(|i| xi[i] + distance * normal[i]))
    }
}

/// z = A ξ − b. Entries beyond the number of sides are 1.
fn slacks(domain: &Domain, xi: [f64; 2]) -> [f64; MAX_SIDES] {
    let mut slacks = [1.0; MAX_SIDES];
    for (slack, (normal, bound)) in slacks.iter_mut().zip(domain.sides) {
        *slack = dot(*normal, xi) - bound;
    }
    slacks
}

/// The smaller of `fraction` and the fraction of a step at which `value` has fallen to (1 − `TO_THE_BORDER`) times its
/// initial value.
fn to_the_border(fraction: f64, value: f64, change: f64) -> f64 {
    if change < 0.0 { fraction.min(-TO_THE_BORDER * value / change) } else { fraction }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
