//! Closest point of a triangle in closed form, by Voronoi regions.
//!
//! ```text
//!        \ 2 /
//!         \ /
//!      e2 / \ e1
//!   _____/ F \_____
//!   0   |  e0 |   1
//! ```
//! The region of a corner (0, 1, 2) is the wedge between the outward normals of its edges. The region of an edge (e0,
//! e1, e2) is the strip outside the triangle between the normals at both ends of the edge. F is the triangle itself.
//! The signs of dot products select the region, so that no division by zero occurs. These dot products lose digits as
//! the area vanishes. Slivers therefore use `brute_force`.

use super::{ClosestPoint, Feature, Outcome, brute_force};
use crate::math::Vec3;

/// Largest sin²α (l/L)² of a sliver, with the angle α between the edges at the first corner and their lengths l ≤ L.
pub const SLIVER: f64 = 1e-6;

/// Closest point of a three-node triangle.
///
/// # Source
/// Ericson 2005, *Real-Time Collision Detection*, §5.1.5. The code computes d₃…d₆ and the areas v_a, v_b, v_c of this
/// section from dot products of the edges, as in §3.4, against cancellation for distant queries.
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
        return brute_force::closest_point(nodes, query);
    }
    let vc = d2 * ab2 - d1 * cosine;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 * (1.0 / ab2);
        return answer(query, a + ab * t, [t, 0.0], Feature::Edge(0));
    }
    let vb = d1 * ac2 - d2 * cosine;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 * (1.0 / ac2);
        return answer(query, a + ac * t, [0.0, t], Feature::Edge(2));
    }
    let va = area - vb - vc;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) * (1.0 / ((d4 - d3) + (d5 - d6)));
        return answer(query, a + ab * (1.0 - t) + ac * t, [1.0 - t, t], Feature::Edge(1));
    }
    let inverse = 1.0 / area;
    let (v, w) = (vb * inverse, vc * inverse);
    answer(query, a + ab * v + ac * w, [v, w], Feature::Face)
}

fn answer(query: &Vec3, point: Vec3, xi: [f64; 2], feature: Feature) -> ClosestPoint {
    let distance_squared = (query - point).norm_squared();
    ClosestPoint { xi, point, distance_squared, feature, iterations: 0, outcome: Outcome::Exact }
}
