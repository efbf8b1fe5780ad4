//! Self-intersection of bodies in a given configuration.

use rayon::prelude::*;

use crate::detection::face::control_points::lies_in_hull_of_nodes;
use crate::detection::face::convex_hull::QuadraticBezierFace;
use crate::detection::model::ContactModel;
use crate::detection::tree::hierarchy::{Builder, Hierarchy};
use crate::math::Vec3;
use crate::mesh::CellKind;
use crate::{Edge, Surface};

use super::bezier_crossing::crossing_of_bezier_faces;
use super::facet::Facet;
use super::{BORDER, TOUCHING, bezier_face, bounding_box, box_of_face, facets, is_flat, is_off_border};

/// The bodies with self-contact that intersect themselves, and a point of intersection \[m\] of each. A closed surface
/// overlaps itself only if some of its faces intersect. The following pairs are tested, if they have no common node:
///
/// - an edge and a face, both linear (the face is flat or warped);
/// - two linear segments of a plane body;
/// - two faces, at least one of which is quadratic.
///
/// # Cost
/// For each body with self-contact, a tree over its faces and tests of pairs of nearby faces.
pub fn self_crossings(model: &ContactModel, positions: &[Vec3]) -> Vec<(u32, Vec3)> {
    let crossing =
        |&body: &u32| Some((body, SelfCrossing::new(&model.surfaces[body as usize], positions)?.find()?));
    model.foldable().par_iter().filter_map(crossing).collect()
}

struct SelfCrossing<'a> {
    surface: &'a Surface,
    positions: &'a [Vec3],
    tree: Hierarchy,
    /// Depth up to which faces count as touching \[m\].
    touching: f64,
}

impl<'a> SelfCrossing<'a> {
    fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Option<Self> {
        let touching = TOUCHING * bounding_box(surface, positions)?.diagonal();
        let tree = Hierarchy::build(Builder::Fast, surface, positions, 0.0)?;
        Some(Self { surface, positions, tree, touching })
    }

    fn find(&self) -> Option<Vec3> {
        let tree = &self.tree;
        let mut pending = vec![[tree.root(); 2]];
        while let Some([a, b]) = pending.pop() {
            if a == b {
                if let Some([left, right]) = tree.children(a) {
                    pending.extend([[left, right], [right, right], [left, left]]);
                }
                continue;
            }
            let [first, second] = [a, b].map(|v| tree.reference_sphere(v));
            if (first.centre - second.centre).norm() > first.radius + second.radius {
                continue;
            }
            let opened = if first.radius >= second.radius { [a, b] } else { [b, a] };
            let opened = if tree.children(opened[0]).is_some() { opened } else { [opened[1], opened[0]] };
            if let Some(children) = tree.children(opened[0]) {
                pending.extend(children.map(|child| [child, opened[1]]));
            } else if let (Some(a), Some(b)) = (tree.face(a), tree.face(b))
                && let Some(point) = self.crossing([a as usize, b as usize])
            {
                return Some(point);
            }
        }
        None
    }

    fn crossing(&self, faces: [usize; 2]) -> Option<Vec3> {
        let boxes = faces.map(|face| box_of_face(self.surface, face, self.positions));
        if boxes[0].excludes(&boxes[1]) {
            return None;
        }
        let kinds = faces.map(|face| self.surface.face(face).0);
        if !kinds.iter().all(|&kind| lies_in_hull_of_nodes(kind)) {
            return self.curved_crossing(faces);
        }
        if kinds[0].dimension() == 1 {
            return self.crossing_of_segments(faces);
        }
        let [first, second] = faces;
        self.pierced(first, second).or_else(|| self.pierced(second, first))
    }

