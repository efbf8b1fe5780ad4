//! Geometry of a face: control points, their convex hull and bounds, and the closest point.

pub(crate) mod bounds;
pub mod closest_point;
pub(crate) mod control_points;
pub(crate) mod convex_hull;
