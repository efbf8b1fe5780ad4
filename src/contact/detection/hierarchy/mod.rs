//! Level 2: binary trees of bounding spheres over the faces of a surface.
//!
//! Vertices lie in post-order: children before their parent, the root last, the right child just before its
//! parent. So one forward loop refits the tree, and every subtree is a contiguous range.
//!
//! ```text
//!            6            vertex       0  1  2  3  4  5  6
//!          /   \          face         a  b     c  d
//!        2       5        left child         0        3  2
//!       / \     / \
//!      0   1   3   4
//! ```
//!
//! A vertex has two spheres. The *nested* one follows the deformation: its centre is a combination of nodes that
//! the build fixes once, a *material* centre, whose velocity is therefore exact; see [`Hierarchy::refit`]. The
//! *reference* sphere bounds the faces below in the configuration of the build; the fast builder fits it to the
//! points, because nested spheres grow with the height of the tree (a unit sphere gets a root of radius 2.5). It
//! serves as long as the body moves rigidly.
//!
//! Trees may be deep where faces are graded: nothing here recurses over the height of a tree.

mod bottom_up;
mod check;
mod fitting;
mod leaves;
mod level;
mod locally_ordered;
mod nearest;
mod refit;
mod space_filling_curve;
#[cfg(test)]
mod tests;
mod topology;

pub use check::HierarchyError;
pub use refit::VertexMotion;

use super::volume::Sphere;
use crate::contact::Surface;
use crate::math::Vec3;
use leaves::Leaves;
use topology::Topology;

/// How the tree over the faces is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builder {
    /// Parallel locally-ordered clustering; reference spheres fitted to the points.
    Fast,
    /// Greedy agglomeration of the pair with the least joint sphere; nested reference spheres.
    BottomUp,
}

/// Depths of the leaves of a tree; a lone root has depth 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStatistics {
    /// Depth of the leaf nearest to the root.
    pub min: u32,
    /// Mean depth.
    pub mean: f64,
    /// Depth of the leaf farthest from the root.
    pub max: u32,
}

/// Tree of bounding spheres over the faces of one surface.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    topology: Topology,
    leaves: Leaves,
    /// Place of the centre of each inner vertex between those of its children, in the topology's order.
    fractions: Vec<f64>,
    reference: Vec<Sphere>,
    sum_of_volumes: f64,
    margin: f64,
}

impl Hierarchy {
    /// Tree over the faces of `surface`, at `positions` \[m\] of all nodes (global numbering), with spheres that
    /// also hold everything within `margin` \[m\] of a face. `None` if the surface has no faces.
    ///
    /// The result does not depend on the number of threads. Faces whose positions are not finite get a place in
    /// the tree and a sphere of undefined radius.
    ///
    /// # Panics
    /// If `positions` is shorter than the largest node number of the surface asks for.
    pub fn build(builder: Builder, surface: &Surface, positions: &[Vec3], margin: f64) -> Option<Self> {
        if surface.num_faces() == 0 {
            return None;
        }
        let mut leaves = Leaves::new(surface, positions);
        let mut spheres = leaves.spheres(positions, margin);
        spheres.iter_mut().for_each(make_comparable);
        let order = space_filling_curve::order(&spheres);
        let spheres: Vec<Sphere> = order.iter().map(|&face| spheres[face as usize]).collect();
        let merges = match builder {
            Builder::Fast => locally_ordered::merges(&spheres),
            Builder::BottomUp => bottom_up::merges(&spheres),
        };
        let topology = Topology::new(&order, &merges);
        leaves.reorder(topology.leaf_vertices().iter().map(|&v| topology.link(v)));
        let mut hierarchy = Self {
            topology,
            leaves,
            fractions: Vec::new(),
            reference: Vec::new(),
            sum_of_volumes: 0.0,
            margin,
        };
        hierarchy.nest(positions);
        if builder == Builder::Fast {
            hierarchy.fit_reference_spheres(positions);
        }
        Some(hierarchy)
    }

    /// Joint spheres of the children all the way up, and the fractions they place the centres at.
    fn nest(&mut self, positions: &[Vec3]) {
        self.reference = vec![Sphere { centre: Vec3::zeros(), radius: 0.0 }; self.num_vertices()];
        self.fractions.reserve_exact(self.topology.inner_vertices().len());
        let leaf_spheres = self.leaves.spheres(positions, self.margin);
        for (&v, sphere) in self.topology.leaf_vertices().iter().zip(leaf_spheres) {
            self.reference[v as usize] = sphere;
        }
        for &v in self.topology.inner_vertices() {
            let [left, right] = [self.topology.link(v), v - 1].map(|child| self.reference[child as usize]);
            let fraction = left.joint_fraction(&right);
            let joint = left.joint_at(&right, fraction);
            self.sum_of_volumes += joint.volume();
            self.fractions.push(fraction);
            self.reference[v as usize] = joint;
        }
    }

    /// The root: the last vertex.
    pub fn root(&self) -> u32 {
        self.num_vertices() as u32 - 1
    }

    /// Number of vertices, leaves included: 2 faces − 1.
    pub fn num_vertices(&self) -> usize {
        self.topology.num_vertices()
    }

    /// Left and right child of a vertex; `None` for a leaf.
    #[inline]
    pub fn children(&self, v: u32) -> Option<[u32; 2]> {
        (!self.topology.is_leaf(v)).then(|| [self.topology.link(v), v - 1])
    }

    /// Parent of a vertex; `None` for the root.
    pub fn parent(&self, v: u32) -> Option<u32> {
        self.topology.parent(v)
    }

    /// Face of a leaf; `None` for an inner vertex.
    #[inline]
    pub fn face(&self, v: u32) -> Option<u32> {
        self.topology.is_leaf(v).then(|| self.topology.link(v))
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

    /// Sum over the inner vertices of the volume 4/3 π r³ of the nested sphere \[m³\]: the measure by which the
    /// literature compares builders.
    pub fn sum_of_volumes(&self) -> f64 {
        self.sum_of_volumes
    }

    /// Sphere that bounds the faces below a vertex, and the margin around them, in the configuration of the
    /// build.
    #[inline]
    pub fn reference_sphere(&self, v: u32) -> Sphere {
        self.reference[v as usize]
    }
}

/// Largest coordinate or radius whose square and cube stay finite.
const LARGEST_COMPARABLE: f64 = 1e100;

/// Moves a sphere that no cost can be computed with to the origin, so that it takes part in the clustering.
fn make_comparable(sphere: &mut Sphere) {
    let comparable = sphere.centre.iter().chain([&sphere.radius]).all(|x| x.abs() < LARGEST_COMPARABLE);
    if !comparable {
        *sphere = Sphere { centre: Vec3::zeros(), radius: 0.0 };
    }
}
