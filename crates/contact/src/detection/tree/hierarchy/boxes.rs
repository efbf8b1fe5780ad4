//! Axis-aligned boxes of the vertices of a hierarchy, in place of their spheres.

use super::Hierarchy;
use super::leaves::LARGEST_FLAT_STRIDE;
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, rounding_of};
use crate::detection::volume::Aabb;
use crate::math::Vec3;

impl Hierarchy {
    /// Boxes of all vertices at `positions` \[m\]. The box of a leaf contains all points within the margin of its face.
    ///
    /// # Panics
    /// If `positions` does not cover the largest node number.
    pub fn fit_boxes(&self, positions: &[Vec3], boxes: &mut Vec<Aabb>) {
        match self.leaves.stride() {
            2 => self.fit_boxes_of_stride::<2>(positions, boxes),
            3 => self.fit_boxes_of_stride::<3>(positions, boxes),
            4 => self.fit_boxes_of_stride::<4>(positions, boxes),
            6 => self.fit_boxes_of_stride::<6>(positions, boxes),
            _ => self.fit_boxes_of_stride::<MAX_CONTROL_POINTS>(positions, boxes),
        }
    }

    /// One pass in ascending order suffices, because children precede their parents.
    fn fit_boxes_of_stride<const N: usize>(&self, positions: &[Vec3], boxes: &mut Vec<Aabb>) {
        let leaves = self.leaves.of_stride::<N>();
        boxes.clear();
        for v in 0..self.num_vertices() as u32 {
            let bounds = match self.children(v) {
                Some([left, right]) => boxes[left as usize].union(&boxes[right as usize]),
                None => {
                    let points = leaves.bounding_points(self.topology.leaf(v), positions);
                    let rounding = if N > LARGEST_FLAT_STRIDE { rounding_of(&points) } else { 0.0 };
                    Aabb::fit(&points, self.margin + rounding)
                }
            };
            boxes.push(bounds);
        }
    }
}
