//! The face of a candidate.

/// The face of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetFace {
    /// Nodes of the face, if it is a triangle.
    pub triangle: Option<[u32; 3]>,
    /// Distance from the face, on either side, within which the candidate can give a constraint \[m\].
    pub reach: f64,
}
