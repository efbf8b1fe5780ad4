//! Search for the boxes that overlap a given box, by sorting along an axis.

use crate::detection::volume::Aabb;

/// Boxes, each with an item, sorted by their lower bounds along the longest axis of the box around all boxes.
pub struct SortedBoxes<T> {
    axis: usize,
    /// Greatest width of a box along the axis \[m\].
    widest: f64,
    boxes: Vec<(Aabb, T)>,
}

impl<T: Copy> SortedBoxes<T> {
    pub fn new(mut boxes: Vec<(Aabb, T)>) -> Self {
        let whole = boxes.iter().map(|b| b.0).reduce(|a, b| a.union(&b));
        let axis = whole.map_or(0, |whole| (whole.upper - whole.lower).imax());
        boxes.sort_by(|a, b| a.0.lower[axis].total_cmp(&b.0.lower[axis]));
        let widest = boxes.iter().map(|b| b.0.upper[axis] - b.0.lower[axis]).fold(0.0, f64::max);
        Self { axis, widest, boxes }
    }

    /// All boxes, in sorted order.
    pub fn iter(&self) -> impl Iterator<Item = &(Aabb, T)> {
        self.boxes.iter()
    }

    /// Items of the boxes that overlap the box `of`.
    pub fn near(&self, of: &Aabb) -> impl Iterator<Item = T> {
        let (first, last) = (of.lower[self.axis] - self.widest, of.upper[self.axis]);
        let start = self.boxes.partition_point(|b| b.0.lower[self.axis] < first);
        let candidates = self.boxes[start..].iter().take_while(move |b| b.0.lower[self.axis] <= last);
        candidates.filter(move |b| !b.0.excludes(of)).map(|b| b.1)
    }
}
