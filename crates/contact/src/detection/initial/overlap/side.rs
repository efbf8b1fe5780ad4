//! One body of a pair: its surface, and tests for points in its interior.

use rayon::prelude::*;

use crate::Surface;
use crate::detection::face::closest_point::{Domain, signed_gap, weighted_normal};
use crate::detection::tree::closest_face::{ClosestFace, ClosestFaceIndex};
use crate::detection::volume::Aabb;
use crate::element::shape_values;
use crate::math::Vec3;

use super::winding::winds_around;

/// Oblique shift of points that are displaced inward, per unit of depth. With the shift, the points do not lie on faces
/// of another body that are aligned with faces of this body. The shift is shorter than 1, so that the points stay
/// inside.
const SHIFT: Vec3 = Vec3::new(0.31, 0.17, 0.23);
/// Every cosine between the outward direction of a node and a normal of its face ring must exceed this value.
const LEAST_COSINE: f64 = 0.05;
/// Largest number of iterations for an outward direction. Two or three usually suffice.
const MAX_STEPS: usize = 50;

/// A surface and the index of its faces.
pub struct Side<'a> {
    pub surface: &'a Surface,
    pub positions: &'a [Vec3],
    faces: ClosestFaceIndex,
    /// For each node, the inward displacement per unit of depth; `None` for an open surface.
    inward_displacements: Option<Vec<Vec3>>,
}

impl<'a> Side<'a> {
    pub fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Self {
        let faces = ClosestFaceIndex::build(surface, positions);
        let inward_displacements = surface.is_closed().then(|| inward_displacements(surface, positions));
        Self { surface, positions, faces, inward_displacements }
    }

    pub fn is_closed(&self) -> bool {
        self.inward_displacements.is_some()
    }

    /// Point of the surface closest to `point`; `None` for a surface without faces.
    pub fn closest(&self, point: &Vec3) -> Option<Vec3> {
        self.faces.closest(point, f64::INFINITY).map(|closest| closest.point.point)
    }

    /// Depth of each point behind its closest face \[m\]: negative in front of the face, −∞ for a surface without
    /// faces.
    pub fn depths(&self, points: &[Vec3]) -> Vec<f64> {
        let mut closest = vec![None; points.len()];
        self.faces.closest_to_all(points, f64::INFINITY, &mut closest);
        let depth = |(point, closest): (&Vec3, Option<ClosestFace>)| {
            let depth = |ClosestFace { face, point: foot }: ClosestFace| {
                -signed_gap(self.surface, self.positions, face as usize, point, &foot).gap
            };
            closest.map_or(f64::NEG_INFINITY, depth)
        };
        points.iter().zip(closest).map(depth).collect()
    }

    /// Whether a point is inside the surface and deeper than `least` \[m\].
    pub fn holds(&self, point: &Vec3, least: f64) -> bool {
        self.depths(&[*point])[0] > least && self.winds_around(point)
    }

    pub fn winds_around(&self, point: &Vec3) -> bool {
        winds_around(self.surface, self.positions, point)
    }

    /// Depth \[m\] and position of the deepest of the `points` inside the surface that are deeper than `least` \[m\].
    pub fn deepest(&self, points: &[Vec3], least: f64) -> Option<(f64, Vec3)> {
        let depths = self.depths(points).into_iter().zip(points.iter().copied());
        let mut deepest: Vec<(f64, Vec3)> = depths.filter(|(depth, _)| *depth > least).collect();
        deepest.sort_by(|a, b| b.0.total_cmp(&a.0));
        deepest.into_iter().find(|(_, point)| self.winds_around(point))
    }

    /// Positions of the nodes in a box.
    pub fn nodes_in(&self, bounds: &Aabb) -> Vec<Vec3> {
        let nodes = self.surface.nodes().iter().map(|&node| self.positions[node as usize]);
        nodes.filter(|point| bounds.contains(point)).collect()
    }

    /// The face centres in a box.
    pub fn centres_in(&self, bounds: &Aabb) -> Vec<Vec3> {
        let centres = (0..self.surface.num_faces()).map(|face| self.centre(face));
        centres.filter(|point| bounds.contains(point)).collect()
    }

    /// Position of a node of a closed surface, displaced inward to about this depth \[m\]. A node without an outward
    /// direction (`outward_direction`) keeps its position.
    pub fn inset_node(&self, node: u32, depth: f64) -> Vec3 {
        let local = self.surface.local_node(node);
        let displacement = self
            .inward_displacements
            .as_ref()
            .zip(local)
            .map_or_else(Vec3::zeros, |(displacements, local)| displacements[local]);
        self.positions[node as usize] + displacement * depth
    }

