//! Convex quadratic programs in one or two variables, by enumeration.

use crate::detection::face::closest_point::domain::Domain;
use crate::detection::face::closest_point::polynomial::FacePolynomial;
use crate::math::Vec3;

/// If det B / (B₁₁ B₂₂) is at most this ratio, for a program with the matrix B, the minimum without constraints is too
/// inaccurate to tell on which edges the constrained minimum can lie.
const ILL_CONDITIONED: f64 = 1e-8;

/// Minimises ½ pᵀ B p + gᵀ p over all p for which ξ + p lies in the domain; returns ξ + p. `b` = (B₁₁, B₂₂, B₁₂) must
/// be positive definite.
///
/// The free minimum is the minimum without constraints. If the free minimum is outside the domain, it violates the
/// inequality of at least one edge, and the constrained minimum lies on such an edge. From a border point on none of
/// these edges, the line to the free minimum first enters the domain, and the function decreases along this line. The
/// method is direct and cannot cycle. Results on the border of the domain lie exactly on the border, except for
/// rounding on the edge ξ + η = 1 of the triangle.
#[inline(always)]
pub fn minimise(domain: &Domain, xi: [f64; 2], b: [f64; 3], g: [f64; 2]) -> [f64; 2] {
    if domain.dimension() == 1 {
        return [(xi[0] - g[0] / b[0]).clamp(-1.0, 1.0), 0.0];
    }
    let determinant = b[0] * b[1] - b[2] * b[2];
    let inverse = 1.0 / determinant;
    let free = [xi[0] - (b[1] * g[0] - b[2] * g[1]) * inverse, xi[1] - (b[0] * g[1] - b[2] * g[0]) * inverse];
    if domain.contains(free) {
        return free;
    }
    let trusted = determinant > ILL_CONDITIONED * b[0] * b[1];
    least_on_edges(domain, free, trusted, xi, |from, to| minimise_along([from, to], xi, b, g))
}

/// Natural coordinates of the minimum of ½ |x(ξ) − r|² in the domain, for an affine x and the query r.
///
/// The solution avoids normal equations, which would square the condition number of a sliver. With x,ᵢ = ∂x/∂ξᵢ,
/// n = x,₁ × x,₂, and c₀ = x − r at ξ = 0, the free minimum is
///
/// ```text
/// ξ₁ = −(c₀ × x,₂)·n / n·n,   ξ₂ = −(x,₁ × c₀)·n / n·n
/// ```
#[inline]
pub fn minimise_affine<P: FacePolynomial>(polynomial: &P) -> [f64; 2] {
    let [from, to] = [P::DOMAIN.corners[0], P::DOMAIN.corners[1]];
    if P::DOMAIN.dimension() == 1 {
        return closest_along(polynomial, from, to).1;
    }
    let derivatives = polynomial.derivatives(from);
    let (origin, [x1, x2]) = (derivatives.offset, derivatives.tangents);
    let normal = x1.cross(&x2);
    let scale = -1.0 / normal.norm_squared();
    let free = [origin.cross(&x2).dot(&normal) * scale, x1.cross(&origin).dot(&normal) * scale];
    if P::DOMAIN.contains(free) {
        return free;
    }
    least_on_edges(P::DOMAIN, free, true, from, |from, to| closest_along(polynomial, from, to))
}

/// Position of the minimum over the edges of the domain. If the free minimum `free` is `trusted`, only edges whose
/// inequality `free` violates are considered. The result is `otherwise` if the minima of all edges are NaN. The closure
/// `minimise` gives the least value on the edge between two corners, and its position.
#[inline(always)]
fn least_on_edges(
    domain: &Domain,
    free: [f64; 2],
    trusted: bool,
    otherwise: [f64; 2],
    minimise: impl Fn([f64; 2], [f64; 2]) -> (f64, [f64; 2]),
) -> [f64; 2] {
    let mut best = (f64::INFINITY, otherwise);
    for k in 0..domain.sides.len() {
        if trusted && domain.is_inside(k, free) {
            continue;
        }
        let candidate = minimise(domain.corners[k], domain.corners[domain.next_corner(k)]);
        if candidate.0 < best.0 {
            best = candidate;
        }
    }
    best.1
}

