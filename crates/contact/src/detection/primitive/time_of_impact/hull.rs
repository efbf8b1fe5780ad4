//! Hull of a Bézier face at one instant, and the closest points of two hulls.

use super::face_path::FacePath;
use crate::detection::face::closest_point::segment_segment::closest_parameters;
use crate::detection::face::convex_hull::BezierFace;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Distance between the diagonals of a quadrilateral, relative to the longer diagonal, up to which it counts as plane.
const FLATNESS: f64 = 1e-12;
/// If the sine of the angle at the first corner of a triangle is at most this value, the closest points are sought only
/// on its edges.
const DEGENERATE_SINE: f64 = 1e-14;
/// Widening of a triangle, in barycentric coordinates, so that no crack opens between the two triangles of a face.
const SEAM: f64 = 1e-12;

#[derive(Debug)]
struct Boundary {
    edges: &'static [[usize; 2]],
    triangles: &'static [[usize; 3]],
}

static SEGMENT: Boundary = Boundary { edges: &[[0, 1]], triangles: &[] };
static TRIANGLE: Boundary = Boundary { edges: &[[0, 1], [1, 2], [2, 0]], triangles: &[[0, 1, 2]] };
static PLANE_QUADRILATERAL: Boundary =
    Boundary { edges: &[[0, 1], [1, 2], [2, 3], [3, 0]], triangles: &[[0, 1, 2], [0, 2, 3]] };
static TETRAHEDRON: Boundary = Boundary {
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]],
    triangles: &[[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]],
};

/// Convex hull of the control points of a Bézier face: at most `N` points, of which the corners come first. The corners
/// of a warped quadrilateral span a tetrahedron.
///
/// The corners give the directions that may separate two hulls. The test of a direction uses all control points.
#[derive(Debug)]
pub(super) struct Hull<const N: usize> {
    boundary: &'static Boundary,
    num_corners: usize,
    count: usize,
    positions: [Vec3; N],
    velocities: [Vec3; N],
}

impl<const N: usize> Hull<N> {
    /// Hull at time s, in absolute coordinates.
    pub(super) fn at<P: FacePath>(path: &P, bezier_face: &BezierFace<N>, s: f64) -> Self {
        let (mut positions, mut velocities) = ([Vec3::zeros(); N], [Vec3::zeros(); N]);
        for ((position, velocity), point) in
            positions.iter_mut().zip(&mut velocities).zip(bezier_face.points())
        {
            (*position, *velocity) = path.point(point, s);
        }
        let boundary = match (bezier_face.kind, positions.first_chunk()) {
            (CellKind::Tri3, _) => &TRIANGLE,
            (CellKind::Quad4, Some(corners)) if is_plane(corners) => &PLANE_QUADRILATERAL,
            (CellKind::Quad4, _) => &TETRAHEDRON,
            _ => &SEGMENT,
        };
        let num_corners = bezier_face.kind.num_nodes();
        Self { boundary, num_corners, count: bezier_face.points().len(), positions, velocities }
    }

    fn corners(&self) -> &[Vec3] {
        &self.positions[..self.num_corners]
    }

    pub(super) fn positions(&self) -> &[Vec3] {
        &self.positions[..self.count]
    }

    pub(super) fn velocities(&self) -> &[Vec3] {
        &self.velocities[..self.count]
    }

    /// The edges, by the local numbers of their corners.
    pub(super) fn edges(&self) -> &'static [[usize; 2]] {
        self.boundary.edges
    }

    /// The triangles, by the local numbers of their corners.
    pub(super) fn triangles(&self) -> &'static [[usize; 3]] {
        self.boundary.triangles
    }

    pub(super) fn is_segment(&self) -> bool {
        self.boundary.triangles.is_empty()
    }

    /// Outward unit normal; zero for a collapsed face. Nodes run counter-clockwise as seen from outside.
    pub(super) fn outward(&self) -> Vec3 {
        let x = &self.positions;
        let normal = match self.num_corners {
            4 => (x[2] - x[0]).cross(&(x[3] - x[1])),
            3 => (x[1] - x[0]).cross(&(x[2] - x[0])),
            _ => (x[1] - x[0]).cross(&Vec3::z()),
        };
        normal.try_normalize(0.0).unwrap_or_default()
    }

    pub(super) fn move_by(&mut self, shift: &Vec3) {
        for position in &mut self.positions[..self.count] {
            *position += shift;
        }
    }

    pub(super) fn largest_coordinate(&self) -> f64 {
        self.positions().iter().map(Vec3::amax).fold(0.0, f64::max)
    }

    pub(super) fn largest_velocity(&self) -> f64 {
        self.velocities().iter().map(Vec3::amax).fold(0.0, f64::max)
    }

    /// Vector from the first to the second end, and its rate.
    pub(super) fn edge(&self, ends: [usize; 2]) -> [Vec3; 2] {
        let [from, to] = ends;
        [self.positions[to] - self.positions[from], self.velocities[to] - self.velocities[from]]
    }

    fn ends(&self, edge: [usize; 2]) -> [Vec3; 2] {
        [self.positions[edge[0]], self.positions[edge[1]]]
    }
}

