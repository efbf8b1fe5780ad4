//! Explicit dynamics: elements, masses, loads, supports, rigid bodies, time integration, and the audit of energy and
//! momentum.
//!
//! # Glossary
//! | here | meaning | in the literature |
//! |---|---|---|
//! | block | elements of one kind, one material and one body | element block |
//! | group | eight elements of a block, one per lane | – |
//! | chunk | up to 128 groups of a block, processed by one task | – |
//! | slot | index of a node within its chunk | local node number |
//! | owned, halo nodes | nodes of a chunk whose force sums the chunk writes, and its other nodes | owned and ghost nodes of a subdomain |
//! | owned range | consecutive nodes whose force sums a chunk writes: its owned nodes, and nodes without an owner, whose sums begin at zero | – |
//! | row, pack | eight numbers in memory, one per element of a group, and the part of a row in one register | SIMD vector |
//! | kick energy | ⅛ dt² a · M a, by which ½ v_n · M v_n exceeds ½ v_{n−½} · M v_{n+½} | – |

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
