//! Closest point of a triangle: the projection of the query onto the plane if the projection is inside the triangle,
//! else the closest point on an edge.
//!
//! Brute force is slower than Voronoi regions (`voronoi`), but does not amplify rounding errors on slivers.

use super::{ClosestPoint, Feature, Outcome, segment};
use crate::math::Vec3;

/// Closest point of a three-node triangle, with or without area.
pub fn closest_point(nodes: &[Vec3; 3], query: &Vec3) -> ClosestPoint {
    if let Some(inside) = on_plane(nodes, query) {
        return inside;
    }
    let mut best = on_edge(nodes, query, 0);
    for edge in [1, 2] {
        let candidate = on_edge(nodes, query, edge);
        if candidate.distance_squared < best.distance_squared {
            best = candidate;
        }
    }
    best
}

/// Projection of the query onto the plane; `None` if the projection is not strictly inside the triangle.
///
/// The barycentric coordinates are computed from the longest edge and from the height h over this edge. The rounding
/// error of these coordinates grows as 1/h, but moves the point only along the height. With dot products of edges, the
/// error would grow as 1/h².
fn on_plane(nodes: &[Vec3; 3], query: &Vec3) -> Option<ClosestPoint> {
    let length = |k: usize| (nodes[(k + 1) % 3] - nodes[k]).norm_squared();
    let longer = |i: usize, j: usize| if length(j) > length(i) { j } else { i };
    let k = longer(longer(0, 1), 2);
    let (origin, base, side) = (nodes[k], nodes[(k + 1) % 3] - nodes[k], nodes[(k + 2) % 3] - nodes[k]);
    let foot = side.dot(&base) / base.norm_squared();
    let height = side - base * foot;
    let apex = (query - origin).dot(&height) / height.norm_squared();
    let along = (query - origin).dot(&base) / base.norm_squared() - apex * foot;
    if !(apex > 0.0 && along > 0.0 && apex + along < 1.0) {
        return None;
    }
    // Weights of the corners k, k + 1, k + 2; ξ contains the weights of the corners 1 and 2.
    let weights = [1.0 - apex - along, along, apex];
    let xi = [weights[(4 - k) % 3], weights[(5 - k) % 3]];
    Some(answer(query, origin + base * along + side * apex, xi, Feature::Face))
}

fn on_edge(nodes: &[Vec3; 3], query: &Vec3, edge: usize) -> ClosestPoint {
    let (t, point) = segment::parameter(&nodes[edge], &nodes[(edge + 1) % 3], query);
    let xi = [[t, 0.0], [1.0 - t, t], [0.0, 1.0 - t]][edge];
    let feature = match t {
        0.0 => Feature::Vertex(edge as u8),
        1.0 => Feature::Vertex((edge as u8 + 1) % 3),
        _ => Feature::Edge(edge as u8),
    };
    answer(query, point, xi, feature)
}

fn answer(query: &Vec3, point: Vec3, xi: [f64; 2], feature: Feature) -> ClosestPoint {
    let distance_squared = (query - point).norm_squared();
    ClosestPoint { xi, point, distance_squared, feature, iterations: 0, outcome: Outcome::Exact }
}
