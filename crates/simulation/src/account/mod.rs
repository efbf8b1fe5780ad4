//! Balances of energy and momentum in each step: of bodies, supports and contact pairs.

pub(crate) mod contact_audit;
pub(crate) mod energy_audit;
pub(crate) mod hops;
pub(crate) mod hourglass;
pub(crate) mod nodal_sums;
pub(crate) mod resultants;
pub(crate) mod support_account;
