//! Properties of contact detection in random scenes and in scenes chosen to be difficult. In every step, all detectors
//! agree with the detector that tests all pairs of faces: on the first impact in flight, and on every bit of the
//! constraints in contact. Bodies with flat faces do not overlap before the first impact within a step, and touch at
//! this impact. Two bodies made of cells of one lattice overlap exactly in their common cells.
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
mod seeds;
mod self_contact;
