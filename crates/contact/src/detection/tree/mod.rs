//! Level 2: hierarchies of bounding volumes over the faces of a surface, trees over bodies and boxes, and spatially
//! compact orders of faces and points.

pub(crate) mod body_tree;
pub(crate) mod box_tree;
pub mod closest_face;
pub(crate) mod compact_order;
pub(crate) mod face_groups;
pub mod hierarchy;