    /// A point at which `face` intersects an edge of the face `edges`. Edges with a node of `face` are omitted.
    fn pierced(&self, edges: usize, face: usize) -> Option<Vec3> {
        let nodes = self.surface.face(face).1;
        let edges = self.surface.edges_of_face(edges).iter().map(|&edge| self.surface.edges()[edge as usize]);
        let mut edges = edges.filter(|edge| edge.nodes.iter().all(|node| !nodes.contains(node)));
        let ends_of = |edge: Edge| edge.nodes.map(|node| self.positions[node as usize]);
        if is_flat(self.surface, face, self.positions, self.touching) {
            return edges.find_map(|edge| {
                let ends = ends_of(edge);
                facets(self.surface, face, self.positions)
                    .find_map(|facet| facet.pierced_by(&ends, self.touching))
            });
        }
        let warped = bezier_face(self.surface, face, self.positions);
        edges.find_map(|edge| {
            let segment = QuadraticBezierFace::of_face(CellKind::Line2, |k| ends_of(edge)[k]);
            crossing_of_bezier_faces([segment, warped], self.touching, |point| {
                self.is_off_border(face, point)
            })
        })
    }

    fn crossing_of_segments(&self, faces: [usize; 2]) -> Option<Vec3> {
        if self.share_a_node(faces) {
            return None;
        }
        let ends = faces.map(|face| {
            let nodes = self.surface.face(face).1;
            [nodes[0], nodes[1]].map(|node| self.positions[node as usize])
        });
        Facet::new([0, 1, 1], |k| ends[1][k]).pierced_by(&ends[0], self.touching)
    }

    fn curved_crossing(&self, faces: [usize; 2]) -> Option<Vec3> {
        if self.share_a_node(faces) {
            return None;
        }
        let bezier_faces = faces.map(|face| bezier_face(self.surface, face, self.positions));
        crossing_of_bezier_faces(bezier_faces, self.touching, |point| {
            faces.iter().all(|&face| self.is_off_border(face, point))
        })
    }

    fn is_off_border(&self, face: usize, point: &Vec3) -> bool {
        is_off_border(self.surface, face, self.positions, point, BORDER * self.touching)
    }

    fn share_a_node(&self, faces: [usize; 2]) -> bool {
        let [first, second] = faces.map(|face| self.surface.face(face).1);
        first.iter().any(|node| second.contains(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tip_at(height: f64) -> Option<Vec3> {
        let positions: Vec<Vec3> = [
            [0.0, 0.0, 0.0],
            [3.0, 0.0, 0.0],
            [0.0, 3.0, 0.0],
            [1.0, 1.0, -1.0],
            [0.5, 0.5, height],
            [0.5, 1.0, height + 1.0],
            [0.0, 0.5, height + 1.0],
            [1.0, 0.5, height + 1.0],
        ]
        .map(Vec3::from)
        .to_vec();
        let faces: [[u32; 3]; 8] =
            [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0], [4, 5, 6], [4, 7, 5], [4, 6, 7], [5, 7, 6]];
        let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())));
        let model = ContactModel::new(vec![surface], &[], &positions).with_self_contact(&[0]);
        let found = self_crossings(&model, &positions);
        assert!(found.iter().all(|(body, _)| *body == 0));
        found.first().map(|(_, point)| *point)
    }

    #[test]
    fn a_tip_inside_is_found_and_one_that_touches_is_not() {
        assert_eq!(tip_at(0.1), None);
        assert_eq!(tip_at(0.0), None);
        assert!(tip_at(-0.1).is_some_and(|point| point.z.abs() < 1e-12));
    }

    #[test]
    fn segments_that_cross_are_found() {
        let crossing = |shift: f64| {
            let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [2.0, shift - 0.5], [1.0, 1.0]];
            let positions: Vec<Vec3> = corners.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect();
            let segments: Vec<[u32; 2]> = (0..5).map(|k| [k, (k + 1) % 5]).collect();
            let surface = Surface::new(segments.iter().map(|nodes| (CellKind::Line2, nodes.as_slice())));
            let model = ContactModel::new(vec![surface], &[], &positions).with_self_contact(&[0]);
            self_crossings(&model, &positions).first().map(|(_, point)| *point)
        };
        assert!(crossing(0.0).is_some_and(|point| point.y.abs() < 1e-12));
        assert_eq!(crossing(1.0), None);
    }
}
