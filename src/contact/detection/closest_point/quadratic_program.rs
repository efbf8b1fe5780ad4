//! Convex quadratic programs in one or two variables, by enumeration.

use super::domain::Domain;

/// Minimises ½ pᵀ B p + gᵀ p over ξ + p in the domain and returns ξ + p; B = (B₁₁, B₂₂, B₁₂) positive definite.
///
/// If the free minimum lies outside, the minimum is on the border: the least of those along its edges. Points on
/// the border come out on it to the bit. Exact, so there is no active set that could cycle.
pub fn minimise(domain: &Domain, xi: [f64; 2], b: [f64; 3], g: [f64; 2]) -> [f64; 2] {
    if domain.dimension() == 1 {
        return [(xi[0] - g[0] / b[0]).clamp(-1.0, 1.0), 0.0];
    }
    let determinant = b[0] * b[1] - b[2] * b[2];
    let free = [
        xi[0] - (b[1] * g[0] - b[2] * g[1]) / determinant,
        xi[1] - (b[0] * g[1] - b[2] * g[0]) / determinant,
    ];
    if domain.contains(free) {
        return free;
    }
    let mut best = (f64::INFINITY, xi);
    for k in 0..domain.corners.len() {
        let (from, to) = (domain.corners[k], domain.corners[(k + 1) % domain.corners.len()]);
        let candidate = minimise_along([from, to], xi, b, g);
        if candidate.0 < best.0 {
            best = candidate;
        }
    }
    best.1
}

/// Least value on the edge between two corners, and its place.
fn minimise_along(edge: [[f64; 2]; 2], xi: [f64; 2], b: [f64; 3], g: [f64; 2]) -> (f64, [f64; 2]) {
    let [from, to] = edge;
    let (d, p) = ([to[0] - from[0], to[1] - from[1]], [from[0] - xi[0], from[1] - xi[1]]);
    let slope = [b[0] * p[0] + b[2] * p[1] + g[0], b[2] * p[0] + b[1] * p[1] + g[1]];
    let curvature = b[0] * d[0] * d[0] + 2.0 * b[2] * d[0] * d[1] + b[1] * d[1] * d[1];
    let t = (-(slope[0] * d[0] + slope[1] * d[1]) / curvature).clamp(0.0, 1.0);
    let place = [from[0] + t * d[0], from[1] + t * d[1]];
    let p = [place[0] - xi[0], place[1] - xi[1]];
    let quadratic = 0.5 * (b[0] * p[0] * p[0] + b[1] * p[1] * p[1]) + b[2] * p[0] * p[1];
    (quadratic + g[0] * p[0] + g[1] * p[1], place)
}
