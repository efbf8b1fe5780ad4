//! Explicit dynamics: elements, masses, loads, supports, rigid bodies, time integration, and the audit of energy and
//! momentum.

use ictus_core::{element, material, math, mesh};

mod audit;
mod critical_step;
mod elements;
mod internal_force;
mod load;
mod mass;
pub mod newmark;
mod rigid_body;
mod state;
mod support;

pub use audit::{Audit, Deviation, Energies, Wrench};
pub use critical_step::CriticalStep;
pub use elements::{ElementBlock, ElementError, Integration};
pub use internal_force::{ElementFailure, FailureKind, InternalForce, MaterialHistory, Shape};
pub use load::{CellShares, Load, LoadOverStep, consistent_shares, lumped_shares};
pub use mass::{MassProperties, add_lumped_mass, mass_properties, shell_mass_properties};
pub use rigid_body::RigidBody;
pub use state::NodalState;
pub use support::{
    MotionOverStep, Prescribed, PrescribedRotation, PrescribedStep, RotationOverStep, StepStart, Support,
    Turn, VelocityJumps,
};
