//! Input of detection: surfaces, thickness of bodies, pairs that may touch, and nodal positions.

mod candidate;
mod cell_rings;
mod configuration;
mod contact_model;
mod contact_policy;
mod feature_edges;
mod thickness;

pub(crate) use candidate::Candidate;
pub use cell_rings::Cells;
pub use configuration::Configuration;
pub use contact_model::ContactModel;
pub(crate) use contact_model::both_ways;
pub use contact_policy::ContactPolicy;
pub use feature_edges::EdgeSelection;
pub(crate) use thickness::is_behind;
