//! The configuration before the first step: overlapping bodies, and tied surfaces.

pub(crate) mod overlap;
mod tied;

pub use tied::TiedSurfaces;
