//! Data of the face of a candidate.

#[derive(Clone, Copy, Debug)]
pub(super) struct TargetFace {
    pub triangle: Option<[u32; 3]>,
    /// Distance from the face, on either side, up to which the candidate can give a constraint \[m\].
    pub reach: f64,
}
