//! Level 3 of contact detection: the closest point of a face.
//!
//! The closest point to a query r solves, in the natural coordinates ξ,
//!
//! ```text
//! min ½ |r − x(ξ)|²,   x(ξ) = Σ N_a(ξ) x_a,   A ξ ≥ b
//! ```
//!
//! with the shape functions N_a, the nodes x_a and the natural domain A ξ ≥ b (Aragón, Yastrebov & Molinari 2013).
//! Two-node segments and three-node triangles have a closed form. On other faces, a descent method ([`Minimise`]) finds
//! a local minimum. If no certificate (`certificate`) proves that this minimum is global, branch and bound follows
//! (`search`).

pub mod batch;
mod bernstein;
mod brute_force;
mod certificate;
mod domain;
pub mod minimisation;
mod point_on_face;
pub mod polynomial;
mod pseudo_normal;
mod search;
mod segment;
pub mod segment_segment;
mod voronoi;

#[cfg(test)]
mod rival_tests;
#[cfg(test)]
mod tests;

pub use domain::{Domain, MAX_FACE_NODES};
pub use minimisation::{ActiveSet, InteriorPoint, Minimise, Minimum, Newton, Sqp};
pub use point_on_face::{ClosestPoint, Feature, Outcome};
pub use pseudo_normal::{Gap, normals_beside_edge, pseudo_normal, signed_gap, vertex_normal};
pub(crate) use pseudo_normal::{
    SQUARE, are_against, face_normal_vector, face_normal_where, is_past_rim, normals_are_opposed,
    pseudo_normal_vector, unit_or_zero, vertex_normal_where, weighted_normal,
};

use ictus_core::vocabulary;

use crate::math::Vec3;
use crate::mesh::CellKind;
use minimisation::sqp::Hessian;
use polynomial::{FacePolynomial, Visitor};

vocabulary! {
    /// Methods for closest points.
    #[non_exhaustive]
    pub enum Method {
        /// Closed form on two-node segments and three-node triangles, sequential quadratic programming on all other
        /// faces.
        Auto = "auto",
        /// Sequential quadratic programming on every face.
        Sqp = "sqp",
        /// Sequential quadratic programming with BFGS on every face, as in Aragón, Yastrebov & Molinari (2013).
        SqpBfgs = "sqp-bfgs",
        /// Primal active-set Newton method on every face.
        ActiveSet = "active-set",
        /// Log-barrier interior-point method on every face.
        InteriorPoint = "interior-point",
        /// Newton projection on the face. If no minimum inside the face is found, Newton projection on the edges and a
        /// test of the corners follow. The active-set method continues from the best of these points.
        Newton = "newton",
        /// Newton projection on the face alone; the distance is infinite if no projection inside the face is found.
        /// Only for comparison: nodes with projections outside all faces are missed.
        Projection = "projection",
        /// [`Method::Auto`] on the faces around the nearest target node only (Petőcz & Armero 1998). Only for
        /// comparison: a near but long face is missed if its nodes are distant. [`closest_point`] treats this method as
        /// [`Method::Auto`].
        NearestNode = "nearest-node",
        /// Closed form of three-node triangles by Voronoi regions, and of two-node segments.
        Voronoi = "voronoi",
        /// Closed form of three-node triangles by their plane and their edges, and of two-node segments.
        BruteForce = "brute-force",
    }
}

impl Method {
    /// Whether the method applies to faces of this kind; otherwise [`closest_point`] uses [`Method::Auto`].
    pub fn serves(self, kind: CellKind) -> bool {
        match self {
            Self::Voronoi | Self::BruteForce => matches!(kind, CellKind::Line2 | CellKind::Tri3),
            Self::Auto
            | Self::Sqp
            | Self::SqpBfgs
            | Self::ActiveSet
            | Self::InteriorPoint
            | Self::Newton
            | Self::Projection
            | Self::NearestNode => true,
        }
    }
}

/// Starting point of an iteration. Options I and II are those of Aragón, Yastrebov & Molinari 2013.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start {
    /// The point closest to the query among the nodes and the centre (option I).
    #[default]
    Nearest,
    /// The centre (option II).
    Centre,
    /// Given natural coordinates, moved into the domain.
    Previous([f64; 2]),
}

