//! Balance of energy and momentum of a step, for each body, support and contact pair.

pub(crate) mod contact_audit;
pub(crate) mod energy_audit;
pub(crate) mod hops;
pub(crate) mod hourglass;
pub(crate) mod nodal_sums;
pub(crate) mod resultants;
pub(crate) mod support_account;
