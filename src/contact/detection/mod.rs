//! Contact detection: geometry and kinematics only; nothing of forces, elements or materials.

pub mod closest_point;
pub mod hierarchy;
#[cfg(test)]
mod samples;
pub mod time_of_impact;
pub mod trajectory;
pub mod volume;