/// The point of a face closest to `query`.
///
/// `nodes` are the `kind.num_nodes()` nodes of the face, which may be degenerate. For a kind that is not a face, or for
/// too few nodes, the result is the nearest node.
///
/// # Cost
/// No allocation. Tens of nanoseconds in closed form, some hundreds by iteration (`benches/closest_point`).
pub fn closest_point(
    method: Method,
    start: Start,
    kind: CellKind,
    nodes: &[Vec3],
    query: &Vec3,
) -> ClosestPoint {
    let found = match (method, kind, nodes) {
        (
            Method::Auto | Method::NearestNode | Method::Voronoi | Method::BruteForce,
            CellKind::Line2,
            [a, b, ..],
        ) => Some(segment::closest_point(&[*a, *b], query)),
        (Method::Auto | Method::NearestNode | Method::Voronoi, CellKind::Tri3, [a, b, c, ..]) => {
            Some(voronoi::closest_point(&[*a, *b, *c], query))
        }
        (Method::BruteForce, CellKind::Tri3, [a, b, c, ..]) => {
            Some(brute_force::closest_point(&[*a, *b, *c], query))
        }
        (Method::SqpBfgs, _, _) => iterate(&Sqp { hessian: Hessian::Bfgs }, start, kind, nodes, query),
        (Method::Projection, _, _) => polynomial::visit(
            kind,
            nodes,
            query,
            InsideProjection(LocalMinimum { method: &Newton, start, nodes, query }),
        ),
        (Method::ActiveSet, _, _) => iterate(&ActiveSet, start, kind, nodes, query),
        (Method::InteriorPoint, _, _) => iterate(&InteriorPoint, start, kind, nodes, query),
        (Method::Newton, _, _) => iterate(&Newton, start, kind, nodes, query),
        (Method::Auto | Method::NearestNode | Method::Sqp | Method::Voronoi | Method::BruteForce, _, _) => {
            iterate(&Sqp { hessian: Hessian::Exact }, start, kind, nodes, query)
        }
    };
    found.unwrap_or_else(|| nearest_node(nodes, query))
}

fn iterate(
    method: &impl Minimise,
    start: Start,
    kind: CellKind,
    nodes: &[Vec3],
    query: &Vec3,
) -> Option<ClosestPoint> {
    polynomial::visit(kind, nodes, query, GlobalMinimum(LocalMinimum { method, start, nodes, query }))
}

/// Local minimum, without a search for the global minimum. `None` for kinds that are not faces, and for too few nodes.
pub fn local_minimum(
    method: &impl Minimise,
    start: Start,
    kind: CellKind,
    nodes: &[Vec3],
    query: &Vec3,
) -> Option<Minimum> {
    polynomial::visit(kind, nodes, query, LocalMinimum { method, start, nodes, query })
}

struct LocalMinimum<'a, M> {
    method: &'a M,
    start: Start,
    nodes: &'a [Vec3],
    query: &'a Vec3,
}

impl<M: Minimise> Visitor for LocalMinimum<'_, M> {
    type Output = Minimum;

    #[inline]
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> Minimum {
        self.method.minimise(polynomial, first_point(polynomial, self.start, self.nodes, self.query))
    }
}

/// A certified local minimum, otherwise the result of branch and bound.
struct GlobalMinimum<'a, M>(LocalMinimum<'a, M>);

impl<M: Minimise> Visitor for GlobalMinimum<'_, M> {
    type Output = ClosestPoint;

    #[inline]
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> ClosestPoint {
        let LocalMinimum { nodes, query, .. } = self.0;
        let local = self.0.visit(polynomial);
        let is_closest = P::AFFINE || certificate::is_closest(polynomial, local.xi);
        let (minimum, outcome) = if local.converged && is_closest {
            (local, Outcome::Converged)
        } else {
            let found = search::global_minimum(polynomial, local);
            let outcome = match (found.minimum.converged, found.cells) {
                (false, _) => Outcome::Capped,
                (true, 0) => Outcome::Converged,
                (true, _) => Outcome::Searched,
            };
            (found.minimum, outcome)
        };
        ClosestPoint::from_minimum(polynomial, nodes, query, &minimum, outcome)
    }
}

