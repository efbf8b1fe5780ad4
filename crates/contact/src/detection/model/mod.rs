//! Input of detection: the surfaces and the thickness of the bodies, the pairs of nodes, edges and faces that may
//! touch, and the nodal positions at the end of a predictor step.

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
