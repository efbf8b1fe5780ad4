//! Whether a tree is well formed and its nested spheres bound what they must.

use super::{Hierarchy, VertexMotion};
use crate::contact::Surface;
use crate::contact::detection::control_points::{MAX_CONTROL_POINTS, control_points};
use crate::math::Vec3;

/// What is wrong with a tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The arrays do not fit the surface.
    #[error("the tree has {vertices} vertices and {motions} motions; {expected} are needed for the surface")]
    Size {
        /// Vertices of the tree.
        vertices: usize,
        /// Motions given.
        motions: usize,
        /// 2 faces − 1.
        expected: usize,
    },
    /// A face is not in exactly one leaf.
    #[error("face {face} is in {leaves} leaves; it must be in one")]
    Face {
        /// The face.
        face: usize,
        /// Leaves that hold it.
        leaves: u32,
    },
    /// Children do not come before their parent, do not know it, or are counted wrongly.
    #[error("vertex {vertex} and its children {children:?} do not agree on order, parent or leaf count")]
    Order {
        /// The parent.
        vertex: u32,
        /// Its children.
        children: [u32; 2],
    },
    /// A sphere does not hold a face below it.
    #[error("point {point} of face {face} is {distance} from the centre of vertex {vertex}, radius {radius}")]
    NotBounded {
        /// The vertex.
        vertex: u32,
        /// A face below it.
        face: u32,
        /// A node of that face, or a Bézier control point where it is curved; local number.
        point: usize,
        /// Distance from the centre, with the margin \[m\].
        distance: f64,
        /// Radius of the sphere \[m\].
        radius: f64,
    },
    /// A face below moves faster against the centre than the spread allows.
    #[error(
        "point {point} of face {face} moves at {speed} against the centre of vertex {vertex}, spread {spread}"
    )]
    Spread {
        /// The vertex.
        vertex: u32,
        /// A face below it.
        face: u32,
        /// A node of that face, or a Bézier control point where it is curved; local number.
        point: usize,
        /// Speed against the centre \[m/s\].
        speed: f64,
        /// Bound of the vertex \[m/s\].
        spread: f64,
    },
}

impl Hierarchy {
    /// Holds the tree against its surface: every face in one leaf, children before parents, parents and counts; and `motion`
    /// against the faces: spheres bound the points that hold those below (and the margin), spreads their relative
    /// speeds.
    ///
    /// # Cost
    /// O(n · depth): for tests and diagnosis.
    /// # Errors
    /// The first [`HierarchyError`] found.
    pub fn check(
        &self,
        surface: &Surface,
        positions: &[Vec3],
        velocities: &[Vec3],
        motion: &[VertexMotion],
    ) -> Result<(), HierarchyError> {
        let expected = (2 * surface.num_faces()).saturating_sub(1);
        if self.num_vertices() != expected || motion.len() != expected {
            let (vertices, motions) = (self.num_vertices(), motion.len());
            return Err(HierarchyError::Size { vertices, motions, expected });
        }
        self.check_order()?;
        self.check_faces(surface)?;
        for leaf in 0..self.num_vertices() as u32 {
            let Some(face) = self.face(leaf) else { continue };
            let path = || std::iter::successors(Some(leaf), |&v| self.parent(v));
            let (kind, nodes) = surface.face(face as usize);
            let mut points = [[Vec3::zeros(); MAX_CONTROL_POINTS]; 2];
            let [at, moving] = &mut points;
            let at = control_points(kind, nodes, positions, at);
            let moving = control_points(kind, nodes, velocities, moving);
            for (point, state) in at.iter().zip(moving).enumerate() {
                for vertex in path() {
                    self.check_point((vertex, face, point), state, &motion[vertex as usize])?;
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
        (position, velocity): (&Vec3, &Vec3),
        motion: &VertexMotion,
    ) -> Result<(), HierarchyError> {
        let distance = (position - motion.centre).norm() + self.margin;
        if exceeds(distance, motion.radius) {
            return Err(HierarchyError::NotBounded { vertex, face, point, distance, radius: motion.radius });
        }
        let speed = (velocity - motion.velocity).norm();
        if exceeds(speed, motion.spread) {
            return Err(HierarchyError::Spread { vertex, face, point, speed, spread: motion.spread });
        }
        Ok(())
    }
}

/// Whether `value` is above `bound`, or either is no number.
fn exceeds(value: f64, bound: f64) -> bool {
    value > bound || value.is_nan() || bound.is_nan()
}