/// Newton projection on the face alone; the distance is infinite if no projection inside the face is found.
struct InsideProjection<'a>(LocalMinimum<'a, Newton>);

impl Visitor for InsideProjection<'_> {
    type Output = ClosestPoint;

    fn visit<P: FacePolynomial>(self, polynomial: &P) -> ClosestPoint {
        let LocalMinimum { start, nodes, query, .. } = self.0;
        let start = first_point(polynomial, start, nodes, query);
        let (found, iterations) = minimisation::newton::project_on_face(polynomial, start);
        let inside = found.filter(|&xi| P::DOMAIN.contains(xi));
        let minimum =
            Minimum { xi: inside.unwrap_or(P::DOMAIN.centre), iterations, converged: inside.is_some() };
        let outcome = if minimum.converged { Outcome::Converged } else { Outcome::Outside };
        let point = ClosestPoint::from_minimum(polynomial, nodes, query, &minimum, outcome);
        match outcome {
            Outcome::Outside => ClosestPoint { distance_squared: f64::INFINITY, ..point },
            _ => point,
        }
    }
}

#[inline]
fn first_point<P: FacePolynomial>(polynomial: &P, start: Start, nodes: &[Vec3], query: &Vec3) -> [f64; 2] {
    match start {
        Start::Centre => P::DOMAIN.centre,
        Start::Previous(xi) => P::DOMAIN.project(xi),
        Start::Nearest => {
            let mut best = P::DOMAIN.centre;
            let mut least = polynomial.offset(best).norm_squared();
            for (node, &xi) in nodes.iter().zip(P::DOMAIN.corners.iter().chain(P::OTHER_NODES)) {
                let distance = (query - node).norm_squared();
                if distance < least {
                    (least, best) = (distance, xi);
                }
            }
            best
        }
    }
}

impl ClosestPoint {
    #[inline]
    fn from_minimum<P: FacePolynomial>(
        polynomial: &P,
        nodes: &[Vec3],
        query: &Vec3,
        minimum: &Minimum,
        outcome: Outcome,
    ) -> Self {
        let feature = feature_of::<P>(nodes, minimum.xi);
        let point = match feature {
            Feature::Vertex(k) => nodes[k as usize],
            _ => query + polynomial.offset(minimum.xi),
        };
        let distance_squared = (query - point).norm_squared();
        let outcome = if distance_squared.is_finite() { outcome } else { Outcome::Capped };
        Self { xi: minimum.xi, point, distance_squared, feature, iterations: minimum.iterations, outcome }
    }
}

/// Feature of the point at ξ. If the nodes of an edge coincide, its points are assigned to its first corner.
#[inline]
fn feature_of<P: FacePolynomial>(nodes: &[Vec3], xi: [f64; 2]) -> Feature {
    match P::DOMAIN.feature(xi) {
        Feature::Edge(k) => {
            let (from, corners) = (k as usize, P::DOMAIN.corners.len());
            let is_straight = P::OTHER_NODES.is_empty();
            let collapsed = nodes[from] == nodes[P::DOMAIN.next_corner(from)]
                && (is_straight || nodes[from] == nodes[corners + from]);
            if collapsed { Feature::Vertex(k) } else { Feature::Edge(k) }
        }
        feature => feature,
    }
}

fn nearest_node(nodes: &[Vec3], query: &Vec3) -> ClosestPoint {
    let distance = |k: &usize| (nodes[*k] - query).norm_squared();
    let nearest = (0..nodes.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
    let point = nearest.map_or(Vec3::repeat(f64::NAN), |k| nodes[k]);
    ClosestPoint {
        xi: [0.0; 2],
        point,
        distance_squared: (query - point).norm_squared(),
        feature: Feature::Vertex(nearest.unwrap_or(0) as u8),
        iterations: 0,
        outcome: Outcome::Exact,
    }
}
