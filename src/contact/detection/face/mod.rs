//! Geometry of a face: its control points, the convex hull and the bounds they give, and its closest point.

pub(crate) mod bounds;
pub mod closest_point;
pub(crate) mod control_points;
pub(crate) mod convex_hull;
