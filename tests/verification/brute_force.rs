//! Brute force over all pairs of nodes and faces or of edges: first contact of two triangulated surfaces in relative
//! translation, and penetration of nodes into a surface.

use std::collections::{BTreeMap, BTreeSet};

use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::simulation::{Body, Model};

/// Triangles of a surface by nodes, counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub struct Triangles {
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    pub nodes: Vec<u32>,
}

/// Motion of the second surface relative to the first from t = 0 on, p(t) = p₀ + v t + a t²/2.
#[derive(Clone, Copy, Debug)]
pub struct RelativeMotion {
    pub velocity: Vec3,
    pub acceleration: Vec3,
}

/// A point up to this distance outside a face or edge, in natural coordinates, counts as on the face or edge. The
/// distance is far above rounding, and far below the motion in 1e-9 s at the speeds of the tests.
const MARGIN: f64 = 1e-10;

impl Triangles {
    /// Outer faces of a body of tetrahedra or hexahedra: the faces that belong to one element only.
    pub fn skin(body: &Body) -> Self {
        let mut faces: BTreeMap<Vec<u32>, Option<Vec<u32>>> = BTreeMap::new();
        for block in &body.blocks {
            let table: &[&[usize]] = match block.kind {
                CellKind::Tet4 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
                CellKind::Hex8 => &[
                    &[0, 3, 2, 1],
                    &[4, 5, 6, 7],
                    &[0, 1, 5, 4],
                    &[1, 2, 6, 5],
                    &[2, 3, 7, 6],
                    &[3, 0, 4, 7],
                ],
                kind => unreachable!("no table of faces of {kind:?}"),
            };
            for element in 0..block.tags.len() {
                for face in table {
                    let nodes: Vec<u32> = face.iter().map(|&corner| block.element(element)[corner]).collect();
                    let mut key = nodes.clone();
                    key.sort_unstable();
                    faces.entry(key).and_modify(|seen| *seen = None).or_insert(Some(nodes));
                }
            }
        }
        Self::new(&faces.into_values().flatten().collect::<Vec<_>>())
    }

    /// Divides polygons into triangles that share their first corner.
    fn new(faces: &[Vec<u32>]) -> Self {
        let fan = |face: &Vec<u32>| -> Vec<[u32; 3]> {
            (2..face.len()).map(|k| [face[0], face[k - 1], face[k]]).collect()
        };
        let triangles: Vec<[u32; 3]> = faces.iter().flat_map(fan).collect();
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let edges: BTreeSet<[u32; 2]> =
            triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let nodes: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
        Self { triangles, edges: edges.into_iter().collect(), nodes: nodes.into_iter().collect() }
    }
}

/// Time \[s\] at which two surfaces first touch, from positions at t = 0. A node and a face meet when the node lies in
/// the face. Two edges meet when they are coplanar and cross. The result is the first time at which a pair meets. All
/// edge–edge pairs are tested, and all pairs of a node of one surface and a face of the other surface.
pub fn first_contact(model: &Model, surfaces: [&Triangles; 2], motion: &RelativeMotion) -> Option<f64> {
    let position = |node: u32| model.reference_positions[node as usize];
    let mut first = f64::INFINITY;
    let backwards = RelativeMotion { velocity: -motion.velocity, acceleration: -motion.acceleration };
    for (nodes, faces, motion) in [(surfaces[1], surfaces[0], motion), (surfaces[0], surfaces[1], &backwards)]
    {
        for triangle in &faces.triangles {
            let corners = triangle.map(position);
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            for &node in &nodes.nodes {
                let offset = position(node) - corners[0];
                for time in motion.zeros(&normal, &offset) {
                    if time < first && is_in(&corners, &(corners[0] + motion.later(&offset, time))) {
                        first = time;
                    }
                }
            }
        }
    }
    for edge in &surfaces[0].edges {
        let [a, b] = edge.map(position);
        for other in &surfaces[1].edges {
            let [c, d] = other.map(position);
            let normal = (b - a).cross(&(d - c));
            if normal.norm_squared() < 1e-24 * (b - a).norm_squared() * (d - c).norm_squared() {
                continue; // parallel edges: an end of one edge meets the other body at the same time
            }
            for time in motion.zeros(&normal, &(c - a)) {
                if time < first && cross(&(b - a), &(d - c), &motion.later(&(c - a), time), &normal) {
                    first = time;
                }
            }
        }
    }
    first.is_finite().then_some(first)
}

