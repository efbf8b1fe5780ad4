//! The engine and the buckets agree exactly with all pairs of faces: the same first impact in flight,
//! in contact the same constraints to the last bit, in every step of random and of malicious scenes. Before the first
//! impact found within a step no bodies of flat faces overlap, and there bodies touch. Bodies of the cells of one
//! lattice overlap where they have a cell in common, and nowhere else.
//!
//! `ICTUS_SCENES` sets the number of random scenes, the failure message names the seed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contact;
mod corner_cases;
mod deformation;
mod flight;
mod gaps;
#[path = "../../benches/common/icosphere.rs"]
mod icosphere;
mod impacts;
mod overlaps;
mod rough;
#[path = "../../benches/common/rough_surfaces.rs"]
mod rough_surfaces;
mod samples;
mod scenes;
mod self_contact;
