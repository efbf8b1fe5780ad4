//! Closest point of a triangle in closed form, by Voronoi regions.
//!
//! ```text
//!        \ 2 /            The region of a corner is the wedge between the normals of its edges, that of an edge
//!         \ /             the strip outside it. Tests of dot products decide; none divides, so none can fail on
//!      e2 / \ e1          a degenerate triangle, but their rounding grows as the triangle loses its area: slivers
//!   _____/ F \_____       take the best of their edges and of the inside, projected along the height.
//!   0   |  e0 |   1
//! ```

use super::{ClosestPoint, Feature, Outcome, segment};
use crate::math::Vec3;

/// Square of the sine of the corner angle, and ratio of squared edges, below which a triangle is a sliver.
pub const SLIVER: f64 = 1e-6;

/// Closest point of a three-node triangle.
///
/// # Source
/// Ericson 2005, *Real-Time Collision Detection*, §5.1.5; his d₃…d₆ and the areas from the products of the edges
/// among themselves, as in §3.4, which cancel less where the query is far.
pub fn closest_point(nodes: &[Vec3; 3], query: &Vec3) -> ClosestPoint {
    let [a, b, c] = nodes;
    let (ab, ac, ap) = (b - a, c - a, query - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return answer(query, *a, [0.0, 0.0], Feature::Vertex(0));
    }
    let (ab2, ac2, cosine) = (ab.norm_squared(), ac.norm_squared(), ab.dot(&ac));
    let (d3, d4) = (d1 - ab2, d2 - cosine);
    if d3 >= 0.0 && d4 <= d3 {
        return answer(query, *b, [1.0, 0.0], Feature::Vertex(1));
    }
    let (d5, d6) = (d1 - cosine, d2 - ac2);
    if d6 >= 0.0 && d5 <= d6 {
        return answer(query, *c, [0.0, 1.0], Feature::Vertex(2));
    }
    let (area, longest) = (ab2 * ac2 - cosine * cosine, ab2.max(ac2));
    if area.is_nan() || area <= SLIVER * longest * longest {
        return closest_point_of_sliver(nodes, query);
    }
    let vc = d2 * ab2 - d1 * cosine;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / ab2;
        return answer(query, a + ab * t, [t, 0.0], Feature::Edge(0));
    }
    let vb = d1 * ac2 - d2 * cosine;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / ac2;
        return answer(query, a + ac * t, [0.0, t], Feature::Edge(2));
    }
    let va = area - vb - vc;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return answer(query, b + (c - b) * t, [1.0 - t, t], Feature::Edge(1));
    }
    let (v, w) = (vb / area, vc / area);
    answer(query, a + ab * v + ac * w, [v, w], Feature::Face)
}

fn answer(query: &Vec3, point: Vec3, xi: [f64; 2], feature: Feature) -> ClosestPoint {
    let distance_squared = (query - point).norm_squared();
    ClosestPoint { xi, point, distance_squared, feature, iterations: 0, outcome: Outcome::Exact }
}

/// The best of the three edges, and of the inside where the query projects into it.
#[cold]
fn closest_point_of_sliver(nodes: &[Vec3; 3], query: &Vec3) -> ClosestPoint {
    let mut best = answer_on_edge(nodes, query, 0);
    for edge in [1, 2] {
        let candidate = answer_on_edge(nodes, query, edge);
        if candidate.distance_squared < best.distance_squared {
            best = candidate;
        }
    }
    match answer_inside(nodes, query) {
        Some(inside) if inside.distance_squared < best.distance_squared => inside,
        _ => best,
    }
}

fn answer_on_edge(nodes: &[Vec3; 3], query: &Vec3, edge: usize) -> ClosestPoint {
    let (t, point) = segment::parameter(&nodes[edge], &nodes[(edge + 1) % 3], query);
    let xi = [[t, 0.0], [1.0 - t, t], [0.0, 1.0 - t]][edge];
    let feature = match t {
        0.0 => Feature::Vertex(edge as u8),
        1.0 => Feature::Vertex((edge as u8 + 1) % 3),
        _ => Feature::Edge(edge as u8),
    };
    answer(query, point, xi, feature)
}

/// Projection on the plane from the longest edge and the height over it: the error is that of the height, not of
/// its square, as in the barycentric coordinates.
fn answer_inside(nodes: &[Vec3; 3], query: &Vec3) -> Option<ClosestPoint> {
    let length = |k: &usize| (nodes[(k + 1) % 3] - nodes[*k]).norm_squared();
    let k = (0..3).max_by(|i, j| length(i).total_cmp(&length(j)))?;
    let (origin, base, side) = (nodes[k], nodes[(k + 1) % 3] - nodes[k], nodes[(k + 2) % 3] - nodes[k]);
    let foot = side.dot(&base) / base.norm_squared();
    let height = side - base * foot;
    let apex = (query - origin).dot(&height) / height.norm_squared();
    let along = (query - origin).dot(&base) / base.norm_squared() - apex * foot;
    if !(apex > 0.0 && along > 0.0 && apex + along < 1.0) {
        return None;
    }
    // Weights of the corners k, k + 1, k + 2; ξ are those of the corners 1 and 2.
    let weights = [1.0 - apex - along, along, apex];
    let xi = [weights[(4 - k) % 3], weights[(5 - k) % 3]];
    Some(answer(query, origin + base * along + side * apex, xi, Feature::Face))
}
