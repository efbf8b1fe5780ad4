//! The surfaces that can touch, and which of their faces, nodes and edges may.

use rayon::prelude::*;

use crate::contact::{Edge, NodeOnSurface, Surface};
use crate::math::Vec3;

use super::candidate::Candidate;
use super::cell_rings::Cells;
use super::feature_edges::{EdgeSelection, FeatureEdges};
use super::thickness::Thickness;

/// The surfaces of all bodies and which of them may touch: all of those with faces, but for what is excluded.
#[derive(Clone, Debug, Default)]
pub struct ContactModel {
    /// One surface per body, empty where the body touches nothing.
    pub surfaces: Vec<Surface>,
    /// How deep a node may penetrate each body, or a node of that body another, before the contact is lost \[m\]; of two
    /// bodies the smaller depth counts.
    pub search_depths: Vec<f64>,
    /// Pairs of different bodies that do not touch, ascending, first < second.
    pub(crate) excluded: Vec<[u32; 2]>,
    /// Bodies that can touch themselves, ascending.
    foldable: Vec<u32>,
    /// How far the surface of each body is offset outward \[m\].
    pub(crate) offsets: Vec<f64>,
    /// Edges that can touch edges, of every body.
    pub(crate) edges: Vec<FeatureEdges>,
    /// How thick the bodies are.
    pub(crate) thickness: Thickness,
}

impl ContactModel {
    /// All pairs of distinct bodies with faces, but for the `excluded` ones. The search depth of a body is half
    /// its [`Surface::median_edge`] at the given positions: a mesh of quadratic faces is searched
    /// as deep as the linear one on the same nodes. At `positions` \[m\] the bodies are free of stress.
    ///
    /// No edges touch edges; see [`ContactModel::with_edges`].
    ///
    /// # Cost
    /// For each body a tree over its faces, and for each of its nodes a search in it.
    pub fn new(surfaces: Vec<Surface>, excluded: &[[u32; 2]], positions: &[Vec3]) -> Self {
        Self::of_solids(surfaces, &[], excluded, positions)
    }

    /// The same where the cells of the bodies are known, in the order of the surfaces: the lips of a cut through a body,
    /// flush as they may be, are told by them from the sides of a thin wall.
    pub fn of_solids(
        surfaces: Vec<Surface>,
        cells: &[Vec<Cells<'_>>],
        excluded: &[[u32; 2]],
        positions: &[Vec3],
    ) -> Self {
        let depth = |surface: &Surface| 0.5 * surface.median_edge(positions);
        let search_depths: Vec<f64> = surfaces.par_iter().map(depth).collect();
        let mut excluded = excluded.to_vec();
        excluded.sort_unstable();
        let mut thickness = Thickness::new(&surfaces, cells, positions);
        for (surface, depth) in surfaces.iter().zip(&search_depths) {
            thickness.measure(surface, 2.0 * depth);
        }
        let edges = vec![FeatureEdges::default(); surfaces.len()];
        let offsets = vec![0.0; surfaces.len()];
        Self { surfaces, search_depths, excluded, foldable: Vec::new(), offsets, edges, thickness }
    }

    /// The same where the surface of each body is offset outward by so much, half the thickness of a shell that its mesh
    /// runs through the middle of \[m\]: gaps are between the offset surfaces.
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[f64]) -> Self {
        self.offsets = offsets.to_vec();
        self
    }

    /// Whether the surface of a body is offset outward.
    pub fn has_offsets(&self) -> bool {
        self.offsets.iter().any(|&offset| offset > 0.0)
    }

    /// The same where also these edges of all bodies can touch each other.
    #[must_use]
    pub fn with_edges(mut self, selection: EdgeSelection) -> Self {
        let mut first = 0;
        for (edges, surface) in self.edges.iter_mut().zip(&self.surfaces) {
            *edges = FeatureEdges::select(selection, surface, self.thickness.positions(), first);
            first += surface.edges().len() as u32;
        }
        self
    }

    /// The same where these bodies, of those with faces, can also touch themselves. Free of stress they do not.
    ///
    /// # Cost
    /// For each of them a tree over its faces, and for each of its nodes a search in it.
    #[must_use]
    pub fn with_self_contact(mut self, bodies: &[u32]) -> Self {
        let mut bodies: Vec<u32> = bodies.to_vec();
        bodies.retain(|&body| self.has_faces(body));
        bodies.sort_unstable();
        bodies.dedup();
        for &body in &bodies {
            let depth = self.search_depths[body as usize];
            self.thickness.measure_folding(body, &self.surfaces[body as usize], depth);
        }
        self.foldable = bodies;
        self
    }

    fn has_faces(&self, body: u32) -> bool {
        self.surfaces[body as usize].num_faces() > 0
    }

