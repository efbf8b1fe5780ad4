//! Explicit dynamics: state, lumped mass, internal forces, critical step, loads, supports, rigid bodies, audit, and
//! the Newmark predictor–corrector.

pub mod audit;
pub mod load;
pub mod newmark;
pub mod rigid_body;
pub mod state;
pub mod support;
