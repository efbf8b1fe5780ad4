//! Level 2 of the three levels of detection: binary trees of bounding spheres over the faces of a surface.
//!
//! Vertices are stored in blocks of up to 1024 leaves, which fit in the cache. In a block, leaves come first and
//! children precede parents. The vertices above the blocks follow, up to the root. An example with two blocks; each
//! column of the table has a vertex, its face, and its two children:
//!
//! ```text
//!          8
//!        /   \
//!       4     7       vertex    0 1 2 3 4   5 6 7   8
//!      / \   / \      face      a b c       d e
//!     3   2 5   6     children        0 3       5   4
//!    / \                              1 2       6   7
//!   0   1
//! ```
//!
//! A vertex has two spheres:
//! - The *nested* sphere follows the deforming body. Its centre is a *material* point: a mean of nodal positions with
//!   constant weights from the build (see [`Hierarchy::refit`]).
//! - The *reference* sphere bounds the faces below the vertex in the configuration of the build, for rigid motion.
//!   [`Hierarchy::fit_reference_spheres`] can make this sphere smaller than the nested sphere.
//!
//! If the predicted trajectory of an inner sphere excludes contact, no descendant of the sphere is tested. Trees are
//! binary, because binary trees have the most inner spheres. Trees over faces of graded size may be deep, so no
//! algorithm recurses over the height of a tree.

mod bottom_up;
mod boxes;
mod check;
mod clusters;
mod fitting;
mod lanes;
mod leaves;
mod level;
mod locally_ordered;
mod nearest;
mod nested_spheres;
mod online_insertion;
mod refit;
#[cfg(test)]
mod tests;
mod topology;

pub use check::HierarchyError;
pub use leaves::LeafFit;
pub use topology::DepthStatistics;

use bytemuck::zeroed_vec;
use ictus_core::vocabulary;

use crate::Surface;
use crate::detection::volume::Sphere;
use crate::math::Vec3;
use crate::math::space_filling_curve::{Cube, is_comparable, order};
use leaves::Leaves;
use topology::{Block, Topology, pieces};

vocabulary! {
    /// Algorithm that builds the tree.
    pub enum Builder {
        /// Parallel locally-ordered clustering.
        Fast = "fast",
        /// Greedy agglomeration; each round merges all mutually nearest pairs.
        BottomUp = "bottom-up",
        /// Greedy agglomeration by a priority queue of pairs. The result is the tree of [`Builder::BottomUp`], up to
        /// ties.
        Insertion = "insertion",
    }
}

vocabulary! {
    /// Volumes of the vertices of a hierarchy in flight; the root is always a sphere.
    pub enum HierarchyVolume {
        /// Spheres.
        Sphere = "sphere",
        /// Axis-aligned boxes.
        Box = "aabb",
    }
}

/// Tree of bounding spheres over the faces of one surface.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    topology: Topology,
    leaves: Leaves,
    /// Fraction f of each inner vertex: the centre is (1 − f) c₁ + f c₂, with the centres c₁ and c₂ of the children.
    fractions: Vec<f64>,
    reference: Vec<Sphere>,
    sum_of_volumes: f64,
    margin: f64,
    fit: LeafFit,
}

impl Hierarchy {
    /// Tree over the faces of `surface`, at `positions` \[m\] of all nodes (global numbering). The spheres contain all
    /// points within `margin` \[m\] of a face. `None` if the surface has no faces.
    ///
    /// The result does not depend on the number of threads. The spheres of faces with non-finite positions have
    /// undefined radii.
    ///
    /// # Panics
    /// If `positions` does not cover the largest node number of the surface.
    pub fn build(builder: Builder, surface: &Surface, positions: &[Vec3], margin: f64) -> Option<Self> {
        Self::build_with(builder, LeafFit::MinimumBall, surface, positions, margin)
    }

