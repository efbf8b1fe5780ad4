//! Certificate that a local minimum of F = ½ |x(ξ) − r|² is the global minimum.
//!
//! x(ξ) is a point of the face with the Jacobian J, r is the query, and x,ᵢ = ∂x/∂ξᵢ. ξ* satisfies the optimality
//! conditions. For any other point ξ, let p = x(ξ*) − r and δ = ξ − ξ*. With integrals over t from 0 to 1 at the points
//! ξ* + t δ,
//!
//! ```text
//! 2 F(ξ) − 2 F(ξ*) = 2 p·J(ξ*) δ + δᵀ (DᵀD + K) δ,   D = ∫ J dt,   K = ∫ 2 (1 − t) p·x,ᵢⱼ dt
//! ```
//!
//! The first term is not negative, because of the optimality conditions. For any matrix A, DᵀD ≥ AᵀD + DᵀA − AᵀA. Hence
//! no other point is closer if M = AᵀD + DᵀA − AᵀA + K is positive definite for all ξ (the criterion). The points ξ lie
//! in a box of coordinates, and A is the Jacobian at its centre. M is then AᵀA plus terms linear in the *nonlinear
//! coefficients*, those of the monomials of x of degree two and higher. M can be positive definite although F is not
//! convex, as on plane faces that are distorted in their plane.
//!
//! If M is not positive definite on a box around the whole domain, M is often positive definite on a smaller box. This
//! box suffices, because it contains the coordinates of all points of the face within the distance |p| of r (Neumaier
//! 1990, *Interval Methods for Systems of Equations*, ch. 5).

use std::ops::Range;

use super::domain::MAX_FACE_NODES;
use super::polynomial::{Cell, FacePolynomial};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Ratio det M / (tr M)² above which M counts as positive definite. At smaller ratios, rounding makes ξ* inaccurate.
const MARGIN: f64 = 1e-8;
/// Largest number of boxes tested after the first box, which contains the whole domain.
const MAX_BOXES: usize = 3;
/// No further box is tested if its area is at least this fraction of the area of the current box.
const REDUCTION: f64 = 0.7;
/// Enlargement of a box against rounding errors, relative to its half widths.
const NOISE: f64 = 1e-6;

/// Whether the criterion proves that the point at ξ is the closest point; `false` proves nothing. The point must
/// satisfy the optimality conditions.
#[inline]
pub fn is_closest<P: FacePolynomial>(polynomial: &P, xi: [f64; 2]) -> bool {
    let offset = polynomial.offset(xi);
    let part = PartOverBox::whole(polynomial);
    part.is_least(&offset, xi) || is_closest_of_smaller_boxes(polynomial, part, &offset, xi)
}

/// Tests the criterion on ever smaller boxes. Each box contains all points that are at least as close to the query as
/// the point at ξ.
#[inline(never)]
fn is_closest_of_smaller_boxes<P: FacePolynomial>(
    polynomial: &P,
    mut part: PartOverBox<P>,
    offset: &Vec3,
    xi: [f64; 2],
) -> bool {
    for _ in 0..MAX_BOXES {
        let Some(cell) = part.box_of_points_within(offset.norm()) else { return false };
        part = PartOverBox::new(polynomial.part(&cell), cell);
        if part.is_least(offset, xi) {
            return true;
        }
    }
    false
}

/// Part of a face over a box, as a polynomial of the coordinates s in [−1, 1]²; in this struct, x,ᵢ = ∂x/∂sᵢ. Faces
/// that are lines depend on s₁ alone. For them, x,₂ stands for a vector as long as x,₁ and normal to the plane of the
/// problem.
struct PartOverBox<P> {
    polynomial: P,
    cell: Cell,
    /// x,ᵢ·x,ⱼ at the centre as (11, 22, 12).
    metric: [f64; 3],
    /// Dot products of the nonlinear coefficients with x,₁ and x,₂ at the centre.
    along: [[f64; 2]; MAX_FACE_NODES],
}

impl<P: FacePolynomial> PartOverBox<P> {
    const IS_STRIP: bool = P::KIND.dimension() == 1;
    const NONLINEAR: Range<usize> = P::KIND.dimension() + 1..P::POWERS.len();

    #[inline]
    fn whole(polynomial: &P) -> Self {
        if matches!(P::KIND.linear(), CellKind::Tri3) {
            let cell = Cell { origin: [0.5; 2], axes: [[0.5, 0.0], [0.0, 0.5]] };
            Self::new(polynomial.part(&cell), cell)
        } else {
            Self::new(*polynomial, Cell::WHOLE)
        }
    }

