//! What detection knows of the bodies: their surfaces, which of their nodes, edges and faces may touch, how thick they
//! are, and where they are at the end of a predictor step.

mod candidate;
mod configuration;
mod contact_model;
mod feature_edges;
mod stars;
mod thickness;

pub(crate) use candidate::Candidate;
pub use configuration::Configuration;
pub use contact_model::ContactModel;
pub(crate) use contact_model::both_ways;
pub use feature_edges::EdgeSelection;
pub use stars::Cells;
pub(crate) use thickness::is_behind;
