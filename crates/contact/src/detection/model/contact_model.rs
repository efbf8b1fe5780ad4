//! The contact model: surfaces, and what may touch.

use rayon::prelude::*;

use crate::math::Vec3;
use crate::{Edge, NodeOnSurface, Surface, SurfacePair};

use super::candidate::Candidate;
use super::cell_rings::Cells;
use super::contact_policy::ContactPolicy;
use super::feature_edges::{EdgeSelection, FeatureEdges};
use super::thickness::Thickness;

/// Surfaces of all bodies, and the pairs of bodies that may touch. Only bodies with self-contact can touch themselves.
#[derive(Clone, Debug, Default)]
pub struct ContactModel {
    /// One surface per body; empty for a body without contact.
    pub surfaces: Vec<Surface>,
    /// Search depth of each body \[m\]. A contact is lost if its penetration exceeds the smaller search depth of its
    /// two bodies.
    pub search_depths: Vec<f64>,
    /// Pairs excluded from contact, and one-pass or two-pass contact.
    pub policy: ContactPolicy,
    /// Bodies with self-contact, ascending.
    foldable: Vec<u32>,
    /// Outward offset of the surface of each body \[m\].
    pub(crate) offsets: Vec<f64>,
    /// For every body, the edges that can touch other edges.
    pub(crate) edges: Vec<FeatureEdges>,
    pub(crate) thickness: Thickness,
}

impl ContactModel {
    /// Contact of all pairs of distinct bodies with faces, except the `excluded` pairs. The search depth of a body is
    /// half its [`Surface::median_edge`]. The bodies are stress-free at `positions` \[m\]. Edges do not touch edges;
    /// see [`ContactModel::with_edges`].
    ///
    /// # Cost
    /// For each body, a tree over the faces, and for each node a search for opposite faces in the tree.
    pub fn new(surfaces: Vec<Surface>, excluded: &[[u32; 2]], positions: &[Vec3]) -> Self {
        let excluded = excluded.iter().map(|&bodies| SurfacePair::whole(bodies));
        Self::of_solids(surfaces, &[], ContactPolicy::excluding(excluded), positions)
    }

    /// Contact as in [`Self::new`], but with a policy, and with the `cells` of each body, in the order of the surfaces.
    /// The cells tell the lips of a closed cut, without material between them, from opposite sides of a thin body.
    pub fn of_solids(
        surfaces: Vec<Surface>,
        cells: &[Vec<Cells<'_>>],
        policy: ContactPolicy,
        positions: &[Vec3],
    ) -> Self {
        let depth = |surface: &Surface| 0.5 * surface.median_edge(positions);
        let search_depths: Vec<f64> = surfaces.par_iter().map(depth).collect();
        let mut thickness = Thickness::new(&surfaces, cells, positions);
        for (surface, depth) in surfaces.iter().zip(&search_depths) {
            thickness.measure(surface, 2.0 * depth);
        }
        let edges = vec![FeatureEdges::default(); surfaces.len()];
        let offsets = vec![0.0; surfaces.len()];
        Self { surfaces, search_depths, policy, foldable: Vec::new(), offsets, edges, thickness }
    }

    /// Sets the search depth of all bodies with faces \[m\]; must precede [`Self::with_self_contact`].
    ///
    /// # Cost
    /// As [`ContactModel::new`].
    #[must_use]
    pub fn with_search_depth(mut self, depth: f64) -> Self {
        for (surface, own) in self.surfaces.iter().zip(&mut self.search_depths) {
            if surface.num_faces() > 0 {
                *own = depth;
                self.thickness.measure(surface, 2.0 * depth);
            }
        }
        self
    }

    /// Sets the outward offset of the surface of each body \[m\], for example half the thickness of a shell. Gaps are
    /// measured between the offset surfaces.
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[f64]) -> Self {
        self.offsets = offsets.to_vec();
        self
    }

    /// Whether any surface is offset.
    pub fn has_offsets(&self) -> bool {
        self.offsets.iter().any(|&offset| offset > 0.0)
    }

    /// Selects, on all bodies, the edges that can touch other edges.
    #[must_use]
    pub fn with_edges(mut self, selection: EdgeSelection) -> Self {
        let mut first = 0;
        for (edges, surface) in self.edges.iter_mut().zip(&self.surfaces) {
            *edges = FeatureEdges::select(selection, surface, self.thickness.positions(), first);
            first += surface.edges().len() as u32;
        }
        self
    }