    #[inline]
    fn new(polynomial: P, cell: Cell) -> Self {
        let c = polynomial.coefficients();
        let second = if Self::IS_STRIP { Vec3::zeros() } else { c[2] };
        let length_squared = c[1].norm_squared();
        let metric = if Self::IS_STRIP {
            [length_squared, length_squared, 0.0]
        } else {
            [length_squared, second.norm_squared(), c[1].dot(&second)]
        };
        let mut along = [[0.0; 2]; MAX_FACE_NODES];
        for k in Self::NONLINEAR {
            along[k] = [c[1].dot(&c[k]), second.dot(&c[k])];
        }
        Self { polynomial, cell, metric, along }
    }

    /// Whether M is positive definite on the box. `offset` is p.
    #[inline]
    fn is_least(&self, offset: &Vec3, xi: [f64; 2]) -> bool {
        let [m11, m22, m12] = self.growth(offset, xi);
        let trace = m11 + m22;
        (m11 > 0.0) & (m22 > 0.0) & (m11 * m22 - m12 * m12 > MARGIN * trace * trace)
    }

    /// Lower bounds on M₁₁ and M₂₂ and an upper bound on |M₁₂| over the box, in the coordinates s. `offset` is p.
    #[inline]
    fn growth(&self, offset: &Vec3, xi: [f64; 2]) -> [f64; 3] {
        let path = PathBounds::from(self.cell.inverse(xi));
        let [mut m11, mut m22, mut m12] = self.metric;
        let mut spread = 0.0;
        for k in Self::NONLINEAR {
            let size = |by: [u8; 2]| path.derivative(P::POWERS[k], by);
            let [along, across] = [size([1, 0]), size([0, 1])];
            let [first, second] = self.along[k].map(f64::abs);
            m11 -= 2.0 * along * first;
            m22 -= 2.0 * across * second;
            spread += along * second + across * first;
            let bend = offset.dot(&self.polynomial.coefficients()[k]);
            // If the second derivative is constant, p·x,ᵢⱼ enters with its sign; otherwise its magnitude is bounded.
            match P::POWERS[k] {
                [2, 0] => m11 += 2.0 * bend,
                [0, 2] => m22 += 2.0 * bend,
                [1, 1] => m12 += bend,
                _ => {
                    m11 -= size([2, 0]) * bend.abs();
                    m22 -= size([0, 2]) * bend.abs();
                    spread += size([1, 1]) * bend.abs();
                }
            }
        }
        [m11, m22, m12.abs() + spread]
    }

    /// Smaller box that contains the coordinates of all points of this part within `distance` of r. `None` if the new
    /// box is empty, or if its area is at least `REDUCTION` times the area of this box.
    fn box_of_points_within(&self, distance: f64) -> Option<Cell> {
        let [g11, g22, g12] = self.metric;
        let inverse = 1.0 / (g11 * g22 - g12 * g12);
        // (AᵀA)⁻¹ Aᵀc, from Aᵀc for a coefficient c.
        let solve = |[a, b]: [f64; 2]| [(g22 * a - g12 * b) * inverse, (g11 * b - g12 * a) * inverse];
        let mut reach = [g22, g11].map(|g| distance * (g * inverse).sqrt());
        for k in Self::NONLINEAR {
            let bend = solve(self.along[k]);
            reach = [0, 1].map(|i| reach[i] + bend[i].abs());
        }
        let c = self.polynomial.coefficients();
        let centre = solve([c[1].dot(&c[0]), if Self::IS_STRIP { 0.0 } else { c[2].dot(&c[0]) }]);
        let mut cell = self.cell;
        for i in 0..2 {
            let reach = reach[i] * (1.0 + NOISE);
            let (low, high) = ((-centre[i] - reach).max(-1.0), (-centre[i] + reach).min(1.0));
            cell.origin[i] += cell.axes[i][i] * 0.5 * (low + high);
            cell.axes[i][i] *= 0.5 * (high - low);
        }
        let shrinkage = |i: usize| cell.axes[i][i] / self.cell.axes[i][i];
        (shrinkage(0) * shrinkage(1) < REDUCTION && shrinkage(0) > 0.0 && shrinkage(1) > 0.0).then_some(cell)
    }
}

/// Bounds on the mean magnitudes of derivatives of monomials s₁ᵏ s₂ˡ on the straight path from ξ* to another point of
/// the box. With the coordinates s* of ξ*, at the fraction t of the path,
///
/// ```text
/// |s₁ᵏ s₂ˡ| ≤ σ₁ᵏ σ₂ˡ,   σᵢ = |s*ᵢ| + t (1 − |s*ᵢ|)
/// ```
///
/// The derivatives have bounds of the same form. Simpson's rule integrates the bounds exactly, because their degree in
/// t is at most three. The bounds grow with t. With the weights 2 (1 − t) of K, the mean of a bound is therefore at
/// most its mean with equal weights.
struct PathBounds {
    /// σᵢ at t = 0.
    start: [f64; 2],
    /// σᵢ at t = ½.
    middle: [f64; 2],
}

