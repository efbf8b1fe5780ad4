//! Level 3: the closest point of a face.
//!
//! The distance of a query point r to a face is a constrained optimisation in the natural coordinates,
//!
//! ```text
//! min ½ |r − x(ξ)|²,   x(ξ) = Σ N_a(ξ) x_a,   A ξ ≥ b
//! ```
//!
//! (Aragón, Yastrebov & Molinari 2013). Segments and triangles have a closed form; other faces take sequential
//! quadratic programming ([`sqp`]), which needs nothing but shape functions. On a warped quadrilateral the
//! problem can have several local minima: the one returned is the global one.

pub mod batch;
mod domain;
mod pseudo_normal;
mod quadratic_program;
mod quadrilateral;
mod segment;
pub mod segment_segment;
pub mod sqp;
mod triangle;

#[cfg(test)]
mod tests;

pub use pseudo_normal::{Gap, pseudo_normal, signed_gap, vertex_normal};

use crate::element::shape_values;
use crate::math::Vec3;
use crate::mesh::CellKind;
use domain::{Domain, MAX_FACE_NODES};

/// Part of a face on which a point lies, by local numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Inside the face.
    Face,
    /// Edge from the k-th to the (k+1)-th corner.
    Edge(u8),
    /// The k-th corner.
    Vertex(u8),
}

/// How a closest point was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In closed form.
    Exact,
    /// By iteration, to the tolerance.
    Converged,
    /// The iterations ran out; the point is the best of the face found so far.
    Capped,
}

/// The point of a face closest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Natural coordinates; the second is zero on a segment.
    pub xi: [f64; 2],
    /// The point \[m\].
    pub point: Vec3,
    /// Square of its distance to the query \[m²\].
    pub distance_squared: f64,
    /// Where on the face it lies.
    pub feature: Feature,
    /// Quadratic programs solved; zero in closed form.
    pub iterations: u32,
    /// How it was obtained.
    pub outcome: Outcome,
}

/// How to find a closest point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Closed form on segments and triangles, sequential quadratic programming on all other faces.
    #[default]
    Auto,
    /// Sequential quadratic programming on every face.
    Sqp,
}

/// Where an iteration starts (Aragón, Yastrebov & Molinari 2013, options I and II).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The closest of the corners and the centre.
    #[default]
    Nearest,
    /// The centre.
    Centre,
}

/// The point of a face closest to `query`.
///
/// `nodes` are the positions of the nodes of the face, `kind.num_nodes()` of them. Degenerate faces (collapsed
/// edges, no area, coincident nodes) have closest points like any other. A kind that is not a face (a point, a
/// volume) is answered by its nearest node.
///
/// # Cost
/// No allocation. A closed form takes tens of nanoseconds, an iteration about a hundred.
pub fn closest_point(
    method: Method,
    start: Start,
    kind: CellKind,
    nodes: &[Vec3],
    query: &Vec3,
) -> ClosestPoint {
    let Some(domain) = Domain::of(kind) else { return nearest_node(nodes, query) };
    match (kind, nodes, method) {
        (CellKind::Line2, &[a, b, ..], Method::Auto) => segment::closest_point(&[a, b], query),
        (CellKind::Tri3, &[a, b, c, ..], Method::Auto) => triangle::closest_point(&[a, b, c], query),
        (CellKind::Quad4, &[a, b, c, d, ..], _) => {
            quadrilateral::closest_point(start, domain, &[a, b, c, d], query)
        }
        _ => {
            // The problem of a segment or flat triangle is convex: any local minimum is the global one.
            let xi = sqp::start(start, kind, nodes, query);
            let minimum = sqp::minimise(sqp::Hessian::Exact, kind, nodes, query, xi);
            ClosestPoint::from_minimum(kind, domain, nodes, query, &minimum)
        }
    }
}

impl ClosestPoint {
    fn from_minimum(
        kind: CellKind,
        domain: &Domain,
        nodes: &[Vec3],
        query: &Vec3,
        minimum: &sqp::Minimum,
    ) -> Self {
        let point = interpolate(kind, nodes, minimum.xi);
        Self {
            xi: minimum.xi,
            point,
            distance_squared: (query - point).norm_squared(),
            feature: domain.feature(minimum.xi),
            iterations: minimum.iterations,
            outcome: if minimum.converged { Outcome::Converged } else { Outcome::Capped },
        }
    }
}

/// x(ξ) = Σ N_a(ξ) x_a.
fn interpolate(kind: CellKind, nodes: &[Vec3], xi: [f64; 2]) -> Vec3 {
    let mut values = [0.0; MAX_FACE_NODES];
    shape_values(kind, [xi[0], xi[1], 0.0], &mut values);
    nodes.iter().zip(values).map(|(x, n)| x * n).sum()
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