/// Least value of ½ pᵀ B p + gᵀ p on an edge, and its position ξ + p.
#[inline]
fn minimise_along(edge: [[f64; 2]; 2], xi: [f64; 2], b: [f64; 3], g: [f64; 2]) -> (f64, [f64; 2]) {
    let [from, to] = edge;
    let (d, p) = ([to[0] - from[0], to[1] - from[1]], [from[0] - xi[0], from[1] - xi[1]]);
    let slope = [b[0] * p[0] + b[2] * p[1] + g[0], b[2] * p[0] + b[1] * p[1] + g[1]];
    let curvature = b[0] * d[0] * d[0] + 2.0 * b[2] * d[0] * d[1] + b[1] * d[1] * d[1];
    let t = (-(slope[0] * d[0] + slope[1] * d[1]) / curvature).clamp(0.0, 1.0);
    let place = between(from, to, t);
    let p = [place[0] - xi[0], place[1] - xi[1]];
    let quadratic = 0.5 * (b[0] * p[0] * p[0] + b[1] * p[1] * p[1]) + b[2] * p[0] * p[1];
    (quadratic + g[0] * p[0] + g[1] * p[1], place)
}

/// Least squared distance of the query from an edge, and natural coordinates of the closest point.
#[inline]
fn closest_along<P: FacePolynomial>(polynomial: &P, from: [f64; 2], to: [f64; 2]) -> (f64, [f64; 2]) {
    let (start, end) = (polynomial.offset(from), polynomial.offset(to));
    let edge: Vec3 = end - start;
    let along = -start.dot(&edge);
    let length_squared = edge.norm_squared();
    let t = if along > 0.0 { (along / length_squared).min(1.0) } else { 0.0 };
    ((start + edge * t).norm_squared(), between(from, to, t))
}

/// The point at the fraction `t` between two corners; exact at the corners.
#[inline]
fn between(from: [f64; 2], to: [f64; 2], t: f64) -> [f64; 2] {
    [0, 1].map(|i| from[i] + t * (to[i] - from[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::face::closest_point::domain::{INTERVAL, SQUARE, TRIANGLE};
    use crate::detection::samples::Samples;

    #[test]
    fn minima_of_random_programs() {
        let mut s = Samples::new(1);
        for domain in [&INTERVAL, &TRIANGLE, &SQUARE] {
            for _ in 0..3000 {
                let (p, q, r) = (s.uniform(0.1, 2.0), s.uniform(0.1, 2.0), s.uniform(-0.999, 0.999));
                let thin = s.pick(&[1.0, 1e-3, 1e-8]);
                let b = [p * p, q * q * thin * thin, p * q * thin * r];
                let g = [s.uniform(-3.0, 3.0), s.uniform(-3.0, 3.0) * thin];
                let xi = domain.centre;
                let value = |x: [f64; 2]| {
                    let p = [x[0] - xi[0], x[1] - xi[1]];
                    0.5 * (b[0] * p[0] * p[0] + b[1] * p[1] * p[1])
                        + b[2] * p[0] * p[1]
                        + g[0] * p[0]
                        + g[1] * p[1]
                };
                let found = minimise(domain, xi, b, g);
                assert!(domain.contains(found.map(|x| x * (1.0 - 1e-15))), "{found:?}");
                for i in -20..=20 {
                    for j in -20..=20 {
                        let point = [f64::from(i) / 20.0, f64::from(j) / 20.0];
                        let inside = domain.contains(point) && (domain.dimension() == 2 || j == 0);
                        assert!(!inside || value(found) <= value(point) + 1e-12, "{b:?} {g:?} {found:?}");
                    }
                }
            }
        }
    }
}
