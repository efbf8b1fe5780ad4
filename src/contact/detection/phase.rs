//! What a detector was asked last, and so what its state is made for.

/// The state of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Made for nothing yet.
    Fresh,
    /// Made for bodies that fly in closed form.
    Flight,
    /// Made for bodies that deform.
    Contact,
}

impl Phase {
    /// Goes over to another phase; whether it is a new one.
    pub fn enters(&mut self, phase: Self) -> bool {
        std::mem::replace(self, phase) != phase
    }
}