    /// The nodes and face centres of a closed surface, displaced inward to about this depth \[m\], that lie in the box.
    /// Empty for an open surface.
    pub fn inset_points(&self, depth: f64, bounds: &Aabb) -> Vec<Vec3> {
        let Some(displacements) = &self.inward_displacements else { return Vec::new() };
        let nodes = self.surface.nodes().iter().zip(displacements);
        let nodes = nodes.map(|(&node, displacement)| self.positions[node as usize] + displacement * depth);
        let centres = (0..self.surface.num_faces()).map(|face| {
            let corners = self.surface.face(face).0.corners();
            let around = self.surface.local_nodes_of_face(face);
            let displacement: Vec3 =
                corners.iter().map(|&k| displacements[around[k as usize] as usize]).sum();
            self.centre(face) + displacement * (depth / corners.len() as f64)
        });
        nodes.chain(centres).filter(|point| bounds.contains(point)).collect()
    }

    fn centre(&self, face: usize) -> Vec3 {
        let (kind, nodes) = self.surface.face(face);
        let [u, v] = Domain::of(kind).map_or([0.0; 2], |domain| domain.centre);
        let mut values = [0.0; 9];
        shape_values(kind, [u, v, 0.0], &mut values);
        nodes.iter().zip(values).map(|(&node, value)| self.positions[node as usize] * value).sum()
    }
}

/// For each node, the inward displacement per unit of depth. At the depth d, the displaced node lies at least 0.57 d
/// behind the plane of every face of the face ring. Zero if the node has no outward direction.
fn inward_displacements(surface: &Surface, positions: &[Vec3]) -> Vec<Vec3> {
    let is_plane = surface.distinct_kinds().iter().all(|kind| kind.dimension() == 1);
    let shift = if is_plane { Vec3::new(SHIFT.x, SHIFT.y, 0.0) } else { SHIFT };
    let at = |node: u32| positions[node as usize];
    let displacement = |(local, &node): (usize, &u32)| {
        let faces = surface.faces_of_local_node(local).iter();
        let normal = |&face: &u32| weighted_normal(surface, &at, face as usize, node).try_normalize(0.0);
        let normals: Vec<Vec3> = faces.filter_map(normal).collect();
        outward_direction(&normals).map_or_else(Vec3::zeros, |out| -(out + shift))
    };
    surface.nodes().par_iter().enumerate().map(displacement).collect()
}

/// A vector m with min n·m = 1 over the unit normals n. Its direction is approximately that from the origin to the
/// nearest point of the convex hull of all n. `None` without normals, or if a cosine between m and a normal is at most
/// `LEAST_COSINE`.
///
/// # Source
/// Gilbert 1966, "An iterative procedure for computing the minimum of a quadratic form on a convex set", SIAM J.
/// Control 4.
fn outward_direction(normals: &[Vec3]) -> Option<Vec3> {
    let mut nearest = normals.iter().sum::<Vec3>() / normals.len() as f64;
    let farthest_from = |displacement: &Vec3| {
        normals.iter().copied().min_by(|a, b| a.dot(displacement).total_cmp(&b.dot(displacement)))
    };
    for _ in 0..MAX_STEPS {
        let least = farthest_from(&nearest)?;
        if least.dot(&nearest) > 0.5 * nearest.norm_squared() {
            break;
        }
        let along = least - nearest;
        nearest += along * (-nearest.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    }
    let height = farthest_from(&nearest)?.dot(&nearest);
    (height > LEAST_COSINE * nearest.norm()).then(|| nearest / height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    #[test]
    fn outward_directions_are_in_front_of_all_faces() {
        let samples = &mut Samples::new(8);
        for _ in 0..1000 {
            let axis = samples.direction();
            let normals: Vec<Vec3> = (0..samples.pick(&[1, 2, 3, 6, 12]))
                .map(|_| samples.direction())
                .map(|normal| if normal.dot(&axis) < 0.0 { -normal } else { normal })
                .filter(|normal| normal.dot(&axis) > 0.2)
                .chain([axis])
                .collect();
            let displacement = outward_direction(&normals).unwrap();
            let least = normals.iter().map(|normal| normal.dot(&displacement)).fold(f64::INFINITY, f64::min);
            assert!(
                (least - 1.0).abs() < 1e-12 && displacement.norm() < 1.0 / LEAST_COSINE,
                "{normals:?}: {displacement:?}"
            );
        }
        let (x, y) = (Vec3::x(), Vec3::y());
        assert_eq!(outward_direction(&[x, -x]), None);
        assert_eq!(outward_direction(&[x, y, -x, -y]), None);
        assert_eq!(outward_direction(&[]), None);
    }
}
