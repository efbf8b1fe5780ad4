//! The closest point of a face, and the feature of the face on which it lies.

use crate::math::Vec3;

/// Part of a face on which a point lies, by local numbers from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// The interior of the face.
    Face,
    /// Edge k, from the k-th corner to the next corner.
    Edge(u8),
    /// The k-th corner.
    Vertex(u8),
}

/// The way in which a closest point was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In closed form. Also the nearest node, for a cell kind that is not a face, or if nodes are missing.
    Exact,
    /// By an iteration that converged. The point is proved to be the global minimum of the distance, except for
    /// [`Method::Projection`](super::Method::Projection).
    Converged,
    /// By iteration and branch and bound, which proved that the point is the global minimum.
    Searched,
    /// No projection inside the face was found; only by [`Method::Projection`](super::Method::Projection).
    Outside,
    /// Best point found, without a proof of the global minimum: the search reached its limit, or the distance is not
    /// finite.
    Capped,
}

/// The point of a face closest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Natural coordinates; the second is zero on a segment.
    pub xi: [f64; 2],
    /// Position of the point \[m\].
    pub point: Vec3,
    /// Squared distance from the query \[m²\]; infinite for [`Outcome::Outside`].
    pub distance_squared: f64,
    /// Feature on which the point lies.
    pub feature: Feature,
    /// Number of iterations, of the method and of the search together; zero in closed form.
    pub iterations: u32,
    /// The way in which the point was obtained.
    pub outcome: Outcome,
}
