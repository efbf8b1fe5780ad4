//! Thickness of the bodies, and the faces of the same body that a node never touches: adjacent faces, and faces
//! opposite across the thickness.
//!
//! A node of a thin body resembles a node that has penetrated the opposite face: the node is behind this face, and the
//! normals are opposed. The stress-free configuration, in which no node penetrates, identifies opposite faces.
//!
//! ```text
//!      ──●────●────●── n ●────●──
//!        material      ┆ t
//!      ──●────●────●────●────●──       faces opposite n
//! ```
//! A face is opposite a node n if n is behind the face, and if the normals of n and of the face form an angle of 60° or
//! more. The thickness t at n is the distance of the nearest opposite face.
//!
//! In self-contact, a node never touches an opposite face whose stress-free distance is at most [`NEAR`] search depths.
//! A self-contact is lost beyond the depth t/2. Two stacked sheets with the thicknesses t₁ and t₂ resemble one body
//! with the thickness t₁ + t₂. Their contact is lost beyond the depth (t₁ + t₂)/2.
//!
//! The lips of a closed cut also lie behind each other, but have no material between them. [`CellRings`] identify them,
//! and their faces do not count as opposite.
//!
//! # Limits
//! Opposite faces count within eight search depths (about four edge lengths) in bodies with self-contact, and within
//! two search depths in other bodies. A thicker body with self-contact would touch itself if compressed to the
//! thickness of one search depth. The thickness is measured between faces of the contact surface, which may be only a
//! part of the boundary of the body.

use rayon::prelude::*;

use crate::Surface;
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::cell_rings::{CellRings, Cells};
use crate::detection::face::closest_point::{
    Feature, Method, Start, closest_point, pseudo_normal, vertex_normal,
};
use crate::detection::tree::hierarchy::{Builder, Hierarchy};
use crate::element::MAX_NODES;

/// Cosine of 60°, the least angle between the normals of a node and of an opposite face.
const ACROSS: f64 = 0.5;

/// Sine of an angle between the plane of a face and the vector from the closest point of the face to a node.
/// - In contact, a node counts as behind the face only if it lies below the plane by more than this angle.
/// - In the stress-free configuration, a face is opposite even if the node lies above the plane by up to this angle.
///
/// Small deformations therefore cause no false penetrations.
const BEHIND: f64 = 0.1;

/// Depth beyond which a contact is lost, relative to the sum of both thicknesses, or to the thickness in self-contact.
const DEPTH_LIMIT: f64 = 0.5;

/// Stress-free distance up to which a node never touches its opposite faces in self-contact, relative to the search
/// depth.
const NEAR: f64 = 8.0;

/// Whether a node is behind the plane of a face with this unit normal. `offset` is the vector from the closest point of
/// the face to the node.
///
/// If the closest point lies on an edge or a corner of the face, the sign of the gap is reliable only if no other face
/// of the surface is closer. Self-contact needs this test, because the faces that contain the node are closer but
/// excluded.
pub(crate) fn is_behind(face_normal: &Vec3, offset: &Vec3) -> bool {
    offset.dot(face_normal) < -BEHIND * offset.norm()
}

/// Thickness of all bodies in the stress-free configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thickness {
    /// Stress-free position of every node \[m\].
    positions: Vec<Vec3>,
    /// Thickness at every node \[m\]; infinite if not measured, or if no opposite face is near enough.
    at_node: Vec<f64>,
    /// For every body, `NEAR` times the search depth \[m\]; 0 without self-contact.
    near: Vec<f64>,
    cell_rings: CellRings,
}

