//! Configuration of the bodies at the end of a predictor step.

use crate::math::Vec3;

/// Nodal positions at the end of a predictor step, and those at which the previous detection was run.
///
/// In each step, detection precedes the position corrections by the contact response. The displacements since the
/// previous detection therefore include the corrections of the previous step.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time of the positions \[s\].
    pub time: f64,
    /// Size of the time step that ends at these positions \[s\].
    pub time_step: f64,
    /// Position of every node \[m\].
    pub positions: &'a [Vec3],
    /// Position of every node at the previous detection; for the first detection, at the beginning of the step \[m\].
    pub positions_before: &'a [Vec3],
}

impl Configuration<'_> {
    /// Displacement of a node since the previous detection \[m\].
    #[inline(always)]
    pub(crate) fn displacement(&self, node: u32) -> Vec3 {
        self.positions[node as usize] - self.positions_before[node as usize]
    }
}
