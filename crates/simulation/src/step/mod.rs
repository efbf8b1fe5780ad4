//! The stages of a time step, and the choice of its length. `predictor_corrector` and `free_flight` define the order of
//! the stages.

pub(crate) mod contact;
pub(crate) mod corrector;
pub(crate) mod driven_ties;
pub(crate) mod driving_functions;
pub(crate) mod free_flight;
pub(crate) mod impact_times;
pub(crate) mod initial_gaps;
pub(crate) mod loads;
pub(crate) mod predictor_corrector;
pub(crate) mod rigid_bodies;
pub(crate) mod rigid_supports;
pub(crate) mod step_size;
pub(crate) mod supports;
pub(crate) mod ties;
pub(crate) mod tunnelling;