    /// Sets the bodies with self-contact; bodies without faces are ignored. The stress-free configuration must be free
    /// of self-contact.
    ///
    /// # Cost
    /// For each of these bodies, a tree over the faces, and for each node a search for opposite faces in the tree.
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

    /// Bodies with self-contact, ascending.
    pub fn foldable(&self) -> &[u32] {
        &self.foldable
    }

    /// Whether the policy allows contact of two bodies. The bodies are in ascending order, or equal for self-contact.
    pub fn can_meet(&self, bodies: [u32; 2]) -> bool {
        self.policy.can_meet(bodies)
    }

    /// Pairs of bodies that can touch, ascending; first < second, or equal bodies for self-contact.
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

    /// The smaller search depth of two bodies \[m\]: largest penetration of their contacts. Thin bodies may have a
    /// smaller limit.
    pub fn search_depth(&self, bodies: [u32; 2]) -> f64 {
        let [first, second] = bodies.map(|body| self.search_depths[body as usize]);
        first.min(second)
    }

    /// Distance from the faces within which detection searches for contacts \[m\]: search depth plus both offsets.
    pub fn search_distance(&self, bodies: [u32; 2]) -> f64 {
        self.search_depth(bodies) + self.offset(bodies)
    }

    /// Whether the node of a candidate can touch its face. In self-contact, it cannot if `Thickness::exclude` excludes
    /// the face, or if the offset of the body is positive and the stress-free distance is at most twice this offset.
    pub(crate) fn can_touch(&self, candidate: &Candidate) -> bool {
        let &Candidate { key, face, contactor_body, .. } = candidate;
        let (surface, offset) =
            (&self.surfaces[key.target as usize], self.offset([contactor_body, key.target]));
        contactor_body != key.target
            || !(self.thickness.exclude(key.target, surface, key.contactor, face)
                || offset > 0.0 && self.thickness.are_nearer_than(surface, key.contactor, face, offset))
    }

    /// Sum of both offsets \[m\]: the distance at which contact begins.
    pub(crate) fn offset(&self, bodies: [u32; 2]) -> f64 {
        bodies.iter().map(|&body| self.offsets[body as usize]).sum()
    }

    pub(crate) fn offset_of(&self, body: u32) -> f64 {
        self.offsets[body as usize]
    }

    /// Depth beyond which a node loses contact \[m\], measured from the face itself, not from its offset surface.
    pub(crate) fn depth_of(&self, candidate: &Candidate) -> f64 {
        let &Candidate { key, face, contactor_body, .. } = candidate;
        let depth = self.search_depth([contactor_body, key.target]);
        if self.thickness.depth_limit(key.contactor) >= depth {
            return depth; // the thickness of the target can only raise the limit
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

    /// Distance of a node from a face, on either side, up to which a candidate can give a constraint \[m\].
    pub(crate) fn reach_of(&self, candidate: &Candidate) -> f64 {
        self.depth_of(candidate).max(self.offset([candidate.contactor_body, candidate.key.target]))
    }

    /// Upper bound on [`ContactModel::reach_of`] for a node and any face of the target \[m\].
    pub(crate) fn reach_of_node(&self, key: NodeOnSurface, contactor_body: u32) -> f64 {
        let bodies = [contactor_body, key.target];
        let depth = self.search_depth(bodies);
        let itself = contactor_body == key.target;
        let depth = if itself { depth.min(self.thickness.depth_limit(key.contactor)) } else { depth };
        depth.max(self.offset(bodies))
    }

    /// Depth beyond which two edges lose contact \[m\].
    pub(crate) fn edge_search_depth(&self, bodies: [u32; 2], [a, b]: [&Edge; 2]) -> f64 {
        self.thickness.depth_limit_between(&a.nodes, &b.nodes).min(self.search_depth(bodies))
    }

    /// Feature edges assigned to this face: indices into the edges of the surface, ascending.
    pub(crate) fn edges_of_face(&self, body: u32, face: u32) -> &[u32] {
        self.edges[body as usize].of_face(face)
    }
}

/// Pairs of contactor and target: two bodies in both orders, or one body with itself in self-contact.
pub(crate) fn both_ways([first, second]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    [[first, second], [second, first]].into_iter().take(if first == second { 1 } else { 2 })
}
