//! Minimisation of the distance from a query to a face: sequential quadratic programming and other methods.

mod active_set;
mod interior_point;
mod minimise;
pub(super) mod newton;
mod quadratic_program;
pub mod sqp;

pub use active_set::ActiveSet;
pub use interior_point::InteriorPoint;
pub use minimise::{Minimise, Minimum};
pub use newton::Newton;
pub use sqp::Sqp;
