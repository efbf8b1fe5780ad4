//! Level 2 of detection: hierarchies of bounding volumes, trees over bodies and boxes, and spatially compact orders.

pub(crate) mod body_tree;
pub(crate) mod box_tree;
pub mod closest_face;
pub(crate) mod compact_order;
pub(crate) mod face_groups;
pub mod hierarchy;
