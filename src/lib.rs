//! Explicit finite-element dynamics with contact.
pub mod contact;
pub mod dynamics;
pub mod element;
pub mod io;
pub mod material;
pub mod math;
pub mod mesh;
pub mod scenario;
pub mod simulation;
