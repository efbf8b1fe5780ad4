//! Configuration of the bodies at the end of a predictor step.

use crate::math::Vec3;

/// Nodal positions at the end of a predictor step, and the displacement rates that led to them.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time of the positions \[s\].
    pub time: f64,
    /// Size of the step that led to them \[s\].
    pub time_step: f64,
    /// Position of every node \[m\].
    pub positions: &'a [Vec3],
    /// Displacement rate of every node over the step \[m/s\]: the displacement since the positions of the previous
    /// detection, divided by the step. It includes position corrections of the last step, which nodal velocities omit.
    pub velocities: &'a [Vec3],
}
