//! Geometry of a face: control points, convex hull, bounds of nodal vector fields, and the closest point.

pub(crate) mod bounds;
pub mod closest_point;
pub(crate) mod control_points;
pub(crate) mod convex_hull;
