//! Set-up of a simulation from a scenario: meshes, boundary conditions, contact, ties, and their validation.

pub(crate) mod assembly;
pub(crate) mod build;
pub(crate) mod conditions;
pub(crate) mod contact_thickness;
pub(crate) mod detector;
pub(crate) mod initial_penetration;
pub(crate) mod probes;
pub(crate) mod response;
mod sheets;
pub(crate) mod spring_stiffness;
pub(crate) mod surface_pairs;
pub(crate) mod ties;
pub(crate) mod walls;
