//! Contact detection: geometry and kinematics only; nothing of forces, elements or materials.

pub mod closest_point;
pub mod hierarchy;
pub mod time_of_impact;
pub mod trajectory;
pub mod volume;
