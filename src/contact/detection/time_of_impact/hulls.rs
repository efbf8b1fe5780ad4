//! Closest points of the convex hulls of two small sets of nodes.
//!
//! All triangles and all segments between nodes lie within the hull, and its faces and edges are among them. So
//! the distance of two disjoint hulls is the least of the distances node to triangle and segment to segment, for
//! any number of nodes, flat or not, without building a hull.

use super::{Approach, Direction, Nodes};
use crate::contact::detection::closest_point::{
    Method, Start, closest_point, segment_segment::closest_points,
};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Closest points, and directions that may separate the hulls.
pub(super) struct Closest {
    /// What came closest.
    pub approach: Approach,
    /// The closest point of each hull \[m\].
    pub points: [Vec3; 2],
    /// Of either sign: between the points, the common normal of what came closest, and the normals of both faces.
    /// The last three do not lose their precision as the distance goes to zero.
    pub directions: [Direction; 4],
}

/// A pair of closest points and the common normal of what they lie on.
struct Candidate {
    distance_squared: f64,
    points: [Vec3; 2],
    normal: Direction,
    approach: Approach,
}

/// Closest points of the hulls of two sets of nodes that do not overlap.
pub(super) fn closest(a: &Nodes, b: &Nodes) -> Closest {
    let mut best = Candidate {
        distance_squared: f64::INFINITY,
        points: [Vec3::zeros(); 2],
        normal: Direction::fixed(Vec3::zeros()),
        approach: Approach::NodeOfA(0),
    };
    node_to_hull(a, b, &mut best, |node, points| (Approach::NodeOfA(node), points));
    node_to_hull(b, a, &mut best, |node, [x, y]| (Approach::NodeOfB(node), [y, x]));
    edge_to_edge(a, b, &mut best);
    let between = (best.points[0] - best.points[1]).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    let directions = [Direction::fixed(between), best.normal, face_normal(a), face_normal(b)];
    Closest { approach: best.approach, points: best.points, directions }
}

fn node_to_hull(
    nodes: &Nodes,
    hull: &Nodes,
    best: &mut Candidate,
    describe: impl Fn(u8, [Vec3; 2]) -> (Approach, [Vec3; 2]),
) {
    let mut compare = |kind: CellKind, corners: &[usize]| {
        let mut places = [Vec3::zeros(); 3];
        for (place, &corner) in places.iter_mut().zip(corners) {
            *place = hull.positions[corner];
        }
        for (i, node) in nodes.positions().iter().enumerate() {
            let found = closest_point(Method::Auto, Start::Nearest, kind, &places[..corners.len()], node);
            if found.distance_squared < best.distance_squared {
                best.distance_squared = found.distance_squared;
                (best.approach, best.points) = describe(i as u8, [*node, found.point]);
                best.normal = corner_normal(hull, corners);
            }
        }
    };
    match hull.count {
        1 => compare(CellKind::Point1, &[0]),
        2 => compare(CellKind::Line2, &[0, 1]),
        count => {
            for [j, i] in pairs(count) {
                (0..j).for_each(|k| compare(CellKind::Tri3, &[k, j, i]));
            }
        }
    }
}

fn edge_to_edge(a: &Nodes, b: &Nodes, best: &mut Candidate) {
    for [i, j] in pairs(a.count) {
        for [k, l] in pairs(b.count) {
            let (x, y) = (&a.positions, &b.positions);
            let found = closest_points(&[x[i], x[j]], &[y[k], y[l]]);
            if found.distance_squared < best.distance_squared {
                *best = Candidate {
                    distance_squared: found.distance_squared,
                    points: found.points,
                    normal: Direction::normal_to(a.edge(i, j), b.edge(k, l)),
                    approach: Approach::Edges([i as u8, j as u8], [k as u8, l as u8]),
                };
            }
        }
    }
}

/// All pairs i < j of the numbers below `count`.
fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (1..count).flat_map(|j| (0..j).map(move |i| [i, j]))
}

/// Normal of the first three nodes, or of a segment in the plane.
fn face_normal(nodes: &Nodes) -> Direction {
    corner_normal(nodes, &[0, 1, 2][..nodes.count.min(3)])
}

/// Normal of a triangle of nodes, or of a segment in the plane z = 0.
fn corner_normal(nodes: &Nodes, corners: &[usize]) -> Direction {
    match *corners {
        [a, b, c] => Direction::normal_to(nodes.edge(a, b), nodes.edge(a, c)),
        [a, b] => Direction::normal_to(nodes.edge(a, b), [Vec3::z(), Vec3::zeros()]),
        _ => Direction::fixed(Vec3::zeros()),
    }
}