fn is_plane(nodes: &[Vec3; 4]) -> bool {
    let diagonals = [nodes[2] - nodes[0], nodes[3] - nodes[1]];
    let normal = diagonals[0].cross(&diagonals[1]);
    let size = diagonals[0].norm().max(diagonals[1].norm());
    normal.dot(&(nodes[1] - nodes[0])).abs() <= FLATNESS * size * normal.norm()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Hull and nodes of a triangle. The closest point of the other hull is a node.
    Triangle(Side, [usize; 3]),
    /// An edge of `a` and an edge of `b`.
    Edges([usize; 2], [usize; 2]),
    /// In plane problems: hull and nodes of a segment. The closest point of the other hull is a node.
    Segment(Side, [usize; 2]),
    /// All other pairs. The line between the closest points is the normal.
    Line,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    pub distance: f64,
    /// On a, then on b.
    pub points: [Vec3; 2],
    pub feature: Feature,
}

impl Closest {
    /// From the point on `b` to the point on `a`.
    pub(super) fn line(&self) -> Vec3 {
        self.points[0] - self.points[1]
    }
}

/// Closest points of the edges and triangles between the corners of the two hulls. The distance of these points is an
/// upper bound on the distance of the hulls, because the control points that are not corners are not used.
pub(super) fn closest_features<const N: usize>(a: &Hull<N>, b: &Hull<N>) -> Closest {
    let mut closest = Closest { distance: f64::INFINITY, points: [Vec3::zeros(); 2], feature: Feature::Line };
    nodes_over_triangles(a, b, Side::B, &mut closest);
    nodes_over_triangles(b, a, Side::A, &mut closest);
    edges_and_edges(a, b, &mut closest);
    closest
}

fn nodes_over_triangles<const N: usize>(nodes: &Hull<N>, faces: &Hull<N>, side: Side, closest: &mut Closest) {
    for &triangle in faces.triangles() {
        let origin = faces.positions[triangle[0]];
        let (along_1, along_2) =
            (faces.positions[triangle[1]] - origin, faces.positions[triangle[2]] - origin);
        let normal = along_1.cross(&along_2);
        let squared = normal.norm_squared();
        let smallest = DEGENERATE_SINE * DEGENERATE_SINE * along_1.norm_squared() * along_2.norm_squared();
        if squared <= smallest {
            continue;
        }
        let length = squared.sqrt();
        let dual = [along_2.cross(&normal), normal.cross(&along_1)];
        let seam = SEAM * squared;
        for node in nodes.corners() {
            let offset = node - origin;
            let weights = [dual[0].dot(&offset), dual[1].dot(&offset)];
            let inside =
                weights[0] >= -seam && weights[1] >= -seam && weights[0] + weights[1] <= squared + seam;
            let height = normal.dot(&offset) / length;
            if inside && height.abs() < closest.distance {
                let foot = node - normal * (height / length);
                let points = if side == Side::B { [*node, foot] } else { [foot, *node] };
                let feature = Feature::Triangle(side, triangle);
                *closest = Closest { distance: height.abs(), points, feature };
            }
        }
    }
}

fn edges_and_edges<const N: usize>(a: &Hull<N>, b: &Hull<N>, closest: &mut Closest) {
    let plane = a.is_segment() && b.is_segment();
    let mut squared = closest.distance * closest.distance;
    for &edge_a in a.edges() {
        let ends_a = a.ends(edge_a);
        for &edge_b in b.edges() {
            let ends_b = b.ends(edge_b);
            let [alpha, beta] = closest_parameters(&ends_a, &ends_b);
            let points =
                [ends_a[0] + (ends_a[1] - ends_a[0]) * alpha, ends_b[0] + (ends_b[1] - ends_b[0]) * beta];
            let candidate = (points[0] - points[1]).norm_squared();
            if candidate < squared {
                squared = candidate;
                let feature = match (plane, alpha > 0.0 && alpha < 1.0, beta > 0.0 && beta < 1.0) {
                    (false, true, true) => Feature::Edges(edge_a, edge_b),
                    (true, true, false) => Feature::Segment(Side::A, edge_a),
                    (true, false, true) => Feature::Segment(Side::B, edge_b),
                    _ => Feature::Line,
                };
                *closest = Closest { distance: candidate.sqrt(), points, feature };
            }
        }
    }
}