    /// Tree whose spheres are fitted by `fit`; see [`Hierarchy::build`].
    pub fn build_with(
        builder: Builder,
        fit: LeafFit,
        surface: &Surface,
        positions: &[Vec3],
        margin: f64,
    ) -> Option<Self> {
        let num_faces = surface.num_faces();
        if num_faces == 0 {
            return None;
        }
        let (order, cube) = along_curve(surface, positions);
        let mut reference = zeroed_vec(2 * num_faces - 1);
        let (topology, leaves) = if builder == Builder::Fast {
            let blocks = locally_ordered::blocks(num_faces);
            let spheres = leaf_pieces(&blocks, &mut reference);
            let leaves = Leaves::new(surface, &order, positions, (margin, fit), spheres);
            (locally_ordered::topology(&order, &reference, cube, blocks), leaves)
        } else {
            let mut spheres = zeroed_vec(num_faces);
            let tasks = spheres.chunks_mut(FACES_PER_TASK).collect();
            let mut leaves = Leaves::new(surface, &order, positions, (margin, fit), tasks);
            let merges = match builder {
                Builder::Insertion => online_insertion::merges(&spheres),
                _ => bottom_up::merges(&spheres),
            };
            let (topology, places) = Topology::from_merges(&order, &merges);
            leaves.reorder(&places);
            let pieces = leaf_pieces(topology.blocks(), &mut reference);
            for (sphere, &leaf) in pieces.into_iter().flatten().zip(&places) {
                *sphere = spheres[leaf as usize];
            }
            (topology, leaves)
        };
        let fractions = vec![0.0; num_faces - 1];
        let mut hierarchy = Self { topology, leaves, fractions, reference, sum_of_volumes: 0.0, margin, fit };
        hierarchy.nested_spheres();
        Some(hierarchy)
    }

    /// The root: the last vertex.
    pub fn root(&self) -> u32 {
        self.num_vertices() as u32 - 1
    }

    /// Number of vertices, leaves included: 2 n − 1 for n faces.
    pub fn num_vertices(&self) -> usize {
        self.topology.num_vertices()
    }

    /// Left and right child of a vertex; `None` for a leaf.
    #[inline]
    pub fn children(&self, v: u32) -> Option<[u32; 2]> {
        self.topology.children(v)
    }

    /// Parent of a vertex; `None` for the root.
    pub fn parent(&self, v: u32) -> Option<u32> {
        self.topology.parent(v)
    }

    /// Face of a leaf; `None` for an inner vertex.
    #[inline]
    pub fn face(&self, v: u32) -> Option<u32> {
        self.topology.face(v)
    }

    /// Number of faces below a vertex; 1 for a leaf.
    #[inline]
    pub fn num_leaves_below(&self, v: u32) -> u32 {
        self.topology.num_leaves_below(v)
    }

    /// Number of edges between a vertex and the root.
    pub fn depth_of(&self, v: u32) -> u32 {
        std::iter::successors(self.parent(v), |&above| self.parent(above)).count() as u32
    }

    /// Depths of the leaves.
    pub fn leaf_depths(&self) -> DepthStatistics {
        self.topology.leaf_depths()
    }

    /// Total volume of the nested spheres of all inner vertices in the configuration of the build \[m³\], the usual
    /// measure of the quality of a tree.
    pub fn sum_of_volumes(&self) -> f64 {
        self.sum_of_volumes
    }

    /// Sphere that bounds the faces below a vertex, with the margin, in the configuration of the build.
    #[inline]
    pub fn reference_sphere(&self, v: u32) -> Sphere {
        self.reference[v as usize]
    }
}

fn leaf_pieces<'a, T>(blocks: &[Block], of_vertices: &'a mut [T]) -> Vec<&'a mut [T]> {
    let pieces = pieces(blocks, of_vertices, |block| block.num_vertices());
    pieces.into_iter().zip(blocks).map(|(piece, block)| &mut piece[..block.num_leaves as usize]).collect()
}

const FACES_PER_TASK: usize = 1024;

/// The faces sorted by centroid along a space-filling curve, and the cube of the curve.
fn along_curve(surface: &Surface, positions: &[Vec3]) -> (Vec<u32>, Cube) {
    let cube = Cube::around(surface.nodes().iter().map(|&node| positions[node as usize]));
    let order = match surface.faces_of_one_kind::<3>() {
        Some(faces) => order(faces.len(), cube, |face| centroid(&faces[face], positions, cube)),
        None => order(surface.num_faces(), cube, |face| centroid(surface.face(face).1, positions, cube)),
    };
    (order, cube)
}

/// Mean position of some nodes; the origin of the cube if the sum of the positions is not finite or too large to
/// compare.
#[inline]
fn centroid(nodes: &[u32], positions: &[Vec3], cube: Cube) -> Vec3 {
    let mut sum = Vec3::zeros();
    for &node in nodes {
        sum += positions[node as usize];
    }
    if is_comparable(&sum) { sum * (1.0 / nodes.len() as f64) } else { cube.origin }
}
