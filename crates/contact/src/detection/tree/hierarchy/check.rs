//! Checks of a tree: its structure, and whether its spheres contain its faces.

use super::Hierarchy;
use crate::Surface;
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, control_points};
use crate::detection::volume::Sphere;
use crate::math::Vec3;

/// A defect of a tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The number of vertices or spheres does not fit the surface.
    #[error("the tree has {vertices} vertices and {spheres} spheres; {expected} are needed for the surface")]
    Size {
        /// Number of vertices of the tree.
        vertices: usize,
        /// Number of spheres given.
        spheres: usize,
        /// Required number: 2 n − 1 for n > 0 faces, 0 without faces.
        expected: usize,
    },
    /// A face is in no leaf or in several leaves, or the surface has no face with this number.
    #[error("face {face} is in {leaves} leaves; it must be in one")]
    Face {
        /// The face.
        face: usize,
        /// Number of leaves that contain the face.
        leaves: u32,
    },
    /// The children of a vertex are equal, do not precede the vertex, or have another parent; or the number of leaves
    /// below the vertex is not the sum over its children.
    #[error("vertex {vertex} and its children {children:?} do not agree on order, parent or leaf count")]
    Order {
        /// The parent.
        vertex: u32,
        /// Children of the parent.
        children: [u32; 2],
    },
    /// A bounding point of a face below a vertex is farther from the centre of the sphere of the vertex than its radius
    /// minus the margin, or a number is NaN.
    #[error("point {point} of face {face} is {distance} from the centre of vertex {vertex}, radius {radius}")]
    NotBounded {
        /// The vertex.
        vertex: u32,
        /// A face below the vertex.
        face: u32,
        /// Local number of a node of the face, or of a Bézier control point of a curved face.
        point: usize,
        /// Distance of the point from the centre of the sphere, plus the margin of the tree \[m\].
        distance: f64,
        /// Radius of the sphere \[m\].
        radius: f64,
    },
}

impl Hierarchy {
    /// Checks the structure of the tree, and whether each sphere contains all points within the margin of the
    /// bounding points of the faces below its vertex.
    ///
    /// # Cost
    /// O(n · depth) for n faces; intended for tests and diagnosis.
    ///
    /// # Errors
    /// The first [`HierarchyError`] found.
    pub fn check(
        &self,
        surface: &Surface,
        positions: &[Vec3],
        spheres: &[Sphere],
    ) -> Result<(), HierarchyError> {
        let expected = (2 * surface.num_faces()).saturating_sub(1);
        if self.num_vertices() != expected || spheres.len() != expected {
            let (vertices, spheres) = (self.num_vertices(), spheres.len());
            return Err(HierarchyError::Size { vertices, spheres, expected });
        }
        self.check_order()?;
        self.check_faces(surface)?;
        for leaf in 0..self.num_vertices() as u32 {
            let Some(face) = self.face(leaf) else { continue };
            let path = || std::iter::successors(Some(leaf), |&v| self.parent(v));
            let (kind, nodes) = surface.face(face as usize);
            let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
            let points = control_points(kind, nodes, positions, &mut points);
            for (point, position) in points.iter().enumerate() {
                for vertex in path() {
                    self.check_point((vertex, face, point), position, &spheres[vertex as usize])?;
                }
            }
        }
        Ok(())
    }

    fn check_order(&self) -> Result<(), HierarchyError> {
        for vertex in 0..self.num_vertices() as u32 {
            let Some(children) = self.children(vertex) else { continue };
            let [left, right] = children;
            let in_order = left < vertex && right < vertex && left != right && {
                let (below_left, below_right) = (self.num_leaves_below(left), self.num_leaves_below(right));
                self.num_leaves_below(vertex) == below_left + below_right
                    && children.iter().all(|&child| self.parent(child) == Some(vertex))
            };
            if !in_order {
                return Err(HierarchyError::Order { vertex, children });
            }
        }
        Ok(())
    }

    fn check_faces(&self, surface: &Surface) -> Result<(), HierarchyError> {
        let mut leaves = vec![0_u32; surface.num_faces()];
        for v in 0..self.num_vertices() as u32 {
            if let Some(face) = self.face(v) {
                match leaves.get_mut(face as usize) {
                    Some(count) => *count += 1,
                    None => return Err(HierarchyError::Face { face: face as usize, leaves: 1 }),
                }
            }
        }
        match leaves.iter().position(|&count| count != 1) {
            Some(face) => Err(HierarchyError::Face { face, leaves: leaves[face] }),
            None => Ok(()),
        }
    }

    fn check_point(
        &self,
        (vertex, face, point): (u32, u32, usize),
        position: &Vec3,
        sphere: &Sphere,
    ) -> Result<(), HierarchyError> {
        let (distance, radius) = ((position - sphere.centre).norm() + self.margin, sphere.radius);
        if distance > radius || distance.is_nan() || radius.is_nan() {
            return Err(HierarchyError::NotBounded { vertex, face, point, distance, radius });
        }
        Ok(())
    }
}
