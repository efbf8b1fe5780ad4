//! Contact of a node with several equally close faces of its target.
//!
//! If the closest point is on a node or an edge of the target, all faces that share this node or edge are equally
//! close, up to rounding. If these faces are coplanar, the contact is the mean of the contacts with the single faces.
//! It therefore does not depend on the numbering of the faces. Below a sharp edge,
//! [`entry_face`](crate::detection::EntryFaces) later selects the face of the contact.

use super::closest_faces::{Closest, ClosestFaces};
use super::penetration::Penetration;
use crate::detection::face::closest_point::{Gap, closest_point, face_normal_vector};
use crate::element::{MAX_NODES, shape_values};
use crate::flush::are_coplanar;
use crate::math::Vec3;
use crate::{NodeOnSurface, Surface};

/// Largest number of target nodes of a contact. If the nodes of a face would bring the total above this number,
/// `MeanPoint` omits the face.
const MAX_TIED_NODES: usize = 2 * MAX_NODES - 1;

#[derive(Clone, Copy, Debug)]
pub(super) struct NodeContact {
    pub key: NodeOnSurface,
    pub gap: Gap,
    /// The penetrations of the contact in the list of all penetrations: index of the first, and index after the last.
    pub points: [u32; 2],
}

pub(super) struct MeanPoint {
    nodes: [u32; MAX_TIED_NODES],
    values: [f64; MAX_TIED_NODES],
    num_nodes: usize,
    num_faces: usize,
}

impl Default for MeanPoint {
    fn default() -> Self {
        Self { nodes: [0; MAX_TIED_NODES], values: [0.0; MAX_TIED_NODES], num_nodes: 0, num_faces: 0 }
    }
}

impl MeanPoint {
    /// Adds the point of a face with natural coordinates `xi`. Ignores it if the mean would then have more than
    /// `MAX_TIED_NODES` nodes.
    pub fn add(&mut self, surface: &Surface, face: u32, xi: [f64; 2]) {
        let (kind, nodes) = surface.face(face as usize);
        let is_new = |node: &&u32| !self.nodes[..self.num_nodes].contains(node);
        if self.num_nodes + nodes.iter().filter(is_new).count() > MAX_TIED_NODES {
            return;
        }
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        for (&node, value) in nodes.iter().zip(values) {
            let known = self.nodes[..self.num_nodes].iter().position(|&known| known == node);
            let place = known.unwrap_or(self.num_nodes);
            self.nodes[place] = node;
            self.values[place] += value;
            self.num_nodes = self.num_nodes.max(place + 1);
        }
        self.num_faces += 1;
    }

    pub fn finish(&mut self) -> (&[u32], &[f64]) {
        let share = 1.0 / self.num_faces as f64;
        let values = &mut self.values[..self.num_nodes];
        values.iter_mut().for_each(|value| *value *= share);
        (&self.nodes[..self.num_nodes], values)
    }
}

impl ClosestFaces<'_> {
    /// Contact of a node; `None` if the node is not in contact with the target. Appends the penetration below each face
    /// of the contact to `points`.
    pub fn contact(&self, closest: &Closest, points: &mut Vec<Penetration>) -> Option<NodeContact> {
        let key = self.candidates[closest.candidate as usize].key;
        let first = points.len();
        let nearest = self.penetration(closest);
        let gap = if self.is_tied(closest) {
            self.mean_of_tied(closest, nearest, points)
        } else {
            points.extend(nearest);
            nearest.map(|nearest| nearest.gap)
        };
        Some(NodeContact { key, gap: gap?, points: [first as u32, points.len() as u32] })
    }

    /// Mean of the penetrations below the faces that are as close as the closest face. Only faces coplanar with the
    /// lowest-numbered of these faces contribute.
    ///
    /// The sum is in the order of the face numbers, so the result does not depend on the order of the candidates.
    fn mean_of_tied(
        &self,
        closest: &Closest,
        nearest: Option<Penetration>,
        points: &mut Vec<Penetration>,
    ) -> Option<Gap> {
        let [begin, end] = closest.group;
        let square = closest.point.distance_squared;
        let farthest = square.sqrt() + self.rounding(closest.candidate as usize);
        let farthest = square.max(farthest * farthest);
        let first = points.len();
        points.extend((begin..end).filter_map(|candidate| match candidate == closest.candidate {
            true => nearest,
            false => self.tied(closest, candidate, farthest).and_then(|tied| self.penetration(&tied)),
        }));
        let face = |point: &Penetration| self.candidates[point.candidate as usize].face;
        points[first..].sort_unstable_by_key(face);
        let normal = points.get(first)?.gap.normal;
        let mut kept = first;
        for k in first..points.len() {
            // A node that belongs to two patches can have the same candidate face twice.
            let is_repeated = kept > first && face(&points[kept - 1]) == face(&points[k]);
            if !is_repeated && are_coplanar(&points[k].gap.normal, &normal) {
                points[kept] = points[k];
                kept += 1;
            }
        }
        points.truncate(kept);
        if let [alone] = points[first..] {
            return Some(alone.gap);
        }
        let gaps = points[first..].iter().map(|point| point.gap);
        let normals: Vec3 = gaps.clone().map(|gap| gap.normal).sum();
        let mean = gaps.map(|gap| gap.gap).sum::<f64>() / (kept - first) as f64;
        Some(Gap { gap: mean, normal: normals.normalize() })
    }

    /// Closest point of the face of `candidate` to the contactor node.
    ///
    /// `None` if the squared distance of the node from this point exceeds `farthest` \[m²\] or the squared
    /// `TargetFace::reach`, or if the normals of face and node are not opposed.
    fn tied(&self, closest: &Closest, candidate: u32, farthest: f64) -> Option<Closest> {
        let place = candidate as usize;
        let pair = &self.candidates[place];
        let target = &self.model.surfaces[pair.key.target as usize];
        let query = &self.positions[pair.key.contactor as usize];
        let (kind, nodes) = target.face(pair.face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.positions[node as usize];
        }
        let start = self.options.start.on(pair.face, None);
        let point = closest_point(self.options.method, start, kind, &corners[..nodes.len()], query);
        let reach = self.target_faces[place].reach;
        let normal = || {
            face_normal_vector(target, &|node| self.positions[node as usize], pair.face as usize, point.xi)
        };
        let is_tied = point.distance_squared <= farthest
            && point.distance_squared <= reach * reach
            && self.normals_are_opposed(pair, normal, &mut None);
        is_tied.then_some(Closest {
            candidate,
            point,
            face_normal: None,
            group: closest.group,
            second: farthest,
        })
    }
}
