//! The global closest point of a four-node quadrilateral, warped or not.
//!
//! F = ½ |r − x(ξ, η)|² is convex on the face if the face is nearly a parallelogram or the query near it; then any
//! local minimum is the global one, and a bound on the Hessian tells so. Otherwise all candidates are compared: the
//! edges, which are straight, and the stationary points inside. For fixed η the surface is a straight line, on which
//! the closest ξ is known; what is left in η is a polynomial of degree five, and its roots lead to every
//! stationary point.

use super::{ClosestPoint, Feature, Minimise, Outcome, Start, domain::Domain, patch, segment, sqp};
use crate::math::{Vec3, polynomial::sign_changes};

/// Closest point of a four-node quadrilateral.
pub fn closest_point(start: Start, domain: &Domain, nodes: &[Vec3; 4], query: &Vec3) -> ClosestPoint {
    let minimise = |xi| {
        let patch = patch::Bilinear::new(nodes, query);
        let minimum = sqp::Sqp { hessian: sqp::Hessian::Exact }.minimise(&patch, xi);
        ClosestPoint::from_minimum(&patch, nodes, query, &minimum)
    };
    let local = minimise(super::first_point(&patch::Bilinear::new(nodes, query), start, nodes, query));
    let surface = Bilinear::new(nodes, query);
    let best = if local.outcome == Outcome::Converged && surface.is_convex() {
        local
    } else {
        let edges = (0..4).map(|edge| on_edge(domain, nodes, query, edge));
        let (roots, count) = surface.stationary_lines();
        let inside = roots[..count].iter().filter_map(|&eta| surface.closest_on_line(eta)).map(minimise);
        least(local, edges.chain(inside))
    };
    match best.feature {
        // A collapsed edge is the corner at both its ends.
        Feature::Edge(k) if nodes[k as usize] == nodes[(k as usize + 1) % 4] => {
            ClosestPoint { feature: Feature::Vertex(k), ..best }
        }
        _ => best,
    }
}

/// The closest of the candidates, the first of equals, with the iterations of all.
fn least(first: ClosestPoint, others: impl Iterator<Item = ClosestPoint>) -> ClosestPoint {
    others.fold(first, |best, candidate| {
        let iterations = best.iterations + candidate.iterations;
        let closer = candidate.distance_squared < best.distance_squared;
        ClosestPoint { iterations, ..if closer { candidate } else { best } }
    })
}

fn on_edge(domain: &Domain, nodes: &[Vec3; 4], query: &Vec3, edge: usize) -> ClosestPoint {
    let next = (edge + 1) % 4;
    let (t, point) = segment::parameter(&nodes[edge], &nodes[next], query);
    let (from, to) = (domain.corners[edge], domain.corners[next]);
    let xi = [0, 1].map(|i| from[i] + t * (to[i] - from[i]));
    ClosestPoint {
        xi,
        point,
        distance_squared: (query - point).norm_squared(),
        feature: domain.feature(xi),
        iterations: 0,
        outcome: Outcome::Exact,
    }
}

/// x(ξ, η) − r = a + b ξ + c η + d ξη.
struct Bilinear {
    a: Vec3,
    b: Vec3,
    c: Vec3,
    d: Vec3,
}

impl Bilinear {
    fn new(nodes: &[Vec3; 4], query: &Vec3) -> Self {
        let [p, q, r, s] = nodes.map(|x| (x - query) * 0.25);
        Self { a: (p + q) + (r + s), b: (q - p) + (r - s), c: (s - p) + (r - q), d: (p - q) + (r - s) }
    }

    /// Whether the Hessian of F is certainly positive definite on the whole face.
    ///
    /// F,₁₁ = |b + d η|² and F,₂₂ = |c + d ξ|² have their least values in closed form; F,₁₂ is bilinear, so that
    /// its greatest size is at a corner.
    fn is_convex(&self) -> bool {
        let Self { a, b, c, d } = self;
        let least = |p: &Vec3| {
            let t = (-p.dot(d) / d.norm_squared()).clamp(-1.0, 1.0);
            if t.is_nan() { p.norm_squared() } else { (p + d * t).norm_squared() }
        };
        let mixed = |xi: f64, eta: f64| {
            let (along, across) = (b + d * eta, c + d * xi);
            (along.dot(&across) + (a + b * xi + across * eta).dot(d)).abs()
        };
        let corners = [mixed(-1.0, -1.0), mixed(1.0, -1.0), mixed(1.0, 1.0), mixed(-1.0, 1.0)];
        let largest = corners.into_iter().fold(0.0, f64::max);
        least(b) * least(c) > largest * largest
    }

    /// The η in (−1, 1) of all stationary points of F inside, and their number.
    ///
    /// With p = a + c η and u = b + d η the closest point of the line η is at ξ = −p·u/u·u, and F,₂ = 0 times
    /// (u·u)² reads (u·u) [(u·u)(p·c) − (p·u)(p·d + u·c)] + (p·u)² (u·d) = 0, a polynomial of degree five.
    fn stationary_lines(&self) -> ([f64; 6], usize) {
        // In τ = (η + 1)/2: p = p₀ + p₁ τ, u = u₀ + u₁ τ.
        let (p0, p1) = (self.a - self.c, self.c * 2.0);
        let (u0, u1) = (self.b - self.d, self.d * 2.0);
        let uu = [u0.norm_squared(), 2.0 * u0.dot(&u1), u1.norm_squared()];
        let pu = [p0.dot(&u0), p0.dot(&u1) + p1.dot(&u0), p1.dot(&u1)];
        let pc = [p0.dot(&p1), p1.norm_squared()];
        let mixed = [p0.dot(&u1) + u0.dot(&p1), 2.0 * p1.dot(&u1)];
        let ud = [u0.dot(&u1), u1.norm_squared()];
        let first: [f64; 6] = product(&product::<3, 3, 5>(&uu, &uu), &pc);
        let second: [f64; 6] = product(&product::<3, 3, 5>(&uu, &pu), &mixed);
        let third: [f64; 6] = product(&product::<3, 3, 5>(&pu, &pu), &ud);
        let polynomial = [0, 1, 2, 3, 4, 5].map(|k| first[k] - second[k] + third[k]);
        let mut roots = [0.0; 6];
        let count = sign_changes(&polynomial, &mut roots);
        (roots.map(|tau| 2.0 * tau - 1.0), count)
    }

    /// The (ξ, η) closest on the line η, if it lies inside.
    fn closest_on_line(&self, eta: f64) -> Option<[f64; 2]> {
        let (p, u) = (self.a + self.c * eta, self.b + self.d * eta);
        let xi = -p.dot(&u) / u.norm_squared();
        (xi.abs() <= 1.0).then_some([xi, eta])
    }
}

/// Product of two polynomials.
fn product<const M: usize, const N: usize, const K: usize>(p: &[f64; M], q: &[f64; N]) -> [f64; K] {
    let mut result = [0.0; K];
    for (i, a) in p.iter().enumerate() {
        for (j, b) in q.iter().enumerate() {
            result[i + j] += a * b;
        }
    }
    result
}