    /// Bodies with faces, ascending.
    pub fn bodies(&self) -> impl Iterator<Item = u32> + Clone {
        (0..self.surfaces.len() as u32).filter(|&body| self.has_faces(body))
    }

    /// Bodies that can touch themselves, ascending.
    pub fn foldable(&self) -> &[u32] {
        &self.foldable
    }

    /// Whether two different bodies with faces, first < second, can touch.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.excluded.binary_search(&bodies).is_err()
    }

    /// Pairs of bodies that can touch, ascending, first < second; a body that can touch itself is a pair with itself.
    ///
    /// # Cost
    /// Quadratic in the number of bodies.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        self.bodies().flat_map(move |first| {
            let itself = self.foldable.binary_search(&first).is_ok().then_some([first; 2]);
            let others = self.bodies().skip_while(move |&second| second <= first);
            itself
                .into_iter()
                .chain(others.map(move |second| [first, second]))
                .filter(|&bodies| self.can_meet(bodies))
        })
    }

    /// How deep a node of either body may penetrate the other before the contact is lost \[m\].
    pub fn penetration_depth(&self, bodies: [u32; 2]) -> f64 {
        let [first, second] = bodies.map(|body| self.search_depths[body as usize]);
        first.min(second)
    }

    /// How far from the faces of either body contact with the other is looked for: how deep a node may penetrate, and
    /// the offsets of both \[m\].
    pub fn search_depth(&self, bodies: [u32; 2]) -> f64 {
        self.penetration_depth(bodies) + self.offset(bodies)
    }

    /// Whether a node and a face can touch as far as the configuration without stress tells.
    pub(crate) fn can_touch(&self, candidate: &Candidate) -> bool {
        let &Candidate { key, face, contactor_body, .. } = candidate;
        let (surface, offset) =
            (&self.surfaces[key.target as usize], self.offset([contactor_body, key.target]));
        contactor_body != key.target
            || !(self.thickness.exclude(key.target, surface, key.contactor, face)
                || offset > 0.0 && self.thickness.are_nearer_than(surface, key.contactor, face, offset))
    }

    /// Distance of two surfaces at which two bodies touch \[m\].
    pub(crate) fn offset(&self, bodies: [u32; 2]) -> f64 {
        bodies.iter().map(|&body| self.offsets[body as usize]).sum()
    }

    /// How far the surface of a body is offset outward \[m\].
    pub(crate) fn offset_of(&self, body: u32) -> f64 {
        self.offsets[body as usize]
    }

    /// Depth under a face, not offset, at which a node of a body has left it again \[m\].
    pub(crate) fn depth_of(&self, candidate: &Candidate) -> f64 {
        let &Candidate { key, face, contactor_body, .. } = candidate;
        let depth = self.penetration_depth([contactor_body, key.target]);
        if self.thickness.depth_limit(key.contactor) >= depth {
            return depth; // the wall of the target only adds to that of the contactor
        }
        let depth_limit = match contactor_body == key.target {
            true => self.thickness.depth_limit(key.contactor),
            false => {
                let nodes = self.surfaces[key.target as usize].face(face as usize).1;
                self.thickness.depth_limit_between(&[key.contactor], nodes)
            }
        };
        depth_limit.min(depth)
    }

    /// Distance, on either side of a face, within which a candidate can give a constraint \[m\].
    pub(crate) fn reach_of(&self, candidate: &Candidate) -> f64 {
        self.depth_of(candidate).max(self.offset([candidate.contactor_body, candidate.key.target]))
    }

    /// The most that [`ContactModel::reach_of`] can be for a node, whatever the face \[m\].
    pub(crate) fn reach_of_node(&self, key: NodeOnSurface, contactor_body: u32) -> f64 {
        let bodies = [contactor_body, key.target];
        let depth = self.penetration_depth(bodies);
        let itself = contactor_body == key.target;
        let depth = if itself { depth.min(self.thickness.depth_limit(key.contactor)) } else { depth };
        depth.max(self.offset(bodies))
    }

    /// Depth at which an edge has left another one again \[m\].
    pub(crate) fn edge_search_depth(&self, bodies: [u32; 2], [a, b]: [&Edge; 2]) -> f64 {
        self.thickness.depth_limit_between(&a.nodes, &b.nodes).min(self.penetration_depth(bodies))
    }

    /// The edges that belong to a face and can touch others: positions in the edges of its surface, ascending.
    pub(crate) fn edges_of_face(&self, body: u32, face: u32) -> &[u32] {
        self.edges[body as usize].of_face(face)
    }
}

/// Contactor and target of a pair of bodies, both ways; once for a body with itself.
pub(crate) fn both_ways([first, second]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    [[first, second], [second, first]].into_iter().take(if first == second { 1 } else { 2 })
}