impl Thickness {
    /// Thickness of bodies that are stress-free at `positions` \[m\]; infinite until measured.
    pub fn new(surfaces: &[Surface], cells: &[Vec<Cells<'_>>], positions: &[Vec3]) -> Self {
        Self {
            positions: positions.to_vec(),
            at_node: vec![f64::INFINITY; positions.len()],
            near: vec![0.0; surfaces.len()],
            cell_rings: CellRings::new(surfaces, cells, positions),
        }
    }

    /// Measures the thickness of a body with self-contact and this search depth \[m\].
    pub fn measure_folding(&mut self, body: u32, surface: &Surface, search_depth: f64) {
        let near = NEAR * search_depth;
        self.measure(surface, near);
        self.near[body as usize] = near;
    }

    /// Measures the thickness at every node of a body. Opposite faces farther than `near` \[m\] are ignored.
    ///
    /// # Cost
    /// A tree over the faces, and a search for each node, in parallel.
    pub fn measure(&mut self, surface: &Surface, near: f64) {
        let Some(tree) = Hierarchy::build(Builder::Fast, surface, &self.positions, 0.0) else { return };
        let thickness = |&node: &u32| self.thickness_at(surface, &tree, node, near);
        let found: Vec<f64> = surface.nodes().par_iter().map(thickness).collect();
        for (&node, thickness) in surface.nodes().iter().zip(found) {
            self.at_node[node as usize] = thickness;
        }
    }

    /// Stress-free positions \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// `NEAR` times the search depth of a body \[m\]; 0 without self-contact.
    pub fn near(&self, body: u32) -> f64 {
        self.near[body as usize]
    }

    /// Whether a node never touches a face of its body: the face contains the node, or is an opposite face within
    /// [`Self::near`].
    pub fn exclude(&self, body: u32, surface: &Surface, node: u32, face: u32) -> bool {
        surface.face(face as usize).1.contains(&node)
            || self.at_node[node as usize].is_finite() && {
                let normal = vertex_normal(surface, &self.positions, node);
                let across = self.distance_across(surface, node, &normal, face);
                across.is_some_and(|distance| distance <= self.near[body as usize])
            }
    }

    /// Whether the stress-free distance of a node and a face is at most `distance` \[m\].
    pub fn are_nearer_than(&self, surface: &Surface, node: u32, face: u32, distance: f64) -> bool {
        let (kind, nodes) = surface.face(face as usize);
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.positions[node as usize];
        }
        let position = &self.positions[node as usize];
        let corners = &corners[..nodes.len()];
        let point = closest_point(Method::Auto, Start::Nearest, kind, corners, position);
        point.distance_squared <= distance * distance
    }

    /// Depth beyond which self-contact of a node is lost \[m\]; may be infinite.
    pub fn depth_limit(&self, node: u32) -> f64 {
        DEPTH_LIMIT * self.at_node[node as usize]
    }

    /// Depth beyond which a contact of these nodes is lost \[m\]: half the sum of the least thickness at nodes of the
    /// contactor and the least thickness at nodes of the target. Infinite if one of the two is infinite.
    pub fn depth_limit_between(&self, contactor: &[u32], target: &[u32]) -> f64 {
        let thinnest = |nodes: &[u32]| {
            nodes.iter().map(|&node| self.at_node[node as usize]).fold(f64::INFINITY, f64::min)
        };
        let thickness = thinnest(contactor);
        if thickness.is_finite() { DEPTH_LIMIT * (thickness + thinnest(target)) } else { thickness }
    }

    /// Distance of the nearest opposite face within `near` \[m\], otherwise infinite.
    fn thickness_at(&self, surface: &Surface, tree: &Hierarchy, node: u32, near: f64) -> f64 {
        let normal = vertex_normal(surface, &self.positions, node);
        let position = self.positions[node as usize];
        let gap = |v: u32| {
            let sphere = tree.reference_sphere(v);
            (position - sphere.centre).norm() - sphere.radius
        };
        let mut nearest = f64::INFINITY;
        let mut pending = vec![(gap(tree.root()), tree.root())];
        while let Some((clear, v)) = pending.pop() {
            if clear > nearest.min(near) {
                continue;
            }
            if let Some(children) = tree.children(v) {
                let [left, right] = children.map(|child| (gap(child), child));
                pending.extend(if left.0 < right.0 { [right, left] } else { [left, right] });
            } else if let Some(face) = tree.face(v)
                && let Some(distance) = self.distance_across(surface, node, &normal, face)
            {
                nearest = nearest.min(distance);
            }
        }
        if nearest <= near { nearest } else { f64::INFINITY }
    }

    /// Distance of a node from an opposite face \[m\]; `None` if the face is not opposite, or is the other lip of a
    /// cut.
    fn distance_across(&self, surface: &Surface, node: u32, normal: &Vec3, face: u32) -> Option<f64> {
        let positions = &self.positions;
        let (kind, nodes) = surface.face(face as usize);
        if nodes.contains(&node) {
            return None;
        }
        // On a smooth surface, the normals exclude most triangles before a closest point is computed.
        if kind == CellKind::Tri3 {
            let face_normal = pseudo_normal(surface, positions, face as usize, [0.0; 2], Feature::Face);
            if normal.dot(&face_normal) > ACROSS {
                return None;
            }
        }
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = positions[node as usize];
        }
        let position = &positions[node as usize];
        let point = closest_point(Method::Auto, Start::Nearest, kind, &corners[..nodes.len()], position);
        let face_normal = pseudo_normal(surface, positions, face as usize, point.xi, Feature::Face);
        let offset = position - point.point;
        let distance = offset.norm();
        let across = offset.dot(&face_normal) <= BEHIND * distance && normal.dot(&face_normal) <= ACROSS;
        (across && !self.cell_rings.is_beyond_a_cut(node, face, distance)).then_some(distance)
    }
}