impl PathBounds {
    #[inline]
    fn from(start: [f64; 2]) -> Self {
        let start = start.map(|s| s.abs().min(1.0));
        Self { start, middle: start.map(|s| 0.5 + 0.5 * s) }
    }

    /// Bound on the mean magnitude of a derivative of s₁ᵏ s₂ˡ, with `powers` = (k, l). The entries of `by` are the
    /// orders of the derivative in s₁ and s₂; their sum is 1 or 2.
    #[inline]
    fn derivative(&self, powers: [u8; 2], by: [u8; 2]) -> f64 {
        if powers[0] < by[0] || powers[1] < by[1] {
            return 0.0;
        }
        let factor = [0, 1].map(|i| match by[i] {
            0 => 1.0,
            1 => f64::from(powers[i]),
            _ => f64::from(powers[i] * (powers[i] - 1)),
        });
        let at = |s: [f64; 2]| power(s[0], powers[0] - by[0]) * power(s[1], powers[1] - by[1]);
        factor[0] * factor[1] * (at(self.start) + 4.0 * at(self.middle) + 1.0) * (1.0 / 6.0)
    }
}

#[inline]
fn power(x: f64, k: u8) -> f64 {
    match k {
        0 => 1.0,
        1 => x,
        _ => x * x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::face::closest_point::minimisation::sqp::{Hessian, Sqp};
    use crate::detection::face::closest_point::minimisation::{Minimise, Minimum};
    use crate::detection::face::closest_point::polynomial::{Visitor, visit};
    use crate::detection::face::closest_point::search::global_minimum;
    use crate::detection::samples::Samples;

    const CURVED: [CellKind; 5] =
        [CellKind::Quad4, CellKind::Line3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];

    fn face(s: &mut Samples, kind: CellKind, bend: f64) -> Vec<Vec3> {
        struct Nodes;
        impl Visitor for Nodes {
            type Output = Vec<Vec3>;
            fn visit<P: FacePolynomial>(self, _: &P) -> Vec<Vec3> {
                let nodes = P::DOMAIN.corners.iter().chain(P::OTHER_NODES);
                nodes.map(|xi| Vec3::new(xi[0], xi[1], 0.0)).collect()
            }
        }
        let nodes = visit(kind, &[Vec3::zeros(); MAX_FACE_NODES], &Vec3::zeros(), Nodes).unwrap();
        nodes.iter().map(|x| x + s.vector(bend)).collect()
    }

    /// Whether the local minimum reached from a starting point has a certificate, and by how much its distance exceeds
    /// the least distance.
    struct Excess([f64; 2]);

    impl Visitor for Excess {
        type Output = (bool, f64);
        fn visit<P: FacePolynomial>(self, polynomial: &P) -> (bool, f64) {
            let local = Sqp { hessian: Hessian::Exact }.minimise(polynomial, P::DOMAIN.project(self.0));
            let global = global_minimum(polynomial, Minimum { converged: false, ..local }).minimum;
            assert!(local.converged && global.converged);
            let distance = |xi| polynomial.offset(xi).norm();
            (is_closest(polynomial, local.xi), distance(local.xi) - distance(global.xi))
        }
    }

    #[test]
    fn only_closest_points_are_called_closest() {
        let mut s = Samples::new(1);
        let (mut refused, mut certified) = (0, 0);
        for kind in CURVED {
            for _ in 0..1500 {
                let bend = s.pick(&[0.1, 0.4, 0.8]);
                let nodes = face(&mut s, kind, bend);
                let query = s.vector(1.0) * s.pick(&[0.5, 1.0, 3.0]);
                let start = [s.uniform(-1.0, 1.0), s.uniform(-1.0, 1.0)];
                let (is_closest, excess) = visit(kind, &nodes, &query, Excess(start)).unwrap();
                let at = format!("{kind:?} {nodes:?} {query:?} {start:?}: {excess:e}");
                assert!(!is_closest || excess < 1e-10, "{at}");
                certified += usize::from(is_closest);
                refused += usize::from(excess > 1e-6);
            }
        }
        assert!(refused > 300 && certified > 2000, "{refused} {certified}");
    }

    #[test]
    fn nearly_all_faces_of_meshes_pass() {
        let mut s = Samples::new(2);
        for kind in CURVED {
            let passed = (0..1000).filter(|_| {
                let side = if kind == CellKind::Tri6 { 1.0 } else { 2.0 };
                let nodes = face(&mut s, kind, 0.05 * side);
                let place = nodes.iter().map(|x| x * s.uniform(0.0, 2.0)).sum::<Vec3>() / nodes.len() as f64;
                let query = place + s.vector(0.05 * side);
                let start = [s.uniform(0.0, 0.5), s.uniform(0.0, 0.5)];
                visit(kind, &nodes, &query, Excess(start)).unwrap().0
            });
            let count = passed.count();
            assert!(count >= 998, "{kind:?}: {count}");
        }
    }

    /// Growth of 2 F from ξ to ξ + δ beyond its linear part, minus the lower bound from `PartOverBox::growth`:
    ///
    /// ```text
    /// 2 F(ξ + δ) − 2 F(ξ) − 2 ∇F(ξ)·δ − bound
    /// ```
    struct Slack([f64; 2], [f64; 2]);

    impl Visitor for Slack {
        type Output = f64;
        fn visit<P: FacePolynomial>(self, polynomial: &P) -> f64 {
            let [from, to] = [self.0, self.1].map(|xi| P::DOMAIN.project(xi));
            let (part, here) = (PartOverBox::whole(polynomial), polynomial.expand(from));
            let [m11, m22, m12] = part.growth(&polynomial.offset(from), from);
            let delta = [0, 1].map(|i| (to[i] - from[i]) / part.cell.axes[i][i]);
            let slope = here.gradient[0] * (to[0] - from[0]) + here.gradient[1] * (to[1] - from[1]);
            let bound = m11 * delta[0] * delta[0] + m22 * delta[1] * delta[1]
                - 2.0 * m12 * (delta[0] * delta[1]).abs();
            2.0 * (polynomial.expand(to).objective - here.objective - slope) - bound
        }
    }

    #[test]
    fn growth_is_bounded_from_below() {
        let mut s = Samples::new(4);
        let mut least = f64::INFINITY;
        for kind in CURVED {
            for _ in 0..20_000 {
                let bend = s.pick(&[0.01, 0.1, 0.4]);
                let nodes = face(&mut s, kind, bend);
                let query = s.vector(1.0) * s.pick(&[0.5, 3.0]);
                let mut place = || [0; 2].map(|_| s.pick(&[-1.0, 0.0, 0.3, 0.7, 1.0]));
                let slack = visit(kind, &nodes, &query, Slack(place(), place())).unwrap();
                assert!(slack >= -1e-12, "{kind:?} {nodes:?} {query:?}: {slack:e}");
                least = least.min(if slack > 1e-12 { slack } else { 1.0 });
            }
        }
        assert!(least < 1e-4, "{least}");
    }

    /// Number of a corner of the face, and a fraction f. The first box contains the points whose distance from the
    /// query is at most f times the distance of the corner; a second box is computed from the first in the same way.
    /// The result: whether the corner is outside one of the boxes; `None` if `box_of_points_within` gives no first box.
    struct Missing(usize, f64);

    impl Visitor for Missing {
        type Output = Option<bool>;
        fn visit<P: FacePolynomial>(self, polynomial: &P) -> Option<bool> {
            let xi = P::DOMAIN.corners[self.0];
            let distance = polynomial.offset(xi).norm() * self.1;
            let cell = PartOverBox::whole(polynomial).box_of_points_within(distance)?;
            let next = PartOverBox::new(polynomial.part(&cell), cell).box_of_points_within(distance);
            let is_out =
                |cell: Cell| (0..2).any(|i| (xi[i] - cell.origin[i]).abs() > cell.axes[i][i] + 1e-15);
            Some(is_out(cell) || next.is_some_and(is_out))
        }
    }

    #[test]
    fn boxes_hold_all_points_within_the_distance() {
        let mut s = Samples::new(3);
        let (mut held, mut missed) = (0, 0);
        for kind in CURVED {
            for case in 0..4000 {
                let bend = s.pick(&[0.1, 0.2, 0.4]);
                let nodes = face(&mut s, kind, bend);
                let corner = case % kind.linear().num_nodes();
                let query = nodes[corner] + s.vector(1.0) * s.pick(&[1e-3, 0.1, 0.5]);
                let missing = |reach| visit(kind, &nodes, &query, Missing(corner, reach)).unwrap();
                assert_ne!(missing(1.0), Some(true), "{kind:?} {nodes:?} {query:?}");
                held += usize::from(missing(1.0).is_some());
                missed += usize::from(missing(0.5) == Some(true));
            }
        }
        assert!(held > 3000 && missed > 300, "{held} {missed}");
    }
}
