//! Data of the face of a candidate.

/// Data of the face of a candidate that are needed in every step.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetFace {
    /// Nodes of the face, if it is a triangle.
    pub triangle: Option<[u32; 3]>,
    /// Distance of the node from the face, on either side of the face, up to which the candidate can give a constraint
    /// \[m\].
    pub reach: f64,
}
