//! The closest point of a face, and the feature of the face on which it lies.

use crate::math::Vec3;

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

/// Method by which a closest point was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In closed form.
    Exact,
    /// By iteration, to the tolerance. A certificate shows that the local minimum is the global minimum.
    Converged,
    /// By iteration and a search for the global minimum.
    Searched,
    /// By [`Method::Projection`](super::Method::Projection) only: the query projects outside the face.
    Outside,
    /// The iterations were exhausted, or the positions are not finite; the point is the best iterate.
    Capped,
}

/// The point of a face closest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Natural coordinates; the second is zero on a segment.
    pub xi: [f64; 2],
    /// The point \[m\].
    pub point: Vec3,
    /// Square of the distance of the point from the query \[m²\].
    pub distance_squared: f64,
    /// Feature of the face on which the point lies.
    pub feature: Feature,
    /// Iterations of the method and of the search together; zero in closed form.
    pub iterations: u32,
    /// Method by which the point was obtained.
    pub outcome: Outcome,
}
