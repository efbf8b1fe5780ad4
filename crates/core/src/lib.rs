//! Parts of a finite-element model: vectors, functions of time, meshes, reference elements, constitutive laws, filters
//! of signals, systems of units, and a macro for enums whose variants are words of scenarios.

pub mod element;
pub mod material;
pub mod math;
pub mod mesh;
pub mod signal;
pub mod units;
mod vocabulary;
