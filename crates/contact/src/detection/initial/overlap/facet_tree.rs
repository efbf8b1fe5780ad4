//! Search for the facets near a box, by a tree of boxes.

use crate::detection::tree::box_tree::BoxTree;
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::math::pack::Registers;
use crate::math::space_filling_curve::{self, Cube};

use super::facet::Facet;

/// Facets in the order of a space-filling curve, and a tree over their boxes.
pub struct FacetTree {
    facets: Vec<Facet>,
    tree: BoxTree,
}

impl FacetTree {
    pub fn new(facets: &[Facet]) -> Self {
        let centre = |facet: &Facet| facet.points().iter().sum::<Vec3>() / facet.points().len() as f64;
        let centres: Vec<Vec3> = facets.iter().map(centre).collect();
        let cube = Cube::around(centres.iter().copied());
        let order = space_filling_curve::order(centres.len(), cube, |facet| centres[facet]);
        let facets: Vec<Facet> = order.iter().map(|&facet| facets[facet as usize]).collect();
        let tree = BoxTree::new(facets.len(), |facet| Aabb::fit(facets[facet].points(), 0.0));
        Self { facets, tree }
    }

    /// Facets whose boxes overlap the box `of`.
    pub fn near(&self, of: &Aabb) -> impl Iterator<Item = &Facet> {
        self.tree.overlapping(Registers::default(), of).into_iter().map(|facet| &self.facets[facet as usize])
    }
}
