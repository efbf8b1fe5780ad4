//! All detectors agree with the detector that tests all pairs of faces, in every step of random scenes and of scenes
//! chosen to be difficult: they find the same first impact in flight, and in contact the same constraints to the last
//! bit. Before the first impact found within a step no bodies with flat faces overlap, and at the impact bodies touch.
//! Bodies made of the cells of one lattice overlap where they have a cell in common, and nowhere else.
//!
//! `ICTUS_SCENES` sets the number of random scenes. The message of a failure names the seed of the scene.
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
