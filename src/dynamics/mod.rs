//! Motion of the nodes: element blocks, internal forces, masses and the critical step.

mod critical_step;
mod element_block;
mod element_kernel;
mod internal_force;
mod interpolation;
mod mass;

pub use critical_step::CriticalStep;
pub use element_block::{ElementBlock, ElementError};
pub use internal_force::{ElementFailure, FailureKind, InternalForce};
pub use mass::{MassProperties, mass_properties, shell_mass_properties};
