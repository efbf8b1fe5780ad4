//! A body of a pair: its surface, what is inside, and points a little inside.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::face::closest_point::{Domain, signed_gap, weighted_normal};
use crate::contact::detection::tree::closest_face::{ClosestFace, ClosestFaceIndex};
use crate::contact::detection::volume::Aabb;
use crate::element::shape_values;
use crate::math::Vec3;

use super::winding::{is_closed, winds_around};

/// What all points inside are shifted by beside, in units of their depth: less than 1, so that they stay inside, and along
/// no axis or diagonal, so that what lines up does so no more.
const SHIFT: Vec3 = Vec3::new(0.31, 0.17, 0.23);
/// Least cosine between the way out of a node and the normals around it, beyond which it has none.
const LEAST_COSINE: f64 = 0.05;
/// Most steps to the way out of a node; two or three are usual.
const MAX_STEPS: usize = 50;

/// A surface and where its faces are.
pub struct Side<'a> {
    pub surface: &'a Surface,
    pub positions: &'a [Vec3],
    faces: ClosestFaceIndex,
    /// Where each node of the surface goes to be inside by 1 or so; `None` of an open surface, which has no inside.
    ways_inward: Option<Vec<Vec3>>,
}

impl<'a> Side<'a> {
    pub fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Self {
        let faces = ClosestFaceIndex::build(surface, positions);
        let ways_inward = is_closed(surface).then(|| ways_inward(surface, positions));
        Self { surface, positions, faces, ways_inward }
    }

    pub fn is_closed(&self) -> bool {
        self.ways_inward.is_some()
    }

    /// The point of the surface that is closest to another one.
    pub fn closest(&self, point: &Vec3) -> Option<Vec3> {
        self.faces.closest(point, f64::INFINITY).map(|closest| closest.point.point)
    }

    /// How deep points are behind their closest faces \[m\].
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

    /// Whether a point is deeper than `least` inside.
    pub fn holds(&self, point: &Vec3, least: f64) -> bool {
        self.depths(&[*point])[0] > least && self.winds_around(point)
    }

    pub fn winds_around(&self, point: &Vec3) -> bool {
        winds_around(self.surface, self.positions, point)
    }

    /// That of some points which is deepest inside, if any is deeper than `least`.
    pub fn deepest(&self, points: &[Vec3], least: f64) -> Option<(f64, Vec3)> {
        let depths = self.depths(points).into_iter().zip(points.iter().copied());
        let mut deepest: Vec<(f64, Vec3)> = depths.filter(|(depth, _)| *depth > least).collect();
        deepest.sort_by(|a, b| b.0.total_cmp(&a.0));
        deepest.into_iter().find(|(_, point)| self.winds_around(point))
    }

    /// The nodes in a box.
    pub fn nodes_in(&self, bounds: &Aabb) -> Vec<Vec3> {
        let nodes = self.surface.nodes().iter().map(|&node| self.positions[node as usize]);
        nodes.filter(|point| bounds.contains(point)).collect()
    }

    /// The centres of faces in a box.
    pub fn centres_in(&self, bounds: &Aabb) -> Vec<Vec3> {
        let centres = (0..self.surface.num_faces()).map(|face| self.centre(face));
        centres.filter(|point| bounds.contains(point)).collect()
    }

    /// Where a node of a closed surface is when it is moved so deep inside, or where it is if there is no way inside.
    pub fn inset_node(&self, node: u32, depth: f64) -> Vec3 {
        let local = self.surface.local_node(node);
        let way = self.ways_inward.as_ref().zip(local).map_or_else(Vec3::zeros, |(ways, local)| ways[local]);
        self.positions[node as usize] + way * depth
    }

    /// The nodes, and the centres of faces, so deep inside a closed surface, as far as they are in a box.
    pub fn inset_points(&self, depth: f64, bounds: &Aabb) -> Vec<Vec3> {
        let Some(ways) = &self.ways_inward else { return Vec::new() };
        let nodes = self.surface.nodes().iter().zip(ways);
        let nodes = nodes.map(|(&node, way)| self.positions[node as usize] + way * depth);
        let centres = (0..self.surface.num_faces()).map(|face| {
            let corners = self.surface.face(face).0.corners();
            let around = self.surface.local_nodes_of_face(face);
            let way: Vec3 = corners.iter().map(|&k| ways[around[k as usize] as usize]).sum();
            self.centre(face) + way * (depth / corners.len() as f64)
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

/// Of each node, a way that goes behind all faces around it, by between 0.5 and some units; zero where there is none.
fn ways_inward(surface: &Surface, positions: &[Vec3]) -> Vec<Vec3> {
    let is_plane = surface.distinct_kinds().iter().all(|kind| kind.dimension() == 1);
    let shift = if is_plane { Vec3::new(SHIFT.x, SHIFT.y, 0.0) } else { SHIFT };
    let at = |node: u32| positions[node as usize];
    let way = |(local, &node): (usize, &u32)| {
        let faces = surface.faces_of_local_node(local).iter();
        let normal = |&face: &u32| weighted_normal(surface, &at, face as usize, node).try_normalize(0.0);
        let normals: Vec<Vec3> = faces.filter_map(normal).collect();
        way_out(&normals).map_or_else(Vec3::zeros, |out| -(out + shift))
    };
    surface.nodes().par_iter().enumerate().map(way).collect()
}

/// A way m with n·m ≥ 1 for all of these normals n, with equality for one: towards the point of their hull that is nearest
/// to the origin, or about; `None` if that is the origin, or nearly so.
///
/// # Source
/// Gilbert 1966, "An iterative procedure for computing the minimum of a quadratic form on a convex set", SIAM J. Control 4.
fn way_out(normals: &[Vec3]) -> Option<Vec3> {
    let mut nearest = normals.iter().sum::<Vec3>() / normals.len() as f64;
    let farthest_from = |way: &Vec3| normals.iter().copied().min_by(|a, b| a.dot(way).total_cmp(&b.dot(way)));
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
    use crate::contact::detection::samples::Samples;

    /// A way out goes before all faces where one exists, and there is none between faces that are opposed.
    #[test]
    fn ways_out_go_before_all_faces() {
        let samples = &mut Samples::new(8);
        for _ in 0..1000 {
            let axis = samples.direction();
            let normals: Vec<Vec3> = (0..samples.pick(&[1, 2, 3, 6, 12]))
                .map(|_| samples.direction())
                .map(|normal| if normal.dot(&axis) < 0.0 { -normal } else { normal })
                .filter(|normal| normal.dot(&axis) > 0.2)
                .chain([axis])
                .collect();
            let way = way_out(&normals).unwrap();
            let least = normals.iter().map(|normal| normal.dot(&way)).fold(f64::INFINITY, f64::min);
            assert!((least - 1.0).abs() < 1e-12 && way.norm() < 1.0 / LEAST_COSINE, "{normals:?}: {way:?}");
        }
        let (x, y) = (Vec3::x(), Vec3::y());
        assert_eq!(way_out(&[x, -x]), None);
        assert_eq!(way_out(&[x, y, -x, -y]), None);
        assert_eq!(way_out(&[]), None);
    }
}
