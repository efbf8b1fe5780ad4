//! How thick bodies are, and what a body that can touch itself never touches: the faces of a node, and those across the
//! material from it.
//!
//! To a detector, a node on one side of a thin wall looks like one that has entered the other side: it is behind that
//! face, its own normal opposed. What tells them apart is the configuration without stress, where the wall is solid
//! and nothing has entered anything.
//!
//! ```text
//!      ──●────●────●── n ●────●──      faces across from n: behind them, their normals more than 60° from its own
//!        material      ┆ t             the nearest is at t, the thickness of the wall at n
//!      ──●────●────●────●────●──
//! ```
//! A node cannot touch the faces across from it that are near, whatever becomes of the wall: around a sharp edge these
//! are the faces beyond the edge. It is taken to have left a face again when it is deeper than t/2: two walls that lie
//! on each other are t₁ + t₂ thick, and the outer face of the one must not look like the outer face of the other.
//!
//! Lips of a cut that lie on each other look like a thin wall: the one is at no distance behind the other. What tells them
//! apart is the material between the sides of a wall (see [`CellRings`]).
//!
//! Limits: near is within four edges. A wall thicker than that is not measured, and would touch itself where it is
//! pressed to an eighth. A node that goes deeper than half its own wall is lost, as one that goes deeper than the search
//! depth. A wall is measured by its outer faces: where only a part of the skin can touch, by that part.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::cell_rings::{CellRings, Cells};
use crate::contact::detection::face::closest_point::{
    Feature, Method, Start, closest_point, pseudo_normal, vertex_normal,
};
use crate::contact::detection::tree::hierarchy::{Builder, Hierarchy};
use crate::element::MAX_NODES;

/// Cosine of the least angle between the normals of a node and of a face across from it: 60°, well before they are
/// opposed.
const ACROSS: f64 = 0.5;

/// Sine of the angle behind the plane of a face at which a node has entered it; up to the same angle before the plane it
/// may be across from it, so that what is on the brink does not come to count as entered by a small deformation.
const BEHIND: f64 = 0.1;

/// Depth at which a node has left a face again, relative to the thickness of its own wall.
const DEPTH_LIMIT: f64 = 0.5;

/// How near the faces are that a node cannot touch across the material, relative to the search depth, half an edge.
const NEAR: f64 = 8.0;

/// Whether a node is behind the plane of a face with this unit normal, seen from the closest point of the face.
///
/// The sign of a gap at an edge or a corner is that of the closest of all faces. Here faces next to the node are left
/// out, and some other face may be the closest, with an edge that belongs to them.
pub(crate) fn is_behind(face_normal: &Vec3, offset: &Vec3) -> bool {
    offset.dot(face_normal) < -BEHIND * offset.norm()
}

/// Thickness of the walls of all bodies in the configuration without stress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thickness {
    /// Position of every node without stress \[m\].
    positions: Vec<Vec3>,
    /// Thickness of the wall at every node \[m\]; infinite where there is no face near across from it.
    at_node: Vec<f64>,
    /// Distance within which faces are near, of every body that can touch itself \[m\]; 0 for others.
    near: Vec<f64>,
    cell_rings: CellRings,
}

impl Thickness {
    /// Nothing measured yet, of bodies with these surfaces and what is known of their cells in this configuration.
    pub fn new(surfaces: &[Surface], cells: &[Vec<Cells<'_>>], positions: &[Vec3]) -> Self {
        Self {
            positions: positions.to_vec(),
            at_node: vec![f64::INFINITY; positions.len()],
            near: vec![0.0; surfaces.len()],
            cell_rings: CellRings::new(surfaces, cells, positions),
        }
    }

    /// Measures the walls of a body that can touch itself and is searched to this depth \[m\].
    pub fn measure_folding(&mut self, body: u32, surface: &Surface, search_depth: f64) {
        let near = NEAR * search_depth;
        self.measure(surface, near);
        self.near[body as usize] = near;
    }

    /// Measures the walls of a body that are no thicker than `near` \[m\].
    ///
    /// # Cost
    /// A tree over the faces, and for each node a search in it; in parallel.
    pub fn measure(&mut self, surface: &Surface, near: f64) {
        let Some(tree) = Hierarchy::build(Builder::Fast, surface, &self.positions, 0.0) else { return };
        let thickness = |&node: &u32| self.thickness_at(surface, &tree, node, near);
        let found: Vec<f64> = surface.nodes().par_iter().map(thickness).collect();
        for (&node, thickness) in surface.nodes().iter().zip(found) {
            self.at_node[node as usize] = thickness;
        }
    }

    /// Position of every node without stress \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Distance within which faces of a body are near in the configuration without stress \[m\].
    pub fn near(&self, body: u32) -> f64 {
        self.near[body as usize]
    }

    /// Whether a node of a body never touches one of its faces.
    pub fn exclude(&self, body: u32, surface: &Surface, node: u32, face: u32) -> bool {
        surface.face(face as usize).1.contains(&node)
            || self.at_node[node as usize].is_finite() && {
                let normal = vertex_normal(surface, &self.positions, node);
                let across = self.distance_across(surface, node, &normal, face);
                across.is_some_and(|distance| distance <= self.near[body as usize])
            }
    }

    /// Whether a node and a face are no farther apart than this in the configuration without stress \[m\].
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

    /// Depth at which a node has left a face of its own body again \[m\].
    pub fn depth_limit(&self, node: u32) -> f64 {
        DEPTH_LIMIT * self.at_node[node as usize]
    }

    /// Depth at which things at these nodes, on either side of a contact, have left each other again \[m\]: two walls
    /// that lie on each other are t₁ + t₂ thick, and the outer face of the one must not look like the outer face of the
    /// other.
    pub fn depth_limit_between(&self, contactor: &[u32], target: &[u32]) -> f64 {
        let thinnest = |nodes: &[u32]| {
            nodes.iter().map(|&node| self.at_node[node as usize]).fold(f64::INFINITY, f64::min)
        };
        let thickness = thinnest(contactor);
        if thickness.is_finite() { DEPTH_LIMIT * (thickness + thinnest(target)) } else { thickness }
    }

    /// Distance of the nearest face across from a node, if one is near; infinite otherwise.
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

    /// Distance of a node with this normal from a face across the material from it; `None` if the face is not across.
    fn distance_across(&self, surface: &Surface, node: u32, normal: &Vec3, face: u32) -> Option<f64> {
        let positions = &self.positions;
        let (kind, nodes) = surface.face(face as usize);
        if nodes.contains(&node) {
            return None;
        }
        // One normal everywhere: most faces near a node of a smooth surface need no closest point.
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