impl RelativeMotion {
    /// An offset at t = 0, plus the relative displacement up to `time`.
    fn later(&self, offset: &Vec3, time: f64) -> Vec3 {
        offset + (self.velocity + self.acceleration * (0.5 * time)) * time
    }

    /// Times ≥ 0 at which an offset lies in the plane with this normal through the origin, ascending \[s\].
    fn zeros(&self, normal: &Vec3, offset: &Vec3) -> impl Iterator<Item = f64> + use<> {
        let (a, b, c) =
            (0.5 * normal.dot(&self.acceleration), normal.dot(&self.velocity), normal.dot(offset));
        let root = (b * b - 4.0 * a * c).sqrt();
        let q = -0.5 * (b + root.copysign(b));
        let mut times = if a == 0.0 { [-c / b, f64::NAN] } else { [q / a, c / q] };
        times.sort_by(f64::total_cmp);
        times.into_iter().filter(|time| time.is_finite() && *time >= 0.0)
    }
}

/// Whether a point in the plane of a triangle lies in the triangle.
fn is_in(corners: &[Vec3; 3], point: &Vec3) -> bool {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    (0..3).all(|k| {
        let side = corners[(k + 1) % 3] - corners[k];
        side.cross(&(point - corners[k])).dot(&normal) >= -MARGIN * normal.norm_squared()
    })
}

/// Whether a s = offset + b r has a solution with s and r in [0, 1], for three coplanar vectors.
fn cross(a: &Vec3, b: &Vec3, offset: &Vec3, normal: &Vec3) -> bool {
    let scale = normal.norm_squared();
    let s = offset.cross(b).dot(normal) / scale;
    let r = offset.cross(a).dot(normal) / scale;
    [s, r].iter().all(|value| (-MARGIN..=1.0 + MARGIN).contains(value))
}

/// Depth of a point in a surface \[m\]. The depth of a point inside the surface is its distance from the nearest
/// triangle. A point outside has depth 0.
///
/// A point is inside if the surface subtends a solid angle of 4π at the point (van Oosterom & Strackee, IEEE Trans.
/// Biomed. Eng. 30 (1983) 125–126).
pub fn depth(surface: &Triangles, positions: &[Vec3], point: &Vec3) -> f64 {
    let (mut solid_angle, mut distance) = (0.0, f64::INFINITY);
    for triangle in &surface.triangles {
        let corners = triangle.map(|node| positions[node as usize]);
        let [a, b, c] = corners.map(|corner| corner - point);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        solid_angle += 2.0 * a.dot(&b.cross(&c)).atan2(denominator);
        distance = distance.min(distance_to_triangle(&corners, point));
    }
    if solid_angle.abs() > std::f64::consts::TAU { distance } else { 0.0 }
}

/// Distance of a point from a triangle: from the plane of the triangle if the point projects into the triangle,
/// otherwise from the sides of the triangle.
fn distance_to_triangle(corners: &[Vec3; 3], point: &Vec3) -> f64 {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
    let height = normal.dot(&(point - corners[0]));
    if is_in(corners, &(point - normal * height)) {
        return height.abs();
    }
    let to_side = |k: usize| {
        let side = corners[(k + 1) % 3] - corners[k];
        let along = (side.dot(&(point - corners[k])) / side.norm_squared()).clamp(0.0, 1.0);
        (point - corners[k] - side * along).norm()
    };
    (0..3).map(to_side).fold(f64::INFINITY, f64::min)
}
