//! The bodies before the first step: those that overlap, and surfaces that are tied.

pub(crate) mod overlap;
mod tied;

pub use tied::TiedSurfaces;
